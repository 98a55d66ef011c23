"""Intervals of 95 % for a share and for a mean, and keyed random numbers for those that are resampled."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

import numpy as np

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
HALVINGS = 200  # of the bracket around a quantile: more than a double can tell apart


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def wilson(successes: int, n: int) -> Interval | None:
    """The score interval of a share (Wilson 1927), which stays inside 0..1; None of nothing."""
    if n == 0:
        return None
    share, spread = successes / n, Z * Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # At the ends the formula is exact on paper and off by a rounding error here.
    low = 0.0 if successes == 0 else centre - half
    return Interval(low, 1.0 if successes == n else centre + half)


def of_mean(values: Sequence[float]) -> Interval | None:
    """Student's interval of a mean; None with fewer than two values, of which nothing is known."""
    if len(values) < 2:
        return None
    half = student(len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return Interval(fmean(values) - half, fmean(values) + half)


def student(freedom: int) -> float:
    """The value that Student's t with so many degrees of freedom stays within, on both sides, in 95 % of cases."""
    if freedom < 1:
        raise ValueError("a t distribution needs one degree of freedom or more")
    low, high = 0.0, 13.0  # t of one degree of freedom is 12.7
    for _halving in range(HALVINGS):
        middle = (low + high) / 2
        if _within(middle, freedom) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def generator(seed: str) -> np.random.Generator:
    """Random numbers that depend on the seed alone."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big"))))


def _within(t: float, freedom: int) -> float:
    """P(|T| < t), by the finite series for whole degrees of freedom (Abramowitz and Stegun 1964, 26.7.3-4)."""
    angle = math.atan2(t, math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for power in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * power / (power + 1)
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total
