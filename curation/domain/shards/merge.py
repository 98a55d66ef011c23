"""What the parts of all buckets come to: pruning and quota over all of them, with one part in memory at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from curation.domain import outcome
from curation.domain.funnel import Funnel
from curation.domain.length_symmetry import Symmetry
from curation.domain.ranked import Measure
from curation.domain.recipes import WritingPreference
from curation.domain.shards import lowest, quotas, tallies
from curation.domain.shards.groups import groups_of
from curation.domain.shards.lowest import Bounds
from curation.domain.shards.parts import Part
from curation.domain.shards.tallies import Tally


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """The outcome, as a Curation has it, and which pairs of each part it holds."""

    funnel: Funnel
    symmetry: tuple[Symmetry, ...]
    lengths: Measure
    bounds: Bounds
    parts: Sequence[Part]

    def accepted(self) -> Iterator[Part]:
        """The accepted pairs, part by part. CurationError where two would have the same id."""
        named = _Named()
        for part in self.parts:
            kept = part.only(self.bounds.stays(part))
            named.add(kept)
            yield kept

    def symmetry_as_dict(self) -> dict[str, Any]:
        """As Curation.symmetry_as_dict."""
        strata = [stratum.as_dict() for stratum in self.symmetry]
        return {"strata": strata, "lengths": self.lengths.as_dict()}


def merged(
    counted: Sequence[Tally], parts: Sequence[Part], recipe: WritingPreference, *, removed: int = 0
) -> Merged:
    """The outcome of parts that hold every prompt once. They are read up to five times, in their order; one of them
    is in memory at a time."""
    tally = tallies.total(counted, recipe.reasons)
    groups = groups_of(tally.differences, recipe.buckets if recipe.length_symmetry else None)
    standing = int(groups.pairs.sum())
    pruned = groups.mirrored() if recipe.length_symmetry else groups.pairs
    left = pruned if recipe.quota is None else quotas.within_quota(groups, pruned, recipe.quota, parts)
    fell = {
        "length_symmetry": standing - int(pruned.sum()),
        "quota": int(pruned.sum() - left.sum()),
    }
    return Merged(
        funnel=Funnel(
            candidates=tally.candidates,
            removed=removed,
            rejected={reason: n + fell.get(reason, 0) for reason, n in tally.rejected.items()},
            accepted=int(left.sum()),
        ),
        symmetry=groups.symmetry(tally.differences, pruned) if recipe.length_symmetry else (),
        lengths=tally.lengths,
        bounds=lowest.bounds(groups, left, parts),
        parts=parts,
    )


class _Named:
    """Refuses two pairs of one id, which only ids with colons can make. Eight bytes a pair that has such ids."""

    def __init__(self) -> None:
        self.seen: dict[bytes, tuple[str, str]] = {}

    def add(self, kept: Part) -> None:
        if not any(":" in name for names in (kept.prompts, kept.responses) for name in names):
            return
        for prompt, row in zip(kept.table.prompt.tolist(), range(len(kept)), strict=True):
            chosen, rejected = kept.ids(row)
            pair_id = f"{kept.prompts[prompt]}:{chosen}:{rejected}"
            key = sha256(pair_id.encode()).digest()[:16]
            if key in self.seen:
                raise outcome.same_id(pair_id, self.seen[key], (chosen, rejected))
            self.seen[key] = chosen, rejected
