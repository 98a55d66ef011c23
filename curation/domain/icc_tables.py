"""Intraclass correlations of many texts: the six forms of filled tables, the first alone of tables with gaps.

The formulas of a filled table are those of icc.py, whose point estimates and limits these are, exactly. They follow
from sums over texts, so a bootstrap over prompts (texts, where there are no prompts) costs a product of matrices; its
interval stands beside the limits by F, which take texts to be independent and normal.

Where annotators differ from text to text and so do their numbers m, only the one-way forms make sense. With N ratings
of n texts, and mean squares between texts (BMS, n - 1 degrees of freedom) and within (WMS, N - n),

    m0     (N - sum m^2 / N) / (n - 1), the number of ratings that BMS is to be thought of as having
    ICC1   (BMS - WMS) / (BMS + (m0 - 1) WMS)     one annotator
    ICC1k  (BMS - WMS) / BMS                      the mean of m0 of them

which are those of icc.py where all m are the same. A text with one rating counts in BMS alone. There are no exact
limits; the interval is the bootstrap's. Source: Donner, International Statistical Review 54, 1986, section 2.

Undefined are, beside what icc.py names:

    empty                there is no rating
    no_pairable_values   no text has two ratings
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np

from annotation.domain.scoring import SCALE
from curation.domain import bootstrap, icc, value_patterns
from curation.domain.bootstrap import Floats, Integers
from curation.domain.value_patterns import EXACT, Codes, Patterns


@dataclass(frozen=True, slots=True)
class Estimate:
    """One form, with the limits by F (`low`, `high`) and the ends of the bootstrap's 95 % interval.

    `reason` says why `value` is None. The bootstrap's ends are None also where there are fewer than two texts or
    prompts to draw from; `undefined` counts the replicates that were left out.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    drawn_low: float | None = None
    drawn_high: float | None = None
    undefined: int = 0
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OneWay:
    """ICC1 and ICC1k of `n_units` texts; `ratings` (m0) is how many annotators the k of ICC1k stands for."""

    forms: dict[str, Estimate]
    ratings: float | None
    n_units: int
    n_ratings: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def filled(
    scores: Codes,
    *,
    scale: Sequence[int] = SCALE,
    cluster: Integers | None = None,
    replicates: int = 2000,
    seed: str = "plumb-1",
) -> dict[str, Estimate]:
    """All six forms of a table (n, k) of codes, every cell filled: text by annotator, value c being `scale[c]`.

    `cluster` (n,) gives the prompt of each text. Raises ValueError on a code that is not on the scale, so on one
    that stands for a gap.
    """
    n, k = scores.shape
    if n < 2 or k < 2:
        reason = "fewer_than_two_units" if n < 2 else "fewer_than_two_annotators"
        return {form: Estimate(None, reason=reason) for form in icc.FORMS}
    patterns = value_patterns.of_table(scores, n_values=len(scale))
    values = np.array(scale, dtype=np.float64)[patterns.rows]
    sums = [np.ones(len(values)), *values.T, (values**2).sum(axis=1), values.sum(axis=1) ** 2]
    whole, drawn = value_patterns.resampled_sums(
        patterns, np.column_stack(sums), cluster=cluster, replicates=replicates, seed=seed, key="icc"
    )
    points = icc.of_squares(_exact(whole[0]))
    replicated = _forms(drawn)
    return {form: _with_draws(points[form], replicated[form]) for form in icc.FORMS}


