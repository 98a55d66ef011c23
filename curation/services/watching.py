"""How far a release from files is, for whoever wants to be told."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow.parquet as pq

from annotation.domain.records import Record
from annotation.domain.text_rows import chunks_of
from curation.domain.watcher import Watcher

__all__ = ["Watcher", "reading", "writing"]


def reading(watcher: Watcher, path: Path, records: Iterator[Record]) -> Iterator[Record]:
    """The rows of a file as they are; the watcher is told on which line each stands."""
    if not watcher.listens:
        return records
    return _told(watcher, path, records)


def _told(watcher: Watcher, path: Path, records: Iterator[Record]) -> Iterator[Record]:
    for place, record in enumerate(records):
        if not place:  # so the file is one that can be read
            watcher.stage(f"Reading {path.name}", _lines(path))
        watcher.reach(record.line)
        yield record


def _lines(path: Path) -> int:
    """Lines of a file, or rows of a table; 0 of what can be read only once."""
    if not path.is_file():
        return 0
    if path.suffix.lower() == ".parquet":
        return int(pq.read_metadata(path).num_rows)
    return sum(chunk.count(b"\n") for chunk in chunks_of(path, path.name))


def writing(
    watcher: Watcher, files: Mapping[str, Iterable[bytes]], rows: int
) -> Mapping[str, Iterable[bytes]]:
    """The files as they are; the watcher is told how many of so many rows are written."""
    watcher.stage("Writing", rows)
    done = 0

    def told(content: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal done
        for chunk in content:
            yield chunk
            done += chunk.count(b"\n")
            watcher.reach(min(done, rows))

    return {path: told(files[path]) for path in files} if watcher.listens else files
