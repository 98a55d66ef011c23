"""Stories and what a community thought of them: one story a row, as files bring them."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from annotation.domain.material import MAX_LANGUAGE, ResponseRow, distinct, upvotes
from annotation.domain.records import MAX_INTEGER, Record, Watch, shown
from annotation.domain.sentences import say
from annotation.domain.shelf import Lay, as_it_is
from annotation.domain.table_rows import read

REQUIRED = ("id", "prompt_id", "text", "upvotes", "posted_at")
OPTIONAL = ("tokens", "prompt", "language", "genre", "length")

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Story(ResponseRow):
    """A response that readers voted on. `upvotes` are votes for less votes against; `posted_at` is aware; `tokens`
    is a tokenizer's count, None where the file has none."""

    upvotes: int
    posted_at: datetime
    tokens: int | None = None


def read_stories(path: Path, watch: Watch = iter, lay: Lay[Story] = as_it_is) -> list[Story]:
    """The different stories of a file (JSONL, CSV or Parquet, by its name), in file order. A row repeated word for word
    counts once. `lay` may lay their texts away (shelf.Shelf). InputError names the place of what cannot be read."""
    records = watch(read(path, required=REQUIRED, optional=OPTIONAL))
    columns = ("prompt_id", "text", "upvotes", "posted_at", *OPTIONAL)
    return list(distinct(map(_story, records), path.name, columns, lay))


def _story(record: Record) -> Story:
    return Story(
        id=record.identifier("id"),
        prompt_id=record.identifier("prompt_id"),
        text=record.text("text"),
        prompt=record.text("prompt", required=False),
        language=record.identifier("language", required=False, longest=MAX_LANGUAGE),
        genre=record.identifier("genre", required=False),
        length=record.integer("length"),
        upvotes=_votes(record),
        posted_at=_given(record, "posted_at", record.instant("posted_at")),
        tokens=record.integer("tokens"),
        line=record.line,
    )


def _votes(record: Record) -> int:
    votes = _given(record, "upvotes", upvotes(record))
    # The rules multiply votes by the terms of a fraction, which has to stay within 64 bits.
    if abs(votes) > MAX_INTEGER:
        reason = say("{value} is too large; the most is {most}", value=shown(votes), most=MAX_INTEGER)
        raise record.error("upvotes", reason)
    return votes


def _given(record: Record, column: str, value: Value | None) -> Value:
    if value is None:
        raise record.error(column, say("the value is missing; fill it in or leave the row out"))
    return value
