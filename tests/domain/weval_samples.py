"""Responses with what they kept and rankings of people, for tests of the recipe `weval`."""

from collections.abc import Iterator, Sequence

from annotation.domain.rankings import Tiers
from curation.domain.ranking_rows import GradedResponse, HumanRanking


def prompt(name: str, n: int = 5, category: str = "") -> list[GradedResponse]:
    """n responses that kept n, n - 1, ..., 1 of n requirements, whose ids end in a, b, ...: best first."""
    return [
        GradedResponse(
            id=f"{name}{letter}",
            prompt_id=name,
            kept=n - place,
            requirements=n,
            category=category,
            prompt=f"Prompt {name}",
            text=f"What {letter} wrote for {name}",
        )
        for place, letter in enumerate("abcdefgh"[:n])
    ]


def order(name: str, written: str) -> Tiers:
    """'a > b=c' as tiers of responses to a prompt."""
    tiers = written.replace(" ", "").split(">")
    return tuple(tuple(f"{name}{letter}" for letter in tier.split("=")) for tier in tiers)


def given(
    name: str, orders: Sequence[str], people: Sequence[str] = ("Zoe", "Ann", "Ben")
) -> Iterator[HumanRanking]:
    """What each of the people gave."""
    for annotator, written in zip(people, orders, strict=False):
        yield HumanRanking(name, annotator, order(name, written))
