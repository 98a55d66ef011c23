"""Heat maps: tables whose cells are shaded, with a number in each.

There are six shades. A cell of fewer than `fewest` units is not shaded and says that it is too few; one without a
value says why. Nothing is drawn for them: a page shows the table itself (templates/curation/_heat_map.html).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from curation.domain.charts import tables
from curation.domain.charts.by_share import SHADES
from curation.domain.charts.chart import FEWEST, Heading, Words, is_few
from curation.domain.charts.tables import Column, Table


@dataclass(frozen=True, slots=True)
class Measured:
    """What two people come to together; `reason` says in words why there is no value."""

    value: float | None
    n: int | None = None
    reason: str = ""


class HeatCell(NamedTuple):
    """`below` is a second, smaller number; `note` says what the cell rests on. Without a shade it is not coloured."""

    shown: str
    shade: int | None
    below: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """`columns` head the cells, `rows` begin with their own names; `corner` says what both are."""

    heading: Heading
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]
    table: Table

    def as_dict(self) -> dict[str, object]:
        """For a page and for JSON, under the names that the template reads."""
        return {
            "key": self.heading.key,
            "title": self.heading.title,
            "caption": self.heading.caption,
            "finding": self.heading.finding,
            "corner": self.corner,
            "columns": list(self.columns),
            "rows": [
                {"label": label, "cells": [cell._asdict() for cell in cells]} for label, cells in self.rows
            ],
            "table": self.table.as_dict(),
        }


def pairs(
    names: Sequence[str],
    found: Mapping[tuple[int, int], Measured],
    heading: Heading,
    *,
    row_heading: str,
    other_heading: str,
    value_heading: str,
    words: Words,
    short: Sequence[str] = (),
    places: int = 2,
    fewest: int = FEWEST,
) -> HeatMap:
    """Everybody with everybody, by their places in `names`, the lower first. 0 and less is lightest, 1 darkest.

    `short`: names for the columns, where whole ones would be too wide.
    """
    rows = tuple(
        (
            name,
            tuple(
                _pair(found.get((min(row, column), max(row, column))), words, places, fewest)
                if row != column
                else HeatCell("", None)
                for column in range(len(names))
            ),
        )
        for row, name in enumerate(names)
    )
    columns = (
        Column("row", row_heading, False),
        Column("other", other_heading, False),
        Column("value", value_heading),
        Column("n", words.n),
        Column("note", words.note, False),
    )
    cells = (
        (
            tables.words(names[one]),
            tables.words(names[other]),
            tables.decimal(each.value, places),
            tables.count(each.n),
            words.remark(each.reason, each.n, fewest),
        )
        for (one, other), each in sorted(found.items(), key=lambda item: item[0])
    )
    return HeatMap(heading, row_heading, tuple(short or names), rows, Table(columns, tuple(cells)))


def _pair(found: Measured | None, words: Words, places: int, fewest: int) -> HeatCell:
    if found is None:
        return HeatCell(tables.NONE, None)
    shown = tables.decimal(found.value, places).shown
    if found.value is None:
        return HeatCell(shown, None, note=found.reason)
    few = is_few(found.n, fewest)
    return HeatCell(shown, None if few else shade(found.value), note=" · ".join(words.aside(found.n, fewest)))


def confusion(
    counts: Sequence[Sequence[int]],
    heading: Heading,
    *,
    levels: Sequence[str],
    corner: str,
    row_heading: str,
    words: Words,
    fewest: int = FEWEST,
) -> HeatMap:
    """counts (levels, levels): rows are what was right, columns what was given. Shaded by the share of the row."""
    few = is_few(sum(map(sum, counts)), fewest)
    rows = tuple(
        (level, tuple(_confused(each, sum(row), words, few=few) for each in row))
        for level, row in zip(levels, counts, strict=True)
    )
    columns = (
        Column("row", row_heading, False),
        *(Column(f"given_{index}", level) for index, level in enumerate(levels)),
        Column("n", words.n),
    )
    cells = (
        (tables.words(level), *(tables.count(each) for each in row), tables.count(sum(row)))
        for level, row in zip(levels, counts, strict=True)
    )
    return HeatMap(heading, corner, tuple(levels), rows, Table(columns, tuple(cells)))


def confusions(
    people: Mapping[str, Sequence[Sequence[int]]],
    heading: Heading,
    *,
    levels: Sequence[str],
    corner: str,
    words: Words,
    fewest: int = FEWEST,
) -> HeatMap:
    """Such counts (levels, levels) of each person in one row: what was right, and for each what was given."""
    size = range(len(levels))
    rows = tuple((name, tuple(_confused_row(counts, words, fewest))) for name, counts in people.items())
    columns = (
        Column("row", corner, False),
        *(
            Column(f"gold_{right}_given_{given}", f"{levels[right]} → {levels[given]}")
            for right in size
            for given in size
        ),
        Column("n", words.n),
    )
    cells = (
        (
            tables.words(name),
            *(tables.count(each) for row in counts for each in row),
            tables.count(sum(map(sum, counts))),
        )
        for name, counts in people.items()
    )
    heads = tuple(column.heading for column in columns[1:-1])
    return HeatMap(heading, corner, heads, rows, Table(columns, tuple(cells)))


def _confused_row(counts: Sequence[Sequence[int]], words: Words, fewest: int) -> Iterator[HeatCell]:
    few = is_few(sum(map(sum, counts)), fewest)
    return (_confused(each, sum(row), words, few=few) for row in counts for each in row)


def _confused(part: int, whole: int, words: Words, *, few: bool) -> HeatCell:
    shown = tables.count(part).shown
    if not whole:
        return HeatCell(shown, None, tables.NONE)
    found = None if few else shade(part / whole)
    return HeatCell(
        shown, found, tables.share(part, whole).shown, " · ".join(words.aside(whole, whole + few))
    )


def shade(value: float) -> int:
    """Sixths of the way from 0 to 1; what lies outside has the shade of the end."""
    return max(0, min(int(value * SHADES), SHADES - 1))
