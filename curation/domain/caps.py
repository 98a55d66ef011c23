"""Limits on how many pairs stay: per response, per prompt, per stratum.

Each takes pairs by their place, lowest first (priority.places), and says which stay.
"""

import numpy as np
from numpy.typing import NDArray

from curation.domain.length_symmetry import turns

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def within_response_cap(chosen: Ints, rejected: Ints, place: Ints, cap: int) -> Bools:
    """A pair is taken while both of its responses stand in fewer taken pairs than the cap."""
    # Each decision rests on all earlier ones, so this is a loop over pairs and not an array operation.
    order = np.argsort(place)
    taken = [0] * (1 + max(int(chosen.max(initial=-1)), int(rejected.max(initial=-1))))
    stays = np.zeros(len(place), dtype=np.bool_)
    for pair, one, other in zip(order, chosen[order].tolist(), rejected[order].tolist(), strict=True):
        if taken[one] < cap and taken[other] < cap:
            taken[one] += 1
            taken[other] += 1
            stays[pair] = True
    return stays


def within_prompt_cap(prompt: Ints, place: Ints, cap: int) -> Bools:
    """The first `cap` pairs of each prompt."""
    return turns(prompt, place) < cap


def within_quota(place: Ints, quota: int) -> Bools:
    """The first `quota` pairs of a stratum whose lengths need not mirror each other."""
    return np.argsort(np.argsort(place)) < quota


def within_mirrored_quota(bucket: Ints, place: Ints, quota: int) -> Bools:
    """The pairs of a pruned stratum that stay under the quota, so that the symmetry stays exact.

    The i-th longer pair of a bucket and the i-th of its mirror image are a couple, whose place is the later
    of the two. Couples go in descending place, then one pair of D = 0 if the surplus is odd; without one, a
    further couple, which leaves one pair fewer than the quota; without couples, pairs of D = 0.
    """
    stays = np.ones(len(place), dtype=np.bool_)
    surplus = len(place) - quota
    if surplus <= 0:
        return stays
    couples = _couples(bucket, place)
    equal = np.flatnonzero(bucket == 0)
    equal = equal[np.argsort(-place[equal])]
    n_couples, n_equal = that_go(surplus, couples=len(couples), equal=len(equal))
    stays[couples[:n_couples]] = False
    stays[equal[:n_equal]] = False
    return stays


def that_go(surplus: int, *, couples: int, equal: int) -> tuple[int, int]:
    """How many couples and how many pairs of D = 0 go, of as many as there are."""
    n_couples = min(surplus // 2, couples)
    n_equal = min(surplus - 2 * n_couples, equal)
    return n_couples + (surplus - 2 * n_couples - n_equal) % 2, n_equal


def _couples(bucket: Ints, place: Ints) -> Ints:
    """Couples x 2 (longer, shorter), indices of pairs, in descending order of the couple's place."""
    turn = turns(bucket, place)
    longer, shorter = np.flatnonzero(bucket > 0), np.flatnonzero(bucket < 0)
    longer = longer[np.lexsort((turn[longer], bucket[longer]))]
    shorter = shorter[np.lexsort((turn[shorter], -bucket[shorter]))]
    latest = np.maximum(place[longer], place[shorter])
    return np.stack((longer, shorter), axis=1)[np.argsort(-latest)]
