"""Pairs from scores: every candidate of every prompt, the rules in their order, one outcome each."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import SCALE, CurrentScore
from annotation.domain.sentences import say
from curation.domain import verdicts
from curation.domain.funnel import Funnel
from curation.domain.outcome import Curation, Rejected, Rejections
from curation.domain.ranked import CurationError, Material, ranked, same_text
from curation.domain.recipes import WritingPreference
from curation.domain.scored_pairs import Pair, ScoredPairs
from curation.domain.selection import Scored, select
from curation.domain.standing import Outcomes
from curation.domain.verdicts import CODE, Verdicts

__all__ = ["Curation", "CurationError", "Pair", "Rejected", "curate"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def curate(
    responses: Sequence[ResponseRow],
    scores: Sequence[CurrentScore],
    recipe: WritingPreference,
    *,
    removed: int = 0,
) -> Curation[Pair]:
    """All pairs that the recipe accepts, and the one reason of every candidate that it does not.

    `responses` are the active ones; `scores` hold one score for one response by one annotator, all of them
    of these responses; `removed` responses are only counted. CurationError on material that contradicts
    itself.
    """
    material = ranked(responses, length_unit=recipe.length_unit, strata=recipe.strata)
    outcomes = Outcomes(recipe.reasons)
    marks = _marks_by_rank(material.rows, scores)
    table, symmetry = select(material, _judged(material, marks, recipe, outcomes), recipe, outcomes)
    pairs, rejected = ScoredPairs(material, table), Rejections(material, outcomes)
    funnel = Funnel(
        candidates=sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in material.prompts),
        removed=removed,
        rejected=rejected.by_reason(),
        accepted=len(pairs),
    )
    return Curation(pairs, rejected, funnel, symmetry, material.measure)


def _marks_by_rank(rows: Sequence[ResponseRow], scores: Sequence[CurrentScore]) -> list[dict[str, int]]:
    """Of each response its mark (verdicts.Marks) by annotator."""
    by_id: dict[str, dict[str, int]] = {row.id: {} for row in rows}
    for score in scores:
        marks = by_id.get(score.response_id)
        if marks is None:
            reason = say("a score names the response '{id}', which is not among these", id=score.response_id)
            raise CurationError(reason)
        if score.score not in SCALE:
            reason = say(
                "'{id}' has the score {score}; use 0, 1, 2 or 3",
                id=score.response_id,
                score=repr(score.score),
            )
            raise CurationError(reason)
        if score.annotator in marks:
            reason = say(
                "'{annotator}' scores '{id}' twice; keep one of the two",
                annotator=score.annotator,
                id=score.response_id,
            )
            raise CurationError(reason)
        revised = score.largest_revision >= verdicts.LARGE_REVISION
        marks[score.annotator] = score.score + revised * verdicts.REVISED
    return list(by_id.values())


# --- rules 1 to 8 ----------------------------------------------------------------------------------------


def _judged(
    material: Material, scores: Sequence[Mapping[str, int]], recipe: WritingPreference, outcomes: Outcomes
) -> Scored:
    """The pairs that stand, prompt by prompt; into `outcomes` what does not."""
    pieces = [_no_pairs()]
    for prompt, ranks in enumerate(material.prompts):
        keys = same_text(material.rows, ranks)
        for one, other, said in verdicts.verdicts(_marks([scores[rank] for rank in ranks]), recipe):
            first, second = ranks[one], ranks[other]
            codes = said.reason
            codes[keys[one] == keys[other]] = CODE["identical_text"]
            if recipe.max_length_ratio is not None:
                lengths = material.lengths[first], material.lengths[second]
                codes[(codes == 0) & _unequal(*lengths, recipe.max_length_ratio)] = CODE["length_ratio"]
            fell = np.flatnonzero(codes)
            outcomes.add(first[fell], second[fell], codes[fell])
            stand = np.flatnonzero(codes == 0)
            pieces.append(_standing(first[stand], second[stand], prompt, said.at(stand)))
    return Scored(*(np.concatenate(column) for column in zip(*(p.columns() for p in pieces), strict=True)))


def _marks(scores: Sequence[Mapping[str, int]]) -> verdicts.Marks:
    columns = {name: column for column, name in enumerate(sorted({name for row in scores for name in row}))}
    marks = np.full((len(scores), len(columns)), verdicts.MISSING, dtype=np.int8)
    for row, by_annotator in enumerate(scores):
        for name, mark in by_annotator.items():
            marks[row, columns[name]] = mark
    return marks


def _unequal(one: Ints, other: Ints, ratio: Fraction) -> Bools:
    longer, shorter = np.maximum(one, other), np.minimum(one, other)
    unequal: Bools = longer * ratio.denominator > shorter * ratio.numerator
    return unequal


def _standing(first: Ints, second: Ints, prompt: int, said: Verdicts) -> Scored:
    return Scored(
        chosen=np.where(said.first_chosen, first, second),
        rejected=np.where(said.first_chosen, second, first),
        prompt=np.full(len(first), prompt, dtype=np.int64),
        votes_for=said.votes_for,
        votes_against=said.votes_against,
        k=said.k,
        gap=said.gap,
        sum_chosen=said.sum_chosen,
        flags=said.flags,
    )


def _no_pairs() -> Scored:
    ints, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return Scored(ints, ints, ints, counts, counts, counts, counts, counts, np.zeros(0, dtype=np.uint8))
