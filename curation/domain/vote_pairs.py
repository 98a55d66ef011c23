"""Pairs from votes: every two stories of a prompt, the rules in their order, one outcome each.

The better story is the one with clearly more upvotes, and it must have been posted later: an earlier one had more
time to gather them. The rules are those of LitBench (Fein et al. 2025); what the paper leaves open is a parameter.

Stories sorted by prompt and upvotes have their partners, those far enough below them, in one contiguous range; so
what is looked at one by one are the candidates that pass the rule of upvotes, in chunks, and no others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import cast

import numpy as np

from annotation.domain import text
from curation.domain import rejected, standing
from curation.domain.funnel import Funnel
from curation.domain.length_symmetry import Symmetry
from curation.domain.outcome import Curation, Rejections
from curation.domain.ranked import Material, Measure, ranked, same_text
from curation.domain.recipes import LitBench
from curation.domain.rejected import Keep
from curation.domain.standing import Bools, Codes, Ints, Outcomes, Table
from curation.domain.stories import Story
from curation.domain.voted_pairs import VotedPair, VotedPairs
from curation.domain.watcher import NOBODY, Watcher

SPLITS = ("train", "test")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
CHUNK = 2**20  # candidates looked at together


@dataclass(frozen=True, slots=True)
class Votes:
    """One entry a story, by rank (N,): the place of its prompt, its upvotes, when it was posted in microseconds since
    1970 UTC, and a number that stories of one prompt share where their texts are the same."""

    prompt: Ints
    upvotes: Ints
    posted_at: Ints
    text: Ints

    def at(self, places: Ints) -> "Votes":
        return Votes(self.prompt[places], self.upvotes[places], self.posted_at[places], self.text[places])


def curate(
    stories: Sequence[Story], recipe: LitBench, *, keep: Keep = "all", watcher: Watcher = NOBODY
) -> Curation[VotedPair]:
    """All pairs that the recipe accepts, and the one reason of every candidate that it does not.

    Of the rejected candidates those are kept that `keep` names; `watcher` is told how far it is. CurationError on
    material that contradicts itself.
    """
    passing = _filtered(stories, recipe, watcher)
    material = ranked(
        passing.stories,
        length_unit=recipe.length_unit,
        strata=recipe.strata,
        words=passing.words,
        watcher=watcher,
    )
    watcher.stage(f"Forming pairs of {len(material.rows):,} stories")
    votes = _votes(material)
    is_test = None if recipe.split_at is None else votes.posted_at >= _microseconds(recipe.split_at)
    ids = [row.id for row in material.rows]
    outcomes = rejected.outcomes(recipe.reasons, keep, ids=ids, seed=recipe.seed)
    divided = material if is_test is None else _by_split(material, is_test)
    table, symmetry = decided(divided, votes, recipe, outcomes)
    pairs, rejections = VotedPairs(material, table), Rejections(material, outcomes)
    funnel = Funnel(
        candidates=sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in material.prompts),
        removed=passing.removed,
        rejected=rejections.by_reason(),
        accepted=len(pairs),
    )
    splits = {} if is_test is None else _splits(material, table, is_test)
    return Curation(pairs, rejections, funnel, symmetry, material.measure, splits, passing.tokens)


def decided(
    material: Material, votes: Votes, recipe: LitBench, outcomes: Outcomes
) -> tuple[Table, tuple[Symmetry, ...]]:
    """The pairs that stay, and what pruning did in each stratum; into `outcomes` what does not stay."""
    table = _formed(votes, recipe, outcomes)
    if not recipe.length_symmetry:
        return table, ()
    left = standing.ordered(material, table, recipe.seed, outcomes)
    _, symmetry = standing.prune(material, left, recipe.buckets)
    return left.table, symmetry


# --- stories ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Passing:
    """The stories that pass the filters, with their numbers of words by id; how many each filter removed; and how the
    numbers of tokens of all came about."""

    stories: Sequence[Story]
    words: Mapping[str, int]
    removed: Mapping[str, int]
    tokens: Measure


def _filtered(stories: Sequence[Story], recipe: LitBench, watcher: Watcher) -> _Passing:
    watcher.stage(f"Counting words of {len(stories):,} stories", len(stories))
    passing: list[Story] = []
    words: dict[str, int] = {}
    removed = dict.fromkeys(recipe.filters, 0)
    for place, story in enumerate(stories):
        watcher.reach(place)
        if "min_upvotes" in removed and story.upvotes < recipe.min_upvotes:
            removed["min_upvotes"] += 1
            continue
        n_words = text.length(story.text, "words")
        n_tokens = n_words if story.tokens is None else story.tokens
        if n_words < recipe.min_words:
            removed["min_words"] += 1
        elif recipe.max_tokens is not None and n_tokens > recipe.max_tokens:
            removed["max_tokens"] += 1
        else:
            passing.append(story)
            words[story.id] = n_words
    given = sum(story.tokens is not None for story in stories)
    counted = {"words": len(stories) - given} if given < len(stories) else {}
    return _Passing(passing, words, removed, Measure(counted, given))


def _votes(material: Material) -> Votes:
    stories = cast("Sequence[Story]", material.rows)  # ranked() orders what it is given
    prompt, number = np.empty((2, len(stories)), dtype=np.int64)
    for place, ranks in enumerate(material.prompts):
        prompt[ranks] = place
        number[ranks] = same_text(stories, ranks)
    return Votes(
        prompt=prompt,
        upvotes=np.array([story.upvotes for story in stories], dtype=np.int64),
        posted_at=np.array([_microseconds(story.posted_at) for story in stories], dtype=np.int64),
        text=number,
    )


def _microseconds(moment: datetime) -> int:
    return (moment - EPOCH) // MICROSECOND


# --- candidates ------------------------------------------------------------------------------------------


def _formed(votes: Votes, recipe: LitBench, outcomes: Outcomes) -> Table:
    """The pairs that stand before pruning; into `outcomes` the candidates that fall."""
    order = np.lexsort((votes.upvotes, votes.prompt))
    by_votes = votes.at(order)
    first = np.searchsorted(by_votes.prompt, by_votes.prompt)
    last = _partners(by_votes, recipe.min_difference)
    none = np.zeros(0, dtype=np.int64)
    pieces = [Table(none, none, none)]
    for one, other in _ranges(first, last):
        codes = _codes(by_votes, one, other, recipe, outcomes)
        fell, stand = np.flatnonzero(codes), np.flatnonzero(codes == 0)
        outcomes.add(order[one[fell]], order[other[fell]], codes[fell])
        chosen, rejected = one[stand], other[stand]
        pieces.append(Table(order[chosen], order[rejected], by_votes.prompt[chosen]))
    _without_gap(by_votes, order, last, outcomes)
    return Table(*(np.concatenate(column) for column in zip(*(p.columns() for p in pieces), strict=True)))


def _partners(votes: Votes, share: Fraction) -> Ints:
    """Up to which place, itself left out, the stories of the same prompt lie far enough below each story.

    Chosen less rejected is at least `share` of chosen, and more than nothing, where rejected is at most
    floor((1 - share) * chosen), and less than chosen.
    """
    most = (share.denominator - share.numerator) * votes.upvotes // share.denominator
    most = np.minimum(most, votes.upvotes - 1)
    lowest = votes.upvotes.min(initial=0)
    span = votes.upvotes.max(initial=0) - lowest + 1
    keys = votes.prompt * span + (votes.upvotes - lowest)
    # A bound below all votes must not reach into the prompt before.
    bounds = votes.prompt * span + np.maximum(most - lowest, -1)
    last: Ints = np.searchsorted(keys, bounds, side="right")
    return last


def _ranges(first: Ints, last: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Every place with each place from its `first` to before its `last`, in chunks of whole places."""
    sizes = last - first
    ends = np.cumsum(sizes)
    start, done = 0, 0
    while start < len(sizes):
        stop = max(start + 1, int(np.searchsorted(ends, done + CHUNK, side="right")))
        block = sizes[start:stop]
        offset = first[start:stop] - (ends[start:stop] - block - done)
        one = np.repeat(np.arange(start, stop), block)
        yield one, np.arange(len(one)) + np.repeat(offset, block)
        start, done = stop, int(ends[stop - 1])


