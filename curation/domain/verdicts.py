"""What the scores of one prompt say about every two of its responses: rules 3 to 7, in whole numbers only.

Two responses with the same row of scores get the same verdicts, and a panel of three has few different rows;
so each verdict is reached once for two rows and looked up for all candidates that share them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curation.domain.recipes import WritingPreference

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Marks = NDArray[np.int8]  # responses x annotators: the score, + REVISED if it was, or MISSING
Codes = NDArray[np.uint8]
Bools = NDArray[np.bool_]

MISSING = -1
REVISED = 4  # added to a score that its annotator changed by LARGE_REVISION or more
LARGE_REVISION = 2
POLAR = 2  # a contrary difference this large
LOW_MEAN = 2  # a chosen response with a mean below this

FLAGS = ("contrary", "polarised", "low_chosen", "k2", "zero_score", "self_disagreement")
CHUNK = 2**19  # verdicts and candidates held at once


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the scores say, one entry of each column a candidate (or, in a table, two rows of scores).

    `reason` is the place of the reason among the recipe's, from 1, or 0. The others speak of the pair that it
    would make: whether the first of the two is the chosen one, votes, k, the gap as a sum of differences, the
    chosen side's scores over the common annotators as a sum, and bit i of `flags` for FLAGS[i].
    """

    reason: Codes
    first_chosen: Bools
    votes_for: Counts
    votes_against: Counts
    k: Counts
    gap: Counts
    sum_chosen: Counts
    flags: Codes

    def at(self, cells: Ints) -> "Verdicts":
        return Verdicts(
            self.reason[cells],
            self.first_chosen[cells],
            self.votes_for[cells],
            self.votes_against[cells],
            self.k[cells],
            self.gap[cells],
            self.sum_chosen[cells],
            self.flags[cells],
        )


def verdicts(marks: Marks, recipe: WritingPreference) -> Iterator[tuple[Ints, Ints, Verdicts]]:
    """(first, second, what the scores say) of all candidates of a prompt, in chunks.

    first < second are rows of `marks`; candidates come in ascending order of them.
    """
    count = len(marks)
    rows, kind = np.unique(marks, axis=0, return_inverse=True)
    step = max(1, CHUNK // max(count, 1))
    for start in range(0, count - 1, step):
        first, second = _candidates(start, min(start + step, count - 1), count)
        kinds, place = np.unique(kind[start : start + step], return_inverse=True)
        table = _table(_Tally(rows[kinds], rows), recipe)
        yield first, second, table.at(place[first - start] * len(rows) + kind[second])


def _candidates(start: int, stop: int, count: int) -> tuple[Ints, Ints]:
    """All (first, second) with start <= first < stop and first < second < count."""
    firsts = np.arange(start, stop)
    sizes = count - 1 - firsts
    first = np.repeat(firsts, sizes)
    offset = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return first, np.arange(len(first)) - offset + first + 1


class _Tally:
    """Sums over the common annotators of every two rows, one from each set; every member is rows x others."""

    def __init__(self, rows: Marks, others: Marks) -> None:
        shape = (len(rows), len(others))
        self.k = np.zeros(shape, dtype=np.int32)
        self.total = np.zeros(shape, dtype=np.int32)  # of the differences
        self.row_sum = np.zeros(shape, dtype=np.int32)
        self.more = np.zeros(shape, dtype=np.int32)  # annotators who prefer the row
        self.fewer = np.zeros(shape, dtype=np.int32)
        self.lowest = np.zeros(shape, dtype=np.int8)  # difference, or 0
        self.highest = np.zeros(shape, dtype=np.int8)
        self.row_zero = np.zeros(shape, dtype=np.bool_)
        self.other_zero = np.zeros(shape, dtype=np.bool_)
        self.revised = np.zeros(shape, dtype=np.bool_)
        for row_marks, other_marks in zip(rows.T, others.T, strict=True):
            self._add(row_marks, other_marks)

    def _add(self, row_marks: Marks, other_marks: Marks) -> None:
        """One annotator. Only rows with a mark are touched: the table of a large pool is mostly empty."""
        mine, theirs = np.flatnonzero(row_marks != MISSING), np.flatnonzero(other_marks != MISSING)
        both = np.ix_(mine, theirs)
        row, other = row_marks[mine][:, None], other_marks[theirs][None, :]
        score, against = row % REVISED, other % REVISED
        difference = score - against
        self.k[both] += 1
        self.total[both] += difference
        self.row_sum[both] += score
        self.more[both] += difference > 0
        self.fewer[both] += difference < 0
        self.lowest[both] = np.minimum(self.lowest[both], difference)
        self.highest[both] = np.maximum(self.highest[both], difference)
        self.row_zero[both] |= score == 0
        self.other_zero[both] |= against == 0
        self.revised[both] |= (row >= REVISED) | (other >= REVISED)


def _table(tally: _Tally, recipe: WritingPreference) -> Verdicts:
    """The verdict on every two rows, flattened."""
    row_chosen = tally.total > 0
    gap = np.abs(tally.total)
    votes_for = np.where(row_chosen, tally.more, tally.fewer)
    sum_chosen = np.where(row_chosen, tally.row_sum, tally.row_sum - tally.total)
    return Verdicts(
        reason=reasons(tally.k, gap, votes_for, recipe).ravel(),
        first_chosen=row_chosen.ravel(),
        votes_for=votes_for.ravel(),
        votes_against=np.where(row_chosen, tally.fewer, tally.more).ravel(),
        k=tally.k.ravel(),
        gap=gap.ravel(),
        sum_chosen=sum_chosen.ravel(),
        flags=_flags(tally, row_chosen, sum_chosen).ravel(),
    )


def _flags(tally: _Tally, row_chosen: Bools, sum_chosen: Counts) -> Codes:
    contrary_by = np.where(row_chosen, -tally.lowest, tally.highest)
    raised = {
        "contrary": contrary_by > 0,
        "polarised": contrary_by >= POLAR,
        "low_chosen": sum_chosen < LOW_MEAN * tally.k,
        "k2": tally.k == 2,
        "zero_score": np.where(row_chosen, tally.row_zero, tally.other_zero),
        "self_disagreement": tally.revised,
    }
    flags = np.zeros(sum_chosen.shape, dtype=np.uint8)
    for bit, name in enumerate(FLAGS):
        flags |= raised[name].astype(np.uint8) << bit
    return flags


def reasons(k: Counts, gap: Counts, votes_for: Counts, recipe: WritingPreference) -> Codes:
    """The first of the recipe's reasons that rest on scores alone, by its place from 1, or 0."""
    needed = np.maximum(2, -(-2 * k // 3))
    # 64 bits: the terms of a fraction such as 1234567/1000000 are multiplied in.
    least = k.astype(np.int64) * recipe.min_gap.numerator
    reached = gap.astype(np.int64) * recipe.min_gap.denominator >= least
    failed = {
        "insufficient_overlap": k < recipe.min_common,
        "no_gap": gap == 0,
        "direction": votes_for < needed,
        "unanimity": (votes_for < k) & recipe.unanimous,
        "gap": ~reached | (gap == 0),
    }
    codes = {name: np.uint8(code) for code, name in enumerate(recipe.reasons, start=1) if name in failed}
    return np.select([failed[name] for name in codes], list(codes.values()), np.uint8(0))
