"""Shares with their intervals, and tests of whether a difference is more than chance.

    wilson            the score interval of a share, for display (annotation/domain/intervals.py)
    clopper_pearson   the exact one, where 'exact' is promised; never shorter than it says
    binomial_p        two-sided: how probable are the outcomes that are no more probable than the one observed
    mcnemar           two judges on the same pairs, by the pairs that only one of them gets right
    by_prompt         a share whose cases share prompts, with an interval from drawing prompts
    sign_flip         whether a balance, such as right minus wrong, is 0, by turning whole prompts over
    holm              p values adjusted for how many there are

The first four take cases as if they were independent; pairs of one prompt are not. All intervals are of 95 %.

Sources: Clopper and Pearson, Biometrika 26, 1934; McNemar, Psychometrika 12, 1947; Edwards, Psychometrika 13, 1948
(the correction); Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9, 2010 (the one that
is added to a random p); Holm, Scandinavian Journal of Statistics 6, 1979.

What is not defined is None, with a reason:

    empty                  there is no case
    no_discordant_pairs    both judges are right and wrong about the same pairs: there is no chi2, though p is 1
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import betainc, betaincinv, chdtrc, gammaln, xlog1py, xlogy

from annotation.domain import intervals
from annotation.domain.intervals import CONFIDENCE, Interval
from curation.domain import bootstrap
from curation.domain.bootstrap import Floats, Integers

EMPTY = "empty"
NO_DISCORDANT_PAIRS = "no_discordant_pairs"
REPLICATES = 2000
FLIPS = 9999  # random turnings, which with the observed one are 10,000
SEED = "plumb-1"
EXACT_BELOW = 25  # discordant pairs from which McNemar's chi2 stands for the exact test
EXACT_WORK = 2**27  # additions that an exact sign flip may take: about a quarter of a second
EQUALLY_LIKELY = 1e-7  # probabilities that differ by less, relatively, count as equal, as in R
WORD = 64  # bits of a raw random number


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of n cases. `low` and `high` are its interval, None where it is None or there is nothing to draw from."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class McNemar:
    """`p` is the exact one below 25 discordant pairs and that of the corrected chi2 (1 df) from there on.

    The correction takes 1 from the difference, but not below 0: equal counts have chi2 0 either way.
    """

    p: float
    test: str  # "exact" or "chi2_corrected"
    exact_p: float
    chi2: float | None
    chi2_p: float | None
    chi2_corrected: float | None
    chi2_corrected_p: float | None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SignFlip:
    """`prompts` counts those whose balance is not 0, which alone can be turned; `exact`: all turnings were counted."""

    p: float | None
    prompts: int
    exact: bool
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def wilson(successes: int, n: int) -> Rate:
    return _rate(successes, n, intervals.wilson)


def clopper_pearson(successes: int, n: int) -> Rate:
    return _rate(successes, n, _clopper_pearson)


def binomial_p(successes: int, n: int, p0: float = 0.5) -> float | None:
    """Two-sided p of so many successes if each had probability p0; None of no case.

    The outcomes no more probable than the observed one are counted from both ends. ValueError where p0 is no
    probability.
    """
    _refuse_impossible(successes, n)
    if not 0 <= p0 <= 1:
        raise ValueError(f"p0 is {p0}; use a probability")
    if n == 0:
        return None
    if successes >= _mode(n, p0):  # count failures instead, so that the observed tail is the lower one
        successes, p0 = n - successes, 1 - p0
        if successes >= _mode(n, p0):
            return 1.0
    limit = _log_probability(successes, n, p0) + math.log1p(EQUALLY_LIKELY)
    upper = _first(lambda k: _log_probability(k, n, p0) <= limit, _mode(n, p0), n + 1)
    below = float(betainc(n - successes, successes + 1, 1 - p0))  # no more than the observed
    above = float(betainc(upper, n - upper + 1, p0)) if upper <= n else 0.0
    return min(1.0, below + above)


def mcnemar(only_first: int, only_second: int) -> McNemar:
    """Of two judges, from the numbers of pairs that only the first and only the second gets right."""
    n = only_first + only_second
    exact = binomial_p(min(only_first, only_second), n)
    if exact is None:
        return McNemar(1.0, "exact", 1.0, None, None, None, None, reason=NO_DISCORDANT_PAIRS)
    apart = abs(only_first - only_second)
    plain, corrected = apart**2 / n, max(apart - 1, 0) ** 2 / n
    plain_p, corrected_p = float(chdtrc(1, plain)), float(chdtrc(1, corrected))
    test, p = ("exact", exact) if n < EXACT_BELOW else ("chi2_corrected", corrected_p)
    return McNemar(p, test, exact, plain, plain_p, corrected, corrected_p)


def by_prompt(
    hits: Integers, prompts: Integers, *, seed: str = SEED, replicates: int = REPLICATES, key: str = "rate"
) -> Rate:
    """The share of hits, of cases (N,) that are 1 or 0 and the prompt codes (N,) they belong to.

    Prompts are drawn with replacement, each with all its cases. Shares that stand side by side want a `key` each.
    """
    if not len(hits):
        return Rate(None, 0, reason=EMPTY)
    _prompts, place = np.unique(prompts, return_inverse=True)
    features = np.stack([np.bincount(place, weights=hits), np.bincount(place)], axis=1).astype(np.float64)
    value, n = float(np.mean(hits)), len(hits)
    if len(features) < 2:
        return Rate(value, n)
    drawn = bootstrap.resamples(bootstrap.generator(seed, key), len(features), None, replicates)
    sums = [np.empty((0, 2)), *(bootstrap.weighted_sums(weights, features) for weights in drawn)]
    hit, cases = np.concatenate(sums).T
    low, high = bootstrap.interval(hit / cases) or (None, None)
    return Rate(value, n, low, high)


def sign_flip(
    balances: Integers, prompts: Integers, *, seed: str = SEED, flips: int = FLIPS, key: str = "sign_flip"
) -> SignFlip:
    """Two-sided p of the sum of balances (N,), whole numbers, under the rule that each prompt might as well be turned.

    Against chance: 1 for a pair that is right, -1 for a wrong one. Two models: 1 where only the one is right, -1
    where only the other is, else 0. Halves are doubled by the caller. All turnings are counted where that is cheap;
    else so many are drawn, and the observed one counts among them, so that p is never 0.
    """
    if not len(balances):
        return SignFlip(None, 0, exact=True, reason=EMPTY)
    _prompts, place = np.unique(prompts, return_inverse=True)
    sums = np.bincount(place, weights=balances)
    observed = abs(float(sums.sum()))
    sizes = np.sort(np.abs(sums[sums != 0])).astype(np.int64)
    if int(np.cumsum(sizes).sum()) <= EXACT_WORK:
        return SignFlip(_exact_flips(sizes, observed), len(sizes), exact=True)
    at_least = 1 + _random_flips(sizes, observed, bootstrap.generator(seed, key), flips)
    return SignFlip(at_least / (1 + flips), len(sizes), exact=False)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values in the given order: significant at a level if not above it. None stays, and is not counted."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = largest
    return adjusted


# --- parts -----------------------------------------------------------------------------------------------


def _rate(successes: int, n: int, interval_of: Callable[[int, int], Interval | None]) -> Rate:
    _refuse_impossible(successes, n)
    interval = interval_of(successes, n)
    if interval is None:
        return Rate(None, 0, reason=EMPTY)
    return Rate(successes / n, n, interval.low, interval.high)


def _refuse_impossible(successes: int, n: int) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} cases cannot be")


def _clopper_pearson(successes: int, n: int) -> Interval | None:
    """Quantiles of beta distributions; at the ends the limit is the end itself."""
    if n == 0:
        return None
    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return Interval(low, high)


def _mode(n: int, p: float) -> int:
    return min(n, math.floor((n + 1) * p))


def _log_probability(k: int, n: int, p: float) -> float:
    """Of k successes; good to one part in 10**8 up to ten million cases, so that EQUALLY_LIKELY can be told."""
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return float(ways + xlogy(k, p) + xlog1py(n - k, -p))


def _first(holds: Callable[[int], bool], start: int, stop: int) -> int:
    """The first of start..stop-1 for which it holds, where it then holds for all that follow; stop if for none."""
    while start < stop:
        middle = (start + stop) // 2
        if holds(middle):
            stop = middle
        else:
            start = middle + 1
    return start


def _exact_flips(sizes: Integers, observed: float) -> float:
    """Probability that the turned sum is as far from 0, from how probable each sum of upright sizes is."""
    total = int(sizes.sum())
    probable = np.zeros(total + 1)
    probable[0], reached = 1.0, 0
    for size in sizes.tolist():
        probable[: reached + 1] *= 0.5
        reached += size
        probable[size : reached + 1] += probable[: reached - size + 1].copy()
    turned = np.abs(2 * np.arange(total + 1) - total)
    return min(1.0, float(probable[turned >= observed].sum()))


def _random_flips(sizes: Integers, observed: float, random: np.random.Generator, flips: int) -> int:
    """How many of so many turnings are as far from 0. A raw bit a prompt, which no version of NumPy changes."""
    words = -(-len(sizes) // WORD)
    block = max(1, bootstrap.CELLS // (words * WORD))
    found = 0
    for start in range(0, flips, block):
        rows = min(block, flips - start)
        raw = random.bit_generator.random_raw(rows * words).astype("<u8", copy=False)
        bits = np.unpackbits(raw.view(np.uint8).reshape(rows, -1), axis=1)[:, : len(sizes)]
        upright: Floats = bootstrap.weighted_sums(bits.astype(np.float64), sizes[:, None].astype(np.float64))[
            :, 0
        ]
        found += int(np.count_nonzero(np.abs(2 * upright - sizes.sum()) >= observed))
    return found
