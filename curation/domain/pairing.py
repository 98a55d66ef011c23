"""Pairs from scores: every candidate of every prompt, the rules in their order, one outcome each."""

import unicodedata
from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.domain.current_scores import CurrentScores
from annotation.domain.material import ResponseRow
from annotation.domain.scoring import SCALE, CurrentScore
from annotation.domain.sentences import say
from curation.domain import forming, rejected, verdicts
from curation.domain.forming import Given
from curation.domain.funnel import Funnel
from curation.domain.outcome import Curation, Rejected, Rejections
from curation.domain.ranked import CurationError, Material, ranked, same_text
from curation.domain.recipes import WritingPreference
from curation.domain.rejected import Keep
from curation.domain.scored_pairs import Pair, ScoredPairs
from curation.domain.selection import Scored, balanced, capped
from curation.domain.standing import Outcomes, Standing
from curation.domain.watcher import NOBODY, Watcher

__all__ = ["Curation", "CurationError", "Pair", "Rejected", "curate"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

OPENING = 8  # words


def curate(
    responses: Sequence[ResponseRow],
    scores: Sequence[CurrentScore],
    recipe: WritingPreference,
    *,
    removed: int = 0,
    keep: Keep = "all",
    watcher: Watcher = NOBODY,
) -> Curation[Pair]:
    """All pairs that the recipe accepts, and the one reason of every candidate that it does not.

    `responses` are the active ones; `scores` hold one score for one response by one annotator, all of them
    of these responses; `removed` responses are only counted. Of the rejected candidates those are kept that `keep`
    names; `watcher` is told how far it is. CurationError on material that contradicts itself.
    """
    material = ranked(responses, length_unit=recipe.length_unit, strata=recipe.strata, watcher=watcher)
    ids = [row.id for row in material.rows]
    outcomes = rejected.outcomes(recipe.reasons, keep, ids=ids, seed=recipe.seed)
    table, symmetry = balanced(material, within_prompts(material, scores, recipe, outcomes, watcher), recipe)
    pairs, rejections = ScoredPairs(material, table), Rejections(material, outcomes)
    funnel = Funnel(
        candidates=sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in material.prompts),
        removed=removed,
        rejected=rejections.by_reason(),
        accepted=len(pairs),
    )
    return Curation(pairs, rejections, funnel, symmetry, material.measure)


def within_prompts(
    material: Material,
    scores: Sequence[CurrentScore],
    recipe: WritingPreference,
    outcomes: Outcomes,
    watcher: Watcher = NOBODY,
) -> Standing[Scored]:
    """The pairs that stand before prompts are weighed against each other; into `outcomes` what fell.

    Prompts may be taken apart up to here (domain/shards).
    """
    given = _given(material.rows, scores)
    text = _same_texts(material, watcher) if "identical_text" in recipe.reasons else None
    watcher.stage(f"Forming pairs of {len(material.rows):,} responses")
    return capped(material, forming.formed(material, given, text, recipe, outcomes), recipe, outcomes)


def _given(rows: Sequence[ResponseRow], scores: Sequence[CurrentScore]) -> Given:
    if isinstance(scores, CurrentScores) and scores.responses == [row.id for row in rows]:
        return _of_columns(scores)
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
    return Given(start, annotator, np.array(mark, dtype=np.int8)[order])


def _of_columns(scores: CurrentScores) -> Given:
    """Of scores that were checked when they were read, and whose places are ranks."""
    revised = scores.revision >= verdicts.LARGE_REVISION
    start = np.searchsorted(scores.of, np.arange(len(scores.responses) + 1))
    return Given(start, scores.by, scores.value + revised * np.int8(verdicts.REVISED))


def _same_texts(material: Material, watcher: Watcher) -> Ints:
    """Of each response a number that those of its prompt share where their texts are the same (ranked.same_text), from
    1 on; 0 in prompts whose texts all differ."""
    found = np.zeros(len(material.rows), dtype=np.int64)
    watcher.stage("Comparing texts", len(material.prompts))
    for place, ranks in enumerate(material.prompts):
        watcher.reach(place)
        # Texts that are the same begin with the same words, which are found without reading all of a text.
        if len({_opening(material.rows[rank].text) for rank in ranks.tolist()}) == len(ranks):
            continue
        numbers = same_text(material.rows, ranks)
        if numbers.max(initial=-1) + 1 < len(ranks):
            found[ranks] = numbers + 1
    return found


def _opening(text: str) -> tuple[str, ...]:
    """The first words after NFC, which neither makes nor joins white space, so that each may be taken alone."""
    return tuple(unicodedata.normalize("NFC", word) for word in text.split(None, OPENING)[:OPENING])
