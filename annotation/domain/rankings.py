"""Texts in order: tiers from best to worst, the texts of one tier tied.

A ranking of a set of texts is an ordered partition of it: every text stands in one tier, no tier is empty, and nothing
else stands anywhere. Texts go by letters.
"""

from collections.abc import Collection, Mapping, Sequence
from string import ascii_uppercase
from typing import Literal

Tiers = tuple[tuple[str, ...], ...]  # best first; within a tier in the order of the alphabet
Code = Literal["unranked", "unknown_text", "ranked_twice", "empty_tier", "not_a_rank", "ties_not_allowed"]

MOST_TEXTS = len(ascii_uppercase)


class NotARankingError(ValueError):
    """Why this is no ranking of those texts, and which of them are concerned (may be none)."""

    def __init__(self, code: Code, texts: tuple[str, ...] = ()) -> None:
        super().__init__(f"{code}: {' '.join(texts)}")
        self.code = code
        self.texts = texts


def letters(number: int) -> tuple[str, ...]:
    """What so many texts are called on a page: A, B, C, …; ValueError where the alphabet ends before."""
    if not 0 <= number <= MOST_TEXTS:
        raise ValueError(f"{number} texts cannot be told apart by {MOST_TEXTS} letters")
    return tuple(ascii_uppercase[:number])


def checked(tiers: Sequence[Collection[str]], *, among: Collection[str], ties_allowed: bool) -> Tiers:
    """The tiers as a ranking of the texts `among`; NotARankingError where they are none."""
    given = [text for tier in tiers for text in tier]
    if unknown := sorted(set(given) - set(among)):
        raise NotARankingError("unknown_text", tuple(unknown))
    if twice := sorted({text for text in given if given.count(text) > 1}):
        raise NotARankingError("ranked_twice", tuple(twice))
    if missing := sorted(set(among) - set(given)):
        raise NotARankingError("unranked", tuple(missing))
    if not all(tiers):
        raise NotARankingError("empty_tier")
    if not ties_allowed and (tied := [text for tier in tiers if len(tier) > 1 for text in sorted(tier)]):
        raise NotARankingError("ties_not_allowed", tuple(tied))
    return tuple(tuple(sorted(tier)) for tier in tiers)


def of_ranks(ranks: Mapping[str, int]) -> Tiers:
    """Tiers by rank, 1 the best: equal ranks tie, and ranks that nobody has leave no gap."""
    if wrong := sorted(text for text, rank in ranks.items() if rank < 1):
        raise NotARankingError("not_a_rank", tuple(wrong))
    return tuple(
        tuple(sorted(text for text, own in ranks.items() if own == rank))
        for rank in sorted(set(ranks.values()))
    )


def ranks(tiers: Tiers) -> dict[str, int]:
    """The tier of each text, 1 the best."""
    return {text: tier for tier, texts in enumerate(tiers, start=1) for text in texts}


def stated(tiers: Tiers) -> str:
    """The order as people write it: 'A > B = C'."""
    return " > ".join(" = ".join(tier) for tier in tiers)
