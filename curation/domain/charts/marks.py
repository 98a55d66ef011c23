"""What charts are made of: the marks of a Vega-Lite specification, and how much room each needs.

Charts are laid out here, not by Vega: a drawing is as wide as it was asked to be, whatever the labels and the typeface
of the machine. Rows stand at pixels from the top; values go through one scale whose ends and ticks are given.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from curation.domain.charts import tables

Spec = dict[str, object]
Row = Mapping[str, object]

WIDTHS: Mapping[str, int] = {"wide": 520, "narrow": 310}
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
INK, SOFT, LINE, STRONG = "currentColor", "var(--ink-soft)", "var(--line)", "var(--line-strong)"
ACCENT, SURFACE, TRACK = "var(--accent)", "var(--surface)", "var(--track)"
TYPE = 12.5  # pixels

# In widths of the type, for the widest that a browser is likely to take (DejaVu Sans); a Chinese sign fills a square.
SQUARE, BROAD, CAPITAL, LETTER, THIN = 1.0, 0.98, 0.74, 0.62, 0.38

_PIXELS: Spec = {"type": "quantitative", "scale": None, "axis": None}
_CONFIG: Spec = {
    "view": {"stroke": None},
    "font": "Noto Sans, Noto Sans CJK SC, sans-serif",
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": LINE,
        "labelColor": SOFT,
        "labelFontSize": TYPE,
        "labelPadding": 7,
        "labelFlush": False,
        "labelOverlap": False,
        "titleColor": SOFT,
        "titleFontSize": TYPE,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
}


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` to `high`, with `ticks` between, which are shown with so many places."""

    low: float
    high: float
    ticks: tuple[float, ...]
    places: int
    percent: bool = False

    def shown(self, tick: float) -> str:
        return f"{tick:.0%}" if self.percent else tables.with_minus(tick, self.places)

    def place(self, value: float, length: float) -> float:
        """How far along an axis of that length a value lies."""
        return (value - self.low) / (self.high - self.low) * length

    def encoded(self, field: str, *, title: str | None, limit: float) -> Spec:
        """The channel of `field` on this scale, with its axis."""
        form = ".0%" if self.percent else f",.{self.places}f"
        axis = {"values": self.ticks, "format": form, "title": title, "titleLimit": limit}
        scale = {"domain": [self.low, self.high], "nice": False, "zero": False}
        return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


@dataclass(frozen=True, slots=True)
class Padding:
    """Room around the plot, in pixels."""

    left: float = 0
    right: float = 0
    top: float = 0
    bottom: float = 0


def width_of(text: str, size: float = TYPE) -> float:
    """About how wide a text is, in pixels; no typeface is asked."""
    return size * sum(map(_breadth, text))


def _breadth(sign: str) -> float:
    if unicodedata.east_asian_width(sign) in "WF":
        return SQUARE
    if sign in "mwMW%@":
        return BROAD
    if sign in "fijlrtI .,:;·'|()[]!-/":
        return THIN
    return CAPITAL if sign.isupper() else LETTER


def folded(text: str, width: float, size: float = TYPE) -> list[str]:
    """A text in at most two lines, broken at a space or between Chinese signs; the second may be too wide still."""
    if width_of(text, size) <= width:
        return [text]
    breaks = [index for index in range(1, len(text)) if _may_break(text[index - 1], text[index])]
    fitting = [index for index in breaks if width_of(text[:index].rstrip(), size) <= width]
    if not fitting:
        return [text]
    return [text[: fitting[-1]].rstrip(), text[fitting[-1] :].lstrip()]


def _may_break(before: str, after: str) -> bool:
    """Never before a mark of punctuation."""
    if after.isspace() or unicodedata.category(after).startswith("P"):
        return False
    return before.isspace() or {unicodedata.east_asian_width(each) for each in (before, after)} <= {"W", "F"}


def widest(texts: Iterable[str]) -> float:
    return max(map(width_of, texts), default=0)


def scale(
    values: Iterable[float | None],
    *,
    domain: tuple[float, float] | None = None,
    most: int = 6,
    whole: bool = False,
    percent: bool = False,
) -> Scale:
    """A scale with at most that many steps of 1, 2 or 5 times a power of ten, which spans the values and the domain.

    `whole`: the steps are whole numbers. Without values and domain it goes from 0 to 1.
    """
    known = [value for value in values if value is not None] + list(domain or ())
    low, high = min(known, default=0.0), max(known, default=1.0)
    if low == high:
        low, high = (min(low, 0.0), max(high, 0.0)) if low else (0.0, 1.0)
    step = _step((high - low) / most, whole=whole)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    while last - first > most:
        step = _step(step * 1.01, whole=whole)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = tuple(round(each * step, places) for each in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks, places, percent)


