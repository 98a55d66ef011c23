"""Pairs from scores: every candidate of every prompt, the rules in their order, one outcome each."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import SCALE, CurrentScore
from annotation.domain.sentences import say
from curation.domain import rejected, verdicts
from curation.domain.funnel import Funnel
from curation.domain.outcome import Curation, Rejected, Rejections
from curation.domain.ranked import CurationError, Material, ranked, same_text
from curation.domain.recipes import WritingPreference
from curation.domain.rejected import Keep
from curation.domain.scored_pairs import Pair, ScoredPairs
from curation.domain.selection import Scored, balanced, capped
from curation.domain.standing import Codes, Outcomes, Standing
from curation.domain.verdicts import Verdicts

__all__ = ["Curation", "CurationError", "Pair", "Rejected", "curate"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

JOINED = 256  # pieces: small arrays take far more room than their numbers do


def curate(
    responses: Sequence[ResponseRow],
    scores: Sequence[CurrentScore],
    recipe: WritingPreference,
    *,
    removed: int = 0,
    keep: Keep = "all",
) -> Curation[Pair]:
    """All pairs that the recipe accepts, and the one reason of every candidate that it does not.

    `responses` are the active ones; `scores` hold one score for one response by one annotator, all of them
    of these responses; `removed` responses are only counted. Of the rejected candidates those are kept that `keep`
    names. CurationError on material that contradicts itself.
    """
    material = ranked(responses, length_unit=recipe.length_unit, strata=recipe.strata)
    ids = [row.id for row in material.rows]
    outcomes = rejected.outcomes(recipe.reasons, keep, ids=ids, seed=recipe.seed)
    table, symmetry = balanced(material, within_prompts(material, scores, recipe, outcomes), recipe)
    pairs, rejections = ScoredPairs(material, table), Rejections(material, outcomes)
    funnel = Funnel(
        candidates=sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in material.prompts),
        removed=removed,
        rejected=rejections.by_reason(),
        accepted=len(pairs),
    )
    return Curation(pairs, rejections, funnel, symmetry, material.measure)


def within_prompts(
    material: Material, scores: Sequence[CurrentScore], recipe: WritingPreference, outcomes: Outcomes
) -> Standing[Scored]:
    """The pairs that stand before prompts are weighed against each other; into `outcomes` what fell.

    Prompts may be taken apart up to here (domain/shards).
    """
    given = _given(material.rows, scores)
    return capped(material, _judged(material, given, recipe, outcomes), recipe, outcomes)


@dataclass(frozen=True, slots=True)
class _Given:
    """Marks (verdicts.Marks) in the order of ranks: those of rank r stand from start[r] to before start[r + 1]."""

    start: Ints
    annotator: NDArray[np.int32]
    mark: NDArray[np.int8]

    def of(self, ranks: Ints) -> verdicts.Marks:
        """The table of some responses, with a column for each annotator of them."""
        counts = self.start[ranks + 1] - self.start[ranks]
        row = np.repeat(np.arange(len(ranks)), counts)
        place = np.arange(len(row)) + np.repeat(self.start[ranks] - np.cumsum(counts) + counts, counts)
        names, column = np.unique(self.annotator[place], return_inverse=True)
        marks = np.full((len(ranks), len(names)), verdicts.MISSING, dtype=np.int8)
        marks[row, column] = self.mark[place]
        return marks


def _given(rows: Sequence[ResponseRow], scores: Sequence[CurrentScore]) -> _Given:
    ranks = {row.id: rank for rank, row in enumerate(rows)}
    people: dict[str, int] = {}
    of, by, mark = array("i"), array("i"), array("b")
    for score in scores:
        rank = ranks.get(score.response_id)
        if rank is None:
            reason = say("a score names the response '{id}', which is not among these", id=score.response_id)
            raise CurationError(reason)
        if score.score not in SCALE:
            reason = say(
                "'{id}' has the score {score}; use 0, 1, 2 or 3",
                id=score.response_id,
                score=repr(score.score),
            )
            raise CurationError(reason)
        of.append(rank)
        by.append(people.setdefault(score.annotator, len(people)))
        revised = score.largest_revision >= verdicts.LARGE_REVISION
        mark.append(score.score + revised * verdicts.REVISED)
    rank_of, annotator = np.array(of, dtype=np.int32), np.array(by, dtype=np.int32)
    order = np.lexsort((annotator, rank_of))
    rank_of, annotator = rank_of[order], annotator[order]
    twice = (rank_of[1:] == rank_of[:-1]) & (annotator[1:] == annotator[:-1])
    if twice.any():
        score = scores[int(order[1:][twice].min())]
        reason = say(
            "'{annotator}' scores '{id}' twice; keep one of the two",
            annotator=score.annotator,
            id=score.response_id,
        )
        raise CurationError(reason)
    start = np.searchsorted(rank_of, np.arange(len(rows) + 1))
    return _Given(start, annotator, np.array(mark, dtype=np.int8)[order])


# --- rules 1 to 8 ----------------------------------------------------------------------------------------


def _judged(material: Material, given: _Given, recipe: WritingPreference, outcomes: Outcomes) -> Scored:
    """The pairs that stand, prompt by prompt; into `outcomes` what does not."""
    joined: list[Scored] = []
    pieces = [_no_pairs()]
    for prompt, ranks in enumerate(material.prompts):
        keys = same_text(material.rows, ranks)
        for one, other, said in verdicts.verdicts(given.of(ranks), recipe):
            first, second = ranks[one], ranks[other]
            codes = said.reason
            if "identical_text" in recipe.reasons:
                _overrule(codes, keys[one] == keys[other], outcomes.code("identical_text"))
            if recipe.max_length_ratio is not None:
                lengths = material.lengths[first], material.lengths[second]
                _overrule(codes, _unequal(*lengths, recipe.max_length_ratio), outcomes.code("length_ratio"))
            fell = np.flatnonzero(codes)
            outcomes.add(first[fell], second[fell], codes[fell])
            stand = np.flatnonzero(codes == 0)
            pieces.append(_standing(first[stand], second[stand], prompt, said.at(stand)))
        if len(pieces) > JOINED:
            joined.append(_joined(pieces))
            pieces = [_no_pairs()]
    return _joined([*joined, *pieces])


def _joined(pieces: Sequence[Scored]) -> Scored:
    return Scored(*(np.concatenate(column) for column in zip(*(p.columns() for p in pieces), strict=True)))


def _overrule(codes: Codes, failed: Bools, code: int) -> None:
    """Write the code of a reason where it applies and no earlier one does: codes ascend in the order of the rules."""
    places = np.flatnonzero(failed)
    before = codes[places]
    codes[places[(before == 0) | (before > code)]] = code


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
