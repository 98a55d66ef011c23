"""The 0-3 scale, scores as files bring them, and which of several scores by one annotator counts."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

from annotation.domain.records import InputError, Record, Watch, nearest
from annotation.domain.sentences import say
from annotation.domain.strict_json import shown
from annotation.domain.table_rows import read

SCALE = (0, 1, 2, 3)
REQUIRED = ("response_id", "annotator", "score")
OPTIONAL = ("at", "justification")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One act of scoring. `at` is in UTC. `line` is where the row stands (0: in no file), no part of it."""

    response_id: str
    annotator: str
    score: int
    at: datetime | None = None
    justification: str = ""
    line: int = field(default=0, compare=False)
    swapped: bool = field(default=False, compare=False)  # only of votes: see domain/voting.py


@dataclass(frozen=True, slots=True)
class CurrentScore:
    """The score of one annotator for one response that counts now. `largest_revision` is the largest absolute
    change between one score and the next in time; 0 where nothing was revised."""

    response_id: str
    annotator: str
    score: int
    largest_revision: int = 0


def read_scores(path: Path, responses: Collection[str] | None) -> list[ScoreRow]:
    """Every row of a file of scores, in file order. With `responses` given, no other may be scored."""
    return list(rows_of(path, responses))


def rows_of(path: Path, responses: Collection[str] | None, watch: Watch = iter) -> Iterator[ScoreRow]:
    """The rows of a file (JSONL, CSV or Parquet, by its name) one by one."""
    for record in watch(read(path, required=REQUIRED, optional=OPTIONAL)):
        row = score_row(record)
        if responses is not None and row.response_id not in responses:
            hint = nearest(row.response_id, list(responses)) or "; add the response first or delete the row"
            reason = say("there is no response {id}{hint}", id=shown(row.response_id), hint=hint)
            raise record.error("response_id", reason)
        yield row


def current(rows: Iterable[ScoreRow], *, source: str = "") -> list[CurrentScore]:
    """Of one annotator's scores for one response the latest counts; sorted by response and annotator.

    Different scores at the same time, or where a time is missing, cannot be put in order and are an error
    that names both lines; equal ones count once. `source` is the name of the file, for that error.
    """
    return [_current(acts, source) for _, acts in sorted(by_judgement(rows).items())]


def by_judgement(rows: Iterable[ScoreRow]) -> dict[tuple[str, str], list[ScoreRow]]:
    """The acts on each (response, annotator), in the order given."""
    acts: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in rows:
        acts.setdefault((row.response_id, row.annotator), []).append(row)
    return acts


def in_order(acts: Sequence[ScoreRow], *, source: str = "") -> list[ScoreRow]:
    """The acts of one annotator on one response in time order, without those whose score repeats the one before.

    Justifications play no part: of the score that counts they change nothing.
    """
    timed = sorted(((row.at, row.line, row) for row in acts if row.at), key=lambda entry: entry[:2])
    untimed = [row for row in acts if row.at is None]
    ordered = [row for _, _, row in timed] or untimed
    for one, other in pairwise(ordered):
        if one.score != other.score and one.at == other.at:
            raise _unordered(one, other, source)
    for other in acts if untimed else ():
        if other.score != untimed[0].score:
            raise _unordered(untimed[0], other, source)
    return [row for place, row in enumerate(ordered) if not place or ordered[place - 1].score != row.score]


def _current(acts: list[ScoreRow], source: str) -> CurrentScore:
    ordered = in_order(acts, source=source)
    changes = [abs(later.score - earlier.score) for earlier, later in pairwise(ordered)]
    last = ordered[-1]
    return CurrentScore(last.response_id, last.annotator, last.score, max(changes, default=0))


def _unordered(one: ScoreRow, other: ScoreRow, source: str) -> InputError:
    first, second = sorted((one, other), key=lambda row: row.line)
    values = {
        "annotator": second.annotator,
        "response": second.response_id,
        "score": second.score,
        "other": first.score,
    }
    if first.line:
        reason = say(
            "'{annotator}' gives '{response}' the score {score} here and {other} on line {line}, and the times "
            "do not say which is later; keep one or give each its time (at)",
            **values,
            line=first.line,
        )
    else:
        reason = say(
            "'{annotator}' gives '{response}' the score {score} here and {other} as stored, and the times "
            "do not say which is later; keep one or give each its time (at)",
            **values,
        )
    return InputError(reason, line=second.line, column="score", source=source)


# --- What a file adds to what is stored ---------------------------------------------------------------------


def additions(stored: Sequence[ScoreRow], acts: Sequence[ScoreRow], *, source: str = "") -> list[ScoreRow]:
    """Of one annotator's acts on one response those to be stored after `stored` (in its order), in their order.

    An act adds something where it comes later with another score or in other words, or brings words to a score
    that has none. No words are lost: those of `acts` are stored, returned, or refused (InputError) because the
    times do not say what came last or because a later act is stored already.
    """
    if not stored and len(acts) == 1:
        return list(acts)
    everything = [*stored, *acts]
    in_order(everything, source=source)
    _refuse_unordered_words(everything, source)
    early = _early(stored, acts)
    _refuse_early(stored, early, source)
    dropped = {id(row) for _, row in early}
    kept = list(stored)
    for row in _sequence(stored, [row for row in acts if id(row) not in dropped]):
        if not kept or not _repeats(row, kept[-1]):
            kept.append(row)
    return kept[len(stored) :]


