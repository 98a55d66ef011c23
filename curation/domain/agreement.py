"""Krippendorff's alpha with a bootstrap interval.

Only values of units with two or more values are pairable; the others are left out before anything is counted
or drawn, so they change neither alpha nor its interval. With n pairable values, of which n_c are c,

    alpha = 1 - (n - 1) * observed / expected
    observed = sum over units, and over ordered pairs of a unit's m values, of distance / (m - 1)
    expected = sum over c and k of n_c * n_k * distance(c, k)

where distance is 1 for different values (nominal), the squared difference of the values (interval) or that of
their mid-ranks among the pairable values (ordinal), or ((c - k) / (c + k))^2 (ratio). Source: Krippendorff,
Content Analysis, 2nd edition 2004, chapter 11.

Where alpha is not defined its value is None, with a reason, never 0, 1 or NaN:

    empty                      there is no value at all
    level_needs_numbers        the values are labels (at the level ordinal: without a declared order)
    ratio_needs_non_negative   the ratio distance has a pole at c = -k
    no_pairable_values         no unit has two values
    no_variation               all pairable values are the same

The bootstrap draws clusters (prompts) with replacement, units where there are no clusters, and computes all
of alpha anew; replicates in which it is not defined are counted and left out. All levels are computed on the
same draws, and units and clusters stand in the order of their names, so an interval depends neither on the
order of the rows nor on which other levels were asked for.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

import numpy as np

from curation.domain import bootstrap, distances, ratings
from curation.domain.bootstrap import Floats, Integers
from curation.domain.distances import Declared, Distance, Fixed, Scale

LEVELS = ("ordinal", "interval", "nominal")  # those of a report; distances.LEVELS has more

EXACT_BITS = 53  # integers of so many bits are exact in doubles
FEATURES = 2**22  # numbers held in a table of rows and features; a larger one is kept as its entries


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha at one level, with the ends of its 95 % interval.

    `value` is None where alpha is not defined; `reason` then says why. `low` and `high` are also None where
    there are fewer than two clusters (units) to draw from, or no replicate in which alpha is defined.
    `undefined` counts the replicates that were left out.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    undefined: int = 0
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Report:
    """Alpha by level; units with a value, annotators, and values in units that have two or more."""

    alpha: dict[str, Alpha]
    n_units: int
    n_raters: int
    n_pairable: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def report(
    units: Sequence[str],
    annotators: Sequence[str],
    values: Scale,
    *,
    clusters: Sequence[str] | None = None,
    levels: Sequence[str] = LEVELS,
    replicates: int = 2000,
    seed: str = "plumb-1",
    order: Sequence[str] | None = None,
    distance: Declared | None = None,
) -> Report:
    """Alpha of a long table, whose row i gives a unit, an annotator, a value and the unit's cluster.

    Values are finite numbers, or labels if any of them is a string. `order` declares the labels in ascending
    order, which the level ordinal needs; `distance` gives the squared distance of every two labels, which the
    level custom needs. Raises ValueError on columns of different lengths, a unit with two values of one
    annotator, a unit in two clusters, a number that is not finite, an unknown level or label.
    """
    columns = [units, annotators, values] if clusters is None else [units, annotators, values, clusters]
    if len({len(column) for column in columns}) > 1:
        raise ValueError("the columns differ in length; give every value its unit and annotator")
    unit, unit_names = ratings.numbered(units)
    annotator, annotator_names = ratings.numbered(annotators)
    ratings.refuse_second_values(unit, annotator, unit_names, annotator_names)
    cluster = None if clusters is None else ratings.cluster_of_units(unit, unit_names, clusters)
    table = ratings.pairable(unit, unit_names, values, order, cluster)
    reasons = {level: _reason(level, table, empty=not unit_names) for level in levels}
    defined = [level for level, reason in reasons.items() if reason is None]
    chosen = {level: distances.at(level, table.scale, distance) for level in defined}
    estimates = _estimates(chosen, table, replicates, seed)
    return Report(
        alpha={level: estimates.get(level) or Alpha(None, reason=reasons[level]) for level in reasons},
        n_units=len(unit_names),
        n_raters=len(annotator_names),
        n_pairable=len(table.unit),
    )


def _reason(level: str, table: ratings.Table, *, empty: bool) -> str | None:
    """Why alpha is not defined at this level, or None."""
    if level not in distances.LEVELS:
        raise ValueError(f"{level!r} is not a level; use one of {', '.join(distances.LEVELS)}")
    if empty:
        return "empty"
    if table.labels and (level in distances.NUMERIC or (level == "ordinal" and not table.ordered)):
        return "level_needs_numbers"
    if level == "ratio" and any(value < 0 for value in table.scale if not isinstance(value, str)):
        return "ratio_needs_non_negative"
    if not table.scale:
        return "no_pairable_values"
    return "no_variation" if len(table.scale) == 1 else None


# --- rows that are drawn ---------------------------------------------------------------------------------


class _Rows(Protocol):
    """The clusters or units that the bootstrap draws, equal ones perhaps as one row with a multiplicity."""

    count: int
    multiplicity: Integers | None

    def alphas(self, weights: Floats) -> Floats:
        """Alpha (M, B) by level for each row of weights (B, count); NaN where it is not defined."""


def _rows(table: ratings.Table, chosen: Sequence[Distance]) -> _Rows:
    n_values, size = len(table.scale), np.bincount(table.unit)
    if n_values * math.log2(size.max() + 1) < EXACT_BITS:
        patterns = _patterns_of(table)
        drawn = size if table.cluster is None else np.bincount(table.cluster, weights=size)
        parts = math.lcm(*(int(m) - 1 for m in np.unique(size)))
        most = int(drawn.max()) * len(drawn) * parts
        rows = len(patterns.counts) if table.cluster is None else len(drawn)
        features = max(rows, len(patterns.counts)) * n_values * (n_values + 1) // 2
        if features < FEATURES and most < 2**EXACT_BITS:
            return _Sums(table, patterns, parts, chosen)
    return _Entries(table, chosen)


@dataclass(frozen=True)
class _Patterns:
    """Units with the same values: their counts (P, V), the pattern of each unit (U,), the units of each (P,)."""

    counts: Floats
    of_unit: Integers
    units: Integers


def _patterns_of(table: ratings.Table) -> _Patterns:
    """The counts of a unit are the digits of one number, to a base that none of them reaches."""
    base = int(np.bincount(table.unit).max()) + 1
    place = base ** np.arange(len(table.scale))
    number = np.bincount(table.unit, weights=place[table.code].astype(np.float64)).astype(np.int64)
    numbers, of_unit, units = np.unique(number, return_inverse=True, return_counts=True)
    return _Patterns((numbers[:, None] // place % base).astype(np.float64), of_unit, units)


class _Sums:
    """Few different values: a row holds how often each occurs and how often each two meet in a unit.

    Both are sums over units, so those of a replicate are one product of matrices. Meetings count 1 / (m - 1)
    each; they are held in `parts` of 1, which makes all of them whole numbers, so that the product is exact
    and the same on every machine.
    """

    def __init__(
        self, table: ratings.Table, patterns: _Patterns, parts: int, chosen: Sequence[Distance]
    ) -> None:
        self.chosen = chosen
        self.parts = parts
        self.n_values = len(table.scale)
        self.first, self.second = np.triu_indices(self.n_values, 1)
        counts, size = patterns.counts, patterns.counts.sum(axis=1)
        meetings = counts[:, self.first] * counts[:, self.second] * parts / (size - 1)[:, None]
        self.features = np.hstack([counts, meetings])
        self.multiplicity: Integers | None = patterns.units
        if table.cluster is not None:
            columns = (column[patterns.of_unit] for column in self.features.T)
            self.features = np.stack([np.bincount(table.cluster, weights=c) for c in columns], axis=1)
            self.multiplicity = None
        self.count = len(self.features)

    def alphas(self, weights: Floats) -> Floats:
        sums = bootstrap.weighted_sums(weights, self.features)
        totals, meetings = sums[:, : self.n_values], sums[:, self.n_values :]
        found = []
        for distance in self.chosen:
            apart = distance.between(self.first, self.second, totals)
            observed = 2 * (meetings * apart).sum(axis=1) / self.parts
            found.append(_alpha(observed, distance.expected(totals), totals))
        return np.stack(found)


class _Entries:
    """Many different values: an entry for every value that a unit has, and one replicate at a time.

    The units are taken in the order of their names, since sums of doubles depend on the order.
    """

    def __init__(self, table: ratings.Table, chosen: Sequence[Distance]) -> None:
        self.chosen = chosen
        self.n_values = len(table.scale)
        ranks = ratings.ranks_of([table.unit_names[i] for i in table.kept])
        key, count = np.unique(ranks[table.unit] * self.n_values + table.code, return_counts=True)
        self.unit, self.code = np.divmod(key, self.n_values)
        self.count_of_value = count.astype(np.float64)
        self.size = np.bincount(ranks[table.unit]).astype(np.float64)
        self.first_code = self.code[np.searchsorted(self.unit, np.arange(len(table.kept)))]
        self.row = np.arange(len(ranks)) if table.cluster is None else table.cluster[np.argsort(ranks)]
        self.count = int(self.row.max()) + 1
        self.multiplicity: Integers | None = None
        self.fixed = [self._within(one) if isinstance(one, Fixed) else None for one in chosen]

    def alphas(self, weights: Floats) -> Floats:
        return np.stack([self._alphas(weight[self.row]) for weight in weights], axis=1)

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


def _estimates(
    chosen: Mapping[str, Distance], table: ratings.Table, replicates: int, seed: str
) -> dict[str, Alpha]:
    if not chosen:
        return {}
    rows = _rows(table, list(chosen.values()))
    once = np.ones(rows.count) if rows.multiplicity is None else rows.multiplicity.astype(np.float64)
    values = rows.alphas(once[None, :])[:, 0]
    found = [np.empty((len(chosen), 0))]
    if once.sum() > 1:
        random = bootstrap.generator(seed, "krippendorff_alpha")
        draws = bootstrap.resamples(random, rows.count, rows.multiplicity, replicates)
        found += [rows.alphas(weights) for weights in draws]
    results = np.concatenate(found, axis=1)
    return {level: _estimate(float(values[i]), results[i]) for i, level in enumerate(chosen)}


def _estimate(value: float, replicates: Floats) -> Alpha:
    if math.isnan(value):  # the declared distances of all values that occur are 0
        return Alpha(None, reason="no_variation")
    defined = replicates[~np.isnan(replicates)]
    low, high = bootstrap.interval(defined) or (None, None)
    return Alpha(value, low, high, undefined=replicates.size - defined.size)
