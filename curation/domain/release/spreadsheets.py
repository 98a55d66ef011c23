"""Copies as CSV, for people with a spreadsheet. They are no configuration: what counts is the JSON Lines."""

import csv
import io
from collections.abc import Iterable, Iterator
from operator import attrgetter

AT_A_TIME = 2**18  # characters
# What a spreadsheet would take for the beginning of a formula, and what it may strip before one.
BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def lines(rows: Iterable[object], columns: Iterable[str], canary: str = "") -> Iterator[bytes]:
    """The rows in CSV with a header, UTF-8 with CRLF as RFC 4180 has it, the canary last where there is one.

    A text that a spreadsheet would run has an apostrophe before it; lists are their parts with a blank between.
    """
    names = tuple(columns)
    read = attrgetter(*names)
    last = (canary,) if canary else ()
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow((*names, *(("canary",) if canary else ())))
    for row in rows:
        writer.writerow([*map(_cell, read(row)), *last])
        if buffer.tell() >= AT_A_TIME:
            yield _taken(buffer)
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode()


def _cell(value: object) -> object:
    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    return harmless(value) if isinstance(value, str) else value


def harmless(text: str) -> str:
    """The text, with an apostrophe before what would be run."""
    return f"'{text}" if text.startswith(BEGINNINGS) else text
