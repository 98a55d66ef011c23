"""Rule 9, among pairs that the scores accept: caps, then length symmetry, then quota.

Each is a pass of its own over what the one before left.
"""

from dataclasses import dataclass

import numpy as np

from curation.domain import caps, standing
from curation.domain.length_symmetry import Symmetry
from curation.domain.ranked import Material
from curation.domain.recipes import WritingPreference
from curation.domain.standing import Bools, Codes, Counts, Ints, Outcomes, Standing, Table


@dataclass(frozen=True, slots=True)
class Scored(Table):
    """What the scores say of each pair (verdicts.Verdicts)."""

    votes_for: Counts
    votes_against: Counts
    k: Counts
    gap: Counts
    sum_chosen: Counts
    flags: Codes


def capped(
    material: Material, table: Scored, recipe: WritingPreference, outcomes: Outcomes
) -> Standing[Scored]:
    """What the caps leave: they look at one prompt at a time."""
    left = standing.ordered(material, table, recipe.seed, outcomes)
    _cap(left, recipe)
    return left


def balanced(
    material: Material, left: Standing[Scored], recipe: WritingPreference
) -> tuple[Scored, tuple[Symmetry, ...]]:
    """What pruning and quota leave: they look at all prompts together (shards.merge does it part by part)."""
    symmetry: tuple[Symmetry, ...] = ()
    buckets = None
    if recipe.length_symmetry:
        buckets, symmetry = standing.prune(material, left, recipe.buckets)
    if recipe.quota is not None:
        left.keep(_within_quotas(material, left, buckets, recipe.quota), otherwise="quota")
    return left.table, symmetry


def _cap(left: Standing[Scored], recipe: WritingPreference) -> None:
    if recipe.max_pairs_per_response is not None:
        chosen, rejected = left.table.chosen, left.table.rejected
        stays = caps.within_response_cap(chosen, rejected, left.place, recipe.max_pairs_per_response)
        left.keep(stays, otherwise="cap_response")
    if recipe.max_pairs_per_prompt is not None:
        stays = caps.within_prompt_cap(left.table.prompt, left.place, recipe.max_pairs_per_prompt)
        left.keep(stays, otherwise="cap_prompt")


def _within_quotas(material: Material, left: Standing[Scored], buckets: Ints | None, quota: int) -> Bools:
    stratum = material.stratum[left.table.chosen]
    stays = np.ones(len(stratum), dtype=np.bool_)
    places = left.place
    for number in np.unique(stratum):
        inside = np.flatnonzero(stratum == number)
        place = places[inside]
        if buckets is None:
            stays[inside] = caps.within_quota(place, quota)
        else:
            stays[inside] = caps.within_mirrored_quota(buckets[inside], place, quota)
    return stays