def one_way(
    patterns: Patterns,
    *,
    scale: Sequence[int] = SCALE,
    cluster: Integers | None = None,
    replicates: int = 2000,
    seed: str = "plumb-1",
) -> OneWay:
    """ICC1 and ICC1k of value counts, made by `value_patterns.of_codes`; texts may have any number of ratings.

    `cluster` gives the prompt of each text by its number.
    """
    values, size = np.array(scale, dtype=np.float64), patterns.rows.sum(axis=1).astype(np.float64)
    total = patterns.rows @ values
    parts = _parts(size)
    sums = [np.ones(len(size)), size, size**2, total, total**2 * parts / size, patterns.rows @ values**2]
    whole, drawn = value_patterns.resampled_sums(
        patterns, np.column_stack(sums), cluster=cluster, replicates=replicates, seed=seed, key="icc_one_way"
    )
    reason = _reason_of_one_way(patterns, size)
    n_units, n_ratings = int(patterns.units.sum()), int(size @ patterns.units)
    if reason:
        forms = {form: Estimate(None, reason=reason) for form in ("ICC1", "ICC1k")}
        return OneWay(forms, None, n_units, n_ratings)
    points, replicated = _one_way_forms(whole, parts), _one_way_forms(drawn, parts)
    estimates = {
        form: _with_draws(_point(float(points[form][0])), replicated[form]) for form in ("ICC1", "ICC1k")
    }
    return OneWay(estimates, float(points["m0"][0]), n_units, n_ratings)


def _exact(sums: Floats) -> icc.MeanSquares:
    n, *of_columns, of_values, of_rows = (Fraction(each) for each in sums.tolist())
    return icc.squares_of_sums(n=int(n), of_columns=of_columns, of_values=of_values, of_rows=of_rows)


def _forms(sums: Floats) -> dict[str, Floats]:
    """Each form (B,) from sums (B, k + 3); NaN where it is not defined.

    Sums of squares are held in parts of 1 / (n k), which makes those of whole scores whole: exact in doubles.
    """
    n, of_columns, of_values, of_rows = sums[:, 0], sums[:, 1:-2], sums[:, -2], sums[:, -1]
    k = of_columns.shape[1]
    centre = of_columns.sum(axis=1) ** 2
    total = n * k * of_values - centre
    between = n * of_rows - centre
    columns = k * (of_columns**2).sum(axis=1) - centre
    rest = np.where(n > 1, n - 1, np.nan)
    error = (total - between - columns) / (rest * (k - 1))
    found = icc.ratios(
        k,
        between=between / rest,
        within=(total - between) / (n * (k - 1)),
        error=error,
        severity=(columns / (k - 1) - error) / n,
    )
    return {form: _divided(*ratio) for form, ratio in found.items()}


def _parts(size: Floats) -> int:
    """The parts of 1 in which squared totals over numbers of ratings are whole: exact in doubles while few."""
    parts = math.lcm(*(int(each) for each in np.unique(size)))
    return parts if parts < EXACT else 1


def _one_way_forms(sums: Floats, parts: int) -> dict[str, Floats]:
    """ICC1, ICC1k and m0 (B,) from sums (B, 6); NaN where they are not defined.

    Sums of squares are held in parts of 1 / (N parts): a variance of 0 is 0, and no rest of a subtraction.
    """
    n, size, squared_size, total, of_units, of_values = sums.T
    rest, within_rest = np.where(n > 1, n - 1, np.nan), np.where(size > n, size - n, np.nan)
    between = (size * of_units - parts * total**2) / rest
    within = size * (parts * of_values - of_units) / within_rest
    m0 = (size - squared_size / size) / rest
    return {
        "ICC1": _divided(between - within, between + (m0 - 1) * within),
        "ICC1k": _divided(between - within, between),
        "m0": m0,
    }


def _divided(numerator: Floats, denominator: Floats) -> Floats:
    return np.asarray(numerator / np.where(denominator > 0, denominator, np.nan))


def _reason_of_one_way(patterns: Patterns, size: Floats) -> str | None:
    if not len(size):
        return "empty"
    if patterns.units.sum() < 2:
        return "fewer_than_two_units"
    return None if (size > 1).any() else "no_pairable_values"


def _point(value: float) -> icc.Intraclass:
    return icc.Intraclass(None, reason="no_variation") if math.isnan(value) else icc.Intraclass(value)


def _with_draws(point: icc.Intraclass, replicates: Floats) -> Estimate:
    if point.value is None:
        return Estimate(None, reason=point.reason)
    defined = replicates[~np.isnan(replicates)]
    low, high = bootstrap.interval(defined) or (None, None)
    return Estimate(point.value, point.low, point.high, low, high, undefined=replicates.size - defined.size)
