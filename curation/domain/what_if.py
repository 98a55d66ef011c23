"""What a recipe would give, before anybody runs it: numbers for a page, and the candidates behind each of them.

The rules that look at one pair alone are applied first (pairing.curate); those that look at all pairs, such as length
symmetry, then to what they leave (selection). So what pruning saw is known, and nothing is judged twice; the
outcome is that of a run. For workers: it draws prompts (NumPy, SciPy).

Groups of buckets are as wide on either side of D = 0, so they mirror each other where buckets do.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from annotation.domain.text import unit_for
from curation.domain import length_symmetry, pairing
from curation.domain.audit import shares
from curation.domain.audit.found import Share
from curation.domain.behind import Bars, Behind, behind, groups
from curation.domain.funnel import Funnel
from curation.domain.length_symmetry import Sides, Symmetry
from curation.domain.ranked import Material, Measure
from curation.domain.recipes import WritingPreference
from curation.domain.selection import Scored, balanced, capped
from curation.domain.standing import Outcomes

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

GROUPS = 10  # of buckets, on either side
REPLICATES = 2000
GIVEN = "given"  # lengths that came with the texts
ALL = "*"  # languages


@dataclass(frozen=True, slots=True)
class Cell:
    """Pairs of a genre in a language: all candidates, those that length symmetry saw, those accepted. `quota` is None
    where none holds for the cell alone."""

    genre: str
    language: str
    candidates: int
    standing: int
    accepted: int
    quota: int | None


@dataclass(frozen=True, slots=True)
class Group:
    """Pairs whose bucket is one of `first` to `last`, by magnitude, on one side (-1, 1); 0 to 0 is D = 0.

    `low` < |D| <= `high`, in the unit of the lengths as doubles; None where strata have widths of their own.
    """

    side: int
    first: int
    last: int
    low: float | None
    high: float | None
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation (n - 1), None of too few."""

    mean: float | None
    sd: float | None


@dataclass(frozen=True, slots=True)
class Means:
    """Of the pairs in one language, ALL for all: lengths, and means of the common annotators' scores.

    `units` are those of the lengths; GIVEN stands for lengths that were not counted.
    """

    language: str
    n: int
    units: tuple[str, ...]
    length_chosen: Spread
    length_rejected: Spread
    score_chosen: Spread
    score_rejected: Spread


@dataclass(frozen=True, slots=True)
class Longer:
    """How many pairs have the longer side chosen, and its share, where equal lengths count half."""

    sides: Sides
    share: Share

    def as_dict(self) -> dict[str, object]:
        return {**self.sides.as_dict(), **self.share.as_dict()}


@dataclass(frozen=True, slots=True)
class WhatIf:
    """`before` is what length symmetry saw, or would have seen where it is off; `after` what is accepted in the end.

    `quotas` are accepted pairs by stratum, where there is a quota.
    """

    funnel: Funnel
    symmetry: tuple[Symmetry, ...]
    lengths: Measure
    cells: tuple[Cell, ...]
    quotas: tuple[tuple[Mapping[str, str], int], ...]
    groups: tuple[Group, ...]
    before: Longer
    after: Longer
    means_before: tuple[Means, ...]
    means_after: tuple[Means, ...]
    behind: Mapping[str, Behind]

    def as_dict(self) -> dict[str, object]:
        """JSON values, without the candidates."""
        return {
            "funnel": self.funnel.as_dict(),
            "symmetry": [stratum.as_dict() for stratum in self.symmetry],
            "lengths": self.lengths.as_dict(),
            "cells": [asdict(cell) for cell in self.cells],
            "quotas": [{"stratum": dict(stratum), "accepted": accepted} for stratum, accepted in self.quotas],
            "groups": [asdict(group) for group in self.groups],
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "means_before": [asdict(means) for means in self.means_before],
            "means_after": [asdict(means) for means in self.means_after],
        }


