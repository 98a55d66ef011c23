"""Length-symmetry pruning: among the pairs that stay, the longer side wins exactly as often as the shorter.

D is length(chosen) - length(rejected). Its magnitude falls into buckets of width w, ((m-1)w, mw] for m = 1,
2, ..., mirrored by construction; in each as many stay where the chosen side is longer as where it is shorter.
D = 0 is a class of its own and stays whole. Half-open bins, as of numpy.histogram, are no mirror images.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
UInts = NDArray[np.uint64]
Bools = NDArray[np.bool_]

MOST_16 = 2**15


@dataclass(frozen=True, slots=True)
class Sides:
    """How many pairs have a longer, a shorter or an equally long chosen side."""

    longer: int
    shorter: int
    equal: int

    def as_dict(self) -> dict[str, int]:
        return {"longer": self.longer, "shorter": self.shorter, "equal": self.equal}


@dataclass(frozen=True, slots=True)
class Symmetry:
    """What pruning saw and left in one stratum: L = max|D| before it, and the width 2L/buckets.

    The width is kept with the pairs: pruning them again with it changes nothing, with a new one it would.
    """

    stratum: tuple[tuple[str, str], ...]
    longest: int
    width: Fraction
    before: Sides
    kept: Sides

    def as_dict(self) -> dict[str, object]:
        """JSON values; the width as [numerator, denominator]."""
        return {
            "stratum": dict(self.stratum),
            "longest": self.longest,
            "width": [self.width.numerator, self.width.denominator],
            "before": self.before.as_dict(),
            "kept": self.kept.as_dict(),
        }


def bucket_width(differences: Ints, buckets: int) -> Fraction:
    """w = 2L/buckets, exactly; 0 where no two lengths differ."""
    longest = int(np.abs(differences).max(initial=0))
    return Fraction(2 * longest, buckets)


def buckets_of(differences: Ints, width: Fraction) -> Ints:
    """sign(D) * ceil(|D| / w), in integers; all 0 where w is 0."""
    buckets = np.zeros(len(differences), dtype=np.int64)
    if width:
        magnitudes = -(-np.abs(differences) * width.denominator // width.numerator)
        np.multiply(np.sign(differences), magnitudes, out=buckets)
    return buckets


def turns(groups: Ints, place: Ints) -> Ints:
    """The turn of each pair within its group, from 0, in ascending place."""
    # One key for both, which sorts faster than two: groups and places are far below 2^31.
    order = np.argsort((groups - groups.min(initial=0)) * (place.max(initial=0) + 1) + place)
    ordered = groups[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    sizes = np.diff(starts, append=len(order))
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    return turn


def kept(buckets: Ints, place: Ints | UInts, then: Sequence[Ints] = ()) -> Bools:
    """Which pairs stay: the min(n+, n-) of lowest place in each bucket and its mirror image; all of D = 0.

    Where two have the same place the columns `then` decide, the first of them first.
    """
    half = int(np.abs(buckets).max(initial=0))
    pairs = np.bincount(buckets + half, minlength=2 * half + 1)
    keep = np.minimum(pairs, pairs[::-1])
    stays = np.ones(len(buckets), dtype=np.bool_)
    too_many = pairs > keep
    over = np.flatnonzero(too_many[buckets + half])
    # Numbers of two bytes are sorted by their digits, several times as fast as longer ones.
    narrow = buckets[over].astype(np.int16 if half < MOST_16 else np.int64)
    over = over[np.argsort(narrow, kind="stable")]
    ends = np.cumsum(pairs[too_many])
    for end, size, number in zip(
        ends.tolist(), pairs[too_many].tolist(), keep[too_many].tolist(), strict=True
    ):
        rows = over[end - size : end]
        stays[rows] = _lowest(place[rows], number, rows, then)
    return stays


def _lowest(place: Ints | UInts, number: int, rows: Ints, then: Sequence[Ints]) -> Bools:
    """Which of these rows are the so many of lowest place, fewer than there are."""
    if not number:
        return np.zeros(len(place), dtype=np.bool_)
    last = np.partition(place, number - 1)[number - 1]
    stays: Bools = place <= last
    surplus = int(stays.sum()) - number
    if surplus:
        equal = np.flatnonzero(place == last)
        equal = equal[np.lexsort([column[rows[equal]] for column in reversed(then)])]
        stays[equal[len(equal) - surplus :]] = False
    return stays


def sides(differences: Ints) -> Sides:
    longer, shorter = int((differences > 0).sum()), int((differences < 0).sum())
    return Sides(longer, shorter, len(differences) - longer - shorter)


def summary(stratum: tuple[tuple[str, str], ...], width: Fraction, *, before: Ints, after: Ints) -> Symmetry:
    """The account of one stratum from the differences before and after pruning."""
    longest = int(np.abs(before).max(initial=0))
    return Symmetry(stratum, longest, width, sides(before), sides(after))