def _codes(votes: Votes, chosen: Ints, rejected: Ints, recipe: LitBench, outcomes: Outcomes) -> Codes:
    """Why candidates with gap enough fall, or 0: the first reason of the order is written last."""
    codes = np.zeros(len(chosen), dtype=np.uint8)
    later, earlier = votes.posted_at[chosen], votes.posted_at[rejected]  # as the rule wants them
    if recipe.split_at is not None:
        moment = _microseconds(recipe.split_at)
        codes[(later < moment) != (earlier < moment)] = outcomes.code("split")
    if recipe.time_rule:
        codes[later <= earlier] = outcomes.code("time")
    if "identical_text" in recipe.reasons:
        codes[votes.text[chosen] == votes.text[rejected]] = outcomes.code("identical_text")
    return codes


def _without_gap(votes: Votes, order: Ints, last: Ints, outcomes: Outcomes) -> None:
    """The candidates whose votes lie too close, into `outcomes`: each story with those from `last` to before it."""
    places = np.arange(len(last))
    if outcomes.kept:
        for one, other in _ranges(last, places):
            codes = np.full(len(one), outcomes.code("upvote_gap"), dtype=np.uint8)
            if "identical_text" in outcomes.reasons:
                codes[votes.text[one] == votes.text[other]] = outcomes.code("identical_text")
            outcomes.add(order[one], order[other], codes)
        return
    identical = 0
    if "identical_text" in outcomes.reasons:
        identical = _identical(votes) - outcomes.by_reason()["identical_text"]
        outcomes.count("identical_text", identical)
    outcomes.count("upvote_gap", int((places - last).sum()) - identical)


def _identical(votes: Votes) -> int:
    """How many candidates are of the same text."""
    numbers = votes.prompt * (votes.text.max(initial=0) + 1) + votes.text
    _, counts = np.unique(numbers, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


# --- splits ----------------------------------------------------------------------------------------------


def _by_split(material: Material, is_test: Bools) -> Material:
    """The material with a stratum for each split: in the paper each is pruned for itself."""
    strata = tuple((*stratum, ("split", name)) for stratum in material.strata for name in SPLITS)
    return replace(material, stratum=material.stratum * len(SPLITS) + is_test, strata=strata)


def _splits(material: Material, table: Table, is_test: Bools) -> dict[str, VotedPairs]:
    of_test = is_test[table.chosen]
    return {
        "train": VotedPairs(material, table.only(~of_test)),
        "test": VotedPairs(material, table.only(of_test)),
    }
