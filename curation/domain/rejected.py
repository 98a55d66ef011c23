"""Which rejected candidates are kept to be written: all of them, a sample, or none.

A sample are the candidates of lowest priority, a fixed number of them; their lower id as bytes counts as the first
side. So it is the same whatever the order of rows, and no reason is drawn more often than its share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from curation.domain import priority
from curation.domain.priority import UInts
from curation.domain.standing import Codes, Counts, Outcomes, Sample

Keep = Literal["all", "sample", "none"] | None  # None: all up to MOST, a sample above it

MOST = 5_000_000  # rejected candidates
SAMPLE = 100_000
SEED = "plumb-1"  # where a recipe has none
HELD = 4 * SAMPLE  # candidates held while a sample is drawn


def outcomes(reasons: tuple[str, ...], keep: Keep, *, ids: Sequence[str], seed: str) -> Outcomes:
    """What takes rejected candidates; `ids` are those of the responses by rank."""
    if keep in ("all", "none"):
        return Outcomes(reasons, kept=keep == "all")
    return Sampled(reasons, ids=ids, seed=seed, most=SAMPLE if keep == "sample" else MOST)


@dataclass(slots=True)
class Sampled(Outcomes):
    """All of them up to `most`; SAMPLE of them where there are more."""

    ids: Sequence[str] = ()
    seed: str = ""
    most: int = MOST
    held: int = 0
    hashes: UInts | None = None  # once there are too many
    bound: np.uint64 = field(default=np.uint64(2**64 - 1))  # no priority above it can be in the sample

    def keep(self, a: Counts, b: Counts, codes: Codes) -> None:
        if self.hashes is not None:
            low = np.flatnonzero(self._priorities(a, b, self.hashes) <= self.bound)
            a, b, codes = a[low], b[low], codes[low]
        Outcomes.keep(self, a, b, codes)
        self.held += len(codes)
        if self.held > (self.most if self.hashes is None else HELD):
            self._draw()

    def in_order(self) -> tuple[Counts, Counts, Codes]:
        if self.hashes is not None:
            self._draw()
        return Outcomes.in_order(self)

    def sample(self) -> Sample | None:
        if self.hashes is None:
            return None
        return Sample(SAMPLE, int(self.counts[1:].sum()), self.seed)

    def _draw(self) -> None:
        """Keep the sample of what is held."""
        if self.hashes is None:
            self.hashes = priority.hashes(self.seed, self.ids)
        a, b, codes = np.concatenate(self.a), np.concatenate(self.b), np.concatenate(self.codes)
        of = self._priorities(a, b, self.hashes)
        if len(of) > SAMPLE:
            self.bound = np.partition(of, SAMPLE - 1)[SAMPLE - 1]
            low = np.flatnonzero(of <= self.bound)
            # Of those that share the last priority, the first by id.
            low = low[np.lexsort((b[low], a[low], of[low]))[:SAMPLE]]
            a, b, codes = a[low], b[low], codes[low]
        self.a, self.b, self.codes, self.held = [a], [b], [codes], len(a)

    def _priorities(self, a: Counts, b: Counts, hashes: UInts) -> UInts:
        return priority.priorities(hashes[a], hashes[b])
