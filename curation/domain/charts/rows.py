"""Charts with a row for each thing: where the rows stand, and what is written beside them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from curation.domain.charts import marks
from curation.domain.charts.marks import INK, SOFT, Padding, Scale, Spec

LONGEST_LABEL = 160.0  # pixels; what is longer takes two lines, then ends in three dots
WIDER = 1.125  # what a browser makes of a label that was cut at that length by another typeface
SMALL = 11.5
SEPARATOR = " · "
AXIS = 48.0  # room for an axis with its title


@dataclass(frozen=True, slots=True)
class Rows:
    """At one size: beside their labels where it is wide, beneath them where it is not. Pixels throughout.

    `asides` say how many units a row has, and that they are few; `few` makes its label grey. `top` and `bottom` are
    kept free around the plot.
    """

    size: str
    labels: Sequence[str]
    asides: Sequence[Sequence[str]]
    few: Sequence[bool]
    scale: Scale
    top: float = 0
    bottom: float = AXIS

    @property
    def is_wide(self) -> bool:
        return self.size == "wide"

    @property
    def pitch(self) -> float:
        return 30 if self.is_wide else 44

    @property
    def height(self) -> float:
        return max(self.pitch * len(self.labels), 56) + 6

    @property
    def padding(self) -> Padding:
        edge = marks.widest(map(self.scale.shown, self.scale.ticks)) / 2 + 4
        if not self.is_wide:
            return Padding(left=edge, right=edge, top=self.top + 4, bottom=self.bottom)
        labels = min(marks.widest(self.labels), WIDER * LONGEST_LABEL) + 14
        asides = marks.widest(line for aside in self.asides for line in aside) + 14
        return Padding(left=max(labels, edge), right=max(asides, edge), top=self.top + 4, bottom=self.bottom)

    @property
    def width(self) -> int:
        """Of the plot."""
        return marks.plot_width(self.size, self.padding)

    def middle(self, index: int) -> float:
        """Where the mark of a row stands, from the top of the plot."""
        return self.pitch * index + (18 if self.is_wide else 31)

    def written(self) -> list[Spec]:
        """The labels, and what stands aside; beneath labels that lie on the plot its lines are interrupted."""
        layers = []
        for grey, fill in ((False, INK), (True, SOFT)):
            labels = [index for index, few in enumerate(self.few) if few is grey]
            layers += self._beside(labels, fill) if self.is_wide else self._above(labels, fill)
        edge = self.width + (self.padding.right - 2 if self.is_wide else 0)
        asides = [
            (edge, y, text)
            for index, aside in enumerate(self.asides)
            for y, text in _lines(self.line(index), aside if self.is_wide else [SEPARATOR.join(aside)])
        ]
        veiled = [(x - marks.width_of(text, SMALL), y, text) for x, y, text in asides if not self.is_wide]
        return marks.drawn(
            marks.veils(veiled, limit=self.width, size=SMALL),
            *layers,
            marks.texts(marks.placed(asides), align="right", fill=SOFT, size=SMALL),
        )

    def _beside(self, indices: Iterable[int], fill: str) -> list[Spec]:
        places = [
            (-12.0, y, text)
            for index in indices
            for y, text in _lines(self.line(index), marks.folded(self.labels[index], LONGEST_LABEL))
        ]
        return [marks.texts(marks.placed(places), align="right", fill=fill, limit=LONGEST_LABEL)]

    def _above(self, indices: Iterable[int], fill: str) -> list[Spec]:
        limit = self.width - marks.widest(SEPARATOR.join(aside) for aside in self.asides) - 8
        places = [(0.0, self.line(index), self.labels[index]) for index in indices]
        return [
            marks.veils(places, limit=limit),
            marks.texts(marks.placed(places), fill=fill, limit=limit),
        ]

    def line(self, index: int) -> float:
        """Where the label of a row stands."""
        return self.middle(index) - (0 if self.is_wide else 20)

    def said(self, reasons: Mapping[int, str]) -> list[Spec]:
        """Why rows have no mark, where the mark would be."""
        room = self.width + self.padding.right - 10
        lines = [
            (6.0, y, text)
            for index, reason in reasons.items()
            for y, text in _lines(self.middle(index), marks.folded(reason, room, SMALL))
        ]
        return marks.drawn(
            marks.veils(lines, limit=room, size=SMALL),
            marks.texts(marks.placed(lines), fill=SOFT, limit=room, size=SMALL),
        )


def _lines(y: float, texts: Sequence[str]) -> Iterator[tuple[float, str]]:
    """Each with where it stands, together around y."""
    for index, text in enumerate(texts):
        yield y + 14 * (index - (len(texts) - 1) / 2), text
