"""How a row divides: the use of the levels of a scale by each annotator."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from curation.domain.charts import marks, tables
from curation.domain.charts.chart import FEWEST, Chart, Heading, Words, is_few
from curation.domain.charts.marks import INK, SOFT, STRONG, SURFACE, Spec
from curation.domain.charts.rows import Rows
from curation.domain.charts.tables import Cell, Column, Table

SHADES = 6  # var(--shade-0), the lightest, to var(--shade-5)
NUMBER = 11.0  # pixels, of the per cents within the boxes
HALF = 10  # of the height of a box
LEGEND = 30


@dataclass(frozen=True, slots=True)
class Shares:
    """How often each level was given, the lowest first; `reason` says in words why none was."""

    label: str
    counts: Sequence[int]
    reason: str = ""

    @property
    def n(self) -> int:
        return sum(self.counts)


def shares(
    rows: Sequence[Shares],
    heading: Heading,
    *,
    levels: Sequence[str],
    legend: str,
    axis: str,
    row_heading: str,
    words: Words,
    fewest: int = FEWEST,
) -> Chart:
    """Boxes that fill a row, the darker the higher the level. Raises ValueError on counts that answer no levels."""
    if not 1 < len(levels) < SHADES or any(len(row.counts) != len(levels) for row in rows):
        raise ValueError(f"give a count of each of 2 to {SHADES - 1} levels in every row")
    specs = {}
    for size in marks.WIDTHS:
        layout = Rows(
            size,
            labels=[row.label for row in rows],
            asides=[words.aside(row.n, fewest) if row.n else [] for row in rows],
            few=[is_few(row.n, fewest) for row in rows],
            scale=marks.scale((), domain=(0, 1), most=5 if size == "wide" else 4, percent=True),
            top=LEGEND,
        )
        specs[size] = marks.view(
            size, layout.height, layout.padding, _layers(rows, layout, levels, legend, axis)
        )
    columns = (
        Column("row", row_heading, False),
        *(Column(f"level_{index}", level) for index, level in enumerate(levels)),
        Column("n", words.n),
        Column("note", words.note, False),
    )
    cells = (
        (
            tables.words(row.label),
            *(_count(each, row.n) for each in row.counts),
            tables.count(row.n),
            words.remark(row.reason, row.n, fewest),
        )
        for row in rows
    )
    return Chart(heading, specs, Table(columns, tuple(cells)))


def shade(index: int, levels: int) -> int:
    """Of the six shades, that of a level: the lightest stays out, as it hardly differs from the ground."""
    return 1 + round(index * (SHADES - 2) / (levels - 1))


def _count(part: int, whole: int) -> Cell:
    shown = tables.count(part).shown
    return Cell(f"{shown} ({tables.share(part, whole).shown})" if whole else shown, part)


def _layers(
    rows: Sequence[Shares], layout: Rows, levels: Sequence[str], legend: str, axis: str
) -> list[Spec]:
    layers = []
    for level in range(len(levels)):
        found = shade(level, len(levels))
        for grey in (False, True):
            boxes = [*_boxes(rows, layout, level, grey=grey)]
            looks = {"fillOpacity": 0.35} if grey else {}
            layers.append(
                marks.boxes(boxes, fill=f"var(--shade-{found})", stroke=SURFACE, strokeWidth=1.5, **looks)
            )
            ink = INK if grey else f"var(--on-shade-{found})"
            layers.append(marks.texts([*_percents(boxes)], align="center", fill=ink, size=NUMBER))
    reasons = {index: row.reason for index, row in enumerate(rows) if not row.n}
    return [
        marks.axis(layout.scale.encoded("x", title=axis, limit=layout.width + 60)),
        *_legend(levels, legend, layout),
        *marks.drawn(*layers),
        *layout.written(),
        *layout.said(reasons),
    ]


def _boxes(rows: Sequence[Shares], layout: Rows, level: int, *, grey: bool) -> Iterator[dict[str, float]]:
    for index, row in enumerate(rows):
        if not row.counts[level] or layout.few[index] is not grey:
            continue
        end = [*accumulate(row.counts)][level]
        yield {
            "x": (end - row.counts[level]) / row.n * layout.width,
            "x2": end / row.n * layout.width,
            "y": layout.middle(index) - HALF,
            "y2": layout.middle(index) + HALF,
            "share": row.counts[level] / row.n,
        }


def _percents(boxes: Sequence[dict[str, float]]) -> Iterator[marks.Row]:
    """Within the boxes that have room for it."""
    for box in boxes:
        text = f"{box['share']:.0%}"
        if box["x2"] - box["x"] > marks.width_of(text, NUMBER) + 6:
            yield {"x": (box["x"] + box["x2"]) / 2, "y": (box["y"] + box["y2"]) / 2, "text": text}


def _legend(levels: Sequence[str], legend: str, layout: Rows) -> list[Spec]:
    """One line above the plot: what the shades are of, then each with its level."""
    x = 0.0
    title = marks.texts([{"x": 0, "y": -16, "text": legend}], fill=SOFT)
    x += marks.width_of(legend) + 16
    layers = [title]
    room = (layout.width - x) / len(levels)
    for index, level in enumerate(levels):
        fill = f"var(--shade-{shade(index, len(levels))})"
        box = [{"x": x, "x2": x + 11, "y": -21.5, "y2": -10.5}]
        layers.append(marks.boxes(box, fill=fill, stroke=STRONG, strokeWidth=0.5))
        layers.append(marks.texts([{"x": x + 16, "y": -16, "text": level}], limit=max(room - 20, 12)))
        x += min(marks.width_of(level) + 32, room)
    return layers
