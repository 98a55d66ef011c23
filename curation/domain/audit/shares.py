"""How often a guess is right, ties half, with its intervals.

A guess about a pair is right, wrong or a tie. The rate counts a tie as half. Two intervals of 95 % stand beside it:
Wilson's, as if pairs were independent, and the headline one from drawing prompts with all their pairs. All guesses
about the same pairs see the same draws.

What is not defined is None, with a reason:

    empty   there is no pair about which the guess could be made
"""

import math

import numpy as np
from numpy.typing import NDArray

from annotation.domain.intervals import Interval, Z
from curation.domain import bootstrap
from curation.domain.audit.found import HALVES, Share
from curation.domain.bootstrap import Floats, Integers
from curation.domain.rates import EMPTY

WRONG, TIE, RIGHT = 0, 1, 2  # a guess, in halves
NO_CASE = -1  # nothing to guess from


def shares(guesses: Integers, prompts: Integers, *, seed: str, key: str, replicates: int) -> list[Share]:
    """Of guesses (N, K) about pairs of the prompts coded (N,): one Share for each of the K."""
    cases = guesses >= 0
    halves = np.where(cases, guesses, 0)
    _prompts, place = np.unique(prompts, return_inverse=True)
    by_prompt = np.concatenate([_sums(halves, place), _sums(cases, place)], axis=1)
    drawn = _drawn(by_prompt, seed, key, replicates)
    width = guesses.shape[1]
    return [
        _share(guesses[:, column], by_prompt[:, width + column], drawn[:, [column, width + column]])
        for column in range(width)
    ]


def wilson(halves: int, n: int) -> Interval | None:
    """The score interval (annotation/domain/intervals.py) of a share whose ties count half; None of nothing."""
    if n == 0:
        return None
    share, spread = halves / (HALVES * n), Z * Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    low = 0.0 if halves == 0 else centre - half
    return Interval(low, 1.0 if halves == HALVES * n else centre + half)


def guess(one: Integers, other: Integers) -> Integers:
    """That the side with more is chosen (N,): chosen sides' numbers first."""
    return np.asarray(1 + np.sign(one - other), dtype=np.int64)


def _sums(values: NDArray[np.generic], place: Integers) -> Floats:
    """Of each column by prompt (P, K)."""
    rows = int(place.max(initial=-1)) + 1
    columns = values.T.astype(np.float64)
    return np.stack([np.bincount(place, weights=column, minlength=rows) for column in columns], axis=1)


def _drawn(by_prompt: Floats, seed: str, key: str, replicates: int) -> Floats:
    """The sums (replicates, 2K) of drawn prompts; none where there is nothing to draw from."""
    none = np.empty((0, by_prompt.shape[1]))
    if len(by_prompt) < 2:
        return none
    random = bootstrap.generator(seed, key)
    blocks = bootstrap.resamples(random, len(by_prompt), None, replicates)
    return np.concatenate([none, *(bootstrap.weighted_sums(weights, by_prompt) for weights in blocks)])


def _share(guesses: Integers, cases_of: Floats, drawn: Floats) -> Share:
    """`cases_of` (P,) are the cases of each prompt, `drawn` (B, 2) halves and cases of each replicate."""
    known = guesses[guesses >= 0]
    right, ties, n = int((known == RIGHT).sum()), int((known == TIE).sum()), len(known)
    plain = wilson(HALVES * right + ties, n)
    if plain is None:
        return Share(0, 0, 0, None, reason=EMPTY)
    low, high = None, None
    if np.count_nonzero(cases_of) > 1:
        halves, cases = drawn[drawn[:, 1] > 0].T
        low, high = bootstrap.interval(halves / (HALVES * cases)) or (None, None)
    return Share(right, ties, n, (right + ties / 2) / n, plain.low, plain.high, low, high)
