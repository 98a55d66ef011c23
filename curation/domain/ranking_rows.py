"""Rows that hold rankings: what a model predicts, what people gave, and the responses whose order is known.

An order is written as tiers, best first: a list of lists of ids, [["a"], ["b", "c"]]; a tier of one may be the id
alone, ["a", ["b", "c"]]. In a CSV it is JSON within the cell. Ids are texts, or whole numbers in JSON.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from annotation.domain import rankings, table_rows
from annotation.domain.rankings import NotARankingError, Tiers
from annotation.domain.records import InputError, Record, Watch, read, shown
from annotation.domain.shelf import Lay, as_it_is
from annotation.domain.strict_json import NO_NUMBER, NotJson, decode

MOST_NAMED = 3  # ids in a message
MOST_REQUIREMENTS = 1000
ORDERS = ("tiers", "ranking")  # what the column of an order may be called
# A number, or a list of as many entries.
KEPT = ("kept_requirements", "kept", "kept_count")
REQUIREMENTS = ("requirements", "n_requirements")
CATEGORIES = ("category", "genre")
OF_PROMPT = {
    "requirements": REQUIREMENTS,
    "category": CATEGORIES,
    "language": ("language",),
    "prompt": ("prompt",),
}
OF_RESPONSE = (*KEPT, *REQUIREMENTS, *CATEGORIES, "language", "prompt", "text")
MAX_LANGUAGE = 35  # characters of a language tag


@dataclass(frozen=True, slots=True)
class Prediction:
    """Ranks of the texts of a prompt, 1 the best, in the order of their ids: by a model and in the gold."""

    prompt_id: str
    predicted: tuple[int, ...]
    gold: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GradedResponse:
    """A response of which it is known how many of its prompt's requirements it was to keep.

    `requirements` is None where the file does not say how many the prompt has; `line` is no part of the content.
    """

    id: str
    prompt_id: str
    kept: int
    requirements: int | None = None
    category: str = ""
    language: str = ""
    prompt: str = ""
    text: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class HumanRanking:
    """One person's order of the responses to a prompt; `category` is that person's vote on the prompt's, or ""."""

    prompt_id: str
    annotator: str
    tiers: Tiers
    category: str = ""
    at: datetime | None = None
    line: int = field(default=0, compare=False)


# --- predictions -----------------------------------------------------------------------------------------


@contextmanager
def _without_null() -> Iterator[None]:
    """What is no number is never to be null here."""
    try:
        yield
    except InputError as error:
        if error.reason != NO_NUMBER:
            raise
        reason = "NaN and Infinity are no numbers in JSON; write a finite number"
        raise InputError(reason, line=error.line, column=error.column, source=error.source) from error


@_without_null()
def read_predictions(path: Path) -> list[Prediction]:
    """One prompt a line, in file order: prompt_id, gold (tiers), and either scores ({id: number}, more is better) or
    ranking (tiers). InputError with the line at the first that cannot be compared.
    """
    found: list[Prediction] = []
    lines: dict[str, int] = {}
    for record in read(path, required=("prompt_id", "gold"), optional=("scores", "ranking")):
        prompt = record.identifier("prompt_id")
        first = lines.setdefault(prompt, record.line)
        if first != record.line:
            reason = (
                f"the prompt {shown(prompt)} stands on line {first} already; give one line for each prompt"
            )
            raise record.error("prompt_id", reason)
        found.append(_prediction(record, prompt))
    if not found:
        raise InputError("there is no prompt below the header; add some", line=1, source=path.name)
    return found


def _prediction(record: Record, prompt: str) -> Prediction:
    order = _order(record, "gold")
    if len(order) < 2:
        reason = f"{shown(list(order))} is no order of at least two texts; name all texts, best first"
        raise record.error("gold", reason)
    texts = sorted(order)
    given = [column for column in ("scores", "ranking") if record.has(column)]
    if len(given) != 1:
        found = "both are given" if given else "neither is given"
        raise record.error("scores", f"a line has scores or a ranking, and {found}; give one of them")
    if given == ["scores"]:
        predicted = _ranks_of_scores(record, texts)
    else:
        predicted = rankings.ranks(_tiers(record, "ranking", texts))
    return Prediction(prompt, tuple(predicted[id] for id in texts), tuple(order[id] for id in texts))


def _order(record: Record, column: str) -> dict[str, int]:
    """The ranks of whatever texts an order names."""
    given = _given(record, column)
    return rankings.ranks(_checked(record, column, given, {id for tier in given for id in tier}))


