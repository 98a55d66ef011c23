"""CSV and its kin: which character separates the cells, and the rows."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from annotation.domain.rows import Record
from annotation.domain.sources.encodings import utf8_chunks
from annotation.domain.sources.line_ends import with_line_feeds
from annotation.domain.sources.shape import DELIMITERS, Shape
from annotation.domain.sources.tables import Table
from annotation.domain.text_rows import Line, cells_of, lines_of

SAMPLE_ROWS = 50
SEPARATOR = re.compile(r"sep=(.)\r?\n?")  # the first line of some files for Excel


def delimiter_of(sample: str, *, tabs: bool) -> tuple[str, bool]:
    """The separator of the cells in the first lines of a file, and whether the header has several cells by it.

    `tabs` says that the name of the file promises tabs; that decides where there is but one column.
    """
    declared = SEPARATOR.fullmatch(sample.partition("\n")[0])
    if declared and declared.group(1) in DELIMITERS:
        return declared.group(1), True
    fitness = {delimiter: _fitness(sample, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: fitness[delimiter])
    several, _, _ = fitness[best]
    return ("\t" if tabs and not several else best), several


def read(path: Path, shape: Shape, source: str) -> Iterator[Record]:
    """The rows below the header."""
    chunks = with_line_feeds(utf8_chunks(path, shape.encoding, source))
    lines = _without_declaration(lines_of(chunks, source))
    table = Table(source, "line", shape.delimiter)
    return table.records(cells_of(lines, source, shape.delimiter))


def _fitness(sample: str, delimiter: str) -> tuple[bool, float, int]:
    """Whether the header has several cells, the share of rows with as many cells as most rows, that number."""
    counts = _counts(sample, delimiter)
    if not counts:
        return False, 0.0, 0
    usual = max(set(counts), key=counts.count)
    if usual == 1:
        return counts[0] > 1, 0.0, counts[0]
    return counts[0] > 1, counts.count(usual) / len(counts), usual


def _counts(sample: str, delimiter: str) -> list[int]:
    rows = csv.reader(io.StringIO(sample, newline="\n"), delimiter=delimiter)
    try:
        return [len(row) for row in islice(rows, SAMPLE_ROWS) if row]
    except csv.Error:
        return []


def _without_declaration(lines: Iterator[Line]) -> Iterator[Line]:
    for number, line in lines:
        if number > 1 or not SEPARATOR.fullmatch(line):
            yield number, line
