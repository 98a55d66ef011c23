"""Files as people have them, read as Records one by one, whatever their size.

`detect` says what a file is, `read_any` reads it so, `members` unpacks an archive of several files. What cannot be
read is an InputError with its place and what to do; what comes out is not judged any further here.
"""

from collections.abc import Iterator
from pathlib import Path

from annotation.domain.rows import Record
from annotation.domain.sources import delimited, json_items, json_lines, parquet, workbooks
from annotation.domain.sources.archives import members
from annotation.domain.sources.detection import detect
from annotation.domain.sources.shape import Shape

__all__ = ["Shape", "detect", "members", "read_any"]


def read_any(path: Path, shape: Shape, *, name: str) -> Iterator[Record]:
    """The rows of a file in its order, with values as the file has them; `name` is what errors call it.

    `line` counts lines of JSONL and CSV, items of a JSON list, rows of a sheet (the header is one) and rows of data
    of a Parquet file. InputError at the first row that cannot be read.
    """
    if shape.format == "jsonl":
        return json_lines.read(path, shape, name)
    if shape.format == "json":
        return json_items.read(path, shape, name)
    if shape.format == "delimited":
        return delimited.read(path, shape, name)
    if shape.format == "xlsx":
        return workbooks.read(path, shape, name)
    return parquet.read(path, name)