def _step(least: float, *, whole: bool) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= least * (1 - 1e-9))
    return max(step, 1.0) if whole else step


def view(size: str, height: float, padding: Padding, layers: Sequence[Spec]) -> Spec:
    """A plot and the room around it, together as wide as the size says."""
    sides = {
        "left": padding.left,
        "right": padding.right,
        "top": padding.top,
        "bottom": padding.bottom,
    }
    return {
        "$schema": SCHEMA,
        "background": None,
        "config": _CONFIG,
        "autosize": {"type": "none"},
        "padding": {side: math.ceil(room) for side, room in sides.items()},
        "width": plot_width(size, padding),
        "height": math.ceil(height),
        "layer": list(layers),
    }


def plot_width(size: str, padding: Padding) -> int:
    return WIDTHS[size] - math.ceil(padding.left) - math.ceil(padding.right)


def marks(kind: str, rows: Sequence[Row], encoding: Mapping[str, object], **looks: object) -> Spec:
    """A layer; a channel given as None is in pixels from the upper left corner of the plot."""
    channels = {name: channel or _in_pixels(name) for name, channel in encoding.items()}
    return {
        "data": {"values": list(rows)},
        "mark": {"type": kind, "opacity": 1, **looks},
        "encoding": channels,
    }


def _in_pixels(name: str) -> Spec:
    """The second end of a mark is on the scale of the first."""
    return {"field": name} if name in {"x2", "y2"} else {**_PIXELS, "field": name}


def texts(
    rows: Sequence[Row],
    *,
    align: str = "left",
    fill: str = INK,
    limit: float = 0,
    weight: str = "normal",
    size: float = TYPE,
) -> Spec:
    """Rows of x, y and text, in pixels. A text wider than the limit ends in three dots; 0 is no limit."""
    looks: Spec = {"align": align, "baseline": "middle", "fill": fill, "fontSize": size, "fontWeight": weight}
    if limit:
        looks["limit"] = limit
    return marks("text", rows, {"x": None, "y": None, "text": {"field": "text"}}, **looks)


def placed(lines: Sequence[tuple[float, float, str]]) -> list[Row]:
    """Rows for `texts`."""
    return [{"x": x, "y": y, "text": text} for x, y, text in lines]


def veils(lines: Sequence[tuple[float, float, str]], *, limit: float, size: float = TYPE) -> Spec:
    """Grounds for left-aligned texts, so that no line of the plot runs through the words."""
    rows = [
        {
            "x": x - 3,
            "x2": x + min(width_of(text, size), limit) + 3,
            "y": y - 0.7 * size,
            "y2": y + 0.7 * size,
        }
        for x, y, text in lines
    ]
    return boxes(rows, fill=SURFACE)


def boxes(rows: Sequence[Row], **looks: object) -> Spec:
    """Rows of x, x2, y and y2, in pixels."""
    return marks("rect", rows, {"x": None, "x2": None, "y": None, "y2": None}, **looks)


def strokes(rows: Sequence[Row], **looks: object) -> Spec:
    """Lines between (x, y) and (x2, y2), in pixels."""
    return marks("rule", rows, {"x": None, "x2": None, "y": None, "y2": None}, **looks)


def axis(channel: Spec) -> Spec:
    """The lying axis and its grid alone, beneath what is drawn on it; they are there without any row."""
    return marks("rule", [], {"x": channel})


def drawn(*layers: Spec) -> list[Spec]:
    """The layers that have rows."""
    return [layer for layer in layers if layer["data"] != {"values": []}]


def every(labels: Sequence[str], distance: float) -> list[int]:
    """Which labels stand under an axis: every k-th from the last backwards, as near as their widths allow.

    The latest is what is looked for, so it is always there.
    """
    if not labels:
        return []
    step = max(1, math.ceil((widest(labels) + 10) / distance)) if distance else len(labels)
    return list(range(len(labels) - 1, -1, -step))[::-1]


def runs(defined: Sequence[bool]) -> list[range]:
    """The unbroken stretches of what is defined."""
    edges = [-1, *(index for index, known in enumerate(defined) if not known), len(defined)]
    return [range(before + 1, after) for before, after in pairwise(edges) if after - before > 1]
