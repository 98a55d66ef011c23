"""How well rankings follow gold ones: correlation, texts in their place, identical rankings, and how much they tie.

A ranking is a row of numbers, one for each text of a prompt, lower for better; only their order counts, and equal
numbers are a tie. r(i) is the rank of text i (never the text in place i), 1 for the best, and g(i) its rank in the
gold; texts that tie share the mean of the places that they take. Of n texts, for each prompt,

    correlation   sum over pairs of sgn(r(i) - r(j)) * sgn(g(i) - g(j)) / (n (n - 1) / 2), with sgn(0) = 0: tau-a
    il_exact      share of texts in their exact place; with ties its expectation, all orders of those that tie being
                  equally likely: of text i, places that it may take in both / (places in one * places in the other)
    il_graded     1 - mean over texts of |r(i) - g(i)| / (n - 1)
    pl            1 if the rankings are identical and nothing ties in either, else 0
    tie_rate      share of the pairs of texts that the ranking ties
    chance        il_graded of a ranking without ties that was drawn at random, on average

Ties are never broken, neither by the order of the texts nor by the gold: whoever finds all texts equal gets a
correlation of 0, an il_exact of 1 / n and a pl of 0. Results do not depend on the order of texts or prompts, not even
to the last bit.

Sources: correlation, il_exact (there IL) and pl are the formulas of "From Coarse to Fine" (WEval), section 3.1.3, which
says nothing of ties; il_graded is what its published program computes under the name of IL, and all that its tables can
have come from.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from curation.domain import bootstrap, rank_agreement
from curation.domain.bootstrap import Floats, Integers

Bools = NDArray[np.bool_]

NAMES = ("correlation", "il_exact", "il_graded", "pl", "tie_rate")  # what is published of a prediction
REPLICATES = 2000
FEW = 30  # prompts; of fewer a percentile interval is too narrow


@dataclass(frozen=True)
class Metrics:
    """Of each prompt (P,), as shares of 1; NaN where a prompt has fewer than two texts."""

    correlation: Floats
    il_exact: Floats
    il_graded: Floats
    pl: Floats
    tie_rate: Floats
    chance: Floats

    def only(self, prompts: Integers | Bools) -> "Metrics":
        return Metrics(*(column[prompts] for column in self._columns()))

    def means(self, of: Integers) -> "Metrics":
        """Means of the rows that belong together: `of` (P,) numbers the groups from 0 and ascends, none is empty."""
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        sizes = np.diff(np.append(starts, len(of)))
        return Metrics(*(np.add.reduceat(column, starts) / sizes for column in self._columns()))

    def averages(self) -> "Averages":
        """Means over the prompts, times 100."""
        n = len(self.correlation)
        return Averages(n, *(100 * math.fsum(column.tolist()) / n for column in self._columns()) if n else ())

    def _columns(self) -> Iterator[Floats]:
        return (getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True, slots=True)
class Averages:
    """Over n prompts, times 100; None where there is no prompt."""

    n: int
    correlation: float | None = None
    il_exact: float | None = None
    il_graded: float | None = None
    pl: float | None = None
    tie_rate: float | None = None
    chance: float | None = None

    def as_dict(self) -> dict[str, float | None]:
        """n and what NAMES lists."""
        return {"n": self.n, **{name: getattr(self, name) for name in NAMES}}


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle 95 % of the replicates, times 100; `undefined` ones are left out. None where there are fewer than two
    prompts, or no replicate that is defined."""

    low: float | None
    high: float | None
    undefined: int

    def as_dict(self) -> dict[str, float | None]:
        return {"low": self.low, "high": self.high, "undefined": self.undefined}


def intervals(of: Metrics, *, seed: str, replicates: int = REPLICATES) -> dict[str, Interval]:
    """Of the averages of NAMES: a keyed percentile bootstrap over prompts, one set of draws for all of them.

    A replicate that holds a prompt without a value has no average.
    """
    columns = np.column_stack([getattr(of, name) for name in NAMES])
    missing = np.isnan(columns).astype(np.float64)
    values = np.nan_to_num(columns)
    prompts = len(columns)
    drawn = [np.empty((0, len(NAMES)))]
    if prompts > 1:
        random = bootstrap.generator(seed, "rank_metrics")
        for weights in bootstrap.resamples(random, prompts, None, replicates):
            averages = 100 * bootstrap.weighted_sums(weights, values) / prompts
            averages[bootstrap.weighted_sums(weights, missing) > 0] = np.nan
            drawn.append(averages)
    return {name: _interval(column) for name, column in zip(NAMES, np.concatenate(drawn).T, strict=True)}


