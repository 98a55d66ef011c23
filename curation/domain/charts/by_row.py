"""Dots with intervals, and bars with numbers: a row for each genre, language or annotator."""

from collections.abc import Sequence
from dataclasses import dataclass

from curation.domain.charts import keys, marks, tables
from curation.domain.charts.chart import FEWEST, Chart, Heading, Line, Words, check, is_few
from curation.domain.charts.keys import Key
from curation.domain.charts.marks import ACCENT, INK, STRONG, TRACK, Spec
from curation.domain.charts.rows import Rows
from curation.domain.charts.tables import Column, Table

THICK = 12  # pixels, of a bar


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval; `reason` says in words why there is none."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        check(self.label, (self.value, self.low, self.high), self.reason)


@dataclass(frozen=True, slots=True)
class Bar:
    """A number from 0 on; `of` is the whole that it is part of, such as a quota. A file calls it `written`, if that is
    given."""

    label: str
    value: float | None
    of: float | None = None
    n: int | None = None
    reason: str = ""
    written: str = ""

    def __post_init__(self) -> None:
        check(self.label, (self.value, self.of), self.reason)


def dots(
    rows: Sequence[Dot],
    heading: Heading,
    *,
    axis: str,
    row_heading: str,
    value_heading: str,
    words: Words,
    lines: Sequence[Line] = (),
    domain: tuple[float, float] | None = None,
    places: int = 2,
    fewest: int = FEWEST,
) -> Chart:
    """Values with their intervals, one beneath the other, against lines. `domain`: the least that the axis spans."""
    numbers = [number for row in rows for number in (row.value, row.low, row.high)]
    numbers += [line.value for line in lines]
    named = keys.of_lines(lines)
    specs = {}
    for size in marks.WIDTHS:
        scale = marks.scale(numbers, domain=domain, most=6 if size == "wide" else 5)
        layout = Rows(
            size,
            labels=[row.label for row in rows],
            asides=[[] if row.value is None else words.aside(row.n, fewest) for row in rows],
            few=[row.value is None or is_few(row.n, fewest) for row in rows],
            scale=scale,
            top=keys.height(named, size) + 6 if named else 0,
        )
        layers = _dots(rows, layout, axis, lines)
        layers += keys.drawn(named, size, left=-layout.padding.left, top=-layout.padding.top)
        specs[size] = marks.view(size, layout.height, layout.padding, layers)
    return Chart(heading, specs, _dot_table(rows, row_heading, value_heading, words, places, fewest))


def _dots(rows: Sequence[Dot], layout: Rows, axis: str, lines: Sequence[Line]) -> list[Spec]:
    x = layout.scale.encoded("x", title=axis, limit=layout.width + 60)
    layers = []
    for grey, ink in ((False, ACCENT), (True, STRONG)):
        placed = [
            {"x": row.value, "low": row.low, "high": row.high, "y": layout.middle(index)}
            for index, row in enumerate(rows)
            if row.value is not None and layout.few[index] is grey
        ]
        spans = [row for row in placed if row["low"] is not None and row["high"] is not None]
        interval = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": None}
        layers.append(marks.marks("rule", spans, interval, stroke=ink, strokeWidth=2.5))
        layers.append(marks.marks("point", placed, {"x": x, "y": None}, filled=True, fill=ink, size=78))
    reasons = {index: row.reason for index, row in enumerate(rows) if row.value is None}
    return [
        marks.axis(x),
        *_lines(lines, keys.of_lines(lines), layout),
        *marks.drawn(*layers),
        *layout.written(),
        *layout.said(reasons),
    ]


def _lines(lines: Sequence[Line], named: Sequence[Key], layout: Rows) -> list[Spec]:
    """Upright, through all rows."""
    layers = []
    for line, key in zip(lines, named, strict=True):
        at = layout.scale.place(line.value, layout.width)
        rule = [{"x": at, "x2": at, "y": 0, "y2": layout.height}]
        layers.append(marks.strokes(rule, stroke=INK, strokeWidth=1.5, strokeDash=key.dash))
    return layers


def _dot_table(
    rows: Sequence[Dot], row_heading: str, value_heading: str, words: Words, places: int, fewest: int
) -> Table:
    columns = (
        Column("row", row_heading, False),
        Column("value", value_heading),
        *words.interval(),
        Column("n", words.n),
        Column("note", words.note, False),
    )
    cells = (
        (
            tables.words(row.label),
            *(tables.decimal(number, places) for number in (row.value, row.low, row.high)),
            tables.count(row.n),
            words.remark(row.reason, row.n, fewest),
        )
        for row in rows
    )
    return Table(columns, tuple(cells))


def bars(
    rows: Sequence[Bar],
    heading: Heading,
    *,
    axis: str,
    row_heading: str,
    value_heading: str,
    words: Words,
    of_heading: str = "",
    places: int = 0,
    fewest: int = FEWEST,
) -> Chart:
    """Lengths from 0, each with its number, before the whole that it is part of."""
    specs = {}
    for size in marks.WIDTHS:
        scale = marks.scale(
            [number for row in rows for number in (row.value, row.of)],
            domain=(0, 1),
            most=6 if size == "wide" else 4,
            whole=not places,
        )
        layout = Rows(
            size,
            labels=[row.label for row in rows],
            asides=[_bar_aside(row, words, places, fewest) for row in rows],
            few=[row.value is None or is_few(row.n, fewest) for row in rows],
            scale=scale,
        )
        specs[size] = marks.view(size, layout.height, layout.padding, _bars(rows, layout, axis))
    columns = (
        Column("row", row_heading, False),
        Column("value", value_heading),
        Column("of", of_heading),
        Column("n", words.n),
        Column("note", words.note, False),
    )
    cells = (
        (
            tables.words(row.label, row.written),
            tables.decimal(row.value, places),
            tables.decimal(row.of, places),
            tables.count(row.n),
            words.remark(row.reason, row.n, fewest),
        )
        for row in rows
    )
    return Chart(heading, specs, Table(columns, tuple(cells)))


def _bar_aside(row: Bar, words: Words, places: int, fewest: int) -> list[str]:
    if row.value is None:
        return []
    shown = tables.with_minus(row.value, places)
    if row.of is not None:
        shown = f"{shown} / {tables.with_minus(row.of, places)}"
    return [shown, words.too_few] if is_few(row.n, fewest) else [shown]


def _bars(rows: Sequence[Bar], layout: Rows, axis: str) -> list[Spec]:
    x = layout.scale.encoded("x", title=axis, limit=layout.width + 60)
    wholes = [(index, row.of) for index, row in enumerate(rows) if row.of is not None]
    layers = [marks.boxes(_boxes(wholes, layout), fill=TRACK)]
    for grey, ink in ((False, ACCENT), (True, STRONG)):
        lengths = [
            (index, row.value)
            for index, row in enumerate(rows)
            if row.value is not None and layout.few[index] is grey
        ]
        layers.append(marks.boxes(_boxes(lengths, layout), fill=ink))
    reasons = {index: row.reason for index, row in enumerate(rows) if row.value is None}
    return [marks.axis(x), *marks.drawn(*layers), *layout.written(), *layout.said(reasons)]


def _boxes(lengths: Sequence[tuple[int, float]], layout: Rows) -> list[marks.Row]:
    return [
        {
            "x": 0,
            "x2": layout.scale.place(length, layout.width),
            "y": layout.middle(index) - THICK / 2,
            "y2": layout.middle(index) + THICK / 2,
        }
        for index, length in lengths
    ]
