"""Pairs that stand so far, and candidates that fell, as columns: what the rules of every recipe hand on.

A rule that works on all pairs at once takes some away with a reason; length-symmetry pruning is the one that every
recipe has.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from curation.domain import length_symmetry, priority
from curation.domain.length_symmetry import Symmetry
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
    """The pairs left so far and their places; what leaves goes to the outcomes with its reason."""

    table: T
    place: Ints
    outcomes: Outcomes

    def keep(self, stays: Bools, otherwise: str) -> None:
        gone = self.table.only(~stays)
        self.outcomes.add_all(gone.chosen, gone.rejected, otherwise)
        self.table, self.place = self.table.only(stays), self.place[stays]


def ordered(material: Material, table: T, seed: str, outcomes: Outcomes) -> Standing[T]:
    """The pairs of the table with their places in ascending priority."""
    hashes = priority.hashes(seed, [row.id for row in material.rows])
    mixed = priority.priorities(hashes[table.chosen], hashes[table.rejected])
    return Standing(table, priority.places(mixed, table.chosen, table.rejected), outcomes)


def prune(material: Material, standing: Standing[T], n_buckets: int) -> tuple[Ints, tuple[Symmetry, ...]]:
    """The buckets of the pairs that stay, and one Symmetry for each stratum that has pairs."""
    differences = material.lengths[standing.table.chosen] - material.lengths[standing.table.rejected]
    stratum = material.stratum[standing.table.chosen]
    buckets = np.zeros(len(differences), dtype=np.int64)
    stays = np.ones(len(differences), dtype=np.bool_)
    done = []
    for number in np.unique(stratum):
        inside = np.flatnonzero(stratum == number)
        width = length_symmetry.bucket_width(differences[inside], n_buckets)
        buckets[inside] = length_symmetry.buckets_of(differences[inside], width)
        stays[inside] = length_symmetry.kept(buckets[inside], standing.place[inside])
        before, after = differences[inside], differences[inside][stays[inside]]
        done.append(length_symmetry.summary(material.strata[number], width, before=before, after=after))
    standing.keep(stays, otherwise="length_symmetry")
    return buckets[stays], tuple(done)