def what_if(
    responses: Sequence[ResponseRow],
    scores: Sequence[CurrentScore],
    recipe: WritingPreference,
    *,
    removed: int = 0,
) -> WhatIf:
    """What a run of the recipe would give. CurationError as pairing.curate raises it."""
    alone = pairing.curate(responses, scores, _one_pair_alone(recipe), removed=removed, keep=None)
    material, standing = alone.pairs.material, alone.pairs.table
    outcomes = Outcomes(recipe.reasons)
    accepted, symmetry = balanced(material, capped(material, standing, recipe, outcomes), recipe)
    rejected = {
        reason: number + alone.rejected.by_reason().get(reason, 0)
        for reason, number in outcomes.by_reason().items()
    }
    funnel = Funnel(alone.funnel.candidates, removed, rejected, len(accepted.chosen))
    late = _late(standing, accepted, outcomes, len(material.rows))
    seen = ~np.isin(
        late, [outcomes.code(cap) for cap in ("cap_response", "cap_prompt") if cap in recipe.reasons]
    )
    kept = late == 0
    buckets = _buckets(material, standing.only(seen), recipe.buckets)
    of_cells, cells = _cells(material, standing, seen, kept, recipe)
    bars = Bars(material, scores, alone.rejected, standing, late, recipe)
    return WhatIf(
        funnel=funnel,
        symmetry=symmetry,
        lengths=alone.lengths,
        cells=cells,
        quotas=_quotas(material, accepted, recipe),
        groups=tuple(
            _groups(buckets, kept[seen], recipe.buckets, _width(material, standing.only(seen), recipe))
        ),
        before=_longer(material, standing.only(seen), recipe.seed),
        after=_longer(material, standing.only(kept), recipe.seed),
        means_before=_means(material, standing.only(seen), recipe),
        means_after=_means(material, standing.only(kept), recipe),
        behind=behind(bars, seen=seen, buckets=buckets, a_group=_a_group(recipe.buckets), cells=of_cells),
    )


def _one_pair_alone(recipe: WritingPreference) -> WritingPreference:
    """Without the rules that look at more than one pair."""
    return replace(
        recipe,
        max_pairs_per_response=None,
        max_pairs_per_prompt=None,
        length_symmetry=False,
        quota=None,
    )


def _late(standing: Scored, accepted: Scored, outcomes: Outcomes, n: int) -> NDArray[np.uint8]:
    """Of each standing pair the code of what rejected it later, 0 where it is accepted."""
    a, b, codes = outcomes.in_order()
    keys = a.astype(np.int64) * n + b
    wanted = np.minimum(standing.chosen, standing.rejected) * n + np.maximum(
        standing.chosen, standing.rejected
    )
    found = np.zeros(len(wanted), dtype=np.uint8)
    if len(keys):
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[place] == wanted
        found[hit] = codes[place[hit]]
    return found


# --- lengths ---------------------------------------------------------------------------------------------


def _differences(material: Material, table: Scored) -> Ints:
    differences: Ints = material.lengths[table.chosen] - material.lengths[table.rejected]
    return differences


def _buckets(material: Material, table: Scored, n_buckets: int) -> Ints:
    """As pruning has them, by stratum, whether it is on or off."""
    differences, stratum = _differences(material, table), material.stratum[table.chosen]
    buckets = np.zeros(len(differences), dtype=np.int64)
    for number in np.unique(stratum):
        inside = stratum == number
        width = length_symmetry.bucket_width(differences[inside], n_buckets)
        buckets[inside] = length_symmetry.buckets_of(differences[inside], width)
    return buckets


def _width(material: Material, table: Scored, recipe: WritingPreference) -> float | None:
    if len(np.unique(material.stratum[table.chosen])) > 1:
        return None
    return float(length_symmetry.bucket_width(_differences(material, table), recipe.buckets))


