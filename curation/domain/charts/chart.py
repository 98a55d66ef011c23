"""What all charts have: a heading, words in the reader's language, and numbers."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curation.domain.charts import tables
from curation.domain.charts.marks import Spec
from curation.domain.charts.tables import Cell, Column, Table

FEWEST = 30  # units under which a number is not to be read much into

_KEY = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands around a chart. `key`: of small letters, digits and hyphens, unique on its page.

    `finding` is the one sentence that says what there is to see, or why there is nothing yet; the picture's name too.
    """

    key: str
    title: str
    caption: str
    finding: str

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key):
            raise ValueError(f"{self.key!r} is no key of a chart; use small letters, digits and hyphens")


@dataclass(frozen=True, slots=True)
class Words:
    """The words that charts share, in the reader's language. `number` has a place for it: "n = {n}"."""

    low: str
    high: str
    n: str
    number: str
    note: str
    too_few: str
    so_far: str
    forecast: str

    def aside(self, n: int | None, fewest: int) -> list[str]:
        """How many units a row has, and whether that is too few."""
        if n is None:
            return []
        number = self.number.format(n=tables.count(n).shown)
        return [number, self.too_few] if is_few(n, fewest) else [number]

    def remark(self, reason: str, n: int | None, fewest: int) -> Cell:
        """Why a row has no value, or is not to be read much into."""
        return tables.words(reason or (self.too_few if is_few(n, fewest) else ""))

    def interval(self) -> tuple[Column, Column]:
        return Column("low", self.low), Column("high", self.high)


@dataclass(frozen=True, slots=True)
class Line:
    """A value to compare with, such as what the project calls acceptable."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """`specs` by size, "wide" and "narrow": Vega-Lite, with colours as variables of the page."""

    heading: Heading
    specs: Mapping[str, Spec]
    table: Table


def is_few(n: int | None, fewest: int) -> bool:
    return n is not None and n < fewest


def check(label: str, numbers: Sequence[float | None], reason: str) -> None:
    """Raises ValueError on a row whose value, the first number, is unknown for no reason, or a number without end."""
    if numbers[0] is None and not reason:
        raise ValueError(f"{label!r} has no value; say why in words")
    if not all(math.isfinite(number) for number in numbers if number is not None):
        raise ValueError(f"{label!r} has a number that is not finite; give None and a reason")
