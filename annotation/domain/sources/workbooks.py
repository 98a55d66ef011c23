"""Sheets of an .xlsx workbook, row by row.

A sheet is read by a parser that keeps one row at a time, and its texts lie in a temporary file, so that a million
rows need no more memory than ten. Layout: ECMA-376, parts 1 (sheets, styles) and 2 (relations).
"""

import posixpath
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import SpooledTemporaryFile

from annotation.domain.rows import InputError, Record
from annotation.domain.sentences import say
from annotation.domain.sources import archives, cells
from annotation.domain.sources.shape import Shape
from annotation.domain.sources.tables import Row, Table
from annotation.domain.sources.workbook_parts import Outline, Relations, Rows, SharedTexts, Styles
from annotation.domain.sources.xml_parts import Reader, parsed, read_all
from annotation.domain.strict_json import printable

IN_MEMORY = 8 * 1024 * 1024  # bytes of texts above which they move to a file
RELATIONS = "_rels/.rels"
OF_WORKBOOK, OF_TEXTS, OF_STYLES = "/officeDocument", "/sharedStrings", "/styles"


def sheet_of(path: Path, source: str) -> str:
    """The name of the first sheet with content; one that is hidden only where no other has any."""
    with archives.opened(path, source) as archive:
        try:
            book = _Book(archive, source)
            for sheet in sorted(book.sheets, key=lambda sheet: sheet.hidden):
                with closing(book.rows(sheet, None)) as rows:
                    if any(any(cell is not None for cell in row) for _, row in rows):
                        return sheet.name
        except archives.DAMAGE as error:
            raise _as_input_error(error, source) from error
    raise InputError(
        say("no sheet of the workbook holds anything; it needs a header and rows"), source=source
    )


def read(path: Path, shape: Shape, source: str) -> Iterator[Record]:
    """The rows below the header of one sheet, numbered as the sheet numbers them."""
    name = shape.sheet or sheet_of(path, source)
    with archives.opened(path, source) as archive, SpooledTemporaryFile(IN_MEMORY) as file:
        texts = cells.Texts(file)
        try:
            book = _Book(archive, source)
            sheet = book.sheet(name)
            book.read_texts(texts)
            yield from Table(source, "row").records(book.rows(sheet, texts))
        except archives.DAMAGE as error:
            raise _as_input_error(error, source) from error


def _as_input_error(error: Exception, source: str) -> InputError:
    return error if isinstance(error, InputError) else archives.damaged(source)


# --- parts -----------------------------------------------------------------------------------------------


class _Sheet:
    def __init__(self, name: str, part: str, hidden: bool) -> None:
        self.name = name
        self.part = part
        self.hidden = hidden


class _Book:
    """What stands in the parts of a workbook other than the sheets."""

    def __init__(self, archive: zipfile.ZipFile, source: str) -> None:
        self._archive = archive
        self._source = source
        # Some programs write the names of parts in other letter case than the references to them.
        self._parts = {name.lower(): name for name in archive.namelist()}
        self._workbook = _first(self._relations(RELATIONS, ""), OF_WORKBOOK) or archives.WORKBOOK
        folder, base = posixpath.split(self._workbook)
        self._related = self._relations(f"{folder}/_rels/{base}.rels".lstrip("/"), folder)
        outline = Outline()
        self._read(self._workbook, outline)
        self._from_1904 = outline.from_1904
        targets = {key: target for key, _, target in self._related}
        self.sheets = [
            _Sheet(name, targets[key], hidden)
            for name, key, hidden in outline.sheets
            if targets.get(key, "").lower() in self._parts
        ]
        styles = Styles()
        part = _first(self._related, OF_STYLES)
        if part.lower() in self._parts:
            self._read(part, styles)
        self._kinds = styles.kinds()

    def sheet(self, name: str) -> _Sheet:
        for sheet in self.sheets:
            if sheet.name == name:
                return sheet
        found = ", ".join(printable(sheet.name) for sheet in self.sheets) or "-"
        reason = say("there is no sheet '{name}'; found: {found}", name=printable(name), found=found)
        raise InputError(reason, source=self._source)

    def read_texts(self, texts: cells.Texts) -> None:
        part = _first(self._related, OF_TEXTS)
        if part.lower() in self._parts:
            self._read(part, SharedTexts(texts))

    def rows(self, sheet: _Sheet, texts: cells.Texts | None) -> Generator[Row]:
        """(number, cells up to the last that is filled) of each row; without texts, "" stands for each of them."""
        reader = Rows(texts, self._kinds, self._from_1904)
        with self._archive.open(self._parts[sheet.part.lower()]) as stream:
            for _ in parsed(stream, reader):
                yield from reader.rows
                reader.rows.clear()

    def _read(self, part: str, reader: Reader) -> None:
        with self._archive.open(self._parts[part.lower()]) as stream:
            read_all(stream, reader)

    def _relations(self, part: str, folder: str) -> list[tuple[str, str, str]]:
        """(id, type, target) of what a part refers to."""
        if part.lower() not in self._parts:
            return []
        reader = Relations(folder)
        self._read(part, reader)
        return reader.found


def _first(related: list[tuple[str, str, str]], kind: str) -> str:
    return next((target for _, given, target in related if given.endswith(kind)), "")
