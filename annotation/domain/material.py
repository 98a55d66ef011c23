"""Responses and their prompts as files bring them: one response a row, the prompt's facts on every row."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from annotation.domain.records import InputError, Record, Watch
from annotation.domain.sentences import say
from annotation.domain.shelf import Lay, as_it_is
from annotation.domain.strict_json import shown
from annotation.domain.table_rows import read

REQUIRED = ("id", "prompt_id", "text")
OPTIONAL = (
    "prompt",
    "language",
    "genre",
    "model",
    "length",
    "parameters",
    "requirements",
    "kept_requirements",
)
# Facts of a response that have no column of their own where it is stored: they are kept among its parameters.
FACTS = ("sample", "finish_reason", "error", "upvotes", "posted_at")
MAX_LANGUAGE = 35  # characters of a language tag
OF_PROMPT = ("prompt", "language", "genre", "requirements")
NO_PARAMETERS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """One response. `length`, where it is given, stands in place of a count of the text; `requirements` belong
    to the prompt; `kept_requirements` are places within them, counted from 1; `line` is where the row stands
    and is no part of its content."""

    id: str
    prompt_id: str
    text: str
    prompt: str = ""
    language: str = ""
    genre: str = ""
    model: str = ""
    length: int | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    requirements: tuple[str, ...] = ()
    kept_requirements: tuple[int, ...] = ()
    line: int = field(default=0, compare=False)


Row = TypeVar("Row", bound=ResponseRow)


def read_responses(path: Path, watch: Watch = iter, lay: Lay[ResponseRow] = as_it_is) -> list[ResponseRow]:
    """The different responses of a file (JSONL, CSV or Parquet, by its name), in file order. A row repeated word for
    word counts once. `lay` may lay their texts away (shelf.Shelf)."""
    optional = (*OPTIONAL, *FACTS)
    records = watch(read(path, required=REQUIRED, optional=optional))
    rows = (response_row(record) for record in records)
    return list(distinct(rows, source=path.name, lay=lay))


def response_row(record: Record) -> ResponseRow:
    """The response of a row under the names of REQUIRED, OPTIONAL and FACTS; InputError where it is none.

    The text may be empty where an error says why.
    """
    requirements = record.strings("requirements")
    return ResponseRow(
        id=record.identifier("id"),
        prompt_id=record.identifier("prompt_id"),
        text=record.text("text", required=not record.has("error")),
        prompt=record.text("prompt", required=False),
        language=record.identifier("language", required=False, longest=MAX_LANGUAGE),
        genre=record.identifier("genre", required=False),
        model=record.identifier("model", required=False),
        length=record.integer("length"),
        parameters={**record.mapping("parameters"), **_facts(record)},
        requirements=requirements,
        kept_requirements=record.positions("kept_requirements", len(requirements)),
        line=record.line,
    )


def _facts(record: Record) -> dict[str, object]:
    """Those of FACTS that the row tells; a time as ISO 8601 in UTC."""
    posted_at = record.instant("posted_at")
    found = {
        "sample": record.identifier("sample", required=False),
        "finish_reason": record.text("finish_reason", required=False),
        "error": record.text("error", required=False),
        "upvotes": upvotes(record),
        "posted_at": posted_at.isoformat() if posted_at else "",
    }
    return {name: value for name, value in found.items() if value not in ("", None)}


def upvotes(record: Record) -> int | None:
    """Votes for less votes against, so they may be negative. None where missing."""
    number = record.number("upvotes")
    if number is None:
        return None
    if not number.is_integer():
        reason = say("{value} is no number of votes; use a whole number", value=shown(number))
        raise record.error("upvotes", reason)
    return int(number)


def distinct(
    rows: Iterable[Row],
    source: str,
    columns: Sequence[str] = ("prompt_id", "text", *OPTIONAL),
    lay: Lay[Row] = as_it_is,
) -> Iterator[Row]:
    """The rows without repetitions, as `lay` lays them; InputError where two of one id differ in one of the columns, or
    two of one prompt in what is the prompt's."""
    seen: dict[str, Row] = {}
    prompts: dict[str, Row] = {}
    models: dict[str, str] = {}
    for row in rows:
        first = seen.get(row.id)
        if first is not None:
            _check_same_response(first, row, columns, source)
            continue
        of_prompt = prompts.get(row.prompt_id)
        if of_prompt is not None:
            _check_same_prompt(of_prompt, row, source)
        laid = lay(_sharing(of_prompt or row, row, models.setdefault(row.model, row.model)))
        seen[row.id] = laid
        prompts.setdefault(row.prompt_id, laid)
        yield laid


def _sharing(first: Row, row: Row, model: str) -> Row:
    """The row with what many rows say alike in one copy: what is the prompt's from the first one, the model's name, and
    that there are no parameters."""
    of_prompt = {name: getattr(first, name) for name in OF_PROMPT}
    parameters = row.parameters or NO_PARAMETERS
    return replace(row, prompt_id=first.prompt_id, model=model, parameters=parameters, **of_prompt)


def _check_same_response(first: ResponseRow, row: ResponseRow, columns: Sequence[str], source: str) -> None:
    for name in columns:
        if _differ(getattr(first, name), getattr(row, name)):
            reason = say(
                "the response '{id}' stands on line {line} with another value here; "
                "give one of them another id or delete it",
                id=row.id,
                line=first.line,
            )
            raise InputError(reason, line=row.line, column=name, source=source)


def _check_same_prompt(first: ResponseRow, row: ResponseRow, source: str) -> None:
    for name in OF_PROMPT:
        if getattr(first, name) != getattr(row, name):
            reason = say(
                "the prompt '{id}' has another {name} on line {line}; write the same on every row of a prompt",
                id=row.prompt_id,
                name=name,
                line=first.line,
            )
            raise InputError(reason, line=row.line, column=name, source=source)


def _differ(one: object, other: object) -> bool:
    # In Python {"n": 1} equals {"n": True}; as JSON they differ.
    return one != other or (isinstance(one, dict) and _canonical(one) != _canonical(other))


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)
