"""Lines out of bytes, and JSON objects or cells out of lines, one by one and within a bound of memory.

Lines are numbered from 1. A line ends at a line feed and nowhere else: a form feed or U+2028 within a text is part
of it. What cannot be read is an InputError that names the line and the place in it.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from annotation.domain.rows import InputError
from annotation.domain.sentences import say
from annotation.domain.strict_json import NotJson, decode, printable, shown

MAX_LINE = 32 * 1024 * 1024  # bytes of one line, so that a file without line ends cannot fill the memory
MAX_ROW = (
    8 * 1024 * 1024
)  # characters of a row that goes over several lines, so that an open quote cannot either
CHUNK = 1024 * 1024  # bytes

# The csv module's limit on a cell is one for the process and below the length of a long story.
csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))

Line = tuple[int, str]  # number, text with its line end
Cells = tuple[int, list[str]]  # number of the line on which the row starts, cells


def chunks_of(path: Path, source: str) -> Iterator[bytes]:
    """The bytes of a file, piece by piece."""
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except OSError as error:
        fault = error.strerror or type(error).__name__
        raise InputError(say("the file cannot be read: {fault}", fault=fault), source=source) from error


def lines_of(chunks: Iterable[bytes], source: str, longest: int = MAX_LINE) -> Iterator[Line]:
    """Every line of UTF-8 bytes."""
    number = 0
    for block in _blocks(chunks, longest):
        for line in io.BytesIO(block):
            number += 1
            if len(line) > longest:
                raise _too_long(longest, number, source)
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(line, error.start, number, source) from error
            yield number, text
        if not block:
            raise _too_long(longest, number + 1, source)


def _blocks(chunks: Iterable[bytes], longest: int) -> Iterator[bytes]:
    """Pieces that end where a line ends; an empty one, and no more, where a line is too long to be held at all."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((*held, chunk[:cut]))
            held, size = [], 0
        if cut < len(chunk):
            held.append(chunk[cut:])
            size += len(chunk) - cut
        if size > longest:
            yield b""
            return
    if held:
        yield b"".join(held)


def _too_long(longest: int, number: int, source: str) -> InputError:
    reason = say("the line is longer than {most} MiB; write one row a line", most=longest // 2**20)
    return InputError(reason, line=number, source=source)


def _not_utf8(line: bytes, start: int, number: int, source: str) -> InputError:
    reason = say("the byte {byte} is not UTF-8; save the file as UTF-8", byte=f"0x{line[start]:02x}")
    return InputError(reason, line=number, column=str(start + 1), source=source)


def nothing(source: str) -> InputError:
    return InputError(say("the file is empty; it needs at least one row"), line=1, source=source)


# --- JSONL -----------------------------------------------------------------------------------------------


def objects_of(lines: Iterable[Line], source: str) -> Iterator[tuple[int, dict[str, object]]]:
    """(line, object) of every line that is not blank."""
    empty = True
    for number, line in lines:
        text = line.rstrip("\r\n")
        if not text or text.isspace():
            continue
        empty = False
        value = _value(text, number, source)
        if not isinstance(value, dict):
            reason = say("{value} is not an object; write one JSON object a line", value=shown(value))
            raise InputError(reason, line=number, column="1", source=source)
        yield number, value
    if empty:
        raise nothing(source)


def _value(text: str, line: int, source: str) -> object:
    try:
        return decode(text)
    except NotJson as error:
        reason = error.reason
        if error.syntax:
            reason = say(
                "not valid JSON ({fault} at character {place}); write one JSON object a line",
                fault=error.syntax,
                place=error.place,
            )
        raise InputError(reason, line=line, column=printable(error.place), source=source) from error


# --- delimited cells -------------------------------------------------------------------------------------


def cells_of(lines: Iterable[Line], source: str, delimiter: str = ",") -> Iterator[Cells]:
    """Every row that is not blank; a cell in quotes may go over several lines."""
    feed = _Feed(lines, source)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        feed.start_row()
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = say(
                "not valid CSV ({fault}); check the quotes of the row that starts here", fault=str(error)
            )
            raise InputError(reason, line=feed.first, column="1", source=source) from error
        if row and not (len(row) == 1 and not row[0].strip()):
            yield feed.first, row


class _Feed:
    """The lines for a CSV reader, counted, so that it cannot gather more than one row may have."""

    def __init__(self, lines: Iterable[Line], source: str) -> None:
        self.first = 0
        self._lines = iter(lines)
        self._last = 0
        self._size = 0
        self._source = source

    def start_row(self) -> None:
        self.first = self._last + 1
        self._size = 0

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        number, line = next(self._lines)
        if self._size > MAX_ROW:
            reason = say(
                "the row that starts here is longer than {most} MiB; close its quotes", most=MAX_ROW // 2**20
            )
            raise InputError(reason, line=self.first, column="1", source=self._source)
        self._last = number
        self._size += len(line)
        return line
