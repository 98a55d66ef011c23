"""How far two raters agree beyond chance: Cohen's kappa and its kin, exactly, from a table of counts.

A table has a row for each score of rater 1 and a column for each of rater 2, in the order of the DECLARED scale,
whichever scores occur: with an unused score left out, the weights would mean something else. Ratings are paired by
item. What is compared with a threshold is a Fraction of integers; only standard errors and intervals are floats.

With v the disagreement that two scores make (0 on the diagonal), w = 1 - v / max v is their agreement.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import Literal

import numpy as np

from annotation.domain.intervals import CONFIDENCE, Interval, Z, generator
from annotation.domain.scoring import SCALE

Table = Sequence[Sequence[int]]
Weights = Literal["none", "linear", "quadratic"] | Table  # or a table of disagreements

REPLICATES = 2000
EMPTY = "empty"
NO_VARIATION = "no_variation"


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Agreement corrected for chance in five ways; None where a coefficient is not defined.

    `po` and `pe` are weighted agreement, observed and expected by Cohen. `reason` says why kappa is None:
    "empty" (no item was rated by both) or "no_variation" (both gave one and the same score throughout, so that
    chance would agree as well). It is never put as 0 or 1.
    """

    n: int
    po: Fraction | None
    pe: Fraction | None
    kappa: Fraction | None
    scott_pi: Fraction | None
    brennan_prediger: Fraction | None
    ac: Fraction | None  # Gwet's AC1 without weights, AC2 with
    reason: str


@dataclass(frozen=True, slots=True)
class Inference:
    """Large-sample inference of (weighted) kappa: Fleiss, Cohen and Everitt (1969)."""

    kappa: float
    error: float  # standard error, for the interval
    interval: Interval
    error_without_agreement: float  # standard error if kappa were 0, for the test
    z: float
    p: float  # two-sided


def tabulate(
    one: Mapping[Hashable, int], other: Mapping[Hashable, int], scale: Sequence[int] = SCALE
) -> tuple[tuple[int, ...], ...]:
    """Counts of the items that both rated, each paired with itself. ValueError for a score off the scale."""
    place = {score: index for index, score in enumerate(scale)}
    counts = [[0] * len(scale) for _score in scale]
    for item in one.keys() & other.keys():
        if one[item] not in place or other[item] not in place:
            raise ValueError(
                f"the scores {one[item]} and {other[item]} of {item!r} are not both on the scale"
            )
        counts[place[one[item]]][place[other[item]]] += 1
    return tuple(tuple(row) for row in counts)


def coefficients(table: Table, *, weights: Weights = "none", scale: Sequence[int] = SCALE) -> Coefficients:
    """All coefficients of a table over the declared scale."""
    v = disagreements(weights, scale)
    _refuse_misshapen(table, len(scale))
    n = sum(map(sum, table))
    if n == 0:
        return Coefficients(0, None, None, None, None, None, None, EMPTY)
    rows, columns = _margins(table)
    both = [row + column for row, column in zip(rows, columns, strict=True)]
    worst = max(map(max, v))
    q = len(scale)
    observed = Fraction(_total(v, table), n * worst)
    by_chance = Fraction(_total(v, _outer(rows, columns)), n * n * worst)
    pooled = Fraction(_total(v, _outer(both, both)), 4 * n * n * worst)
    uniform = Fraction(sum(map(sum, v)), q * q * worst)
    return Coefficients(
        n=n,
        po=1 - observed,
        pe=1 - by_chance,
        kappa=_beyond(observed, by_chance),
        scott_pi=_beyond(observed, pooled),
        brennan_prediger=_beyond(observed, uniform),
        ac=_beyond(observed, 1 - _chance_by_gwet(v, both, n)),
        reason="" if by_chance else NO_VARIATION,
    )


def disagreements(weights: Weights, scale: Sequence[int] = SCALE) -> Table:
    """v by scores of the scale. ValueError for a table that is none of disagreements."""
    if len(scale) < 2 or len(set(scale)) != len(scale):
        raise ValueError("a scale has two scores or more, each once")
    if isinstance(weights, str):
        power = {"none": 0, "linear": 1, "quadratic": 2}[weights]
        return [[abs(a - b) ** power if a != b else 0 for b in scale] for a in scale]
    _refuse_misshapen(weights, len(scale))
    if any(weights[k][k] for k in range(len(scale))) or not any(map(any, weights)):
        raise ValueError(
            "scores agree with themselves and with no other: 0 on the diagonal, and not only there"
        )
    return weights


