"""Agreement of many annotators, and what is left of it beyond chance: Fleiss, Scott, Brennan and Prediger, Gwet.

Of a unit with m ratings, r_k of them value k, and v(k, l) the disagreement of two values (0 on the diagonal):

    all_equal        share of units whose ratings are all the same
    mean_pairwise    1 - D; D = mean over units of sum r_k r_l v(k, l) / (m (m - 1)), v being 1 for different values
    fleiss           1 - D / sum p_k p_l v(k, l)
    scott_pi         the same over units with exactly two ratings, which is what Scott had; None where one has more
    brennan_prediger 1 - D / (sum v(k, l) / q^2): chance takes each of the q values alike. Randolph's free-marginal
                     kappa is another name for it
    ac1              1 - D / (1 - T sum p_k (1 - p_k) / (q (q - 1))), T being the sum of all agreements 1 - v(k, l)

`mean_pairwise_weighted`, `fleiss_weighted`, `brennan_prediger_weighted` and `ac2` are the same with disagreements
between 0 and 1 that grow with the distance of the values on the DECLARED scale, whichever of them occur.

Missing ratings are met as by Gwet: units with two ratings or more make D; all units with a rating make the shares
p_k = mean of r_k / m. So a single rating changes what chance would do, and not what was seen.

Sources: Fleiss, Psychological Bulletin 76, 1971; Scott, Public Opinion Quarterly 19, 1955; Brennan and Prediger,
Educational and Psychological Measurement 41, 1981; Gwet, British Journal of Mathematical and Statistical Psychology
61, 2008, and Handbook of Inter-Rater Reliability, 4th edition 2014, chapters 2 to 5.

Where a coefficient is not defined, its value is None, with a reason:

    empty                 there is no rating
    no_pairable_values    no unit has two ratings
    no_variation          one value was given throughout, so that chance would agree as well (fleiss, scott_pi). The
                          others stay defined, and are 1: their chance comes from the declared scale
    more_than_two_values  scott_pi only
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from annotation.domain import kappa
from annotation.domain.scoring import SCALE
from curation.domain import bootstrap, value_patterns
from curation.domain.bootstrap import Floats, Integers
from curation.domain.value_patterns import EXACT, Patterns

PLAIN = ("all_equal", "mean_pairwise", "fleiss", "scott_pi", "brennan_prediger", "ac1")
WEIGHTED = ("mean_pairwise_weighted", "fleiss_weighted", "brennan_prediger_weighted", "ac2")
COEFFICIENTS = PLAIN + WEIGHTED
PERCENTAGES = ("all_equal", "mean_pairwise")  # of equal values alone, whatever the scale

Weights = Literal["linear", "quadratic", "ordinal"] | kappa.Table


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One number with the ends of its 95 % interval, and `chance`, the agreement that chance would make.

    `reason` says why `value` is None. `low` and `high` are also None where there are fewer than two units or
    clusters to draw from. `undefined` counts the replicates that were left out. Percentages have no `chance`.
    """

    value: float | None
    chance: float | None = None
    low: float | None = None
    high: float | None = None
    undefined: int = 0
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Report:
    """All coefficients by name; units with a rating, those of them with two or more, and ratings."""

    coefficients: dict[str, Coefficient]
    n_units: int
    n_pairable_units: int
    n_ratings: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def report(
    patterns: Patterns,
    *,
    scale: Sequence[int] = SCALE,
    weights: Weights = "quadratic",
    cluster: Integers | None = None,
    replicates: int = 2000,
    seed: str = "plumb-1",
) -> Report:
    """All coefficients of value counts, made by `value_patterns.of_codes` or `of_counts`, over the declared scale.

    Value k is `scale[k]`. `cluster` gives the cluster (prompt) of each unit by its number; None: units are drawn.
    All coefficients are computed on the same draws. Raises ValueError on a scale of another length, or with fewer
    than two values, and on weights that are none.
    """
    if patterns.rows.shape[1] != len(scale):
        raise ValueError(f"the units count {patterns.rows.shape[1]} values, the scale has {len(scale)}")
    model = _Model(patterns, np.array(disagreements(weights, scale), dtype=np.float64))
    whole, drawn = value_patterns.resampled_sums(
        patterns,
        model.features,
        cluster=cluster,
        replicates=replicates,
        seed=seed,
        key="chance_corrected",
    )
    points, replicated = model.coefficients(whole), model.coefficients(drawn)
    sizes = patterns.rows.sum(axis=1)
    pairable = int(patterns.units[sizes > 1].sum())
    missing = None if pairable else "no_pairable_values" if len(sizes) else "empty"
    return Report(
        coefficients={
            name: Coefficient(None, reason=missing)
            if missing
            else _coefficient(name, points, replicated, model.scott)
            for name in COEFFICIENTS
        },
        n_units=int(patterns.units.sum()),
        n_pairable_units=pairable,
        n_ratings=int(sizes @ patterns.units),
    )


