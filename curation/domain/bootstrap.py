"""The keyed percentile bootstrap: which rows are drawn how often, and where 95 % of the results lie.

A statistic that can be computed from weighted rows is resampled by weights alone: a replicate gives each row
the number of times that it was drawn. Equal rows may be handed over as one row with a multiplicity; the
number of draws that fall on it is then multinomial, which is the same law at the cost of one draw.
"""

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DRAWS = 2**14  # drawn at a time: what is made of them stays in the innermost cache
CELLS = 2**19  # weights held at a time: memory does not grow with the replicates, and stays in the cache
PRODUCTS = 2**18  # multiplications that BLAS libraries still do in one thread


def generator(seed: str, key: str) -> np.random.Generator:
    """A generator of its own for each statistic, so that a result does not hang on what else was computed."""
    digest = hashlib.sha256(f"{seed}:{key}".encode("utf-8", "surrogatepass")).digest()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big"))))


def resamples(
    random: np.random.Generator, rows: int, multiplicity: Integers | None, replicates: int
) -> Iterator[Floats]:
    """Weights of the rows (block, rows), in blocks that together hold that many replicates.

    `multiplicity` (rows,) says how many equal rows each stands for; None: one each. A replicate draws as many
    rows, with replacement, as there are. The draws do not depend on the size of the blocks.
    """
    size = max(1, CELLS // rows)
    for start in range(0, replicates, size):
        block = min(size, replicates - start)
        if multiplicity is None:
            weights = np.empty((block, rows))
            step = max(1, DRAWS // rows)
            for first in range(0, block, step):
                some = weights[first : first + step]
                some[:] = _times_drawn(random, rows, len(some))
            yield weights
        else:
            total = int(multiplicity.sum())
            yield random.multinomial(total, multiplicity / total, size=block).astype(np.float64)


def weighted_sums(weights: Floats, features: Floats) -> Floats:
    """weights (B, rows) @ features (rows, K).

    In pieces too small for several threads: to wake and to park them for each block takes longer than the
    products do, and the cores are wanted elsewhere.
    """
    step = max(1, PRODUCTS // (len(weights) * features.shape[1]))
    sums = np.zeros((len(weights), features.shape[1]))
    for start in range(0, len(features), step):
        sums += weights[:, start : start + step] @ features[start : start + step]
    return sums


def interval(replicates: Floats) -> tuple[float, float] | None:
    """The middle 95 % of the replicates; None where there are none.

    Both ends are values that a replicate had: the k-th from below and the k-th from above, k being 2.5 % of
    the number of replicates plus one (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section
    12.5). Below 79 replicates that is the smallest and the largest.
    """
    if not replicates.size:
        return None
    k = max(1, (replicates.size + 1) // 40)
    ascending = np.sort(replicates)
    return float(ascending[k - 1]), float(ascending[-k])


def _times_drawn(random: np.random.Generator, rows: int, replicates: int) -> Integers:
    """How often each row is drawn (replicates, rows).

    The raw stream of a bit generator never changes between versions of NumPy, what is made of it may; so the
    draws are made here. Of 32 random bits times `rows` the upper half is the row, even to one part in
    2**32 / rows. A replicate begins with a word of 64 bits of its own.
    """
    words = random.bit_generator.random_raw(replicates * ((rows + 1) // 2)).astype("<u8", copy=False)
    drawn = words.view("<u4").reshape(replicates, -1)[:, :rows].astype(np.uint64)
    drawn *= np.uint64(rows)
    drawn >>= np.uint64(32)
    if replicates > 1:  # each counts in rows of its own
        drawn += np.arange(0, replicates * rows, rows, dtype=np.uint64)[:, None]
    times = np.bincount(drawn.view(np.int64).ravel(), minlength=replicates * rows)
    return times.reshape(replicates, rows)