def inference(table: Table, *, weights: Weights = "none", scale: Sequence[int] = SCALE) -> Inference | None:
    """Standard errors, interval and test of kappa for large samples; None where kappa is not defined.

    The interval is symmetrical and may pass 1: for few items, or for raters who nearly agree, use `resampled`.
    """
    found = coefficients(table, weights=weights, scale=scale)
    if found.kappa is None or found.po is None or found.pe is None:
        return None
    v = np.array(disagreements(weights, scale), dtype=float)
    w, p, kappa = 1 - v / v.max(), np.array(table) / found.n, float(found.kappa)
    po, pe = float(found.po), float(found.pe)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    means = (w @ columns)[:, np.newaxis] + (rows @ w)[np.newaxis, :]
    spread = (p * (w * (1 - pe) - means * (1 - po)) ** 2).sum() - (po * pe - 2 * pe + po) ** 2
    spread_by_chance = (np.outer(rows, columns) * (w - means) ** 2).sum() - pe**2
    error = math.sqrt(max(spread, 0.0) / found.n) / (1 - pe) ** 2
    error0 = math.sqrt(max(spread_by_chance, 0.0) / found.n) / (1 - pe)
    z = kappa / error0 if error0 else 0.0
    return Inference(
        kappa=kappa,
        error=error,
        interval=Interval(kappa - Z * error, kappa + Z * error),
        error_without_agreement=error0,
        z=z,
        p=2 * NormalDist().cdf(-abs(z)),
    )


def resampled(
    table: Table, *, seed: str, weights: Weights = "quadratic", scale: Sequence[int] = SCALE
) -> Interval | None:
    """The interval that is reported: percentile bootstrap over items, 2,000 replicates, keyed by `seed`.

    It is not symmetrical, never passes 1, and does not depend on the order of the items, since what is drawn is the
    table. Replicates in which kappa is not defined are left out. Where no disagreement was seen, resampling finds
    none either; the low end is then what kappa would be if as large a share of items differed by one step as could
    have stayed unseen with a chance of 2.5 % (1 - 0.025 ** (1 / n): 8.8 % of 40 items). None where kappa is None.
    """
    found = coefficients(table, weights=weights, scale=scale)
    if found.kappa is None or found.pe is None:
        return None
    v = np.array(disagreements(weights, scale), dtype=float)
    if found.kappa == 1:
        step = v[v > 0].min() / v.max()
        unseen = 1 - ((1 - CONFIDENCE) / 2) ** (1 / found.n)
        return Interval(1 - unseen * step / (1 - float(found.pe)), 1.0)
    cells = np.array(table)
    drawn = generator(seed).multinomial(found.n, (cells / found.n).ravel(), size=REPLICATES)
    drawn = drawn.reshape(REPLICATES, *cells.shape).astype(float)
    observed = (drawn * v).sum(axis=(1, 2)) * found.n
    by_chance = np.einsum("bi,ij,bj->b", drawn.sum(axis=2), v, drawn.sum(axis=1))
    defined = by_chance > 0
    ascending = np.sort(1 - observed[defined] / by_chance[defined])
    k = max(1, (ascending.size + 1) // 40)
    return Interval(float(ascending[k - 1]), float(ascending[-k]))


def _beyond(observed: Fraction, by_chance: Fraction) -> Fraction | None:
    """Agreement beyond chance, from the disagreement seen and the disagreement that chance would make."""
    return 1 - observed / by_chance if by_chance else None


def _chance_by_gwet(v: Table, both: Sequence[int], n: int) -> Fraction:
    """Gwet (2008, 2014): the sum of all weights over q (q - 1), times the sum of p (1 - p) over the scores."""
    q, worst = len(v), max(map(max, v))
    weights = sum((1 - Fraction(each, worst) for row in v for each in row), start=Fraction(0))
    shares = [Fraction(count, 2 * n) for count in both]
    return weights / (q * (q - 1)) * sum((p * (1 - p) for p in shares), start=Fraction(0))


def _margins(table: Table) -> tuple[list[int], list[int]]:
    return [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]


def _outer(rows: Sequence[int], columns: Sequence[int]) -> Table:
    return [[row * column for column in columns] for row in rows]


def _total(v: Table, counts: Table) -> int:
    return sum(v[i][j] * counts[i][j] for i, j in product(range(len(v)), repeat=2))


def _refuse_misshapen(table: Table, q: int) -> None:
    if len(table) != q or any(len(row) != q for row in table):
        raise ValueError(f"a table over a scale of {q} scores has {q} rows of {q}")
    if any(each < 0 for row in table for each in row):
        raise ValueError("counts and weights are not negative")
