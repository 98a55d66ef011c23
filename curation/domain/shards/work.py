"""One bucket decided alone: every rule that looks at one prompt."""

from collections.abc import Sequence

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain import pairing
from curation.domain.ranked import ranked
from curation.domain.recipes import WritingPreference
from curation.domain.shards import tallies
from curation.domain.shards.parts import Part, part_of
from curation.domain.shards.tallies import Tally
from curation.domain.standing import Outcomes


def decided(
    responses: Sequence[ResponseRow], scores: Sequence[CurrentScore], recipe: WritingPreference
) -> tuple[Part, Tally]:
    """What passed and what did not, of all active responses to some prompts and their scores, as pairing.curate takes
    them. CurationError on material that contradicts itself."""
    material = ranked(responses, length_unit=recipe.length_unit, strata=recipe.strata)
    outcomes = Outcomes(recipe.reasons, kept=False)
    part = part_of(material, pairing.within_prompts(material, scores, recipe, outcomes))
    tally = Tally(
        candidates=sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in material.prompts),
        rejected=outcomes.by_reason(),
        lengths=material.measure,
        differences=tallies.counted(part.strata, part.stratum, part.difference),
    )
    return part, tally