def _a_group(n_buckets: int) -> int:
    """How many buckets make a group."""
    return -(-(n_buckets // 2) // GROUPS)


def _groups(buckets: Ints, kept: Bools, n_buckets: int, width: float | None) -> Iterable[Group]:
    """From the most that the chosen side is shorter to the most that it is longer."""
    size, half = _a_group(n_buckets), n_buckets // 2
    last = -(-half // size)
    numbers = groups(buckets, size)
    before = np.bincount(numbers + last, minlength=2 * last + 1).tolist()
    after = np.bincount(numbers[kept] + last, minlength=2 * last + 1).tolist()
    for number in range(-last, last + 1):
        magnitude = abs(number)
        first, end = (magnitude - 1) * size + 1, min(magnitude * size, half)
        if not number:
            first, end = 0, 0
        yield Group(
            side=int(np.sign(number)),
            first=first,
            last=end,
            low=None if width is None else max(first - 1, 0) * width,
            high=None if width is None else end * width,
            before=before[number + last],
            after=after[number + last],
        )


def _longer(material: Material, table: Scored, seed: str) -> Longer:
    chosen, rejected = material.lengths[table.chosen], material.lengths[table.rejected]
    guesses = shares.guess(chosen, rejected)[:, None]
    (share,) = shares.shares(guesses, table.prompt, seed=seed, key="longer", replicates=REPLICATES)
    return Longer(length_symmetry.sides(chosen - rejected), share)


# --- counts and means ------------------------------------------------------------------------------------


def _cells(
    material: Material, standing: Scored, seen: Bools, kept: Bools, recipe: WritingPreference
) -> tuple[Ints, tuple[Cell, ...]]:
    """Of each standing pair the place of its cell; and the cells, by genre and language."""
    of_prompt = [
        (material.rows[ranks[0]].genre, material.rows[ranks[0]].language) for ranks in material.prompts
    ]
    candidates: Counter[tuple[str, str]] = Counter()
    for name, ranks in zip(of_prompt, material.prompts, strict=True):
        candidates[name] += len(ranks) * (len(ranks) - 1) // 2
    names = sorted(name for name, number in candidates.items() if number)
    places = {name: place for place, name in enumerate(names)}
    cell = np.array([places.get(name, -1) for name in of_prompt], dtype=np.int64)[standing.prompt]
    before = np.bincount(cell[seen], minlength=len(names)).tolist()
    after = np.bincount(cell[kept], minlength=len(names)).tolist()
    quota = recipe.quota if recipe.strata == "language+genre" else None
    cells = (
        Cell(genre, language, candidates[genre, language], before[place], after[place], quota)
        for place, (genre, language) in enumerate(names)
    )
    return cell, tuple(cells)


def _quotas(
    material: Material, accepted: Scored, recipe: WritingPreference
) -> tuple[tuple[Mapping[str, str], int], ...]:
    if recipe.quota is None:
        return ()
    counts = np.bincount(material.stratum[accepted.chosen], minlength=len(material.strata)).tolist()
    return tuple((dict(stratum), count) for stratum, count in zip(material.strata, counts, strict=True))


def _means(material: Material, table: Scored, recipe: WritingPreference) -> tuple[Means, ...]:
    """Of all pairs, then of each language that has some."""
    languages = [material.rows[ranks[0]].language for ranks in material.prompts]
    names = sorted({languages[prompt] for prompt in np.unique(table.prompt)})
    code = np.array([names.index(name) if name in names else -1 for name in languages], dtype=np.int64)
    of_pair = code[table.prompt] if len(table.prompt) else np.zeros(0, dtype=np.int64)
    found = [_means_of(material, table, ALL, recipe)]
    for place, name in enumerate(names):
        found.append(_means_of(material, table.only(of_pair == place), name, recipe))
    return tuple(found)


def _means_of(material: Material, table: Scored, language: str, recipe: WritingPreference) -> Means:
    chosen = table.sum_chosen / np.maximum(table.k, 1)
    rejected = (table.sum_chosen - table.gap) / np.maximum(table.k, 1)
    return Means(
        language,
        len(table.chosen),
        _units(material, table, recipe),
        _spread(material.lengths[table.chosen].astype(np.float64)),
        _spread(material.lengths[table.rejected].astype(np.float64)),
        _spread(chosen),
        _spread(rejected),
    )


def _units(material: Material, table: Scored, recipe: WritingPreference) -> tuple[str, ...]:
    """All texts of a prompt are measured alike but where the language is not known and the prompt has no text."""
    units = set()
    for prompt in np.unique(table.prompt):
        row = material.rows[material.prompts[prompt][0]]
        counted = unit_for(recipe.length_unit, row.language, row.prompt, row.text)
        units.add(counted if row.length is None else GIVEN)
    return tuple(sorted(units))


def _spread(values: Floats) -> Spread:
    return Spread(
        float(values.mean()) if len(values) else None,
        float(values.std(ddof=1)) if len(values) > 1 else None,
    )
