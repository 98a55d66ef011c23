"""Which pair goes first where not all can stay: a keyed hash of stable ids.

A priority depends on the seed and on two response ids alone, so it is the same whatever the order of rows,
the shard or the machine. One SHA-256 a response, then three multiplications a pair.
"""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

UInts = NDArray[np.uint64]
Ints = NDArray[np.int64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
AT_A_TIME = 2**14  # digests held at once


def hashes(seed: str, ids: Sequence[str]) -> UInts:
    """h of each response id: the first 8 bytes, big endian, of SHA-256(seed + ':' + id) over UTF-8."""
    keyed = sha256(f"{seed}:".encode())
    found = np.empty(len(ids), dtype=np.uint64)
    for start in range(0, len(ids), AT_A_TIME):
        digests = []
        for response_id in ids[start : start + AT_A_TIME]:
            digest = keyed.copy()
            digest.update(response_id.encode())
            digests.append(digest.digest())
        numbers = np.frombuffer(b"".join(digests), dtype=">u8")
        found[start : start + AT_A_TIME] = numbers[:: keyed.digest_size // numbers.itemsize]
    return found


def priorities(chosen: UInts, rejected: UInts) -> UInts:
    """The priority of each pair from the hashes of its two sides, all modulo 2^64.

    The output function of SplitMix64 (Steele, Lea and Flood 2014) without its increment.
    """
    mixed: UInts = chosen + GOLDEN * rejected
    mixed = (mixed ^ (mixed >> np.uint64(30))) * MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(27))) * MIX_2
    mixed ^= mixed >> np.uint64(31)
    return mixed


def places(priority: UInts, chosen: Ints, rejected: Ints) -> Ints:
    """The place of each pair, from 0, in ascending priority; ties go by (chosen, rejected).

    `chosen` and `rejected` are the ranks of the response ids in the order of their bytes.
    """
    order = np.argsort(priority)
    ascending = priority[order]
    if (ascending[1:] == ascending[:-1]).any():  # hardly ever: a priority has 64 bits
        order = np.lexsort((rejected, chosen, priority))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place
