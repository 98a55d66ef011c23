"""What a shard counted: candidates and why they fell, how lengths came about, and every difference of lengths.

Tallies add up: that of a whole project is the sum of those of its parts, in any order.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from curation.domain.ranked import Measure, Stratum
from curation.domain.shards import sealed

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """How many standing pairs have each D in each stratum: entries (E,) in ascending order of both, each once.

    `stratum` is a place in `strata`, which ascends.
    """

    strata: tuple[Stratum, ...] = ()
    stratum: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    difference: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    pairs: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def of(self, place: int) -> tuple[Ints, Ints]:
        """Differences and numbers of pairs of one stratum."""
        inside = self.stratum == place
        return self.difference[inside], self.pairs[inside]


def counted(
    strata: Sequence[Stratum], stratum: Ints, difference: Ints, pairs: Ints | None = None
) -> Differences:
    """Differences from rows in any order, of which some may be alike; strata without a row are left out."""
    names = sorted({strata[place] for place in np.flatnonzero(np.bincount(stratum)).tolist()})
    places = {name: place for place, name in enumerate(names)}
    new_place = np.array([places.get(name, -1) for name in strata], dtype=np.int64)
    lowest = int(difference.min(initial=0))
    span = int(difference.max(initial=0)) - lowest + 1
    keys = new_place[stratum] * span + (difference - lowest)
    most = span * max(len(names), 1)
    if pairs is None and most <= len(keys):  # many pairs of few differences, as in a shard
        numbers = np.bincount(keys)
        found = np.flatnonzero(numbers)
        numbers = numbers[found]
    else:
        found, entry = np.unique(keys, return_inverse=True)
        numbers = np.zeros(len(found), dtype=np.int64)
        np.add.at(numbers, entry, 1 if pairs is None else pairs)
    return Differences(tuple(names), found // span, found % span + lowest, numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """`rejected` has every reason of the recipe."""

    candidates: int
    rejected: Mapping[str, int]
    lengths: Measure
    differences: Differences

    def to_bytes(self) -> bytes:
        found = self.differences
        names = {
            "candidates": self.candidates,
            "rejected": dict(self.rejected),
            "counted": dict(self.lengths.counted),
            "given": self.lengths.given,
            "strata": found.strata,
        }
        columns = {
            "stratum": sealed.narrow(found.stratum),
            "difference": found.difference,
            "pairs": sealed.narrow(found.pairs),
        }
        return sealed.sealed(names, columns)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Tally":
        """sealed.Damaged where a byte is missing or another."""
        names, columns = sealed.opened(content)
        return cls(
            candidates=names["candidates"],
            rejected=names["rejected"],
            lengths=Measure(names["counted"], names["given"]),
            differences=Differences(
                strata_of(names["strata"]),
                *(columns[name].astype(np.int64) for name in ("stratum", "difference", "pairs")),
            ),
        )


def strata_of(read: Iterable[Iterable[Sequence[str]]]) -> tuple[Stratum, ...]:
    """Strata as JSON gives them back."""
    return tuple(tuple((name, value) for name, value in stratum) for stratum in read)


def total(tallies: Sequence[Tally], reasons: Sequence[str]) -> Tally:
    """The sum of tallies; `reasons` are those of the recipe, in its order."""
    units = sum((Counter(tally.lengths.counted) for tally in tallies), Counter[str]())
    found = [tally.differences for tally in tallies]
    strata = [name for each in found for name in each.strata]
    starts = np.cumsum([0, *(len(each.strata) for each in found)])
    together = Differences()
    if strata:
        together = counted(
            strata,
            np.concatenate([each.stratum + start for each, start in zip(found, starts, strict=False)]),
            np.concatenate([each.difference for each in found]),
            np.concatenate([each.pairs for each in found]),
        )
    return Tally(
        candidates=sum(tally.candidates for tally in tallies),
        rejected={reason: sum(tally.rejected[reason] for tally in tallies) for reason in reasons},
        lengths=Measure(dict(units), sum(tally.lengths.given for tally in tallies)),
        differences=together,
    )
