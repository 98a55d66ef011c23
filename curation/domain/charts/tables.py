"""The numbers of a figure: the same rows for the table beneath it and for the file that people take away."""

import csv
import io
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

NONE = "–"
MINUS = "−"
# What a spreadsheet would take for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

Raw = str | int | float | None


class Cell(NamedTuple):
    """What a reader sees, and the value in full for the file."""

    shown: str
    raw: Raw


class Column(NamedTuple):
    """`key` heads the file in every language, `heading` the table in the reader's."""

    key: str
    heading: str
    is_number: bool = True


class Kept(TypedDict):
    """A table as JSON keeps it, where a tuple is a list."""

    columns: list[tuple[str, str, bool]]
    rows: list[list[tuple[str, Raw]]]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows have as many cells as there are columns; the first cell names its row."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def filled(self) -> "Table":
        """Without the columns in which nothing stands; a file keeps them, so that all files look alike."""
        kept = [
            index
            for index in range(len(self.columns))
            if not index or any(row[index].raw not in {None, ""} for row in self.rows)
        ]
        return Table(
            tuple(self.columns[index] for index in kept),
            tuple(tuple(row[index] for index in kept) for row in self.rows),
        )

    def marked(self) -> list[list[tuple[Column, Cell]]]:
        """The rows, each cell with its column."""
        return [[*zip(self.columns, row, strict=True)] for row in self.rows]

    def csv(self) -> str:
        """UTF-8 with a byte order mark once encoded, so that a spreadsheet reads Chinese; an unknown value is empty."""
        file = io.StringIO()
        writer = csv.writer(file)
        writer.writerow([column.key for column in self.columns])
        writer.writerows([_written(cell.raw) for cell in row] for row in self.rows)
        return "\ufeff" + file.getvalue()

    def as_dict(self) -> Kept:
        return {
            "columns": [(column.key, column.heading, column.is_number) for column in self.columns],
            "rows": [[(cell.shown, cell.raw) for cell in row] for row in self.rows],
        }

    @classmethod
    def from_dict(cls, kept: Kept) -> "Table":
        """What as_dict gave, also after it was kept as JSON."""
        return cls(
            tuple(Column(*column) for column in kept["columns"]),
            tuple(tuple(Cell(*cell) for cell in row) for row in kept["rows"]),
        )


def words(text: str, written: str = "") -> Cell:
    """`written` is what a file says instead, where it must not depend on the reader's language."""
    return Cell(text, written or text)


def decimal(value: float | None, places: int) -> Cell:
    """With a minus of the width of a digit, and no sign before a value that is shown as 0."""
    return Cell(NONE if value is None else with_minus(value, places), value)


def with_minus(value: float, places: int) -> str:
    shown = f"{abs(value):,.{places}f}"
    return f"{MINUS}{shown}" if value < 0 and any(digit in "123456789" for digit in shown) else shown


def count(value: int | None) -> Cell:
    return decimal(value, 0)


def share(part: int, whole: int) -> Cell:
    """Part of a whole in per cent; the file has it as a fraction."""
    return Cell(f"{part / whole:.0%}", part / whole) if whole else Cell(NONE, None)


def _written(raw: Raw) -> Raw:
    """A name that would be a formula is written with an apostrophe before it, as spreadsheets do themselves."""
    if isinstance(raw, str) and raw.startswith(FORMULA):
        return f"'{raw}"
    return raw
