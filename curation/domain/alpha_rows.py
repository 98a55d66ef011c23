"""What the bootstrap of alpha draws: clusters or units as rows, and alpha from how often each row was drawn.

What alpha is stands in agreement.py.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np

from curation.domain import bootstrap, distances, ratings
from curation.domain.bootstrap import Floats, Integers
from curation.domain.distances import Distance, Fixed
from curation.domain.patterns import EXACT_BITS, Codes, Patterns


class Rows(Protocol):
    """The clusters or units that are drawn, equal ones perhaps as one row with a multiplicity."""

    count: int
    multiplicity: Integers | None
    numbers: int  # that they hold

    def gathered(self, weights: Floats) -> Floats:
        """What alpha needs of each row of weights (B, count), one row each."""

    def alphas(self, gathered: Floats) -> Floats:
        """Alpha (M, B) by level, from what was gathered; NaN where it is not defined."""


class Sums:
    """Few different values: a row holds how often each occurs and how often each two meet in a unit.

    Both are sums over units, so those of a replicate are one product of matrices. Meetings count 1 / (m - 1)
    each; they are held in `parts` of 1, which makes all of them whole numbers, so that the product is exact
    and the same on every machine. `features` (rows, K) are those of `features_of`.
    """

    def __init__(
        self, features: Floats, multiplicity: Integers | None, parts: int, chosen: Sequence[Distance]
    ) -> None:
        self.chosen = chosen
        self.parts = parts
        self.features = features
        self.multiplicity = multiplicity
        self.count = len(features)
        self.numbers = features.size
        self.n_values = (math.isqrt(8 * features.shape[1] + 1) - 1) // 2  # K = V (V + 1) / 2
        self.first, self.second = _two_of(self.n_values)

    def gathered(self, weights: Floats) -> Floats:
        return bootstrap.weighted_sums(weights, self.features)

    def alphas(self, gathered: Floats) -> Floats:
        by_column = np.asfortranarray(gathered)  # the sums below are over few columns and many rows
        totals, meetings = by_column[:, : self.n_values], by_column[:, self.n_values :]
        found = []
        for distance in self.chosen:
            apart = distance.between(self.first, self.second, totals)
            observed = 2 * (meetings * apart).sum(axis=1) / self.parts
            found.append(_alpha(observed, distance.expected(totals), totals))
        return np.stack(found)


def features_of(counts: Floats, parts: int) -> Floats:
    """The counts of patterns (P, V), and the parts of meetings of every two values, (P, V (V + 1) / 2)."""
    first, second = _two_of(counts.shape[1])
    others = np.maximum(counts.sum(axis=1, keepdims=True) - 1, 1)
    return np.hstack([counts, counts[:, first] * counts[:, second] * parts / others])


@cache
def _two_of(n_values: int) -> tuple[Integers, Integers]:
    """The codes of every two values."""
    return np.triu_indices(n_values, 1)


def parts_of(sizes: Floats) -> int:
    """The least number of parts in which meetings in units of these sizes, all 2 or more, are whole."""
    return math.lcm(*(int(size) - 1 for size in np.unique(sizes)))


def summed(
    patterns: Patterns,
    of_unit: Integers,
    cluster: Codes | None,
    chosen: Sequence[Distance],
    *,
    limit: int,
) -> Sums | None:
    """The rows of units with these patterns (U,), all of size 2 or more, in these clusters (U,), None: their own.

    Clusters without a unit are not drawn. None where the sums would not be exact, or hold more than `limit` numbers.
    """
    units = np.bincount(of_unit, minlength=len(patterns.counts))
    if cluster is None:
        return of_histogram(patterns.counts, units, chosen, limit=limit)
    place = np.flatnonzero(np.bincount(cluster))
    if len(place) == len(of_unit):
        return of_histogram(patterns.counts, units, chosen, limit=limit)
    counts = patterns.counts[units > 0]
    drawn = np.bincount(cluster, weights=patterns.size[of_unit])[place]
    parts = parts_of(counts.sum(axis=1))
    if not _fits(counts, len(place), int(drawn.max()) * len(place) * parts, limit):
        return None
    columns = features_of(patterns.counts, parts).T
    features = np.empty((len(place), len(columns)))
    for number, column in enumerate(columns):
        features[:, number] = np.bincount(cluster, weights=column[of_unit])[place]
    return Sums(features, None, parts, chosen)


def of_histogram(counts: Floats, units: Integers, chosen: Sequence[Distance], *, limit: int) -> Sums | None:
    """The same of units that are their own clusters, from how many have each pattern (P,)."""
    kept = np.flatnonzero(units)
    counts, units = counts[kept], units[kept]
    size = counts.sum(axis=1)
    parts = parts_of(size)
    if not _fits(counts, len(kept), int(size.max()) * int(units.sum()) * parts, limit):
        return None
    return Sums(features_of(counts, parts), units, parts, chosen)


def _fits(counts: Floats, rows: int, most: int, limit: int) -> bool:
    """Whether sums up to `most` are exact, and the numbers in so many rows, or patterns (P, V), are below the limit."""
    used = int(counts.any(axis=0).sum())
    return max(rows, len(counts)) * used * (used + 1) // 2 < limit and most < 2**EXACT_BITS


class Entries:
    """Many different values: an entry for every value that a unit has, and one replicate at a time.

    The units are taken in the order of their names, since sums of doubles depend on the order.
    """

    def __init__(self, table: ratings.Table, chosen: Sequence[Distance]) -> None:
        self.chosen = chosen
        self.n_values = len(table.scale)
        ranks = table.ranks()
        key, count = np.unique(ranks[table.unit] * self.n_values + table.code, return_counts=True)
        self.unit, self.code = np.divmod(key, self.n_values)
        self.count_of_value = count.astype(np.float64)
        self.size = np.bincount(ranks[table.unit]).astype(np.float64)
        self.first_code = self.code[np.searchsorted(self.unit, np.arange(len(table.kept)))]
        self.row = np.arange(len(ranks)) if table.cluster is None else table.cluster[np.argsort(ranks)]
        self.count = int(self.row.max()) + 1
        self.multiplicity: Integers | None = None
        self.numbers = len(self.unit)
        self.fixed = [self._within(one) if isinstance(one, Fixed) else None for one in chosen]

    def gathered(self, weights: Floats) -> Floats:
        return np.stack([self._alphas(weight[self.row]) for weight in weights])

    def alphas(self, gathered: Floats) -> Floats:
        return gathered.T

    def _alphas(self, weight: Floats) -> Floats:
        """Alpha (M,) with units weighted (U,)."""
        each = weight[self.unit] * self.count_of_value
        totals = np.bincount(self.code, weights=each, minlength=self.n_values).astype(np.float64)[None, :]
        found = []
        for distance, fixed in zip(self.chosen, self.fixed, strict=True):
            within = self._within_by_rank(totals[0]) if fixed is None else fixed
            observed = (weight * within).sum(keepdims=True)
            found.append(_alpha(observed, distance.expected(totals), totals))
        return np.concatenate(found)

    def _within(self, distance: Fixed) -> Floats:
        """The observed part of each unit (U,): each entry with the next of its unit, the next but one, ..."""
        observed = np.zeros(len(self.size))
        for step in range(1, int(np.bincount(self.unit).max())):
            one = np.flatnonzero(self.unit[step:] == self.unit[:-step])
            other = one + step
            pairs = self.count_of_value[one] * self.count_of_value[other]
            apart = distance.of_codes(self.code[one], self.code[other])
            observed += np.bincount(self.unit[one], weights=2 * pairs * apart, minlength=len(observed))
        return observed / (self.size - 1)

    def _within_by_rank(self, totals: Floats) -> Floats:
        """The same for mid-ranks, from sums of each unit's deviations from its first value."""
        ranks = distances.mid_ranks(totals)
        deviation = ranks[self.code] - ranks[self.first_code][self.unit]
        each = self.count_of_value * deviation
        total = np.bincount(self.unit, weights=each)
        squares = np.bincount(self.unit, weights=each * deviation)
        return np.asarray(2 * (self.size * squares - total**2) / (self.size - 1))


def _alpha(observed: Floats, expected: Floats, totals: Floats) -> Floats:
    """Alpha (B,); NaN where all values are the same, which is asked of the counts, since they are exact."""
    defined = (np.count_nonzero(totals, axis=1) > 1) & (expected > 0)
    n = totals.sum(axis=1)
    return np.where(defined, 1 - (n - 1) * observed / np.where(defined, expected, 1), np.nan)
