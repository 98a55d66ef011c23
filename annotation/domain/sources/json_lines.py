"""JSONL: one object a line, in any of the encodings."""

from collections.abc import Iterator
from pathlib import Path

from annotation.domain.rows import Record
from annotation.domain.sources.encodings import utf8_chunks
from annotation.domain.sources.line_ends import with_line_feeds
from annotation.domain.sources.shape import Shape
from annotation.domain.text_rows import lines_of, objects_of


def read(path: Path, shape: Shape, source: str) -> Iterator[Record]:
    """The objects, with the lines they stand on."""
    lines = lines_of(with_line_feeds(utf8_chunks(path, shape.encoding, source)), source)
    for number, value in objects_of(lines, source):
        yield Record(number, value, source)
