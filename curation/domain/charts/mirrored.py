"""Pairs by the difference of two numbers, piled up on both sides of 0: before something was done, and after."""

from collections.abc import Sequence
from dataclasses import dataclass

from curation.domain.charts import marks, tables
from curation.domain.charts.chart import Chart, Heading
from curation.domain.charts.marks import ACCENT, INK, LINE, SOFT, Padding, Spec
from curation.domain.charts.tables import Column, Table

HEIGHT = 190.0
LEGEND, AXIS = 26.0, 52.0  # room above and below
PALE = "var(--shade-2)"
SMALL = 11.5


@dataclass(frozen=True, slots=True)
class Pile:
    """`edge` is the number at the outer end of the pile, negative on the left; 0 for the middle one, whose `side`
    is 0."""

    side: int
    edge: int
    before: int
    after: int


def piles(piled: Sequence[Pile], heading: Heading, *, axis: str, before: str, after: str) -> Chart:
    """From the leftmost to the rightmost. The after stands in front of the before, as wide."""
    specs = {size: _spec(size, piled, axis, before, after) for size in marks.WIDTHS}
    columns = (Column("edge", axis), Column("before", before), Column("after", after))
    rows = tuple(
        (tables.count(pile.edge), tables.count(pile.before), tables.count(pile.after)) for pile in piled
    )
    return Chart(heading, specs, Table(columns, rows))


def _spec(size: str, piled: Sequence[Pile], axis: str, before: str, after: str) -> Spec:
    scale = marks.scale([pile.before for pile in piled], domain=(0, 1), most=5, whole=True)
    numbers = [scale.shown(tick) for tick in scale.ticks]
    padding = Padding(left=marks.widest(numbers) + 14, right=10, top=LEGEND + 4, bottom=AXIS)
    width = marks.plot_width(size, padding)
    step = width / max(len(piled), 1)

    def boxes(of: str, inset: float, fill: str) -> Spec:
        rows = [
            {
                "x": place * step + inset,
                "x2": (place + 1) * step - inset,
                "y": HEIGHT - scale.place(getattr(pile, of), HEIGHT),
                "y2": HEIGHT,
            }
            for place, pile in enumerate(piled)
            if getattr(pile, of)
        ]
        return marks.boxes(rows, fill=fill)

    heights = [
        (HEIGHT - scale.place(tick, HEIGHT), text) for tick, text in zip(scale.ticks, numbers, strict=True)
    ]
    layers = [
        marks.strokes([{"x": 0, "x2": width, "y": y, "y2": y} for y, _ in heights], stroke=LINE),
        marks.texts([{"x": -8, "y": y, "text": text} for y, text in heights], align="right", fill=SOFT),
        *marks.drawn(boxes("before", 0.5, PALE), boxes("after", 0.5 + step / 8, ACCENT)),
        marks.strokes(
            [{"x": width / 2, "x2": width / 2, "y": 0, "y2": HEIGHT + 5}], stroke=INK, strokeDash=(5, 3)
        ),
        *_edges(piled, step, size),
        marks.texts(
            [{"x": width / 2, "y": HEIGHT + 38, "text": axis}], align="center", fill=SOFT, limit=width + 20
        ),
        *_legend(((PALE, before), (ACCENT, after)), padding.left),
    ]
    return marks.view(size, HEIGHT, padding, layers)


def _edges(piled: Sequence[Pile], step: float, size: str) -> list[Spec]:
    """Numbers at the outer ends of some piles, and 0 in the middle; as many as have room."""
    middle = len(piled) // 2
    every = 1
    widest = marks.widest(tables.count(pile.edge).shown for pile in piled) + 10
    while every * step < widest and every < max(middle, 1):
        every += 1
    rows = []
    for place, pile in enumerate(piled):
        away = abs(place - middle)
        if away % every:
            continue
        x = (place + 0.5 + 0.5 * pile.side) * step
        rows.append({"x": x, "y": HEIGHT + 14, "text": tables.count(pile.edge).shown})
    return marks.drawn(marks.texts(rows, align="center", fill=SOFT, size=SMALL))


def _legend(entries: Sequence[tuple[str, str]], left: float) -> list[Spec]:
    layers, x = [], -left + 2
    for fill, label in entries:
        layers.append(marks.boxes([{"x": x, "x2": x + 11, "y": -LEGEND + 3, "y2": -LEGEND + 14}], fill=fill))
        layers.append(marks.texts([{"x": x + 16, "y": -LEGEND + 8.5, "text": label}], fill=SOFT, size=SMALL))
        x += marks.width_of(label, SMALL) + 34
    return layers
