"""Rows of the files that a command reads where Parquet may be one: what `records` reads, or that."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotation.domain import records
from annotation.domain.records import InputError, Record, check_columns
from annotation.domain.sources import parquet
from annotation.domain.text_rows import chunks_of, nothing


def read(path: Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Record]:
    """The rows of a file, in file order: of a Parquet file if its name ends in .parquet, else as records.read."""
    if path.suffix.lower() == ".parquet":
        return _of_parquet(path, required)
    return records.read(path, required=required, optional=optional)


def _of_parquet(path: Path, required: Sequence[str]) -> Iterator[Record]:
    if path.is_fifo():
        reason = "a pipe can be read only from its beginning to its end, Parquet not; save it as a file"
        raise InputError(reason, source=path.name)
    if not next(chunks_of(path, path.name), b""):
        raise nothing(path.name)
    for place, record in enumerate(parquet.read(path, path.name)):
        if not place:
            check_columns(list(record.values), required, None, path.name)
        yield record
