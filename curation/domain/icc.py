"""The six intraclass correlations of Shrout and Fleiss, with 95 % limits.

A table has a row of n for each text and a column of k for each annotator, every cell filled. With the mean squares
between rows (BMS), within rows (WMS), between columns (JMS) and of the residual (EMS),

    ICC1   (BMS - WMS) / (BMS + (k - 1) WMS)                        annotators differ from text to text
    ICC2   (BMS - EMS) / (BMS + (k - 1) EMS + k (JMS - EMS) / n)    a panel, as one of all panels: severity counts
    ICC3   (BMS - EMS) / (BMS + (k - 1) EMS)                        this panel alone: severity does not count
    ICC1k  (BMS - WMS) / BMS                                        the same of the mean of k annotators
    ICC2k  (BMS - EMS) / (BMS + (JMS - EMS) / n)
    ICC3k  (BMS - EMS) / BMS

Sources: Shrout and Fleiss, Intraclass correlations: uses in assessing rater reliability, Psychological Bulletin 86,
1979; limits by McGraw and Wong, Forming inferences about some intraclass correlation coefficients, Psychological
Methods 1, 1996. Those of ICC2k are the limits of ICC2 stepped up by Spearman and Brown.

Mean squares are exact, so whether a form is defined does not hang on rounding. Where it is not, its value is None:

    fewer_than_two_units        no variation between texts can be seen
    fewer_than_two_annotators   nor between annotators
    missing_values              the forms want every annotator's value of every text
    no_variation                the denominator is 0, as where all values are the same
    negative_variance           it is below 0: the variances that it is made of are estimated as if below 0

A limit is None where the mean square of the error is 0: F is not defined then. Those of ICC2k are None as well where
the lower limit of ICC2 is -1 / (k - 1) or less: no mean of k annotators is as reliable as that.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TypeVar

import scipy  # scipy.special is loaded where it is first used: a web process is spared its 30 MB

from curation.domain.bootstrap import Floats

FORMS = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")
UPPER = 0.975
BEYOND = 1e15  # a quantile of F that doubles tell apart from no other

Number = TypeVar("Number", Fraction, Floats)
Row = Sequence[float | None]
Limits = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Intraclass:
    """One form; `reason` says why its value is None."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Of a table of n rows and k columns."""

    n: int
    k: int
    between: Fraction  # rows
    within: Fraction  # rows
    columns: Fraction
    error: Fraction


def coefficients(rows: Sequence[Row]) -> dict[str, Intraclass]:
    """All six forms of a table (n, k). Raises ValueError on rows of different lengths or endless values."""
    reason = _reason(rows)
    if reason:
        return {form: Intraclass(None, reason=reason) for form in FORMS}
    return of_squares(mean_squares([[value for value in row if value is not None] for row in rows]))


def of_squares(squares: MeanSquares) -> dict[str, Intraclass]:
    """All six forms, where there are two rows and two columns or more."""
    limits = _limits(squares)
    return {form: _form(ratio, limits[form]) for form, ratio in _ratios(squares).items()}


def _reason(rows: Sequence[Row]) -> str | None:
    if len({len(row) for row in rows}) > 1:
        raise ValueError("the rows differ in length; give every annotator a column")
    if len(rows) < 2:
        return "fewer_than_two_units"
    if len(rows[0]) < 2:
        return "fewer_than_two_annotators"
    values = [value for row in rows for value in row]
    if None in values:
        return "missing_values"
    if not all(math.isfinite(value) for value in values if value is not None):
        raise ValueError("a value is not finite; leave the text out")
    return None


def mean_squares(rows: Sequence[Sequence[float]]) -> MeanSquares:
    """The two-way analysis of variance of a table that is filled."""
    table = [[Fraction(value) for value in row] for row in rows]
    return squares_of_sums(
        n=len(table),
        of_columns=[sum(column, Fraction(0)) for column in zip(*table, strict=True)],
        of_values=sum((value**2 for row in table for value in row), Fraction(0)),
        of_rows=sum((sum(row, Fraction(0)) ** 2 for row in table), Fraction(0)),
    )


