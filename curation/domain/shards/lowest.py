"""The pairs of lowest priority of each group, without holding all of them: what stands below a priority is counted
first, and only what lies about the last place that stays is looked at one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curation.domain.priority import UInts
from curation.domain.shards.groups import Groups
from curation.domain.shards.parts import Part

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

HELD = 2**21  # pairs that may be looked at one by one without counting first
COUNTED = 2**20  # numbers in a table of counts
MOST_BITS = 12
ALL_BITS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The groups of which a last place is sought: a number from 0 for each, or -1 for those left alone (G,)."""

    groups: Groups
    number: Ints

    @classmethod
    def of(cls, groups: Groups, which: Bools) -> "Asked":
        return cls(groups, np.where(which, np.cumsum(which) - 1, -1))

    @property
    def count(self) -> int:
        return int(self.number.max(initial=-1)) + 1

    def bits(self) -> int:
        """By how many of its leading bits a priority is counted before pairs are looked at; 0: at once."""
        pairs = int(self.groups.pairs[self.number >= 0].sum())
        if pairs <= HELD:
            return 0
        return max(0, min(MOST_BITS, (COUNTED // max(self.count, 1)).bit_length() - 1))

    def counts(self, parts: Sequence[Part], bits: int) -> Ints:
        """How many pairs of each asked group have priorities up to and with each value of the leading bits."""
        bins = 1 << bits
        counts = np.zeros(self.count * bins, dtype=np.int64)
        if bits:
            for _, part, rows, number in self.rows(parts):
                keys = number * bins + _leading(part.priority[rows], bits)
                counts += np.bincount(keys, minlength=len(counts))
        else:
            counts += self.groups.pairs[self.number >= 0]
        return np.cumsum(counts.reshape(self.count, bins), axis=1)

    def rows(self, parts: Sequence[Part]) -> Iterator[tuple[int, Part, Ints, Ints]]:
        """Of each part its place, the pairs that are of asked groups, and the numbers of these groups."""
        for place, part in enumerate(parts):
            number = self.number[self.groups.of(part)]
            rows = np.flatnonzero(number >= 0)
            yield place, part, rows, number[rows]


def _leading(priority: UInts, bits: int) -> Ints:
    """The leading bits, as a number; one bit or more."""
    return (priority >> np.uint64(ALL_BITS - bits)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Pairs about the last places, in ascending order of theirs: group asked, priority, and the two ids of those that
    share a priority with another."""

    number: Ints
    priority: UInts
    ids: dict[int, tuple[str, str]]


def near(asked: Asked, parts: Sequence[Part], bits: int, at: Ints) -> Near:
    """The pairs whose leading bits are those that `at` (A,) gives for their group."""
    numbers, priorities = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint64)]
    where: list[Ints] = [np.zeros((0, 2), dtype=np.int64)]
    for place, part, rows, number in asked.rows(parts):
        inside = np.arange(len(rows))
        if bits:
            inside = np.flatnonzero(_leading(part.priority[rows], bits) == at[number])
        numbers.append(number[inside])
        priorities.append(part.priority[rows[inside]])
        where.append(np.stack((np.full(len(inside), place), rows[inside]), axis=1))
    number, priority, places = np.concatenate(numbers), np.concatenate(priorities), np.concatenate(where)
    order = np.argsort(priority)
    tied = _tied(priority[order])
    if not tied.any():  # nearly always: a priority has 64 bits
        return Near(number[order], priority[order], {})
    names = _ids(parts, places, order[tied])
    ranks = np.zeros(len(order), dtype=np.int64)
    for rank, row in enumerate(sorted(names, key=names.__getitem__)):
        ranks[row] = rank
    order = np.lexsort((ranks, priority))
    ids = {place: names[row] for place, row in enumerate(order.tolist()) if row in names}
    return Near(number[order], priority[order], ids)


def _tied(ascending: UInts) -> Bools:
    same = ascending[1:] == ascending[:-1]
    tied = np.zeros(len(ascending), dtype=np.bool_)
    tied[1:] |= same
    tied[:-1] |= same
    return tied


def _ids(parts: Sequence[Part], places: Ints, rows: Ints) -> dict[int, tuple[str, str]]:
    found = {}
    for place in np.unique(places[rows, 0]).tolist():
        part = parts[place]
        for row in rows[places[rows, 0] == place].tolist():
            found[row] = part.ids(int(places[row, 1]))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Which pairs stay: of each group (G,) all or none, or those up to a priority and, of the ones that have just that
    priority, up to two ids."""

    groups: Groups
    whole: Bools
    cut: Bools
    priority: UInts
    ids: dict[int, tuple[str, str]]

    def stays(self, part: Part) -> Bools:
        group = self.groups.of(part)
        last = self.priority[group]
        stays: Bools = self.whole[group] | (self.cut[group] & (part.priority <= last))
        if self.ids:
            for row in np.flatnonzero(self.cut[group] & (part.priority == last)).tolist():
                ids = self.ids.get(int(group[row]))
                stays[row] = ids is None or part.ids(row) <= ids
        return stays


def bounds(groups: Groups, keep: Ints, parts: Sequence[Part]) -> Bounds:
    """What leaves `keep` (G,) pairs of each group, those of lowest priority."""
    cut = (keep > 0) & (keep < groups.pairs)
    asked = Asked.of(groups, cut)
    priority, ids = np.zeros(len(keep), dtype=np.uint64), {}
    if asked.count:
        bits = asked.bits()
        counts = asked.counts(parts, bits)
        wanted = keep[cut]
        at = (counts < wanted[:, None]).sum(axis=1)
        below = np.where(at > 0, counts[np.arange(len(at)), at - 1], 0)
        found = near(asked, parts, bits, at)
        by_group = np.argsort(found.number, kind="stable")
        starts = np.searchsorted(found.number[by_group], np.arange(asked.count))
        last = by_group[starts + wanted - below - 1]
        priority[cut] = found.priority[last]
        places = np.flatnonzero(cut)
        ids = {
            int(places[number]): found.ids[row]
            for number, row in enumerate(last.tolist())
            if row in found.ids
        }
    return Bounds(groups, keep == groups.pairs, cut, priority, ids)
