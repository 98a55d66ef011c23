"""What is told of the elements of a workbook's parts: sheets, relations, number formats, shared texts, rows.

Layout: ECMA-376-1, 18.2.19 (sheets), 18.4 (shared texts), 18.8 (styles), 18.3.1 (rows and cells); ECMA-376-2, 9.3
(relations). Tags come without their prefix.
"""

import posixpath

from annotation.domain.sources import cells
from annotation.domain.sources.tables import MAX_COLUMNS, Row

MAX_ROWS = 1_048_576
ON = ("1", "true")


class Relations:
    """What a part refers to, as (id, type, name of the part); targets are relative to the folder of the part."""

    def __init__(self, folder: str) -> None:
        self.found: list[tuple[str, str, str]] = []
        self._folder = folder

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", self._folder, attributes["Target"])).lstrip("/")
            self.found.append((attributes["Id"], attributes["Type"], target))

    def end(self, tag: str, text: str) -> None:
        pass


class Outline:
    """The sheets of a workbook as (name, id of the relation, whether hidden), and since when it counts days."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str, bool]] = []
        self.from_1904 = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ON
        elif tag == "sheet":
            keys = [value for name, value in attributes.items() if name.endswith(":id")]
            hidden = attributes.get("state", "visible") != "visible"
            self.sheets.append((attributes["name"], keys[0] if keys else "", hidden))

    def end(self, tag: str, text: str) -> None:
        pass


class Styles:
    """Which number format each style of a cell has."""

    def __init__(self) -> None:
        self._codes: dict[int, str] = {}
        self._formats: list[int] = []
        self._of_cells = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "numFmt":
            self._codes[int(attributes["numFmtId"])] = attributes["formatCode"]
        elif tag == "cellXfs":
            self._of_cells = True
        elif tag == "xf" and self._of_cells:
            self._formats.append(int(attributes.get("numFmtId", "0")))

    def end(self, tag: str, text: str) -> None:
        if tag == "cellXfs":
            self._of_cells = False

    def kinds(self) -> list[str]:
        """As cells.kind_of_format, by the number of the style."""
        return [cells.kind_of_format(number, self._codes.get(number)) for number in self._formats]


class _Rich:
    """A text in pieces of different fonts, without the reading aid that Japanese may have."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._aside = False

    def clear(self) -> None:
        self._pieces.clear()

    def start(self, tag: str) -> None:
        self._aside = self._aside or tag == "rPh"

    def end(self, tag: str, text: str) -> None:
        if tag == "t" and not self._aside:
            self._pieces.append(text)
        elif tag == "rPh":
            self._aside = False

    def text(self) -> str:
        return cells.unescaped("".join(self._pieces))


class SharedTexts:
    """Fills the texts that cells refer to."""

    def __init__(self, texts: cells.Texts) -> None:
        self._texts = texts
        self._rich = _Rich()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._rich.start(tag)

    def end(self, tag: str, text: str) -> None:
        self._rich.end(tag, text)
        if tag == "si":
            self._texts.append(self._rich.text())
            self._rich.clear()


class Rows:
    """`rows` gathers (number, cells up to the last that is filled) until somebody takes them.

    Without texts, as where only the content of a sheet is looked for, "" stands for each shared text.
    """

    def __init__(self, texts: cells.Texts | None, kinds: list[str], from_1904: bool) -> None:
        self.rows: list[Row] = []
        self._texts = texts
        self._kinds = kinds
        self._from_1904 = from_1904
        self._number = 0
        self._row: list[object] = []
        self._columns: dict[str, int] = {}
        self._begin_cell({})

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            self._begin_cell(attributes)
        elif tag == "row":
            number = int(attributes.get("r", self._number + 1))
            if not self._number < number <= MAX_ROWS:
                raise ValueError(f"row {number} after row {self._number}")
            self._number = number
            self._row = []
            self._column = 0
        elif tag == "f":
            self._formula = True
        else:
            self._rich.start(tag)

    def end(self, tag: str, text: str) -> None:
        if tag == "c":
            self._end_cell()
        elif tag == "v":
            self._written = text
        elif tag == "row":
            self.rows.append((self._number, self._row))
        else:
            self._rich.end(tag, text)

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        self._attributes = attributes
        self._formula = False
        self._written = ""
        self._rich = _Rich()

    def _end_cell(self) -> None:
        place = self._attributes.get("r")
        self._column = self._number_of(place.rstrip("0123456789")) if place else self._column + 1
        value = self._value()
        if value is None:
            return
        if self._column > MAX_COLUMNS:
            raise ValueError(f"column {self._column}")
        self._row.extend([None] * (self._column - len(self._row)))
        self._row[self._column - 1] = value

    def _value(self) -> object:
        if self._formula:
            return cells.formula()
        kind = self._attributes.get("t", "n")
        if kind == "inlineStr":
            return self._rich.text() or None
        return self._written_value(kind) if self._written else None

    def _written_value(self, kind: str) -> object:
        written = self._written
        if kind == "n":
            style = int(self._attributes.get("s", "0"))
            time = self._kinds[style] if style < len(self._kinds) else ""
            return cells.number_or_time(written, time, self._from_1904)
        if kind == "s":
            return "" if self._texts is None else (self._texts[int(written)] or None)
        if kind == "b":
            return written in ON
        return cells.error_value(written) if kind == "e" else cells.unescaped(written)

    def _number_of(self, letters: str) -> int:
        """A is 1, Z 26, AA 27."""
        number = self._columns.get(letters)
        if number is None:
            number = 0
            for letter in letters:
                number = number * 26 + ord(letter) - ord("A") + 1
            self._columns[letters] = number
        return number
