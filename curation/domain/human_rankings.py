"""Rankings by several people and by construction: how they combine, the gold one, and the pairs that an order holds.

combined   text i is at least as good as j where at least as many people put i before j as j before i. Every two
           texts are so related, one way or both; those that go round in a circle are one tier, and the tiers stand
           in the only order that the relation leaves: they are its strongly connected components in topological
           order. With two people who contradict each other everything between ties; with one, it is their ranking.
gold       of n responses to a prompt with n requirements, of which n, n - 1, ..., 1 were kept: more kept is better
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product

from annotation.domain import category_votes, rankings
from annotation.domain.rankings import Tiers


def combined(given: Sequence[Tiers]) -> Tiers:
    """Rankings of the same texts by several people as one. () where nobody ranked them; ValueError on other texts."""
    if not given:
        return ()
    ranks = [rankings.ranks(tiers) for tiers in given]
    texts = sorted(ranks[0])
    if any(set(own) != set(texts) for own in ranks):
        raise ValueError("the rankings are of different texts; combine those of one prompt")
    reached = _reached([[own[text] for text in texts] for own in ranks])
    # Whoever stands in a higher tier reaches all that a lower one does, and more.
    return rankings.of_ranks({text: 1 + len(texts) - reached[i].bit_count() for i, text in enumerate(texts)})


def gold(kept: Mapping[str, int]) -> Tiers:
    """The order of responses by how many requirements each was given to keep; equal numbers tie."""
    most = max(kept.values(), default=0)
    return rankings.of_ranks({response: most - number + 1 for response, number in kept.items()})


def is_complete(kept: Mapping[str, int], requirements: int) -> bool:
    """Whether the responses keep exactly n, n - 1, ..., 1 of n requirements."""
    return sorted(kept.values()) == list(range(1, requirements + 1))


def majority(votes: Sequence[str]) -> str:
    """The category that more than half of the votes name; "" where there is none."""
    outcome = category_votes.outcome(votes, voters=len(votes))
    return outcome.category or ""


def pairs(tiers: Tiers, *, adjacent: bool) -> Iterator[tuple[str, str]]:
    """(better, worse): of every two tiers, or only of two that follow each other. What ties makes no pair."""
    for better, worse in pairwise(tiers) if adjacent else combinations(tiers, 2):
        yield from product(better, worse)


def votes(ranks: Sequence[Mapping[str, int]], one: str, other: str) -> tuple[int, int, int]:
    """How many people's ranks put the first before the other, the other before the first, and both in one tier."""
    differences = [own[one] - own[other] for own in ranks]
    before, behind = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    return before, behind, len(differences) - before - behind


def _reached(ranks: Sequence[Sequence[int]]) -> list[int]:
    """The texts that each text reaches by way of the relation, itself among them: a bit for each."""
    n = len(ranks[0])
    reached = [1 << i for i in range(n)]
    for i, j in combinations(range(n), 2):
        balance = sum((own[i] < own[j]) - (own[j] < own[i]) for own in ranks)
        reached[i] |= (balance >= 0) << j
        reached[j] |= (balance <= 0) << i
    for via in range(n):
        for i in range(n):
            if reached[i] >> via & 1:
                reached[i] |= reached[via]
    return reached
