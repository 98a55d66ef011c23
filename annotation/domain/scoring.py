"""The 0-3 scale, scores as files bring them, and which of several scores by one annotator counts."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from annotation.domain.records import InputError, Record, nearest, read
from annotation.domain.sentences import say
from annotation.domain.strict_json import shown

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
    rows = []
    for record in read(path, required=REQUIRED, optional=OPTIONAL):
        row = score_row(record)
        if responses is not None and row.response_id not in responses:
            hint = nearest(row.response_id, list(responses)) or "; add the response first or delete the row"
            reason = say("there is no response {id}{hint}", id=shown(row.response_id), hint=hint)
            raise record.error("response_id", reason)
        rows.append(row)
    return rows


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
    """The acts of one annotator on one response in time order, without those that repeat the one before."""
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