def _interval(replicates: Floats) -> Interval:
    defined = replicates[~np.isnan(replicates)]
    low, high = bootstrap.interval(defined) or (None, None)
    return Interval(low, high, replicates.size - defined.size)


def metrics(predicted: Floats, gold: Floats) -> Metrics:
    """Of prompts with equally many texts, (P, n) each. ValueError on another shape, or a number that is missing."""
    if predicted.shape != gold.shape:
        raise ValueError("the rankings differ in shape; give both sides of every prompt the same texts")
    if np.isnan(predicted).any() or np.isnan(gold).any():
        raise ValueError("a ranking has no number for some text; leave the prompt out")
    prompts, n = predicted.shape
    if n < 2:
        return Metrics(*(np.full(prompts, np.nan) for _ in fields(Metrics)))
    (first, last), (gold_first, gold_last) = _places(predicted), _places(gold)
    width, gold_width = last - first + 1, gold_last - gold_first + 1
    in_both = np.minimum(last, gold_last) - np.maximum(first, gold_first) + 1
    exact = np.maximum(in_both, 0) / (width.astype(np.float64) * gold_width)
    exact.sort(axis=0)  # it is added up from the least, whatever the order of texts and however many prompts
    apart = np.abs(first + last - gold_first - gold_last).sum(axis=0)  # twice the distances
    strict = (width == 1).all(axis=0) & (gold_width == 1).all(axis=0)
    return Metrics(
        correlation=rank_agreement.correlations(predicted, gold).tau_a,
        il_exact=np.add.accumulate(exact)[-1] / n,
        il_graded=1 - apart / (2 * n * (n - 1)),
        pl=(strict & (first == gold_first).all(axis=0)).astype(np.float64),
        tie_rate=(width - 1).sum(axis=0) / (n * (n - 1)),
        chance=_chance(gold_first + gold_last),
    )


def by_prompt(predicted: Sequence[Sequence[float]], gold: Sequence[Sequence[float]]) -> Metrics:
    """Of prompts (P,), each with as many texts as it has: `predicted` and `gold` hold one row for each."""
    sizes = np.array([len(row) for row in gold], dtype=np.int64)
    found = Metrics(*(np.full(len(gold), np.nan) for _ in fields(Metrics)))
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size).tolist()
        sides = (np.array([side[row] for row in rows], dtype=np.float64) for side in (predicted, gold))
        part = metrics(*sides)
        for field in fields(Metrics):
            getattr(found, field.name)[rows] = getattr(part, field.name)
    return found


def chance_of_il_graded(n: int) -> float:
    """What a random ranking of n texts gets on average where the gold ties nothing: .60 of five."""
    return (2 * n - 1) / (3 * n)


# --- parts -----------------------------------------------------------------------------------------------


def _places(rankings: Floats) -> tuple[Integers, Integers]:
    """The first and the last place, from 1, that each text may take if ties are broken, (n, P) each."""
    prompts, n = rankings.shape
    if n > rank_agreement.BY_PAIRS:
        return _places_by_sorting(rankings)
    columns = np.ascontiguousarray(rankings.T)
    before = np.zeros((n, prompts), dtype=np.int8)
    behind = np.zeros((n, prompts), dtype=np.int8)
    for one in range(n):
        for other in range(one):
            lower, higher = columns[one] < columns[other], columns[one] > columns[other]
            before[one] += higher
            behind[one] += lower
            before[other] += lower
            behind[other] += higher
    return before.astype(np.int64) + 1, n - behind.astype(np.int64)


def _places_by_sorting(rankings: Floats) -> tuple[Integers, Integers]:
    """The same for long rankings, one by one."""
    first, last = np.empty(rankings.T.shape, dtype=np.int64), np.empty(rankings.T.shape, dtype=np.int64)
    for prompt, ranking in enumerate(rankings):
        ascending = np.sort(ranking)
        first[:, prompt] = np.searchsorted(ascending, ranking, side="left") + 1
        last[:, prompt] = np.searchsorted(ascending, ranking, side="right")
    return first, last


def _chance(doubled: Integers) -> Floats:
    """Of gold mid-ranks, doubled (n, P): 1 - the mean distance of a text from all n places / (n - 1).

    For m = doubled / 2 the distances to places 1, ..., n come to ((m - 1/2)^2 + (n - m + 1/2)^2) / 2, and to 1/4 less
    where m is a place itself.
    """
    n = len(doubled)
    eighths = (doubled - 1) ** 2 + (2 * n - doubled + 1) ** 2 - 2 * (doubled % 2 == 0)
    chance: Floats = 1 - eighths.sum(axis=0) / (8 * n * n * (n - 1))
    return chance
