"""Rule 9, among pairs that the scores accept: caps, then length symmetry, then quota.

Each is a pass of its own over what the one before left.
"""

from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from curation.domain import caps, length_symmetry, priority
from curation.domain.length_symmetry import Symmetry
from curation.domain.ranked import Material
from curation.domain.recipes import WritingPreference
from curation.domain.verdicts import CODE

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Codes = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Table:
    """Pairs that stand, as columns of equal length: ranks of both sides, the prompt's place, and what the
    scores say (verdicts.Verdicts)."""

    chosen: Ints
    rejected: Ints
    prompt: Ints
    votes_for: Counts
    votes_against: Counts
    k: Counts
    gap: Counts
    sum_chosen: Counts
    flags: Codes

    def columns(self) -> list[NDArray[np.generic]]:
        return [getattr(self, column.name) for column in fields(self)]

    def only(self, which: Bools | Ints) -> "Table":
        return replace(self, **{column.name: getattr(self, column.name)[which] for column in fields(self)})


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Rejected candidates as they come, in pieces of columns: lower rank, higher rank, a code of CODE."""

    a: list[Counts] = field(default_factory=list)
    b: list[Counts] = field(default_factory=list)
    codes: list[Codes] = field(default_factory=list)

    def add(self, one: Ints, other: Ints, codes: Codes) -> None:
        # Four bytes a rank: most candidates end here, and there may be a hundred million.
        self.a.append(np.minimum(one, other).astype(np.int32))
        self.b.append(np.maximum(one, other).astype(np.int32))
        self.codes.append(codes)


@dataclass(slots=True)
class _Standing:
    """The pairs left so far and their places; what leaves goes to the outcomes with its reason."""

    table: Table
    place: Ints
    outcomes: Outcomes

    def keep(self, stays: Bools, otherwise: str) -> None:
        gone = self.table.only(~stays)
        codes = np.full(len(gone.chosen), CODE[otherwise], dtype=np.uint8)
        self.outcomes.add(gone.chosen, gone.rejected, codes)
        self.table, self.place = self.table.only(stays), self.place[stays]


def select(
    material: Material, table: Table, recipe: WritingPreference, outcomes: Outcomes
) -> tuple[Table, tuple[Symmetry, ...]]:
    """What stays of the table, and what pruning did in each stratum; into `outcomes` what does not stay."""
    hashes = priority.hashes(recipe.seed, [row.id for row in material.rows])
    mixed = priority.priorities(hashes[table.chosen], hashes[table.rejected])
    standing = _Standing(table, priority.places(mixed, table.chosen, table.rejected), outcomes)
    _cap(standing, recipe)
    symmetry: tuple[Symmetry, ...] = ()
    buckets = None
    if recipe.length_symmetry:
        buckets, symmetry = _prune(material, standing, recipe.buckets)
    if recipe.quota is not None:
        standing.keep(_within_quotas(material, standing, buckets, recipe.quota), otherwise="quota")
    return standing.table, symmetry


def _cap(standing: _Standing, recipe: WritingPreference) -> None:
    if recipe.max_pairs_per_response is not None:
        chosen, rejected = standing.table.chosen, standing.table.rejected
        stays = caps.within_response_cap(chosen, rejected, standing.place, recipe.max_pairs_per_response)
        standing.keep(stays, otherwise="cap_response")
    if recipe.max_pairs_per_prompt is not None:
        stays = caps.within_prompt_cap(standing.table.prompt, standing.place, recipe.max_pairs_per_prompt)
        standing.keep(stays, otherwise="cap_prompt")


def _prune(material: Material, standing: _Standing, n_buckets: int) -> tuple[Ints, tuple[Symmetry, ...]]:
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


def _within_quotas(material: Material, standing: _Standing, buckets: Ints | None, quota: int) -> Bools:
    stratum = material.stratum[standing.table.chosen]
    stays = np.ones(len(stratum), dtype=np.bool_)
    for number in np.unique(stratum):
        inside = np.flatnonzero(stratum == number)
        place = standing.place[inside]
        if buckets is None:
            stays[inside] = caps.within_quota(place, quota)
        else:
            stays[inside] = caps.within_mirrored_quota(buckets[inside], place, quota)
    return stays
