"""Rows of a Parquet file as plain values: numbers, texts, booleans, lists and objects; times as ISO 8601 texts."""

import math
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.domain.rows import InputError, Record
from annotation.domain.sentences import say
from annotation.domain.sources.kinds import PARQUET
from annotation.domain.sources.tables import MAX_COLUMNS, Unusable
from annotation.domain.strict_json import MAX_DEPTH, fault_of_text, printable

BATCH = 4 * 1024 * 1024  # bytes of values that are held at once, about
BUFFER = 1024 * 1024  # bytes of a column that are read from the file at once
MOST_ROWS = 1024  # of a batch
INDEX = "__index_level_"  # what pandas calls the columns in which it keeps its own numbering

# What asking the library for a value, or for the file at all, ends in where it cannot give it.
FAILURES = (pa.ArrowException, ArithmeticError, ImportError, LookupError, OSError, TypeError, ValueError)


def check(path: Path, source: str) -> None:
    """InputError where the file is not whole."""
    _opened(path, source).close()


def read(path: Path, source: str) -> Iterator[Record]:
    """The rows, numbered from 1."""
    file = _opened(path, source)
    with file:
        names = [name for name in file.schema_arrow.names if not name.startswith(INDEX)]
        _check_names(names, source)
        done = 0
        for columns in _batches(file, names, source):
            for number, cells in enumerate(zip(*columns, strict=True), start=done + 1):
                for name, cell in zip(names, cells, strict=True):
                    if isinstance(cell, Unusable):
                        raise _error(cell.reason, number, name, source)
                yield Record(number, dict(zip(names, cells, strict=True)), source, False, "row")
            done += len(columns[0])


def _error(reason: str, row: int, column: str, source: str) -> InputError:
    return InputError(reason, line=row or None, column=printable(column), source=source, unit="row")


def _opened(path: Path, source: str) -> pq.ParquetFile:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(PARQUET)))
        if file.read() != PARQUET:
            raise _damaged(source)
    try:
        shared = _shared(pq.read_metadata(path))
        return pq.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False, read_dictionary=shared)
    except FAILURES as error:
        raise _damaged(source) from error


def _damaged(source: str) -> InputError:
    return InputError(say("the Parquet file is damaged or cut off; copy or save it again"), source=source)


def _shared(metadata: pq.FileMetaData) -> list[str]:
    """The columns of texts that are to stay as the file has them, each different text once: those that need little
    room in the file, so that they would take much more if every row got a copy of its own."""
    leaves = [metadata.schema.column(number) for number in range(metadata.num_columns)]
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return [
        leaf.path
        for number, leaf in enumerate(leaves)
        if leaf.physical_type == "BYTE_ARRAY"
        and leaf.logical_type.type == "STRING"
        and all(group.column(number).total_uncompressed_size <= BATCH for group in groups)
    ]


def _check_names(names: Sequence[str], source: str) -> None:
    if not names:
        raise _error(say("the table has no columns; save the data with them"), 0, "", source)
    if len(names) > MAX_COLUMNS:
        reason = say("{count} columns are too many; the most is {most}", count=len(names), most=MAX_COLUMNS)
        raise _error(reason, 0, "", source)
    seen: set[str] = set()
    for name in names:
        fault = fault_of_text(name)
        if name in seen:
            fault = say("the table names this column twice; rename or delete one")
        if fault:
            raise _error(fault, 0, name, source)
        seen.add(name)


# --- values ----------------------------------------------------------------------------------------------


def _batches(file: pq.ParquetFile, names: list[str], source: str) -> Iterator[list[list[object]]]:
    """The columns, with their values, of a few rows at a time."""
    metadata = file.metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    widest = max((group.total_byte_size // max(1, group.num_rows) for group in groups), default=1)
    size = min(MOST_ROWS, max(1, BATCH // max(1, widest)))
    batches = file.iter_batches(size, columns=names, use_threads=False)
    while True:
        try:
            batch = next(batches, None)
        except FAILURES as error:
            raise _damaged(source) from error
        if batch is None:
            return
        yield [_values(batch.column(name)) for name in names]


def _values(column: pa.Array) -> list[object]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        places = column.indices.to_pylist()
        shared = {place: _value(column.dictionary[place]) for place in set(places) if place is not None}
        return [shared.get(place) for place in places]
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        # Python's own times end at microseconds; what is finer is cut off.
        column = column.cast(pa.timestamp("us", "UTC" if kind.tz else None), safe=False)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return list(column.to_pylist())
    return [_value(scalar) for scalar in column]


def _value(scalar: pa.Scalar) -> object:
    try:
        return _plain(scalar.as_py(), 0)
    except FAILURES:
        return _unreadable()


def _plain(value: object, depth: int) -> object:
    """What JSON could hold, or Unusable."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else Unusable(_no_number())
    if isinstance(value, str | bytes):
        text = value.decode() if isinstance(value, bytes) else value
        fault = fault_of_text(text)
        return Unusable(fault) if fault else text
    return _within(value, depth) if isinstance(value, list | dict) else _rarer(value)


def _rarer(value: object) -> object:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return _plain(int(value) if value == value.to_integral_value() else float(value), 0)
    return str(value) if isinstance(value, timedelta) else _unreadable()


def _within(value: list[object] | dict[str, object], depth: int) -> object:
    if depth >= MAX_DEPTH:
        return Unusable(say("the value is nested too deep; the most is {most} levels", most=MAX_DEPTH))
    keys = list(value) if isinstance(value, dict) else None
    parts = [_plain(part, depth + 1) for part in (value.values() if isinstance(value, dict) else value)]
    for part in parts:
        if isinstance(part, Unusable):
            return part
    return parts if keys is None else dict(zip(keys, parts, strict=True))


def _unreadable() -> Unusable:
    return Unusable(say("the value cannot be read; write it as text"))


def _no_number() -> str:
    return say("NaN and Infinity are no numbers; write null or a finite number")
