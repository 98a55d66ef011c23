"""What the demo project's workbench is made of: small rounds of rankings, votes and pairs, and what was given in them.

It stands in annotation/shipped/demo/workbench.json. What is not given there is left for a person.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from annotation.domain.shipped import FOLDER


@dataclass(frozen=True, slots=True)
class GivenRanking:
    annotator: str
    prompt: str
    tiers: tuple[tuple[str, ...], ...]  # ids of responses, the best tier first
    why: str


@dataclass(frozen=True, slots=True)
class GivenVote:
    annotator: str
    prompt: str
    category: str  # key of a macro-category
    why: str


@dataclass(frozen=True, slots=True)
class GivenChoice:
    annotator: str
    pair: tuple[str, str]  # ids of responses
    better: str  # one of the two, "" for neither
    why: str


@dataclass(frozen=True, slots=True)
class Rankings:
    """Over the prompts of these macro-categories, in every language; so are the others."""

    name: str
    genres: tuple[str, ...]
    given: tuple[GivenRanking, ...]


@dataclass(frozen=True, slots=True)
class Votes:
    name: str
    genres: tuple[str, ...]
    given: tuple[GivenVote, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    name: str
    genres: tuple[str, ...]
    sample: int
    seed: str
    given: tuple[GivenChoice, ...]


@dataclass(frozen=True, slots=True)
class Workbench:
    adjudicator: str  # user name
    rankings: Rankings
    votes: Votes
    pairs: Pairs

    @property
    def names(self) -> tuple[str, ...]:
        """Of its rounds."""
        return (self.rankings.name, self.votes.name, self.pairs.name)


@cache
def workbench() -> Workbench:
    raw = json.loads((FOLDER / "demo" / "workbench.json").read_text(encoding="utf-8"))
    ranked, votes, pairs = raw["rankings"], raw["votes"], raw["pairs"]
    return Workbench(
        adjudicator=raw["adjudicator"],
        rankings=Rankings(
            ranked["name"], tuple(ranked["genres"]), tuple(_ranking(one) for one in ranked["given"])
        ),
        votes=Votes(votes["name"], tuple(votes["genres"]), tuple(GivenVote(**one) for one in votes["given"])),
        pairs=Pairs(
            pairs["name"],
            tuple(pairs["genres"]),
            pairs["sample"],
            pairs["seed"],
            tuple(_choice(one) for one in pairs["given"]),
        ),
    )


def _ranking(raw: Mapping[str, Any]) -> GivenRanking:
    tiers = tuple(tuple(tier) for tier in raw["tiers"])
    return GivenRanking(raw["annotator"], raw["prompt"], tiers, raw["why"])


def _choice(raw: Mapping[str, Any]) -> GivenChoice:
    one, other = raw["pair"]
    return GivenChoice(raw["annotator"], (one, other), raw["better"], raw["why"])
