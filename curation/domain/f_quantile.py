"""Quantiles of the F distribution, by inverting the regularised incomplete beta function.

The incomplete beta function is the continued fraction 26.5.8 of Abramowitz and Stegun (Handbook of Mathematical
Functions, 1964), evaluated from the front by Lentz's method; the distribution function of F by it is 26.6.2 of
the same book. Degrees of freedom need not be whole.
"""

import math

TINY = 1e-300  # stands for a zero that would be divided by
PRECISION = 1e-15  # where the continued fraction stops
FRACTIONS = 10_000
HALVINGS = 200


def quantile(p: float, numerator: float, denominator: float) -> float:
    """The value that F(numerator, denominator) does not exceed with probability p.

    Raises ValueError where p is not between 0 and 1, or a number of degrees of freedom is not positive.
    """
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; use a probability between 0 and 1")
    if not (0 < numerator < math.inf and 0 < denominator < math.inf):
        raise ValueError(f"F({numerator}, {denominator}) is none; use positive degrees of freedom")
    # With x = numerator * F / (numerator * F + denominator), the distribution function is that of a beta
    # variable. Bisection cannot fail, and x is bounded where F is not.
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if incomplete_beta(middle, numerator / 2, denominator / 2) < p:
            low = middle
        else:
            high = middle
    # Next to 1 the doubles end: F is beyond them.
    return denominator * high / (numerator * (1 - high)) if high < 1 else math.inf


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function: the probability that a beta variable is at most x."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    # The fraction is quick below the mean; above it the other tail is taken.
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    logarithm = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(logarithm) / a * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """1 / (1 + d1 / (1 + d2 / (1 + ...))), with the two kinds of terms of the formula in turn."""
    value, above, below = TINY, TINY, 0.0
    for step in range(FRACTIONS):
        term = 1.0 if step == 0 else _term(step, x, a, b)
        below = 1 / ((1 + term * below) or TINY)
        above = (1 + term / above) or TINY
        change = above * below
        value *= change
        if step and abs(change - 1) < PRECISION:
            break
    return value


def _term(step: int, x: float, a: float, b: float) -> float:
    m, odd = divmod(step, 2)
    if odd:
        return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