def _ranks_of_scores(record: Record, texts: Sequence[str]) -> dict[str, int]:
    """1 for the highest score; equal scores tie. Compared as they are written, whole numbers of any length too."""
    scores = record.mapping("scores")
    if missing := sorted(set(texts) - set(scores)):
        raise record.error("scores", f"no score for {_named(missing)}; score every text that gold names")
    if extra := sorted(set(scores) - set(texts)):
        raise record.error("scores", f"a score for {_named(extra)}, not in gold; score what gold names alone")
    numbers: dict[str, int | float] = {}
    for id, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            reason = f"the score {shown(score)} of {shown(id)} is no finite number; give every text a number"
            raise record.error("scores", reason)
        numbers[id] = score
    place = {score: rank for rank, score in enumerate(sorted(set(numbers.values()), reverse=True), start=1)}
    return {id: place[score] for id, score in numbers.items()}


# --- responses and people's rankings ----------------------------------------------------------------------


def read_graded(path: Path, watch: Watch = iter, lay: Lay[GradedResponse] = as_it_is) -> list[GradedResponse]:
    """The different responses of a file, in file order. A row repeated word for word counts once. `lay` may lay their
    texts away (shelf.Shelf)."""
    found: dict[str, GradedResponse] = {}
    prompts: dict[str, GradedResponse] = {}
    for record in watch(table_rows.read(path, required=("id", "prompt_id"), optional=OF_RESPONSE)):
        row = _graded(record)
        of_prompt = prompts.get(row.prompt_id, row)
        laid = lay(_sharing(of_prompt, row))
        first = found.setdefault(row.id, laid)
        if first is not laid and first != lay(row):
            reason = f"the response {shown(row.id)} stands on line {first.line} with other values; keep one"
            raise record.error("id", reason)
        prompts.setdefault(row.prompt_id, laid)
        _check_same_prompt(of_prompt, row, record)
    if not found:
        raise InputError("there is no response below the header; add some", line=1, source=path.name)
    return list(found.values())


def _sharing(first: GradedResponse, row: GradedResponse) -> GradedResponse:
    """The row with the prompt's text from the first one, if it is the same: each would keep it."""
    return replace(row, prompt=first.prompt) if first.prompt == row.prompt else row


def _check_same_prompt(first: GradedResponse, row: GradedResponse, record: Record) -> None:
    for name, columns in OF_PROMPT.items():
        if getattr(first, name) != getattr(row, name):
            column = next((column for column in columns if record.has(column)), columns[0])
            reason = (
                f"the prompt {shown(row.prompt_id)} has another {name} on line {first.line}; "
                "write the same on every row of a prompt"
            )
            raise record.error(column, reason)


def _graded(record: Record) -> GradedResponse:
    kept, requirements = _number(record, KEPT), _number(record, REQUIREMENTS)
    if kept is None:
        reason = "how many requirements were kept is missing; give a number, or a list of those kept"
        raise record.error(KEPT[0], reason)
    if requirements is not None and kept > requirements:
        raise record.error(KEPT[0], f"{kept} requirements were kept of {requirements}; correct one of them")
    return GradedResponse(
        id=record.identifier("id"),
        prompt_id=record.identifier("prompt_id"),
        kept=kept,
        requirements=requirements,
        category=_category(record),
        language=record.identifier("language", required=False, longest=MAX_LANGUAGE),
        prompt=record.text("prompt", required=False),
        text=record.text("text", required=False),
        line=record.line,
    )


def read_rankings(
    path: Path, responses: Mapping[str, Collection[str]], *, ties_allowed: bool, watch: Watch = iter
) -> list[HumanRanking]:
    """What people gave, one ranking for each person and prompt, sorted by both as bytes.

    `responses` are those of each prompt, all of which a ranking must hold. Of several by one person the latest `at`
    counts; different ones at the same time, or where a time is missing, are refused with both lines.
    """
    given: dict[tuple[str, str], list[HumanRanking]] = {}
    optional = (*ORDERS, *CATEGORIES, "at")
    for record in watch(table_rows.read(path, required=("prompt_id", "annotator"), optional=optional)):
        row = _human(record, responses, ties_allowed)
        given.setdefault((row.prompt_id, row.annotator), []).append(row)
    return [_latest(rows, path.name) for _, rows in sorted(given.items())]


