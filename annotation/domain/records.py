"""Rows read from files of other people, each with the place where it stands, so that an error can name it.

Two layouts: JSONL (one object a line) and long CSV (a header, commas), in UTF-8 with or without a byte order
mark. Files are read line by line. What a reader of such a file might take two ways is refused, never guessed:
a key that occurs twice, NaN, half of a surrogate pair, a NUL, a number where a text belongs.
"""

import csv
import difflib
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from annotation.domain.strict_json import NotJson, decode, fault_of_text, printable, shown

MAX_LINE = 32 * 1024 * 1024  # bytes of one line, so that a file without line ends cannot fill the memory
MAX_INTEGER = 2**31 - 1  # of a count
MAX_IDENTIFIER = 200  # characters

BOM = b"\xef\xbb\xbf"


class InputError(ValueError):
    """A row, or a whole file, that cannot be accepted.

    `line` counts from 1 and is that on which the record starts (None: the file as a whole); `column` is the
    name of the column, or the position in the line where no column can be named; `reason` says what is wrong
    and what to do.
    """

    code = "bad_input"

    def __init__(self, reason: str, *, line: int | None = None, column: str = "", source: str = "") -> None:
        self.reason = reason
        self.line = line
        self.column = column
        self.source = source
        place = [source, f"line {line}" if line else "", f"column {column}" if column else ""]
        where = ", ".join(part for part in place if part)
        super().__init__(f"{where}: {reason}" if where else reason)


