"""The distances between values at each level of measurement, and their sums over all pairs of values.

Values go by their codes: code c stands for `scale[c]`, and the scale ascends. What the distances are is told
in agreement.py.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Protocol

import numpy as np

from curation.domain.bootstrap import Floats, Integers

LEVELS = ("ordinal", "interval", "nominal", "ratio", "custom")
NUMERIC = ("interval", "ratio")

CELLS = 2**20  # distances held at a time

Scale = Sequence[float] | Sequence[str]
Declared = Mapping[str, Mapping[str, float]]


class Distance(Protocol):
    """The distance at one level. `totals` (B, V): how often each value occurs, by replicate."""

    def between(self, first: Integers, second: Integers, totals: Floats) -> Floats:
        """Between different codes (Q,); (B, Q) where it depends on the totals."""

    def expected(self, totals: Floats) -> Floats:
        """Sum over all c and k of n_c * n_k * distance(c, k), (B,)."""


@dataclass(frozen=True, eq=False)
class Fixed:
    """One that depends on the two values alone."""

    of_codes: Callable[[Integers, Integers], Floats]
    expected: Callable[[Floats], Floats]

    def between(self, first: Integers, second: Integers, totals: Floats) -> Floats:
        return self.of_codes(first, second)


class Ordinal:
    """The squared difference of mid-ranks, which depend on how often every value occurs."""

    def between(self, first: Integers, second: Integers, totals: Floats) -> Floats:
        ranks = mid_ranks(totals)
        return (ranks[:, first] - ranks[:, second]) ** 2

    def expected(self, totals: Floats) -> Floats:
        return _expected_of_positions(mid_ranks(totals), totals)


def at(level: str, scale: Scale, declared: Declared | None) -> Distance:
    """The distance at this level; `declared` is that of the level custom."""
    if level == "ordinal":
        return Ordinal()
    if level == "nominal":
        return Fixed(lambda first, second: np.ones(first.shape), expected_nominal)
    if level == "interval":
        position = _positions(scale)
        between = partial(_squared_difference, position)
        return Fixed(between, partial(_expected_of_positions, position))
    of_codes = partial(_ratio, _positions(scale, 0)) if level == "ratio" else _declared(scale, declared)
    return Fixed(of_codes, partial(_expected_by_blocks, of_codes))


def _positions(scale: Scale, least: float | None = None) -> Floats:
    """The values less the least, scaled by a power of two, which loses nothing, so that nothing overflows."""
    values = np.array(scale, dtype=np.float64)
    _, exponent = np.frexp(np.abs(values).max())
    scaled: Floats = np.ldexp(values, -exponent)
    return np.asarray(scaled - (scaled.min() if least is None else least))


def _squared_difference(position: Floats, first: Integers, second: Integers) -> Floats:
    return np.asarray((position[first] - position[second]) ** 2)


def _ratio(position: Floats, first: Integers, second: Integers) -> Floats:
    together = position[first] + position[second]
    share = (position[first] - position[second]) / np.where(together == 0, 1, together)
    return np.asarray(share**2)


def _declared(scale: Scale, declared: Declared | None) -> Callable[[Integers, Integers], Floats]:
    labels, table = [str(value) for value in scale], declared or {}
    for a, b in product(labels, labels):
        if b not in table.get(a, {}):
            raise ValueError(f"the distance of {a!r} and {b!r} is not declared; add it")
    matrix = np.array([[float(table[a][b]) for b in labels] for a in labels])
    if matrix.diagonal().any() or not (matrix >= 0).all() or (matrix != matrix.T).any():
        raise ValueError("distances must be 0 or more, the same both ways, and 0 from a label to itself")
    return lambda first, second: matrix[first, second]


def mid_ranks(totals: Floats) -> Floats:
    """The mean rank of each value among all values, less a half, which cancels in every difference."""
    return np.cumsum(totals, axis=-1) - totals / 2


def expected_nominal(totals: Floats) -> Floats:
    return np.asarray(totals.sum(axis=-1) ** 2 - (totals**2).sum(axis=-1))


def _expected_of_positions(position: Floats, totals: Floats) -> Floats:
    """Sum over c and k of n_c n_k (p_c - p_k)^2, by way of the mean, so that nothing cancels."""
    n = totals.sum(axis=-1, keepdims=True)
    mean = (totals * position).sum(axis=-1, keepdims=True) / n
    return np.asarray(2 * n[..., 0] * (totals * (position - mean) ** 2).sum(axis=-1))


def _expected_by_blocks(between: Callable[[Integers, Integers], Floats], totals: Floats) -> Floats:
    codes = np.arange(totals.shape[1])
    expected = np.zeros(len(totals))
    for block in np.array_split(codes, math.ceil(len(codes) ** 2 / CELLS)):
        distances = between(codes[:, None], block[None, :])
        expected += ((totals @ distances) * totals[:, block]).sum(axis=1)
    return expected
