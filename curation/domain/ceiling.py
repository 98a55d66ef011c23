"""The human ceiling: how often a careful human agrees with the pairs that other humans make.

For each annotator, a pair of responses counts where the OTHERS ALONE accept it, by rules 3 to 5 of the recipe
(verdicts.py), and the annotator scored both. The preference of the annotator, the sign of the own difference, agrees
or not; a tie is half. An annotator's rate is that over all such pairs, and the ceiling the mean of the rates. Pairs
that the annotator helped to accept are no test: they would give pure noise 77 %, where this gives 50 %.

The bootstrap draws prompts with replacement and computes all rates anew. Where no annotator has such a pair, the
value is None, with a reason:

    no_pair_of_the_others   nobody scored both texts of a pair that others accept: it takes three who scored both
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from curation.domain import bootstrap, verdicts
from curation.domain.bootstrap import Floats, Integers
from curation.domain.patterns import Codes
from curation.domain.recipes import WritingPreference
from curation.domain.score_table import Scores, divided

REPLICATES = 2000
SEED = "plumb-1"
CELLS = 2**19  # differences of scores held at a time
HALVES = 2

Signed = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The mean rate of so many annotators; `pairs` counts one for each annotator who is compared with it."""

    value: float | None
    low: float | None = None
    high: float | None = None
    annotators: int = 0
    pairs: int = 0
    prompts: int = 0
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """By annotator and prompt (E,), where there are any: the pairs compared, and the agreements in halves."""

    annotator: Integers
    prompt: Integers
    pairs: Integers
    halves: Integers


def compared(
    unit: Codes, annotator: Codes, score: Scores, prompt: Codes, recipe: WritingPreference | None = None
) -> Compared:
    """Of scores (N,); `prompt` (U,) is that of each unit. The recipe's rules 3 to 5 decide, None: the default ones."""
    if not len(unit):
        return Compared(*np.zeros((4, 0), dtype=np.int64))
    seats, seat = np.unique(
        prompt[unit].astype(np.int64) * (int(annotator.max(initial=-1)) + 1) + annotator, return_inverse=True
    )
    seat_of_prompt, sitting = np.divmod(seats, int(annotator.max(initial=-1)) + 1)
    first_seat = np.searchsorted(seat_of_prompt, np.arange(int(prompt.max(initial=-1)) + 1))
    order = np.argsort(prompt, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    width = int(np.bincount(seat_of_prompt, minlength=1).max())
    marks = np.full((len(order), width), verdicts.MISSING, dtype=np.int8)
    marks[place[unit], seat - first_seat[prompt[unit]]] = score
    pairs, halves = np.zeros((2, len(seats)), dtype=np.int64)
    for of_prompt, counts, agreed in _by_chunk(marks, prompt[order], recipe or WritingPreference()):
        at = first_seat[of_prompt][:, None] + np.arange(width)
        among = counts > 0
        np.add.at(pairs, at[among], counts[among])
        np.add.at(halves, at[among], agreed[among])
    kept = pairs > 0
    return Compared(sitting[kept], seat_of_prompt[kept], pairs[kept], halves[kept])


def ceilings(
    found: Compared, group: Codes, groups: int, *, seed: str = SEED, replicates: int = REPLICATES
) -> list[Ceiling]:
    """By group of prompts, such as a genre (G,). `group` (P,) is that of each prompt, below 0 for none."""
    return [
        _ceiling(
            Compared(found.annotator[rows], found.prompt[rows], found.pairs[rows], found.halves[rows]),
            seed,
            replicates,
        )
        for rows in divided(group[found.prompt], groups)
    ]


# --- what is compared ------------------------------------------------------------------------------------


def _by_chunk(
    marks: Signed, prompt: Codes, recipe: WritingPreference
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """(prompts, pairs compared, agreements in halves), the last two by seat (prompts, S), pieces of a prompt apart.

    The rows of `marks` (U, S) stand in the order of their prompts.
    """
    rows = np.arange(len(marks))
    after = np.searchsorted(prompt, prompt, side="right") - rows - 1  # partners that a row has below it
    ends = np.cumsum(after)
    step = max(1, CELLS // marks.shape[1])
    for number in range(int(ends[-1]) // step + 1 if len(ends) else 0):
        some = rows[slice(*np.searchsorted(ends, (number * step, (number + 1) * step), side="right"))]
        first = np.repeat(some, after[some])
        if not first.size:
            continue
        begins = np.cumsum(after[some]) - after[some]
        second = np.arange(len(first)) - np.repeat(begins, after[some]) + first + 1
        pairs, agreed = _compare(marks[first], marks[second], recipe)
        starts = np.flatnonzero(np.r_[True, prompt[first][1:] != prompt[first][:-1]])
        yield (
            prompt[first][starts].astype(np.int64),
            np.add.reduceat(pairs, starts, axis=0, dtype=np.int64),
            np.add.reduceat(agreed, starts, axis=0, dtype=np.int64),
        )


def _compare(one: Signed, other: Signed, recipe: WritingPreference) -> tuple[Signed, Signed]:
    """By pair and seat (Q, S): whether it is compared, 0 or 1, and in how many halves it agrees."""
    both = (one != verdicts.MISSING) & (other != verdicts.MISSING)
    difference = np.where(both, one - other, 0).astype(np.int32)
    more, fewer = difference > 0, difference < 0
    total = difference.sum(axis=1, keepdims=True) - difference  # of the others
    for_one = more.sum(axis=1, keepdims=True, dtype=np.int32) - more
    for_other = fewer.sum(axis=1, keepdims=True, dtype=np.int32) - fewer
    k = both.sum(axis=1, keepdims=True, dtype=np.int32) - both
    votes = np.where(total > 0, for_one, for_other)
    accepted = both & (verdicts.reasons(k, np.abs(total), votes, recipe) == 0)
    halves = np.where(difference == 0, 1, HALVES * ((difference > 0) == (total > 0)))
    return accepted.astype(np.int8), np.where(accepted, halves, 0).astype(np.int8)


# --- rates and their mean --------------------------------------------------------------------------------


def _ceiling(found: Compared, seed: str, replicates: int) -> Ceiling:
    if not found.pairs.size:
        return Ceiling(None, reason="no_pair_of_the_others")
    prompts, place = np.unique(found.prompt, return_inverse=True)
    numbers, annotator = np.unique(found.annotator, return_inverse=True)
    counts = np.stack([found.halves, found.pairs], axis=1).astype(np.float64)
    members = [(place[rows], counts[rows]) for rows in divided(annotator, len(numbers))]
    value = float(_mean_rates(np.ones((1, len(prompts))), members)[0])
    low, high = None, None
    if len(prompts) > 1:
        random = bootstrap.generator(seed, "human_ceiling")
        drawn = bootstrap.resamples(random, len(prompts), None, replicates)
        means = np.concatenate([np.zeros(0), *(_mean_rates(weights, members) for weights in drawn)])
        low, high = bootstrap.interval(means) or (None, None)
    return Ceiling(value, low, high, len(numbers), int(found.pairs.sum()), len(prompts))


def _mean_rates(weights: Floats, members: list[tuple[Integers, Floats]]) -> Floats:
    """The mean over annotators of their rates (B,), with prompts weighted (B, C).

    Who is left without a pair has no rate in that replicate. Somebody has one: every prompt has a pair.
    """
    rates, people = np.zeros(len(weights)), np.zeros(len(weights))
    for place, counts in members:
        halves, pairs = bootstrap.weighted_sums(weights[:, place], counts).T
        rates += halves / (HALVES * np.maximum(pairs, 1))
        people += pairs > 0
    return np.asarray(rates / people)
