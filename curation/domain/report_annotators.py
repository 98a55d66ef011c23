"""What a report says of each annotator."""

import numpy as np

from annotation.domain.scoring import SCALE
from curation.domain import annotators, severity
from curation.domain.bootstrap import Integers
from curation.domain.choice import Choice, rows
from curation.domain.columns import Columns
from curation.domain.report_scores import Chosen

VALUES = len(SCALE)
Json = dict[str, object]


def annotators_of(chosen: Chosen, choice: Choice, seed: str) -> list[Json]:
    """Every annotator of the choice, by pseudonym."""
    columns, people = chosen.columns, len(chosen.columns.names.annotators)
    shared = severity.shared(chosen.unit, chosen.scores.value)
    by, of = chosen.annotator, chosen.of_rows
    used = annotators.use(by, chosen.scores.value, people, VALUES)
    leanings = severity.severities(shared, by, of, people, seed=seed)
    rest = annotators.against_rest(shared, by, of, people, seed=seed)
    weeks, by_week = severity.by_week(shared, by, of, chosen.week, people, seed=seed)
    shifts = severity.shifts(shared, by, of, _since(chosen.week), people, seed=seed)
    gold = _gold(columns, choice)
    again = _again(columns, choice)
    repeats = [annotators.match(table, seed=seed) for table in again]
    proposed = annotators.proposals(shifts, repeats, annotators.Thresholds())
    return [
        {
            "annotator": name,
            "scores": int(used[number].sum()),
            "use": used[number].tolist(),
            "severity": leanings[number].as_dict(),
            "against_rest": rest[number].as_dict(),
            "weeks": [
                {"week": severity.name_of(week), **each.as_dict()}
                for week, each in zip(weeks, by_week[number], strict=True)
                if each.n
            ],
            "shift": shifts[number].as_dict(),
            "gold": {"table": gold[number].tolist(), **annotators.match(gold[number], seed=seed).as_dict()},
            "repeats": {"table": again[number].tolist(), **repeats[number].as_dict()},
            "proposal": [ground.as_dict() for ground in proposed.get(number, ())],
        }
        for number, name in enumerate(columns.names.annotators)
        if used[number].any() or gold[number].any() or again[number].any()
    ]


def _since(week: Integers) -> Integers:
    """1 for scores of the latest weeks, 0 for those before, -1 where the week is not known."""
    latest = week.max(initial=-1) - annotators.Thresholds().recent_weeks
    return np.where(week < 0, -1, week > latest).astype(np.int64)


def _gold(columns: Columns, choice: Choice) -> Integers:
    """Agreed against given, by annotator (A, V, V)."""
    chosen = rows(columns.gold, columns, choice)
    given = columns.gold.where(chosen)
    people = len(columns.names.annotators)
    return annotators.tables(given.annotator, columns.gold_value[chosen], given.value, people, VALUES)


def _again(columns: Columns, choice: Choice) -> Integers:
    """First against second score of the same text, by annotator (A, V, V)."""
    second = columns.repeat.where(rows(columns.repeat, columns, choice))
    people = len(columns.names.annotators)
    first_of = columns.live.response.astype(np.int64) * people + columns.live.annotator
    wanted = second.response.astype(np.int64) * people + second.annotator
    place = np.minimum(np.searchsorted(first_of, wanted), max(len(first_of) - 1, 0))
    known = first_of[place] == wanted if len(first_of) else np.zeros(len(wanted), dtype=np.bool_)
    first, again = columns.live.value[place[known]], second.where(known)
    return annotators.tables(again.annotator, first, again.value, people, VALUES)
