"""What the lines of a chart mean: a short piece of each with its name, above the plot."""

from collections.abc import Sequence
from dataclasses import dataclass

from curation.domain.charts import marks
from curation.domain.charts.chart import Line
from curation.domain.charts.marks import INK, SOFT, Spec

DASHES = ((5, 3), (1.5, 3), (9, 3))  # so that lines differ without colours; then they begin again
SAMPLE, LINE, TYPE = 24, 18, 11.5  # pixels


@dataclass(frozen=True, slots=True)
class Key:
    """`dash` is empty where the line is whole."""

    label: str
    dash: Sequence[float] = ()
    ink: str = INK


def of_lines(lines: Sequence[Line]) -> list[Key]:
    return [Key(line.label, DASHES[index % len(DASHES)]) for index, line in enumerate(lines)]


def height(keys: Sequence[Key], size: str) -> float:
    return LINE * (1 + max((line for _, line, _ in _places(keys, size)), default=-1))


def drawn(keys: Sequence[Key], size: str, *, left: float, top: float) -> list[Spec]:
    """From that corner on, in pixels of the plot, as far as the drawing is wide."""
    layers = []
    for x, line, key in _places(keys, size):
        start, y = left + x, top + LINE * (line + 0.5)
        looks = {"strokeDash": key.dash} if key.dash else {}
        sample = [{"x": start, "x2": start + SAMPLE, "y": y, "y2": y}]
        layers.append(marks.strokes(sample, stroke=key.ink, strokeWidth=2, **looks))
        layers.append(
            marks.texts([{"x": start + SAMPLE + 6, "y": y, "text": key.label}], fill=SOFT, size=TYPE)
        )
    return layers


def _places(keys: Sequence[Key], size: str) -> list[tuple[float, int, Key]]:
    """How far from the left, and in which line, each key stands."""
    places, x, line = [], 0.0, 0
    for key in keys:
        width = SAMPLE + marks.width_of(key.label, TYPE) + 22
        if x and x + width > marks.WIDTHS[size]:
            x, line = 0.0, line + 1
        places.append((x, line, key))
        x += width
    return places
