"""Texts laid away in a file while the rest of their rows is worked on: a row asks for its text when it is wanted.

So memory grows with the number of rows and not with the length of their texts. What is laid away is what was read: the
file that the rows come from may change meanwhile, or be a pipe that can be read only once.
"""

import os
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, BinaryIO, Protocol, TypeVar, cast


class WithText(Protocol):
    """A frozen dataclass with slots, one of them `text`."""

    @property
    def text(self) -> str: ...


Row = TypeVar("Row", bound=WithText)
Lay = Callable[[Row], Row]

SIZE = 4  # bytes before each text, which say how many it has


def as_it_is(row: Row) -> Row:
    """The row with its text in it."""
    return row


class Shelf:
    """Lays texts away in a file that is open for reading and writing, one after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = file.tell()

    def lay(self, row: Row) -> Row:
        """The same row, but that its text is taken from the shelf each time it is asked for."""
        kind = type(row)
        laid = object.__new__(_laid(kind))
        for name in _names(kind):
            object.__setattr__(laid, name, getattr(row, name))
        object.__setattr__(laid, "_shelf", self)
        object.__setattr__(laid, "_place", self._put(row.text.encode()))
        return cast("Row", laid)

    def take(self, place: int) -> str:
        """The text that was put there."""
        self._file.flush()
        number = self._file.fileno()
        size = int.from_bytes(os.pread(number, SIZE, place), "big")
        return os.pread(number, size, place + SIZE).decode()

    def _put(self, text: bytes) -> int:
        place = self._end
        self._file.write(len(text).to_bytes(SIZE, "big"))
        self._file.write(text)
        self._end += SIZE + len(text)
        return place


class _Laid:
    """Goes before a kind of row, whose place for a text then stays empty."""

    __slots__ = ()
    _shelf: Shelf
    _place: int

    @property
    def text(self) -> str:
        return self._shelf.take(self._place)


@cache
def _laid(kind: type[Any]) -> type[Any]:
    return type(f"Laid{kind.__name__}", (_Laid, kind), {"__slots__": ("_shelf", "_place")})


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "text")
