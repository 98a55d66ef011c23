"""Responses and their prompts as files bring them: one response a row, the prompt's facts on every row."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotation.domain.records import InputError, Record, read

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
MAX_LANGUAGE = 35  # characters of a language tag
OF_PROMPT = ("prompt", "language", "genre", "requirements")


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


def read_responses(path: Path) -> list[ResponseRow]:
    """The different responses of a file, in file order. A row repeated word for word counts once."""
    rows = (_row(record) for record in read(path, required=REQUIRED, optional=OPTIONAL))
    return list(_distinct(rows, source=path.name))


def _row(record: Record) -> ResponseRow:
    requirements = record.strings("requirements")
    return ResponseRow(
        id=record.identifier("id"),
        prompt_id=record.identifier("prompt_id"),
        text=record.text("text"),
        prompt=record.text("prompt", required=False),
        language=record.identifier("language", required=False, longest=MAX_LANGUAGE),
        genre=record.identifier("genre", required=False),
        model=record.identifier("model", required=False),
        length=record.integer("length"),
        parameters=record.mapping("parameters"),
        requirements=requirements,
        kept_requirements=record.positions("kept_requirements", len(requirements)),
        line=record.line,
    )


def _distinct(rows: Iterable[ResponseRow], source: str) -> Iterator[ResponseRow]:
    seen: dict[str, ResponseRow] = {}
    prompts: dict[str, ResponseRow] = {}
    for row in rows:
        first = seen.setdefault(row.id, row)
        if first is not row:
            _check_same_response(first, row, source)
            continue
        _check_same_prompt(prompts.setdefault(row.prompt_id, row), row, source)
        yield row


def _check_same_response(first: ResponseRow, row: ResponseRow, source: str) -> None:
    for name in ("prompt_id", "text", *OPTIONAL):
        if _differ(getattr(first, name), getattr(row, name)):
            reason = (
                f"the response '{row.id}' stands on line {first.line} with another value here; "
                "give one of them another id or delete it"
            )
            raise InputError(reason, line=row.line, column=name, source=source)


def _check_same_prompt(first: ResponseRow, row: ResponseRow, source: str) -> None:
    for name in OF_PROMPT:
        if getattr(first, name) != getattr(row, name):
            reason = (
                f"the prompt '{row.prompt_id}' has another {name} on line {first.line}; "
                "write the same on every row of a prompt"
            )
            raise InputError(reason, line=row.line, column=name, source=source)


def _differ(one: object, other: object) -> bool:
    # In Python {"n": 1} equals {"n": True}; as JSON they differ.
    return one != other or (isinstance(one, dict) and _canonical(one) != _canonical(other))


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)
