"""The forms in which a model's predictions come, each a line of JSON; the first line tells which form the file has.

    scores       {"response_id": "r1", "score": 0.93}: one line for each response, more is better
    pair_scores  {"pair_id": "p:r1:r2", "scores_chosen": 0.9, "scores_rejected": 0.2}: one line for each pair; with the
                 pair under `id` it is what rewardbench writes
    choices      {"pair_id": "p:r1:r2", "first": "r2", "choice": "B"}: two lines for each pair, one for each order in
                 which its texts were shown; A is the one shown first, B the other, "tie" neither, null no verdict. In
                 place of `choice` there may be `answer`, what a judge said in its words (verdicts.py reads it). The
                 pair goes by its id or by the one that judge prompts give it, the lower response first
    rankings     {"prompt_id": "p", "ranking": [["r1"], ["r2", "r3"]]}, best first, or {"prompt_id": "p", "scores":
                 {"r1": 0.9, ...}}: one line for each prompt

A row that can be read but says nothing usable is a problem (problems.py); one that cannot be read is an InputError
that names its line and what to write instead.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from annotation.domain.records import InputError, Record, shown
from annotation.domain.sentences import say
from curation.domain.evaluation import lines
from curation.domain.evaluation.problems import Kind, Problem
from curation.domain.evaluation.verdicts import verdict

Form = Literal["scores", "pair_scores", "choices", "rankings"]
Number = int | float
Value = TypeVar("Value")
Key = tuple[str, str]  # the id, and the response shown first where that matters
Tiers = tuple[tuple[str, ...], ...]

LONGEST_ID = 800  # characters: a pair's id is made of three others
VERDICTS = {"A": "A", "a": "A", "B": "B", "b": "B", "tie": "tie"}
PAIR = ("pair_id", "id")


@dataclass(slots=True)
class Given(Generic[Value]):
    """What a file says: of each key its value, None where it says nothing usable, and the line that said it first."""

    form: Form
    values: dict[Key, Value | None] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    rows: int = 0

    def add(self, key: Key, value: Value | None, line: int, unusable: Kind) -> None:
        """`unusable` is what it is called that the value is None."""
        self.rows += 1
        if key in self.lines:
            same = self.values[key] == value
            self.problems.append(Problem("duplicate" if same else "contradictory", key[0], line, key[1]))
            self.values[key] = value if same else None
            return
        self.lines[key], self.values[key] = line, value
        if value is None:
            self.problems.append(Problem(unusable, key[0], line, key[1]))


@dataclass(frozen=True, slots=True)
class Predictions:
    """Of one file, whose form says which of them it is."""

    given: Given[Any]
    source: str

    @property
    def form(self) -> Form:
        return self.given.form


def read(path: Path) -> Predictions:
    """All rows of a file. InputError with the line of the first that cannot be read."""
    rows = lines.read(path)
    first = next(rows)
    form = form_of(first)
    given, add = _READERS[form]()
    add(first)
    for row in rows:
        add(row)
    return Predictions(given, path.name)


def form_of(record: Record) -> Form:
    """The form that a row has; InputError where it has none."""
    names = set(record.values)
    if "response_id" in names:
        return "scores"
    if names & {"scores_chosen", "scores_rejected"}:
        return "pair_scores"
    if names & {"choice", "first"}:
        return "choices"
    if "prompt_id" in names:
        return "rankings"
    reason = say(
        "{names} are the columns of no form of predictions; write response_id and score, or pair_id, scores_chosen and "
        "scores_rejected, or pair_id, first and choice, or prompt_id and ranking",
        names=shown(sorted(names)),
    )
    raise InputError(reason, line=record.line, source=record.source)


# --- a row of each form ----------------------------------------------------------------------------------


def _scores() -> tuple[Given[Number], Callable[[Record], None]]:
    given: Given[Number] = Given("scores")

    def add(record: Record) -> None:
        key = (record.identifier("response_id", longest=LONGEST_ID), "")
        given.add(key, _number(record, "score"), record.line, "non_finite")

    return given, add


def _pair_scores() -> tuple[Given[tuple[Number, Number]], Callable[[Record], None]]:
    given: Given[tuple[Number, Number]] = Given("pair_scores")

    def add(record: Record) -> None:
        chosen, rejected = _number(record, "scores_chosen"), _number(record, "scores_rejected")
        both = None if chosen is None or rejected is None else (chosen, rejected)
        given.add((_pair(record), ""), both, record.line, "non_finite")

    return given, add


def _choices() -> tuple[Given[str], Callable[[Record], None]]:
    given: Given[str] = Given("choices")

    def add(record: Record) -> None:
        key = (_pair(record), record.identifier("first", longest=LONGEST_ID))
        given.add(key, _choice(record), record.line, "no_verdict")

    return given, add


def _rankings() -> tuple[Given[Tiers], Callable[[Record], None]]:
    given: Given[Tiers] = Given("rankings")

    def add(record: Record) -> None:
        key = (record.identifier("prompt_id", longest=LONGEST_ID), "")
        given.add(key, _tiers(record), record.line, "non_finite")

    return given, add


_READERS: Mapping[Form, Callable[[], tuple[Given[Any], Callable[[Record], None]]]] = {
    "scores": _scores,
    "pair_scores": _pair_scores,
    "choices": _choices,
    "rankings": _rankings,
}


# --- values ----------------------------------------------------------------------------------------------


def _pair(record: Record) -> str:
    column = next((name for name in PAIR if name in record.values), PAIR[0])
    return record.identifier(column, longest=LONGEST_ID)


def _number(record: Record, column: str) -> Number | None:
    """None where it is null, NaN or an infinity."""
    if column not in record.values:
        reason = say("the column is missing; give a number, or null where the model gave none")
        raise record.error(column, reason)
    return _checked(record, column, record.values[column])


def _checked(record: Record, column: str, value: object) -> Number | None:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        reason = say("{value} is no number; write one without quotes, or null", value=shown(value))
        raise record.error(column, reason)
    return value


def _choice(record: Record) -> str | None:
    if "choice" not in record.values:
        if isinstance(answer := record.values.get("answer"), str):
            return verdict(answer)
        if "answer" in record.values and answer is None:
            return None
        reason = say(
            'the column is missing; write "A", "B", "tie" or null, or what the judge said under `answer`'
        )
        raise record.error("choice", reason)
    value = record.values["choice"]
    if value is None:
        return None
    if not isinstance(value, str) or value not in VERDICTS:
        reason = say('{value} is no choice; write "A", "B", "tie" or null', value=shown(value))
        raise record.error("choice", reason)
    return VERDICTS[value]


def _tiers(record: Record) -> Tiers | None:
    """Tiers of ids, best first, those of a tier in the order of their bytes; None where a score is no number."""
    named = [name for name in ("ranking", "scores") if name in record.values]
    if len(named) != 1:
        reason = (
            say("a line has a ranking or scores, and both are given; give one of them")
            if named
            else say("a line has a ranking or scores, and neither is given; give one of them")
        )
        raise record.error("ranking", reason)
    return _of_scores(record) if named == ["scores"] else _of_ranking(record)


def _of_ranking(record: Record) -> Tiers | None:
    value = record.values["ranking"]
    if value is None:
        return None
    if not isinstance(value, list):
        reason = say("{value} is no list of tiers; write them best first, [[...], [...]]", value=shown(value))
        raise record.error("ranking", reason)
    tiers = (tier if isinstance(tier, list) else [tier] for tier in value)
    return tuple(tuple(sorted(_id(record, id) for id in tier)) for tier in tiers)


def _id(record: Record, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        reason = say("{value} is no id of a text; write ids as strings in quotes", value=shown(value))
        raise record.error("ranking", reason)
    return value


def _of_scores(record: Record) -> Tiers | None:
    """Compared as they are written, whole numbers of any length too; equal scores tie."""
    if record.values["scores"] is None:
        return None
    tiers: dict[Number, list[str]] = {}
    for id, score in record.mapping("scores").items():
        number = _checked(record, "scores", score)
        if number is None:
            return None
        tiers.setdefault(number, []).append(id)
    return tuple(tuple(sorted(tiers[number])) for number in sorted(tiers, reverse=True))