def squares_of_sums(
    *, n: int, of_columns: Sequence[Fraction], of_values: Fraction, of_rows: Fraction
) -> MeanSquares:
    """The same from the sums of columns (k,), the sum of squared values, and that of squared sums of rows."""
    k = len(of_columns)
    centre = sum(of_columns, Fraction(0)) ** 2 / (n * k)
    total = of_values - centre
    between = of_rows / k - centre
    columns = sum((each**2 for each in of_columns), Fraction(0)) / n - centre
    return MeanSquares(
        n=n,
        k=k,
        between=between / (n - 1),
        within=(total - between) / (n * (k - 1)),
        columns=columns / (k - 1),
        error=(total - between - columns) / ((n - 1) * (k - 1)),
    )


def _ratios(s: MeanSquares) -> dict[str, tuple[Fraction, Fraction]]:
    return ratios(s.k, s.between, s.within, s.error, (s.columns - s.error) / s.n)


def ratios(
    k: int, between: Number, within: Number, error: Number, severity: Number
) -> dict[str, tuple[Number, Number]]:
    """Numerator and denominator of each form from mean squares; `severity` is (JMS - EMS) / n."""
    return {
        "ICC1": (between - within, between + (k - 1) * within),
        "ICC2": (between - error, between + (k - 1) * error + k * severity),
        "ICC3": (between - error, between + (k - 1) * error),
        "ICC1k": (between - within, between),
        "ICC2k": (between - error, between + severity),
        "ICC3k": (between - error, between),
    }


def _form(ratio: tuple[Fraction, Fraction], limits: Limits) -> Intraclass:
    numerator, denominator = ratio
    if denominator <= 0:
        return Intraclass(None, reason="negative_variance" if denominator else "no_variation")
    return Intraclass(float(numerator / denominator), *(limits or (None, None)))


def _limits(s: MeanSquares) -> dict[str, Limits]:
    one = _f_limits(s, s.within, s.n * (s.k - 1))
    three = _f_limits(s, s.error, (s.n - 1) * (s.k - 1))
    two = _limits_of_icc2(s)
    return {
        "ICC1": one and (_single(one[0], s.k), _single(one[1], s.k)),
        "ICC2": two,
        "ICC3": three and (_single(three[0], s.k), _single(three[1], s.k)),
        "ICC1k": one and (1 - 1 / one[0], 1 - 1 / one[1]),
        "ICC2k": two and _stepped_up(two, s.k),
        "ICC3k": three and (1 - 1 / three[0], 1 - 1 / three[1]),
    }


def _f_limits(s: MeanSquares, error: Fraction, freedom: int) -> Limits:
    """The limits of the ratio of the two variances that BMS / error estimates."""
    if not error or not s.between:
        return None
    ratio = float(s.between / error)
    return ratio / _quantile(s.n - 1, freedom), ratio * _quantile(freedom, s.n - 1)


def _quantile(numerator: float, denominator: float) -> float:
    """What F with these degrees of freedom, which need not be whole, exceeds with a probability of 2.5 %."""
    return float(scipy.special.fdtri(numerator, denominator, UPPER))


def _single(ratio: float, k: int) -> float:
    return (ratio - 1) / (ratio + k - 1)


def _stepped_up(limits: tuple[float, float], k: int) -> Limits:
    """The reliability of the mean of k annotators, from that of one. It has a pole where one reaches -1 / (k - 1)."""
    low, high = limits
    if 1 + (k - 1) * low <= 0:
        return None
    return k * low / (1 + (k - 1) * low), k * high / (1 + (k - 1) * high)


def _limits_of_icc2(s: MeanSquares) -> Limits:
    """By Satterthwaite's degrees of freedom for the error of rows and columns together."""
    numerator, denominator = _ratios(s)["ICC2"]
    if not s.error or denominator <= 0:
        return None
    n, k, icc = s.n, s.k, numerator / denominator
    a = k * icc / n  # times 1 - ICC2, as in b: that cancels, and would be 0 at ICC2 = 1
    b = (1 - icc) + k * icc * (n - 1) / n
    both = a * s.columns + b * s.error
    if not both:
        return None
    parts = (a * s.columns) ** 2 / (k - 1) + (b * s.error) ** 2 / ((n - 1) * (k - 1))
    freedom = float(both**2 / parts)
    low, high = _quantile(n - 1, freedom), _quantile(freedom, n - 1)
    if max(low, high) > BEYOND:
        return None
    # In units of the error, whose own unit then does not matter, not even to the last bit.
    rows = float(s.between / s.error)
    rest = float(k * s.columns / s.error + (k * n - k - n))
    return n * (rows - low) / (low * rest + n * rows), n * (high * rows - 1) / (rest + n * high * rows)