def disagreements(weights: Weights, scale: Sequence[int] = SCALE) -> kappa.Table:
    """v by values of the scale, in whole numbers; "ordinal" (Gwet): d (d + 1) / 2 of values d places apart.

    ValueError for a table that is none of disagreements, or that has a direction: annotators are interchangeable.
    """
    places = range(len(scale))
    if weights == "ordinal":
        weights = [[abs(i - j) * (abs(i - j) + 1) // 2 for j in places] for i in places]
    v = kappa.disagreements(weights, scale)
    if any(v[i][j] != v[j][i] for i in places for j in places):
        raise ValueError("two values disagree the same either way; make the table of weights symmetrical")
    return v


class _Model:
    """The coefficients as functions of sums over units.

    What a unit adds is held in `parts` of 1, which makes it a whole number, so that sums are exact and the same on
    every machine; unless units are so large and differ so much in size that doubles end first.
    """

    def __init__(self, patterns: Patterns, v: Floats) -> None:
        self.q = len(v)
        self.worst = float(v.max())
        self.v = v / self.worst
        self.nominal = 1 - np.eye(self.q)
        counts = patterns.rows.astype(np.float64)
        size = counts.sum(axis=1)
        self.scott = bool(size.max(initial=0) <= 2)
        self.parts = _parts(patterns, self.worst)
        pairable = size > 1
        met = np.where(pairable, size * (size - 1), 1)
        columns = [
            np.ones(len(size)),
            pairable,
            pairable & (counts.max(axis=1, initial=0) == size),
            (counts @ self.nominal * counts).sum(axis=1) * self.parts / met,
            (counts @ v * counts).sum(axis=1) * self.parts / met,
        ]
        shares = counts * self.parts / size[:, None]
        self.features = np.column_stack([*columns, shares, counts * (size == 2)[:, None]])

    def coefficients(self, sums: Floats) -> dict[str, tuple[Floats, Floats]]:
        """Value (B,) and chance (B,) of each coefficient for sums (B, K); NaN where it is not defined."""
        units, pairable = sums[:, 0], np.where(sums[:, 1] > 0, sums[:, 1], np.nan)
        seen, seen_weighted = (
            sums[:, 3] / (self.parts * pairable),
            sums[:, 4] / (self.parts * self.worst * pairable),
        )
        shares = sums[:, 5 : 5 + self.q] / (self.parts * np.where(units > 0, units, np.nan))[:, None]
        pooled = sums[:, 5 + self.q :] / (2 * pairable)[:, None]
        nothing = np.full(len(sums), np.nan)
        return {
            "all_equal": (sums[:, 2] / pairable, nothing),
            "mean_pairwise": (1 - seen, nothing),
            "fleiss": _beyond(seen, _met(shares, self.nominal)),
            "scott_pi": _beyond(seen, _met(pooled, self.nominal)) if self.scott else (nothing, nothing),
            "brennan_prediger": _beyond(seen, self._alike(self.nominal)),
            "ac1": _beyond(seen, self._gwet(shares, self.nominal)),
            "mean_pairwise_weighted": (1 - seen_weighted, nothing),
            "fleiss_weighted": _beyond(seen_weighted, _met(shares, self.v)),
            "brennan_prediger_weighted": _beyond(seen_weighted, self._alike(self.v)),
            "ac2": _beyond(seen_weighted, self._gwet(shares, self.v)),
        }

    def _alike(self, v: Floats) -> Floats:
        return np.array([v.sum() / self.q**2])

    def _gwet(self, shares: Floats, v: Floats) -> Floats:
        agreements = (1 - v).sum() / (self.q * (self.q - 1))
        return np.asarray(1 - agreements * (shares * (1 - shares)).sum(axis=1))


def _parts(patterns: Patterns, worst: float) -> int:
    sizes = [int(size) for size in np.unique(patterns.rows.sum(axis=1))]
    parts = math.lcm(*(size * max(size - 1, 1) for size in sizes))
    return parts if 2 * parts * worst * max(1, len(patterns.kept)) < EXACT else 1


def _met(shares: Floats, v: Floats) -> Floats:
    """The disagreement (B,) of two ratings drawn from shares (B, V): 0, exactly, where one value has them all."""
    return np.asarray((shares @ v * shares).sum(axis=1))


def _beyond(seen: Floats, by_chance: Floats) -> tuple[Floats, Floats]:
    """Agreement beyond chance, and that of chance, from the disagreement seen and that which chance would make."""
    value = 1 - seen / np.where(by_chance > 0, by_chance, np.nan)
    return value, np.broadcast_to(1 - by_chance, value.shape)


def _coefficient(
    name: str,
    points: dict[str, tuple[Floats, Floats]],
    replicated: dict[str, tuple[Floats, Floats]],
    scott: bool,
) -> Coefficient:
    value, chance = (float(each[0]) for each in points[name])
    if name == "scott_pi" and not scott:
        return Coefficient(None, reason="more_than_two_values")
    by_chance = None if math.isnan(chance) else chance
    if math.isnan(value):
        return Coefficient(None, by_chance, reason="no_variation")
    results = replicated[name][0]
    defined = results[~np.isnan(results)]
    low, high = bootstrap.interval(defined) or (None, None)
    return Coefficient(value, by_chance, low, high, undefined=results.size - defined.size)
