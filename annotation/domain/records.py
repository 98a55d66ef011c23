"""Rows of the two layouts that the commands read, each with the place where it stands, so that an error can name it.

JSONL (one object a line) and long CSV (a header, commas), in UTF-8 with or without a byte order mark, read line by
line. What people really have is read by `sources`. What a reader of such a file might take two ways is refused,
never guessed: a key that occurs twice, NaN, half of a surrogate pair, a NUL, a number where a text belongs.
"""

import difflib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from annotation.domain.rows import MAX_IDENTIFIER, MAX_INTEGER, InputError, Record
from annotation.domain.sentences import say
from annotation.domain.strict_json import fault_of_text, printable, shown
from annotation.domain.text_rows import MAX_LINE, cells_of, chunks_of, lines_of, nothing, objects_of

__all__ = [
    "MAX_IDENTIFIER",
    "MAX_INTEGER",
    "MAX_LINE",
    "InputError",
    "Record",
    "Watch",
    "nearest",
    "read",
    "shown",
]

Watch = Callable[[Iterator[Record]], Iterator[Record]]  # hands on the rows as they are, and may look at them

MOST_COMPARED = 10_000  # names; the nearest of a million would take a minute to find
BOM = b"\xef\xbb\xbf"
BOMS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read(path: Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Record]:
    """The rows of a file, in file order: a long CSV if its name ends in .csv, else JSONL.

    Blank lines are skipped and columns not asked for are ignored. A CSV that is only a header has no rows;
    a file without anything is an error.
    """
    source = path.name
    lines = lines_of(_utf8(path, source), source, longest=MAX_LINE)
    if path.suffix.lower() == ".csv":
        return _read_csv(lines, source, required, (*required, *optional))
    return _read_jsonl(lines, source, required)


def nearest(name: str, known: Sequence[str]) -> str:
    """A sentence that proposes the most similar of the known names, or an empty string."""
    close = _close(name, known)
    return f"; did you mean '{close}'?" if close else ""


def _close(name: str, known: Sequence[str]) -> str:
    if len(known) > MOST_COMPARED:
        return ""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return printable(close[0]) if close else ""


def _utf8(path: Path, source: str) -> Iterator[bytes]:
    """The bytes without a byte order mark."""
    for place, chunk in enumerate(chunks_of(path, source)):
        if not place and chunk.startswith(BOMS_OF_UTF16):
            reason = say("the file is UTF-16; save it as UTF-8")
            raise InputError(reason, line=1, column="1", source=source)
        yield chunk if place else chunk.removeprefix(BOM)


def _read_jsonl(lines: Iterator[tuple[int, str]], source: str, required: Sequence[str]) -> Iterator[Record]:
    for number, value in objects_of(lines, source):
        check_columns(list(value), required, number, source)
        yield Record(line=number, values=value, source=source)


def _read_csv(
    lines: Iterator[tuple[int, str]], source: str, required: Sequence[str], asked: Sequence[str]
) -> Iterator[Record]:
    rows = cells_of(lines, source)
    number, header = next(rows, (0, []))
    if not number:
        raise nothing(source)
    names = [name.strip() for name in header]
    _check_header(names, required, number, source)
    wanted = [(place, name) for place, name in enumerate(names) if name in asked]
    for line, row in rows:
        _check_cells(row, names, line, source)
        yield Record(line=line, values={name: row[i] for i, name in wanted}, source=source, cells=True)


def _check_header(names: Sequence[str], required: Sequence[str], line: int, source: str) -> None:
    for place, name in enumerate(names):
        fault = fault_of_text(name)
        if name and name in names[:place]:
            fault = say("the header names this column twice; keep one")
        if fault:
            raise InputError(fault, line=line, column=printable(name), source=source)
    if len(names) == 1 and ";" in names[0]:
        reason = say("the cells are separated by semicolons; save the file with commas")
        raise InputError(reason, line=line, column="1", source=source)
    if len(names) == 1 and "\t" in names[0]:
        reason = say("the cells are separated by tabs; save the file with commas")
        raise InputError(reason, line=line, column="1", source=source)
    check_columns(names, required, line, source)


def _check_cells(row: Sequence[str], names: Sequence[str], line: int, source: str) -> None:
    if len(row) != len(names):
        reason = say(
            "{count} cells where the header has {wanted}; check commas and quotes",
            count=len(row),
            wanted=len(names),
        )
        place = min(len(row), len(names)) + 1
        raise InputError(reason, line=line, column=str(place), source=source)
    for name, cell in zip(names, row, strict=True):
        fault = fault_of_text(cell)
        if fault:
            raise InputError(fault, line=line, column=printable(name), source=source)


def check_columns(names: Sequence[str], required: Sequence[str], line: int | None, source: str) -> None:
    """InputError where one of the columns that must be there is not."""
    for name in required:
        if name not in names:
            raise InputError(_missing(name, names), line=line, column=name, source=source)


def _missing(name: str, names: Sequence[str]) -> str:
    found = ", ".join(printable(other) for other in names if other) or "-"
    close = _close(name, names)
    if close:
        return say("the column is missing; found: {found}; did you mean '{close}'?", found=found, close=close)
    return say("the column is missing; found: {found}", found=found)
