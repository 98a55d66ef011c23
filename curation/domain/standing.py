"""Pairs that stand so far, and candidates that fell, as columns: what the rules of every recipe hand on.

A rule that works on all pairs at once takes some away with a reason; length-symmetry pruning is the one that every
recipe has.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from curation.domain import length_symmetry, priority
from curation.domain.length_symmetry import Symmetry
from curation.domain.priority import UInts
from curation.domain.ranked import Material

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Codes = NDArray[np.uint8]
Bools = NDArray[np.bool_]
N = TypeVar("N", bound=np.generic)

CODES = 256  # of reasons, at most
JOINED = 256  # pieces
LARGE = 2**20  # bytes of a piece that is left as it is


@dataclass(frozen=True, slots=True)
class Table:
    """Pairs as columns of equal length: ranks of both sides, and the prompt's place. A recipe may add columns."""

    chosen: Ints
    rejected: Ints
    prompt: Ints

    def columns(self) -> list[NDArray[np.generic]]:
        return [getattr(self, column.name) for column in fields(self)]

    def only(self, which: Bools | Ints) -> Self:
        return replace(self, **{column.name: getattr(self, column.name)[which] for column in fields(self)})


T = TypeVar("T", bound=Table)


@dataclass(frozen=True, slots=True)
class Sample:
    """That of all rejected candidates some are kept, chosen by priorities of this seed."""

    rows: int
    of: int
    seed: str

    def as_dict(self) -> dict[str, object]:
        """JSON values."""
        return {"rows": self.rows, "of": self.of, "seed": self.seed}


@dataclass(slots=True)
class Outcomes:
    """Rejected candidates as they come, in pieces of columns: lower rank, higher rank, a code of their reason.

    Codes count from 1 in the order of `reasons`; 0 is no rejection. Where they are not `kept` they are only counted.
    """

    reasons: tuple[str, ...]
    kept: bool = True
    a: list[Counts] = field(default_factory=list)
    b: list[Counts] = field(default_factory=list)
    codes: list[Codes] = field(default_factory=list)
    counts: Ints = field(default_factory=lambda: np.zeros(CODES, dtype=np.int64))  # by code

    def add(self, one: Ints, other: Ints, codes: Codes) -> None:
        self.counts += np.bincount(codes, minlength=CODES)
        if self.kept and len(codes):
            # Four bytes a rank: most candidates end here, and there may be a hundred million.
            self.keep(np.minimum(one, other).astype(np.int32), np.maximum(one, other).astype(np.int32), codes)

    def keep(self, a: Counts, b: Counts, codes: Codes) -> None:
        """Keep these of the candidates that were added."""
        append(self.a, a)
        append(self.b, b)
        append(self.codes, codes)

    def add_all(self, one: Ints, other: Ints, reason: str) -> None:
        """Candidates that fall for the same reason."""
        self.add(one, other, np.full(len(one), self.code(reason), dtype=np.uint8))

    def count(self, reason: str, number: int) -> None:
        """Candidates that nobody needs to name."""
        self.counts[self.code(reason)] += number

    def count_all(self, codes: Codes, among: Sequence[int]) -> None:
        """Candidates whose codes are 0 or `among` these, where nobody needs to name them."""
        for code in among:  # some times as fast as np.bincount, which wants longer numbers
            self.counts[code] += np.count_nonzero(codes == code)

    def code(self, reason: str) -> int:
        return self.reasons.index(reason) + 1

    def in_order(self) -> tuple[Counts, Counts, Codes]:
        """All that were kept, sorted by both ranks."""
        ranks, codes = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8)
        a, b = np.concatenate([ranks, *self.a]), np.concatenate([ranks, *self.b])
        order = np.lexsort((b, a))
        return a[order], b[order], np.concatenate([codes, *self.codes])[order]

    def by_reason(self) -> dict[str, int]:
        """How many bear each reason, in the order of the rules, with zeros."""
        return dict(zip(self.reasons, self.counts[1 : len(self.reasons) + 1].tolist(), strict=True))

    def sample(self) -> Sample | None:
        """Which sample was kept; None where it is all, or nothing."""
        return None


def append(pieces: list[NDArray[N]], piece: NDArray[N]) -> None:
    """One more of many pieces, the last of which are joined now and then: a small array takes far more room than
    its numbers do."""
    pieces.append(piece)
    if len(pieces) % JOINED == 0 and pieces[-JOINED].nbytes < LARGE:
        pieces[-JOINED:] = [np.concatenate(pieces[-JOINED:])]


@dataclass(slots=True)
class Standing(Generic[T]):
    """The pairs left so far and their priorities; what leaves goes to the outcomes with its reason."""

    table: T
    priority: UInts
    outcomes: Outcomes

    @property
    def place(self) -> Ints:
        """The place of each pair, from 0, in ascending priority."""
        return priority.places(self.priority, self.table.chosen, self.table.rejected)

    def keep(self, stays: Bools, otherwise: str) -> None:
        gone, left = np.flatnonzero(~stays), np.flatnonzero(stays)
        self.outcomes.add_all(self.table.chosen[gone], self.table.rejected[gone], otherwise)
        self.table, self.priority = self.table.only(left), self.priority[left]


def ordered(material: Material, table: T, seed: str, outcomes: Outcomes) -> Standing[T]:
    """The pairs of the table with their priorities."""
    hashes = priority.hashes(seed, [row.id for row in material.rows])
    return Standing(table, priority.priorities(hashes[table.chosen], hashes[table.rejected]), outcomes)


def prune(material: Material, standing: Standing[T], n_buckets: int) -> tuple[Ints, tuple[Symmetry, ...]]:
    """The buckets of the pairs that stay, and one Symmetry for each stratum that has pairs."""
    chosen, rejected = standing.table.chosen, standing.table.rejected
    differences = material.lengths[chosen] - material.lengths[rejected]
    stratum = material.stratum[chosen]
    buckets = np.zeros(len(differences), dtype=np.int64)
    stays = np.ones(len(differences), dtype=np.bool_)
    done = []
    numbers = np.flatnonzero(np.bincount(stratum))
    for number in numbers.tolist():
        # Nothing is copied where all are of one stratum.
        inside = slice(None) if len(numbers) == 1 else np.flatnonzero(stratum == number)
        before = differences[inside]
        width = length_symmetry.bucket_width(before, n_buckets)
        of_inside = length_symmetry.buckets_of(before, width)
        kept = length_symmetry.kept(of_inside, standing.priority[inside], (chosen[inside], rejected[inside]))
        buckets[inside], stays[inside] = of_inside, kept
        done.append(
            length_symmetry.summary(material.strata[number], width, before=before, after=before[kept])
        )
    standing.keep(stays, otherwise="length_symmetry")
    return buckets[stays], tuple(done)