def _repeats(row: ScoreRow, earlier: ScoreRow) -> bool:
    return row.score == earlier.score and row.justification in ("", earlier.justification)


def _refuse_unordered_words(acts: Sequence[ScoreRow], source: str) -> None:
    """Refuse different justifications of acts whose times do not tell them apart; their scores are the same."""
    spoken = [row for row in acts if row.justification]
    timed = sorted(_timed(spoken), key=lambda entry: (entry[0], entry[1].line))
    for (at, one), (other_at, other) in pairwise(timed):
        if at == other_at and one.justification != other.justification:
            raise _unordered_words(one, other, source)
    for untimed in [row for row in spoken if row.at is None][:1]:
        for other in spoken:
            if other.justification != untimed.justification:
                raise _unordered_words(untimed, other, source)


def _timed(acts: Iterable[ScoreRow]) -> list[tuple[datetime, ScoreRow]]:
    return [(row.at, row) for row in acts if row.at]


def _unordered_words(one: ScoreRow, other: ScoreRow, source: str) -> InputError:
    first, second = sorted((one, other), key=lambda row: row.line)
    values = {"annotator": second.annotator, "response": second.response_id, "score": second.score}
    if first.line:
        reason = say(
            "'{annotator}' justifies the score {score} for '{response}' here and in other words on line {line}, "
            "and the times do not say which is later; keep one or give each its time (at)",
            **values,
            line=first.line,
        )
    else:
        reason = say(
            "'{annotator}' justifies the score {score} for '{response}' here and in other words as stored, "
            "and the times do not say which is later; keep one or give each its time (at)",
            **values,
        )
    return InputError(reason, line=second.line, column="justification", source=source)


def _early(stored: Sequence[ScoreRow], acts: Sequence[ScoreRow]) -> list[tuple[datetime, ScoreRow]]:
    """The acts that are not later than all that is stored, in time order."""
    last = max((at for at, _ in _timed(stored)), default=None)
    if last is None:
        return []
    silent = not any(row.justification for row in stored if row.at in (None, last))
    early = [
        (at, row)
        for at, row in _timed(acts)
        if at < last or (at == last and not (silent and row.justification))
    ]
    return sorted(early, key=lambda entry: (entry[0], entry[1].line))


def _refuse_early(
    stored: Sequence[ScoreRow], early: Sequence[tuple[datetime, ScoreRow]], source: str
) -> None:
    """Acts that are not the latest may only say again what is stored of their time."""
    timed = sorted(_timed(stored), key=itemgetter(0))
    moments = [at for at, _ in timed]
    said = {(row.score, row.justification) for row in stored}
    for at, row in early:
        place = bisect_left(moments, at)
        beside = [one.score for _, one in timed[max(place - 1, 0) : place + 1]]
        is_new = row.justification and (row.score, row.justification) not in said
        if is_new or row.score not in beside:
            raise _too_early(row, source)
    if early and _steps(sorted([*timed, *early], key=itemgetter(0))) != _steps(timed):
        raise _too_early(early[0][1], source)


def _steps(timed: Iterable[tuple[datetime, ScoreRow]]) -> list[int]:
    return [score for score, _ in groupby(row.score for _, row in timed)]


def _too_early(row: ScoreRow, source: str) -> InputError:
    reason = say(
        "'{annotator}' has a later score for '{response}' stored already; "
        "an earlier one cannot be put before it, so leave this row out",
        annotator=row.annotator,
        response=row.response_id,
    )
    return InputError(reason, line=row.line, column="at", source=source)


def _sequence(stored: Sequence[ScoreRow], acts: Sequence[ScoreRow]) -> Iterator[ScoreRow]:
    """The acts in the order in which they count. Of acts that nothing orders the one with words goes first, so
    that the others repeat it; words without a time go before all where nobody has said them with one."""
    timed = sorted((row for row in acts if row.at), key=lambda row: (row.at, not row.justification, row.line))
    untimed = sorted(
        (row for row in acts if row.at is None), key=lambda row: (not row.justification, row.line)
    )
    said = {row.justification for row in (*stored, *timed)} | {""}
    yield from (row for row in untimed if row.justification not in said)
    yield from timed
    if not stored and not timed:
        yield from untimed


def score_row(record: Record) -> ScoreRow:
    """The score of a row under the names of REQUIRED and OPTIONAL; InputError where it is none."""
    return ScoreRow(
        response_id=record.identifier("response_id"),
        annotator=record.identifier("annotator"),
        score=_score(record),
        at=record.instant("at"),
        justification=record.text("justification", required=False),
        line=record.line,
    )


def _score(record: Record) -> int:
    """0, 1, 2 or 3. From JSON an integer or a float of integral value; from a CSV also written as 2.0."""
    value = record.values.get("score")
    if record.cells and isinstance(value, str) and re.fullmatch(r"[0-9](\.0+)?", value):
        value = float(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and value in SCALE:
        return int(value)
    if record.cells and value == "":
        raise record.error("score", say("an empty cell is not a score; use 0, 1, 2 or 3"))
    given = shown(record.values.get("score"))
    raise record.error("score", say("{value} is not a score; use 0, 1, 2 or 3", value=given))
