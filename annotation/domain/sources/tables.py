"""A header and the rows below it, as Records: what every table with a header must keep to.

A column without a name is dropped, which is how a leading index looks. Two tables side by side, a title above the
header, a header that stands again further down, a name that occurs twice or begins like a formula are refused.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from annotation.domain.rows import InputError, Record
from annotation.domain.sentences import say
from annotation.domain.strict_json import NUL, fault_of_text, printable

MAX_COLUMNS = 2000
MAX_NAME = 1000  # characters
AHEAD = 100  # rows looked at to tell whether a column is wholly empty
AHEAD_SIZE = 1024 * 1024  # characters of them at most
FORMULA = ("=", "+", "-", "@")
OTHERS = {",": ",", ";": ";", "\t": "Tab", "|": "|"}  # separators, as a sentence may name them

Row = tuple[int, Sequence[object]]  # place, cells


@dataclass(frozen=True, slots=True)
class Unusable:
    """Stands in a cell that cannot be read, until its column is known."""

    reason: str


@dataclass(frozen=True, slots=True)
class Table:
    """Where the rows come from. `delimiter` is "" where cells are typed values, as in a sheet."""

    source: str
    unit: str
    delimiter: str = ""

    def error(self, reason: str, place: int, column: str = "") -> InputError:
        return InputError(reason, line=place, column=printable(column), source=self.source, unit=self.unit)

    def records(self, rows: Iterable[Row]) -> Iterator[Record]:
        """The rows below the first, which names the columns. Rows without any content are skipped."""
        filled = (row for row in rows if (any(row[1]) if self.delimiter else _has_content(row[1])))
        place, header = next(filled, (0, ()))
        names = ["" if name is None else str(name).strip() for name in header]
        if not any(names):
            raise self.error(say("the file is empty; it needs a header and at least one row"), max(place, 1))
        ahead = _Ahead(filled, _needed(names))
        self._check_header(header, names, place, ahead.rows)
        yield from self._delimited(names, ahead) if self.delimiter else self._typed(names, ahead)

    # --- the header --------------------------------------------------------------------------------------

    def _check_header(
        self, header: Sequence[object], names: Sequence[str], place: int, below: Sequence[Row]
    ) -> None:
        for cell in header:
            if isinstance(cell, Unusable):
                raise self.error(cell.reason, place)
        if len(names) > MAX_COLUMNS:
            reason = say(
                "{count} columns are too many; the most is {most}", count=len(names), most=MAX_COLUMNS
            )
            raise self.error(reason, place)
        self._check_title(names, place, below)
        for number, name in enumerate(names, start=1):
            fault = _fault_of_name(name, number)
            if fault:
                raise self.error(fault, place, name[:MAX_NAME])
        self._check_blocks(names, place, below)
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise self.error(say("the header names this column twice; rename or delete one"), place, name)
            if name:
                seen.add(name)

    def _check_title(self, names: Sequence[str], place: int, below: Sequence[Row]) -> None:
        filled = [number for number, name in enumerate(names) if name]
        if len(filled) != 1 or not below:
            return
        count = sum(map(_is_filled, below[0][1]))
        if count > 1 and not (count == 2 and filled == [1]):  # an index and one column are no title
            reason = say(
                "the first row is no header: it has one cell where the next has {count}; delete the lines above "
                "the names of the columns",
                count=count,
            )
            raise self.error(reason, place)

    def _check_blocks(self, names: Sequence[str], place: int, below: Sequence[Row]) -> None:
        named = [number for number, name in enumerate(names) if name]
        for number in range(named[0], named[-1]):
            if names[number] or not below:
                continue
            if not any(number < len(cells) and _is_filled(cells[number]) for _, cells in below):
                reason = say(
                    "column {number} is empty and stands between columns with a name, as if two tables stood side "
                    "by side; keep one table and delete the empty column",
                    number=number + 1,
                )
                raise self.error(reason, place)

    # --- rows --------------------------------------------------------------------------------------------

    def _delimited(self, names: Sequence[str], rows: Iterable[Row]) -> Iterator[Record]:
        wanted = [(number, name) for number, name in enumerate(names) if name]
        for place, row in rows:
            cells = cast("Sequence[str]", row)
            if len(cells) != len(names):
                raise self.error(
                    self._miscounted(cells, len(names)), place, str(min(len(cells), len(names)) + 1)
                )
            if NUL in "".join(cells):
                column = next(number for number, cell in enumerate(cells) if NUL in cell)
                raise self.error(fault_of_text(cells[column]), place, names[column])
            if cells[wanted[0][0]].strip() == wanted[0][1]:
                self._check_no_header(cells, names, place)
            yield Record(
                place, {name: cells[number] for number, name in wanted}, self.source, True, self.unit
            )

    def _typed(self, names: Sequence[str], rows: Iterable[Row]) -> Iterator[Record]:
        wanted = [(number, name) for number, name in enumerate(names) if name]
        for place, row in rows:
            cells = [*row, *[None] * (len(names) - len(row))]
            self._check_no_header(cells, names, place)
            for number, name in wanted:
                cell = cells[number]
                fault = fault_of_text(cell) if isinstance(cell, str) else ""
                if isinstance(cell, Unusable):
                    fault = cell.reason
                if fault:
                    raise self.error(fault, place, name)
            yield Record(
                place, {name: cells[number] for number, name in wanted}, self.source, False, self.unit
            )

    def _check_no_header(self, cells: Sequence[object], names: Sequence[str], place: int) -> None:
        if all(str("" if c is None else c).strip() == name for c, name in zip(cells, names, strict=False)):
            reason = say("the header stands here again, as if two files had been joined; delete this line")
            raise self.error(reason, place)

    def _miscounted(self, cells: Sequence[str], wanted: int) -> str:
        line = self.delimiter.join(cells)
        for other, label in OTHERS.items():
            if other != self.delimiter and line.count(other) + 1 == wanted:
                return say(
                    "{count} cells where the header has {wanted}; here '{other}' seems to separate the cells: "
                    "use one separator in the whole file",
                    count=len(cells),
                    wanted=wanted,
                    other=label,
                )
        return say(
            "{count} cells where the header has {wanted}; check the separators and quotes",
            count=len(cells),
            wanted=wanted,
        )


def _is_filled(cell: object) -> bool:
    return cell is not None and cell != ""


def _has_content(cells: Iterable[object]) -> bool:
    return any(map(_is_filled, cells))


def _fault_of_name(name: str, number: int) -> str:
    if name.startswith(FORMULA):
        return say("the name of column {number} begins like a formula; begin it with a letter", number=number)
    if len(name) > MAX_NAME:
        return say(
            "the name of column {number} has {count} characters, so that the first row seems to be no header; "
            "put the names of the columns into the first row",
            number=number,
            count=len(name),
        )
    return fault_of_text(name)


def _needed(names: Sequence[str]) -> int:
    """How many rows must be looked at before the header can be judged; mostly none."""
    named = [number for number, name in enumerate(names) if name]
    if not all(names[named[0] : named[-1] + 1]):
        return AHEAD
    return 1 if len(named) == 1 else 0


class _Ahead:
    """Rows of which the first were looked at. What could not be read among those is refused in its turn."""

    def __init__(self, rows: Iterator[Row], count: int) -> None:
        self.rows: list[Row] = []
        self._rest = rows
        self._fault: InputError | None = None
        size = 0
        while len(self.rows) < count and size < AHEAD_SIZE and self._fault is None:
            try:
                row = next(rows, None)
            except InputError as error:
                self._fault = error
                continue
            if row is None:
                break
            self.rows.append(row)
            size += sum(len(str(cell)) for cell in row[1])

    def __iter__(self) -> Iterator[Row]:
        yield from self.rows
        if self._fault is not None:
            raise self._fault
        yield from self._rest
