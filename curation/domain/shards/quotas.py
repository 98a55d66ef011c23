"""The quota of each stratum, part by part.

Where lengths mirror each other, couples go (caps.within_mirrored_quota). The i-th longer pair of a bucket and the i-th
of its mirror image both lie at a place or before it where as many as i of both sides do; so up to any place there are
as many couples as the smaller side has pairs, summed over the buckets, and the last place that stays is found by
counting.
"""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from curation.domain import caps
from curation.domain.shards import lowest
from curation.domain.shards.groups import Groups
from curation.domain.shards.lowest import Asked, Near
from curation.domain.shards.parts import Part

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def within_quota(groups: Groups, keep: Ints, quota: int, parts: Sequence[Part]) -> Ints:
    """How many pairs of each group (G,) stay of `keep`, so that no stratum has more than `quota`."""
    left = keep.copy()
    couples: dict[int, int] = {}  # that stay, by stratum
    for place in range(len(groups.strata)):
        inside = groups.stratum == place
        surplus = int(keep[inside].sum()) - quota
        if surplus <= 0:
            continue
        equal, longer = inside & (groups.bucket == 0), inside & (groups.bucket > 0)
        there = int(keep[longer].sum())
        couples_gone, equal_gone = caps.that_go(surplus, couples=there, equal=int(keep[equal].sum()))
        left[equal] -= equal_gone
        if couples_gone:
            couples[place] = there - couples_gone
    return _of_couples(groups, left, couples, parts) if couples else left


def _of_couples(groups: Groups, keep: Ints, couples: dict[int, int], parts: Sequence[Part]) -> Ints:
    strata = np.array(list(couples), dtype=np.int64)
    divided = np.isin(groups.stratum, strata) & (groups.bucket != 0) & (keep > 0)
    asked = Asked.of(groups, divided)
    bits = asked.bits()
    counts = asked.counts(parts, bits)
    at = np.zeros(asked.count, dtype=np.int64)
    sides = {place: _sides(asked, divided, place) for place in couples}
    for place, (longer, shorter) in sides.items():
        up_to = np.minimum(counts[longer], counts[shorter]).sum(axis=0)
        at[longer] = at[shorter] = np.searchsorted(up_to, couples[place])
    below = np.where(at > 0, counts[np.arange(len(at)), at - 1], 0)
    found = lowest.near(asked, parts, bits, at)
    left = keep.copy()
    for place, (longer, shorter) in sides.items():
        stay = _up_to_the_last(found, below, longer, shorter, couples[place])
        numbers = np.flatnonzero(divided)
        left[numbers[longer]] = left[numbers[shorter]] = stay
    return left


def _sides(asked: Asked, divided: Bools, place: int) -> tuple[Ints, Ints]:
    """The numbers of a stratum's longer groups, and those of their mirror images."""
    groups = asked.groups
    longer = np.flatnonzero(divided & (groups.stratum == place) & (groups.bucket > 0))
    return asked.number[longer], asked.number[groups.mirror[longer]]


def _up_to_the_last(found: Near, below: Ints, longer: Ints, shorter: Ints, couples: int) -> Ints:
    """How many couples of each bucket stay where so many of the stratum do."""
    inside = found.number[np.isin(found.number, np.concatenate((longer, shorter)))]

    def of_buckets(pairs: int) -> Ints:
        counts = below + np.bincount(inside[:pairs], minlength=len(below))
        up_to: Ints = np.minimum(counts[longer], counts[shorter])
        return up_to

    last = bisect_left(range(len(inside) + 1), couples, key=lambda pairs: int(of_buckets(pairs).sum()))
    return of_buckets(last)
