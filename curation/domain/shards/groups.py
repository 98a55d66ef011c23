"""The groups within which pairs are weighed against each other: strata, and their buckets of D where lengths are to
mirror each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from curation.domain import length_symmetry
from curation.domain.length_symmetry import Sides, Symmetry
from curation.domain.ranked import Stratum
from curation.domain.shards.parts import Part
from curation.domain.shards.tallies import Differences

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Every group that has pairs (G,), in ascending order: its stratum's place in `strata`, its bucket (0 where lengths
    need not mirror each other), how many pairs it has, and the place of its mirror image, or -1.

    `longest` and `widths` are those of the strata.
    """

    strata: tuple[Stratum, ...]
    longest: tuple[int, ...]
    widths: tuple[Fraction, ...]
    half: int  # buckets a side
    stratum: Ints
    bucket: Ints
    pairs: Ints
    mirror: Ints

    def of(self, part: Part) -> Ints:
        """The group of each pair of a part (N,)."""
        difference, kinds = part.difference, len(part.strata)
        lowest = int(difference.min(initial=0))
        span = int(difference.max(initial=0)) - lowest + 1
        if span * kinds > len(part):
            return self._of(part.strata, part.stratum, difference)
        # Many pairs have the same difference: each is looked up in a table of all that there may be.
        table = self._of(
            part.strata, np.repeat(np.arange(kinds), span), np.tile(np.arange(lowest, lowest + span), kinds)
        )
        found: Ints = table[part.stratum * span + (difference - lowest)]
        return found

    def _of(self, strata: Sequence[Stratum], stratum: Ints, difference: Ints) -> Ints:
        """The groups of pairs whose strata are places in `strata`; any number where there is none."""
        places = {name: place for place, name in enumerate(self.strata)}
        place_of = np.array([places[name] for name in strata], dtype=np.int64)[stratum]
        buckets = np.zeros(len(difference), dtype=np.int64)
        if self.half:
            for place in np.unique(place_of).tolist():
                inside = np.flatnonzero(place_of == place)
                buckets[inside] = length_symmetry.buckets_of(difference[inside], self.widths[place])
        keys = _keys(self.stratum, self.bucket, self.half)
        found: Ints = np.searchsorted(keys, _keys(place_of, buckets, self.half))
        return found

    def mirrored(self) -> Ints:
        """How many pairs of each group have a mirror image (G,): all of D = 0."""
        there = np.where(self.mirror >= 0, self.pairs[self.mirror], 0)
        return np.minimum(self.pairs, there)

    def symmetry(self, differences: Differences, keep: Ints) -> tuple[Symmetry, ...]:
        """The account of every stratum; `keep` (G,) are the pairs of each group that pruning leaves."""
        return tuple(self._account(place, differences, keep) for place in range(len(self.strata)))

    def _account(self, place: int, differences: Differences, keep: Ints) -> Symmetry:
        found, pairs = differences.of(place)
        inside = self.stratum == place
        return Symmetry(
            stratum=self.strata[place],
            longest=self.longest[place],
            width=self.widths[place],
            before=_sides(found, pairs),
            kept=_sides(self.bucket[inside], keep[inside]),
        )


def groups_of(differences: Differences, buckets: int | None) -> Groups:
    """The groups of all pairs; `buckets` is None where lengths need not mirror each other."""
    longest, widths, keys, pairs = [], [], [], []
    half = (buckets or 0) // 2
    for place in range(len(differences.strata)):
        found, numbers = differences.of(place)
        longest.append(int(np.abs(found).max(initial=0)))
        widths.append(length_symmetry.bucket_width(found, buckets) if buckets else Fraction(0))
        of_found = length_symmetry.buckets_of(found, widths[-1])
        keys.append(_keys(np.full(len(found), place), of_found, half))
        pairs.append(numbers)
    every, entry = np.unique(_joined(keys), return_inverse=True)
    totals = np.zeros(len(every), dtype=np.int64)
    np.add.at(totals, entry, _joined(pairs))
    span = 2 * half + 1
    stratum, bucket = every // span, every % span - half
    mirrored = _keys(stratum, -bucket, half)
    at = np.minimum(np.searchsorted(every, mirrored), max(len(every) - 1, 0))
    mirror = np.where(every[at] == mirrored, at, -1)
    return Groups(differences.strata, tuple(longest), tuple(widths), half, stratum, bucket, totals, mirror)


def _keys(stratum: Ints, bucket: Ints, half: int) -> Ints:
    return stratum * (2 * half + 1) + bucket + half


def _joined(pieces: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *pieces])


def _sides(signs: Ints, pairs: Ints) -> Sides:
    longer, shorter = int(pairs[signs > 0].sum()), int(pairs[signs < 0].sum())
    return Sides(longer, shorter, int(pairs.sum()) - longer - shorter)
