"""Charts in time: a point for each week, a band for its interval, gaps where nothing is known.

Points are equally far apart, so a row is wanted for each week, one without a value too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from curation.domain.charts import keys, marks, tables
from curation.domain.charts.chart import FEWEST, Chart, Heading, Line, Words, check, is_few
from curation.domain.charts.keys import Key
from curation.domain.charts.marks import ACCENT, INK, LINE, SOFT, STRONG, SURFACE, Padding, Scale, Spec
from curation.domain.charts.tables import Cell, Column, Table

HEIGHT = 190.0
PANEL, DOWN, BETWEEN = 80.0, 132.0, 24.0  # height of a small chart, from one to the next below, and beside
COLUMNS = {"wide": 3, "narrow": 2}
SMALL = 11.5
FORECAST = (5, 4)


@dataclass(frozen=True, slots=True)
class Point:
    """A value with its interval; `reason` says in words why there is none.

    A file calls it `written`, if that is given.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    reason: str = ""
    written: str = ""

    def __post_init__(self) -> None:
        check(self.label, (self.value, self.low, self.high), self.reason)


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several small charts on the same scales."""

    label: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Plot:
    """The room for points, in pixels of the drawing, and the scale of the values."""

    width: int
    height: float
    steps: int
    scale: Scale
    fewest: int
    left: float = 0
    top: float = 0

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def x(self, index: int) -> float:
        return self.left + (index * self.width / self.steps if self.steps else self.width / 2)

    def y(self, value: float) -> float:
        return self.bottom - self.scale.place(value, self.height)

    def grid(self, *, has_numbers: bool = True) -> list[Spec]:
        """A line across at each tick, and its number before it."""
        ticks = [(self.y(tick), self.scale.shown(tick)) for tick in self.scale.ticks]
        numbers = [{"x": self.left - 8, "y": y, "text": text} for y, text in ticks]
        return [
            marks.strokes(
                [{"x": self.left, "x2": self.right, "y": y, "y2": y} for y, _ in ticks], stroke=LINE
            ),
            *marks.drawn(marks.texts(numbers if has_numbers else [], align="right", fill=SOFT)),
        ]

    def curve(self, points: Sequence[Point], *, first: int = 0, dash: Sequence[float] = ()) -> list[Spec]:
        """A band behind a line, broken where a value is not defined, and hollow dots where it rests on too few."""
        band: list[marks.Row] = []
        line: list[marks.Row] = []
        lone: list[marks.Row] = []
        for run in marks.runs([point.value is not None for point in points]):
            spans = [
                index for index in run if points[index].low is not None and points[index].high is not None
            ]
            (lone if len(spans) == 1 else band).extend(self._spans(points, spans, first, run.start))
            line += [
                {"x": self.x(first + index), "y": self.y(value), "run": run.start}
                for index in run
                if (value := points[index].value) is not None
            ]
        runs = {"detail": {"field": "run"}}
        between = {"x": None, "y": None, "y2": None}
        looks = {"strokeDash": dash} if dash else {}
        return marks.drawn(
            marks.marks("area", band, {**between, **runs}, fill=ACCENT, fillOpacity=0.16),
            marks.strokes([{**row, "x2": row["x"]} for row in lone], stroke=ACCENT, strokeWidth=1.5),
            marks.marks("line", line, {"x": None, "y": None, **runs}, stroke=ACCENT, strokeWidth=2, **looks),
        )

    def _spans(
        self, points: Sequence[Point], indices: Sequence[int], first: int, run: int
    ) -> Iterable[marks.Row]:
        for index in indices:
            low, high = points[index].low, points[index].high
            if low is not None and high is not None:
                yield {"x": self.x(first + index), "y": self.y(low), "y2": self.y(high), "run": run}

    def dots(self, points: Sequence[Point], *, size: int = 42) -> list[Spec]:
        sound: list[marks.Row] = []
        few: list[marks.Row] = []
        for index, point in enumerate(points):
            if point.value is not None:
                row = {"x": self.x(index), "y": self.y(point.value)}
                (few if is_few(point.n, self.fewest) else sound).append(row)
        at: Spec = {"x": None, "y": None}
        return marks.drawn(
            marks.marks("point", sound, at, filled=True, fill=ACCENT, size=size),
            marks.marks(
                "point", few, at, filled=True, fill=SURFACE, stroke=STRONG, strokeWidth=1.5, size=size
            ),
        )

    def times(self, labels: Sequence[str], *, ends_only: bool = False) -> Spec:
        """Under the plot, moved in where they would stick out."""
        distance = self.width / self.steps if self.steps else 0
        chosen = sorted({0, len(labels) - 1}) if ends_only and labels else marks.every(labels, distance)
        rows = []
        for index in chosen:
            half = marks.width_of(labels[index], SMALL) / 2
            x = max(
                self.left + half - (6 if ends_only else 24),
                min(self.x(index), self.right + (4 if ends_only else 14) - half),
            )
            rows.append({"x": x, "y": self.bottom + 15, "text": labels[index]})
        return marks.texts(rows, align="center", fill=SOFT, size=SMALL)

    def across(self, value: float, dash: Sequence[float]) -> Spec:
        y = self.y(value)
        row = [{"x": self.left, "x2": self.right, "y": y, "y2": y}]
        return marks.strokes(row, stroke=INK, strokeWidth=1.5, strokeDash=dash)

    def said(self, panel: Panel) -> list[Spec]:
        """Why a panel has no value at all."""
        reason = next((point.reason for point in panel.points if point.reason), "")
        at = (self.left + 4, self.top + self.height / 2, reason)
        row = {"x": at[0], "y": at[1], "text": reason}
        limit = self.width - 6
        return marks.drawn(
            marks.veils([at] if reason else [], limit=limit, size=SMALL),
            marks.texts([row] if reason else [], fill=SOFT, size=SMALL, limit=limit),
        )


def over_time(
    points: Sequence[Point],
    heading: Heading,
    *,
    axis: str,
    time_axis: str,
    time_heading: str,
    value_heading: str,
    words: Words,
    lines: Sequence[Line] = (),
    domain: tuple[float, float] | None = None,
    places: int = 2,
    fewest: int = FEWEST,
) -> Chart:
    """A line with its band. `domain`: the least that the upright axis spans."""
    scale = marks.scale(_numbers(points, lines), domain=domain, most=6)
    named = keys.of_lines(lines)
    specs = {}
    for size in marks.WIDTHS:
        padding = _padding(scale, named, size)
        plot = Plot(marks.plot_width(size, padding), HEIGHT, max(len(points) - 1, 0), scale, fewest)
        layers = [
            *plot.grid(),
            *(plot.across(line.value, key.dash) for line, key in zip(lines, named, strict=True)),
            *plot.curve(points),
            *plot.dots(points),
            *_above(axis, named, padding, size),
            *_below(plot, [point.label for point in points], time_axis),
        ]
        specs[size] = marks.view(size, HEIGHT, padding, layers)
    cells = (_cells(point, places, words, fewest) for point in points)
    return Chart(heading, specs, Table(_columns(time_heading, value_heading, words), tuple(cells)))


def small_multiples(
    panels: Sequence[Panel],
    heading: Heading,
    *,
    axis: str,
    panel_heading: str,
    time_heading: str,
    value_heading: str,
    words: Words,
    lines: Sequence[Line] = (),
    domain: tuple[float, float] | None = None,
    places: int = 2,
    fewest: int = FEWEST,
) -> Chart:
    """A small line with its band for each panel, all on the same scales; `axis` says what the values are."""
    every = [point for panel in panels for point in panel.points]
    scale = marks.scale(_numbers(every, lines), domain=domain, most=4)
    specs = {
        size: _panels(size, panels or [Panel("", ())], scale, lines, axis, fewest) for size in marks.WIDTHS
    }
    columns = (Column("row", panel_heading, False), *_columns(time_heading, value_heading, words))
    cells = (
        (tables.words(panel.label), *_cells(point, places, words, fewest))
        for panel in panels
        for point in panel.points
    )
    return Chart(heading, specs, Table(columns, tuple(cells)))


def burn_down(
    past: Sequence[Point],
    forecast: Sequence[Point],
    heading: Heading,
    *,
    target: Line,
    axis: str,
    time_axis: str,
    time_heading: str,
    value_heading: str,
    words: Words,
    places: int = 0,
) -> Chart:
    """What is so far, then a dashed line with its band on to the target. Forecasts follow on the last of `past`."""
    points = [*past, *forecast]
    scale = marks.scale(_numbers(points, [target]), domain=(0, 1), most=6, whole=not places)
    onward = _onward(past, forecast)
    named = [
        Key(words.so_far, ink=ACCENT),
        Key(words.forecast, FORECAST, ACCENT),
        Key(target.label, keys.DASHES[1]),
    ]
    specs = {}
    for size in marks.WIDTHS:
        padding = _padding(scale, named, size)
        plot = Plot(marks.plot_width(size, padding), HEIGHT, max(len(points) - 1, 0), scale, 0)
        layers = [
            *plot.grid(),
            plot.across(target.value, keys.DASHES[1]),
            *plot.curve(onward, first=len(points) - len(onward), dash=FORECAST),
            *plot.curve(past),
            *plot.dots(past),
            *_above(axis, named, padding, size),
            *_below(plot, [point.label for point in points], time_axis),
        ]
        specs[size] = marks.view(size, HEIGHT, padding, layers)
    columns = (
        Column("time", time_heading, False),
        Column("value", value_heading),
        *words.interval(),
        Column("note", words.note, False),
    )
    cells = (
        (
            tables.words(point.label, point.written),
            *(tables.decimal(number, places) for number in (point.value, point.low, point.high)),
            tables.words(point.reason or (words.forecast if index >= len(past) else "")),
        )
        for index, point in enumerate(points)
    )
    return Chart(heading, specs, Table(columns, tuple(cells)))


def _onward(past: Sequence[Point], forecast: Sequence[Point]) -> list[Point]:
    """The forecast, begun where the past ends: a band as wide as nothing there."""
    if not forecast or not past or past[-1].value is None:
        return [*forecast]
    last = past[-1]
    return [Point(last.label, last.value, last.value, last.value), *forecast]


def _panels(
    size: str, panels: Sequence[Panel], scale: Scale, lines: Sequence[Line], axis: str, fewest: int
) -> Spec:
    """The first chart of each line has the numbers at its side; all have their own times beneath."""
    columns = COLUMNS[size]
    named = keys.of_lines(lines)
    padding = replace(_padding(scale, named, size), bottom=0)
    width = int((marks.plot_width(size, padding) - BETWEEN * (columns - 1)) / columns)
    layers = _above(axis, named, padding, size)
    for index, panel in enumerate(panels):
        down, across = divmod(index, columns)
        plot = Plot(
            width,
            PANEL,
            steps=max(len(panel.points) - 1, 0),
            scale=scale,
            fewest=fewest,
            left=across * (width + BETWEEN),
            top=down * DOWN + 18,
        )
        layers += plot.grid(has_numbers=across == 0)
        layers += [plot.across(line.value, key.dash) for line, key in zip(lines, named, strict=True)]
        layers += _panel(plot, panel)
    return marks.view(size, -(-len(panels) // columns) * DOWN, padding, layers)


def _panel(plot: Plot, panel: Panel) -> list[Spec]:
    title = [{"x": plot.left, "y": plot.top - 12, "text": panel.label}]
    is_known = any(point.value is not None for point in panel.points)
    return [
        *marks.drawn(marks.texts(title if panel.label else [], weight="600", limit=plot.width)),
        *plot.curve(panel.points),
        *plot.dots(panel.points, size=22),
        *([] if is_known else plot.said(panel)),
        *marks.drawn(plot.times([point.label for point in panel.points], ends_only=True)),
    ]


def _padding(scale: Scale, named: Sequence[Key], size: str) -> Padding:
    """The name of the axis and the keys stand above, what time it is beneath."""
    left = marks.widest(map(scale.shown, scale.ticks)) + 14
    return Padding(left=left, right=16, top=34 + keys.height(named, size), bottom=50)


def _above(axis: str, named: Sequence[Key], padding: Padding, size: str) -> list[Spec]:
    """The name of the axis lies down, so that it is read like any other line; beneath it the keys."""
    name = [{"x": -padding.left, "y": 12 - padding.top, "text": axis}]
    return [marks.texts(name, fill=SOFT), *keys.drawn(named, size, left=-padding.left, top=22 - padding.top)]


def _below(plot: Plot, labels: Sequence[str], time_axis: str) -> list[Spec]:
    name = [{"x": plot.width / 2, "y": plot.height + 37, "text": time_axis}]
    return [*marks.drawn(plot.times(labels)), marks.texts(name, align="center", fill=SOFT)]


def _columns(time_heading: str, value_heading: str, words: Words) -> tuple[Column, ...]:
    return (
        Column("time", time_heading, False),
        Column("value", value_heading),
        *words.interval(),
        Column("n", words.n),
        Column("note", words.note, False),
    )


def _cells(point: Point, places: int, words: Words, fewest: int) -> tuple[Cell, ...]:
    return (
        tables.words(point.label, point.written),
        *(tables.decimal(number, places) for number in (point.value, point.low, point.high)),
        tables.count(point.n),
        words.remark(point.reason, point.n, fewest),
    )


def _numbers(points: Iterable[Point], lines: Iterable[Line]) -> list[float | None]:
    found = [number for point in points for number in (point.value, point.low, point.high)]
    return found + [line.value for line in lines]