@dataclass(frozen=True)
class Record:
    """One row: its values by column, and its place. In a CSV every value is a cell, that is a string."""

    line: int
    values: dict[str, object]
    source: str = ""
    cells: bool = False

    def error(self, column: str, reason: str) -> InputError:
        return InputError(reason, line=self.line, column=printable(column), source=self.source)

    def has(self, name: str) -> bool:
        """Whether the row says anything in this column; an empty cell and null say nothing."""
        value = self.values.get(name)
        return value is not None and not (self.cells and value == "")

    def text(self, name: str, required: bool = True) -> str:
        """The text as it stands; "" where an optional one is missing."""
        if not self._present(name, required):
            return ""
        value = self.values[name]
        if not isinstance(value, str):
            raise self.error(name, f"{shown(value)} is not a text; write it as a string in quotes")
        if required and not value.strip():
            raise self.error(name, "the text is empty; fill it in or leave the row out")
        return value

    def identifier(self, name: str, required: bool = True, longest: int = MAX_IDENTIFIER) -> str:
        """A name on one line, such as an id, which other rows refer to, of at most `longest` characters.

        JSON integers serve as well. Nothing is trimmed silently. "" where an optional one is missing.
        """
        if not self._present(name, required):
            return ""
        value = self.values[name]
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise self.error(name, f"{shown(value)} cannot be a name; use a non-empty string or an integer")
        if not value and not required:
            return ""
        fault = _fault_of_identifier(value, longest)
        if fault:
            raise self.error(name, fault)
        return value

    def integer(self, name: str) -> int | None:
        """A count, 0 or more; None where missing."""
        if not self.has(name):
            return None
        value = self.values[name]
        if self.cells and isinstance(value, str) and re.fullmatch(r"[0-9]{1,12}(\.0+)?", value):
            value = float(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.error(name, f"{shown(value)} is not a count; use a whole number of 0 or more")
        if value > MAX_INTEGER:
            raise self.error(name, f"{shown(value)} is too large; the most is {MAX_INTEGER}")
        return value

    def number(self, name: str) -> float | None:
        """A finite number; None where missing. Booleans are no numbers."""
        if not self.has(name):
            return None
        value = self.values[name]
        if self.cells and isinstance(value, str) and re.fullmatch(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?", value):
            value = _float(value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = _float(str(value))
        if not isinstance(value, float) or not math.isfinite(value):
            raise self.error(name, f"{shown(value)} is not a finite number")
        return value

    def instant(self, name: str) -> datetime | None:
        """A moment in UTC from ISO 8601; one without an offset is taken as UTC. None where missing."""
        if not self.has(name) or self.values[name] == "":
            return None
        value = self.values[name]
        remedy = "write ISO 8601, such as 2026-03-01T14:30:00+01:00"
        if not isinstance(value, str):
            raise self.error(name, f"{shown(value)} is not a time; {remedy}")
        try:
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise self.error(name, f"{shown(value)} is not a time; {remedy}") from error

    def mapping(self, name: str) -> dict[str, object]:
        """A JSON object; in a CSV it is written as JSON within the cell. {} where missing."""
        value = self._nested(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(name, f"{shown(value)} is not a JSON object; write it as {{...}}")
        return value

    def strings(self, name: str) -> tuple[str, ...]:
        """A list of non-empty strings; in a CSV a JSON list within the cell. () where missing."""
        found: list[str] = []
        for item in self._list(name):
            if not isinstance(item, str) or not item.strip():
                raise self.error(name, f"{shown(item)} is not a text; use a list of non-empty strings")
            found.append(item)
        return tuple(found)

    def positions(self, name: str, count: int) -> tuple[int, ...]:
        """Different places 1..count, ascending; in a CSV a JSON list within the cell. () where missing."""
        found: set[int] = set()
        for item in self._list(name):
            if not isinstance(item, int) or isinstance(item, bool) or not 1 <= item <= count:
                raise self.error(name, f"{shown(item)} is no position within 1..{count}")
            if item in found:
                raise self.error(name, f"the position {item} occurs twice; name each once")
            found.add(item)
        return tuple(sorted(found))

    def _present(self, name: str, required: bool) -> bool:
        if self.has(name):
            return True
        if required:
            missing = "is null" if name in self.values and not self.cells else "is missing"
            raise self.error(name, f"the value {missing}; fill it in or leave the row out")
        return False

    def _list(self, name: str) -> list[object]:
        value = self._nested(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(name, f"{shown(value)} is not a list; write it as [...]")
        return value

    def _nested(self, name: str) -> object:
        if not self.has(name):
            return None
        value = self.values[name]
        if not self.cells:
            return value
        try:
            return decode(str(value))
        except NotJson as error:
            raise self.error(name, error.reason) from error


def read(path: Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Record]:
    """The rows of a file, in file order: a long CSV if its name ends in .csv, else JSONL.

    Blank lines are skipped and columns not asked for are ignored. A CSV that is only a header has no rows;
    a file without anything is an error.
    """
    source = path.name
    lines = _lines(path, source)
    if path.suffix.lower() == ".csv":
        return _read_csv(lines, source, required, (*required, *optional))
    return _read_jsonl(lines, source, required)


def nearest(name: str, known: Sequence[str]) -> str:
    """A sentence that proposes the most similar of the known names, or an empty string."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean '{printable(close[0])}'?" if close else ""


def _nothing(source: str) -> InputError:
    return InputError("the file is empty; it needs at least one row", line=1, source=source)


# --- lines -----------------------------------------------------------------------------------------------


def _lines(path: Path, source: str) -> Iterator[tuple[int, str]]:
    """(number, text with its line end) of every line, decoded."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    reason = f"the line is longer than {MAX_LINE // 2**20} MiB; write one row a line"
                    raise InputError(reason, line=number, source=source)
                yield number, _text_of(line, number, source)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", source=source) from error


def _text_of(line: bytes, number: int, source: str) -> str:
    if number == 1:
        if line.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError("the file is UTF-16; save it as UTF-8", line=1, column="1", source=source)
        line = line.removeprefix(BOM)
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"the byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise InputError(reason, line=number, column=str(error.start + 1), source=source) from error


# --- JSONL -----------------------------------------------------------------------------------------------


def _value(text: str, line: int, source: str) -> object:
    try:
        return decode(text)
    except NotJson as error:
        reason = f"{error.reason}; write one JSON object a line" if error.__cause__ else error.reason
        raise InputError(reason, line=line, column=printable(error.place), source=source) from error


def _read_jsonl(lines: Iterator[tuple[int, str]], source: str, required: Sequence[str]) -> Iterator[Record]:
    empty = True
    for number, line in lines:
        if not line.strip():
            continue
        empty = False
        value = _value(line.rstrip("\r\n"), number, source)
        if not isinstance(value, dict):
            reason = f"{shown(value)} is not an object; write one JSON object a line"
            raise InputError(reason, line=number, column="1", source=source)
        _check_columns(list(value), required, number, source)
        yield Record(line=number, values=value, source=source)
    if empty:
        raise _nothing(source)


# --- CSV -------------------------------------------------------------------------------------------------


def _read_csv(
    lines: Iterator[tuple[int, str]], source: str, required: Sequence[str], asked: Sequence[str]
) -> Iterator[Record]:
    rows = _rows(lines, source)
    number, header = next(rows, (0, []))
    if not number:
        raise _nothing(source)
    names = [name.strip() for name in header]
    _check_header(names, required, number, source)
    wanted = [(place, name) for place, name in enumerate(names) if name in asked]
    for line, row in rows:
        _check_cells(row, names, line, source)
        yield Record(line=line, values={name: row[i] for i, name in wanted}, source=source, cells=True)


def _rows(lines: Iterator[tuple[int, str]], source: str) -> Iterator[tuple[int, list[str]]]:
    """(line on which it starts, cells) of every row that is not blank."""
    # The module's limit on a cell is one for the process and below the length of a long story.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    reader = csv.reader((line for _, line in lines), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"not valid CSV ({error}); check the quotes of the row that starts here"
            raise InputError(reason, line=start, column="1", source=source) from error
        if row and not (len(row) == 1 and not row[0].strip()):
            yield start, row


def _check_header(names: Sequence[str], required: Sequence[str], line: int, source: str) -> None:
    for place, name in enumerate(names):
        fault = fault_of_text(name)
        if name and name in names[:place]:
            fault = "the header names this column twice; keep one"
        if fault:
            raise InputError(fault, line=line, column=printable(name), source=source)
    for mark, label in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and mark in names[0]:
            reason = f"the cells are separated by {label}; save the file with commas"
            raise InputError(reason, line=line, column="1", source=source)
    _check_columns(names, required, line, source)


def _check_cells(row: Sequence[str], names: Sequence[str], line: int, source: str) -> None:
    if len(row) != len(names):
        reason = f"{len(row)} cells where the header has {len(names)}; check commas and quotes"
        place = min(len(row), len(names)) + 1
        raise InputError(reason, line=line, column=str(place), source=source)
    for name, cell in zip(names, row, strict=True):
        fault = fault_of_text(cell)
        if fault:
            raise InputError(fault, line=line, column=printable(name), source=source)


def _check_columns(names: Sequence[str], required: Sequence[str], line: int, source: str) -> None:
    for name in required:
        if name not in names:
            found = ", ".join(printable(other) for other in names if other) or "none"
            reason = f"the column is missing; found: {found}{nearest(name, names)}"
            raise InputError(reason, line=line, column=name, source=source)


# --- values ----------------------------------------------------------------------------------------------


def _fault_of_identifier(value: str, longest: int) -> str:
    if not value.strip():
        return "the name is empty; fill it in or leave the row out"
    if value != value.strip():
        return f"{shown(value)} starts or ends with white space; trim it"
    if any(unicodedata.category(c) in {"Cc", "Zl", "Zp"} for c in value):
        return f"{shown(value)} holds a control character; remove it"
    if len(value) > longest:
        return f"{shown(value)} has {len(value)} characters; the most is {longest}"
    return ""


def _float(digits: str) -> float | None:
    try:
        return float(digits)
    except ValueError:
        return None