def _human(record: Record, responses: Mapping[str, Collection[str]], ties_allowed: bool) -> HumanRanking:
    prompt = record.identifier("prompt_id")
    if prompt not in responses:
        reason = f"there is no response to the prompt {shown(prompt)}; correct the id or leave the row out"
        raise record.error("prompt_id", reason)
    columns = [column for column in ORDERS if record.has(column)]
    if len(columns) != 1:
        found = "both are given" if columns else "neither is given"
        raise record.error(
            ORDERS[0], f"a row has tiers or a ranking, best first, and {found}; give one of them"
        )
    return HumanRanking(
        prompt_id=prompt,
        annotator=record.identifier("annotator"),
        tiers=_tiers(record, columns[0], responses[prompt], ties_allowed=ties_allowed),
        category=_category(record),
        at=record.instant("at"),
        line=record.line,
    )


def _latest(rows: Sequence[HumanRanking], source: str) -> HumanRanking:
    timed = [(row.at, row.line, row) for row in rows if row.at]
    all_timed = len(timed) == len(rows)
    ordered = [row for *_, row in sorted(timed, key=lambda entry: entry[:2])] if all_timed else list(rows)
    for one, other in pairwise(ordered):
        is_other = (one.tiers, one.category) != (other.tiers, other.category)
        if is_other and not (all_timed and one.at != other.at):
            first, second = sorted((one.line, other.line))
            reason = (
                f"{shown(other.annotator)} ranks the prompt {shown(other.prompt_id)} otherwise on line {first}, "
                "and the times do not say which is later; keep one or give each its time (at)"
            )
            raise InputError(reason, line=second, column="annotator", source=source)
    return ordered[-1]


# --- parts -----------------------------------------------------------------------------------------------


def _tiers(record: Record, column: str, among: Collection[str], *, ties_allowed: bool = True) -> Tiers:
    return _checked(record, column, _given(record, column), among, ties_allowed=ties_allowed)


def _checked(
    record: Record,
    column: str,
    given: Sequence[Sequence[str]],
    among: Collection[str],
    *,
    ties_allowed: bool = True,
) -> Tiers:
    try:
        return rankings.checked(given, among=among, ties_allowed=ties_allowed)
    except NotARankingError as error:
        raise record.error(column, FAULTS[error.code](_named(error.texts))) from error


FAULTS: Mapping[str, Callable[[str], str]] = {
    "unranked": lambda names: f"no place for {names}; rank every text of the prompt",
    "unknown_text": lambda names: (
        f"a place for {names}, of another prompt or none; rank the prompt's texts alone"
    ),
    "ranked_twice": lambda names: f"two places for {names}; name every text once",
    "empty_tier": lambda names: "a tier is empty; leave it out",
    "not_a_rank": lambda names: f"a rank below 1 for {names}; count from 1",
    "ties_not_allowed": lambda names: (
        f"ties between {names}, and the recipe takes none (ties=off); order them"
    ),
}


def _given(record: Record, column: str) -> list[list[str]]:
    """The tiers as written, not checked."""
    value = _value(record, column)
    if not isinstance(value, list) or not value:
        raise record.error(
            column, f"{shown(value)} is no list of tiers; write them best first, [[...], [...]]"
        )
    return [
        [_id(record, column, id) for id in (tier if isinstance(tier, list) else [tier])] for tier in value
    ]


def _id(record: Record, column: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise record.error(column, f"{shown(value)} is no id of a text; write ids as strings in quotes")
    return value


def _value(record: Record, column: str) -> object:
    """What the row has in the column; in a CSV what JSON within the cell says."""
    value = record.values.get(column)
    if not record.cells or value is None:
        return value
    try:
        return decode(str(value))
    except NotJson as error:
        raise record.error(column, error.reason) from error


def _number(record: Record, columns: Sequence[str]) -> int | None:
    """The number that one of the columns has, or of which it has a list; None where all are empty."""
    found: dict[str, int] = {}
    for column in columns:
        if record.has(column):
            value = _value(record, column)
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            number = len(value) if isinstance(value, list) else value
            if (
                not isinstance(number, int)
                or isinstance(number, bool)
                or not 0 <= number <= MOST_REQUIREMENTS
            ):
                reason = f"{shown(value)} is no number of requirements; give one up to {MOST_REQUIREMENTS}, or a list"
                raise record.error(column, reason)
            found[column] = number
    if len(set(found.values())) > 1:
        one, other = list(found)[:2]
        raise record.error(
            other, f"{found[other]} where the column {one} says {found[one]}; give one of them"
        )
    return next(iter(found.values()), None)


def _category(record: Record) -> str:
    """The category, called genre where the file has no category."""
    column = next((name for name in CATEGORIES if record.has(name)), CATEGORIES[0])
    return record.identifier(column, required=False)


def _named(ids: Sequence[str]) -> str:
    more = ["..."] if len(ids) > MOST_NAMED else []
    return ", ".join([*map(shown, ids[:MOST_NAMED]), *more])
