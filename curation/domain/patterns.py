"""Units with the same values are one pattern: a million units of a rubric have a few dozen of them."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curation.domain.bootstrap import Floats, Integers

EXACT_BITS = 53  # integers of so many bits are exact in doubles
NUMBERS = 2**16  # pattern numbers below this are found by looking them up, not by sorting
ROWS = 2**20  # values counted at a time: memory does not grow with their number

Codes = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The different patterns (P,), as counts of each value (P, V), and the pattern of each unit (U,).

    They ascend by the count of the last value, then of the last but one, and so on; that order does not depend on
    which other patterns there are, nor on values that do not occur.
    """

    counts: Floats
    of_unit: Integers

    @property
    def size(self) -> Floats:
        """The number of values in a unit of each pattern (P,)."""
        return np.asarray(self.counts.sum(axis=1))


def of_values(unit: Codes, code: Codes, n_values: int, units: int) -> Patterns | None:
    """Those of a long table, whose value i is `code[i]` and belongs to `unit[i]`; None where they are too many.

    The counts of a unit are the digits of one number, to a base that none of them reaches. The number is exact in
    doubles, or there is none.
    """
    size = _sums(unit, units)
    base = int(size.max(initial=0)) + 1
    if not exact(base, n_values):
        return None
    return numbered(_sums(unit, units, code, places(base, n_values)), base, n_values)


def numbered(numbers: Integers, base: int, n_values: int) -> Patterns:
    """The patterns of units (U,) whose counts are the digits of these numbers."""
    if base**n_values <= NUMBERS:
        occurs = np.bincount(numbers, minlength=1) > 0
        different, of_unit = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[numbers]
    else:
        different, of_unit = np.unique(numbers, return_inverse=True)
    return Patterns((different[:, None] // places(base, n_values) % base).astype(np.float64), of_unit)


def exact(base: int, n_values: int) -> bool:
    """Whether the numbers of patterns are exact in doubles."""
    return n_values * math.log2(base) < EXACT_BITS


def places(base: int, n_values: int) -> Integers:
    return np.asarray(base ** np.arange(n_values, dtype=np.int64))


def _sums(unit: Codes, units: int, code: Codes | None = None, worth: Integers | None = None) -> Integers:
    """What the values of each unit (U,) are worth together; one each where that is not said."""
    sums = np.zeros(units, dtype=np.int64)
    for start in range(0, len(unit), ROWS):
        rows = slice(start, start + ROWS)
        first = int(unit[rows].min())
        each = None if code is None or worth is None else worth[code[rows]].astype(np.float64)
        found = np.bincount(unit[rows] - first, weights=each)
        sums[first : first + len(found)] += found.astype(np.int64, copy=False)
    return sums
