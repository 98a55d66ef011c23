"""The rules for votes a second time: short, slow and obvious, to hold the vectorised ones against.

Plain loops and fractions. Priority and pruning are those of `oracle`, which are written in the same way.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from curation.domain.recipes import LitBench
from curation.domain.stories import Story
from tests.domain import oracle
from tests.domain.oracle import Candidate


def left_out(recipe: LitBench) -> set[str]:
    return {"min_upvotes", "identical_text"} - {*recipe.order} if recipe.order else set()


def fault(story: Story, recipe: LitBench) -> str:
    words = len(story.text.split())
    if story.upvotes < recipe.min_upvotes and "min_upvotes" not in left_out(recipe):
        return "min_upvotes"
    if words < recipe.min_words:
        return "min_words"
    tokens = words if story.tokens is None else story.tokens
    return "max_tokens" if recipe.max_tokens is not None and tokens > recipe.max_tokens else ""


def split_of(story: Story, recipe: LitBench) -> str:
    return "train" if recipe.split_at is not None and story.posted_at < recipe.split_at else "test"


def judged(one: Story, other: Story, recipe: LitBench) -> Candidate:
    winner, loser = (one, other) if one.upvotes > other.upvotes else (other, one)
    a, b = sorted((one.id, other.id), key=str.encode)
    columns = {"none": (), "language": (winner.language,), "language+genre": (winner.language, winner.genre)}
    candidate = Candidate(
        a,
        b,
        winner.id,
        loser.id,
        difference=oracle.length(winner) - oracle.length(loser),
        stratum=(*columns[recipe.strata], split_of(winner, recipe)),
        prompt=winner.prompt_id,
    )
    difference = winner.upvotes - loser.upvotes
    is_same = " ".join(one.text.split()) == " ".join(other.text.split())
    if is_same and "identical_text" not in left_out(recipe):
        candidate.reason = "identical_text"
    elif difference == 0 or Fraction(difference) < recipe.min_difference * winner.upvotes:
        candidate.reason = "upvote_gap"
    elif recipe.time_rule and not winner.posted_at > loser.posted_at:
        candidate.reason = "time"
    elif split_of(winner, recipe) != split_of(loser, recipe):
        candidate.reason = "split"
    return candidate


def curate(stories: Sequence[Story], recipe: LitBench) -> tuple[list[Candidate], Counter[str]]:
    """Every candidate with its outcome, that of an accepted one being empty; and how many stories each filter took."""
    removed = Counter(fault(story, recipe) for story in stories)
    passing = [story for story in stories if not fault(story, recipe)]
    candidates = [
        judged(one, other, recipe)
        for one, other in combinations(passing, 2)
        if one.prompt_id == other.prompt_id
    ]
    for c in candidates:
        c.place = (oracle.priority(recipe.seed, c.chosen, c.rejected), c.chosen.encode(), c.rejected.encode())
    candidates.sort(key=lambda c: c.place)
    if recipe.length_symmetry:
        for stratum in {c.stratum for c in candidates}:
            oracle.prune([c for c in oracle.standing(candidates) if c.stratum == stratum], recipe.buckets)
    del removed[""]
    return candidates, removed
