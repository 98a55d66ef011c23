"""The rules of the recipes, one frozen dataclass each: its name, its version, its parameters, and what it means.

A rule bears the name under which the funnel counts what it rejects (funnel.py), or under which it removes responses
before there are candidates. Its fields are parameters of the recipe that holds it, under the same names. Whoever
changes what a rule decides raises its version: a recipe names the version it means.

What a rule decides is computed where all candidates are at hand (verdicts.py, pairing.py, selection.py for scores,
vote_pairs.py for votes, weval.py for rankings).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from datetime import datetime
from enum import Enum
from fractions import Fraction
from typing import ClassVar

from annotation.domain.sentences import Said, say
from curation.domain import recipe_values


class Kind(Enum):
    """On what a rule decides: a response, a candidate by itself, or all pairs that stand, taken together."""

    FILTER = "filter"
    CANDIDATE = "candidate"
    SET = "set"


@dataclass(frozen=True, slots=True)
class Rule(ABC):
    """`switch` is the parameter of a recipe that says whether it holds the rule: False or None where it does not;
    "" where the recipe holds it unless its list of rules leaves it out."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    kind: ClassVar[Kind] = Kind.CANDIDATE
    switch: ClassVar[str] = ""

    @property
    @abstractmethod
    def meaning(self) -> Said:
        """What holds where the rule holds, as a sentence with its numbers."""

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        return tuple(field.name for field in fields(cls))

    def as_dict(self) -> dict[str, object]:
        """JSON values: name, version and parameters."""
        values = {name: recipe_values.as_json(getattr(self, name)) for name in self.parameters()}
        return {"rule": self.name, "version": self.version, "parameters": values}


# --- of every recipe -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IdenticalText(Rule):
    name: ClassVar[str] = "identical_text"

    @property
    def meaning(self) -> Said:
        return say(
            "Two responses with the same text make no pair. Texts are compared after NFC, trimming and collapsing of "
            "white space."
        )


@dataclass(frozen=True, slots=True)
class LengthSymmetry(Rule):
    name: ClassVar[str] = "length_symmetry"
    kind: ClassVar[Kind] = Kind.SET
    switch: ClassVar[str] = "length_symmetry"

    buckets: int = 100

    @property
    def meaning(self) -> Said:
        return say(
            "The length differences are laid out in {buckets} buckets, mirrored about 0. In each, as many pairs stay "
            "whose chosen response is longer as in its mirror image, where it is shorter.",
            buckets=self.buckets,
        )


# --- of scores -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InsufficientOverlap(Rule):
    name: ClassVar[str] = "insufficient_overlap"

    min_common: int = 2

    @property
    def meaning(self) -> Said:
        return say("At least {number} annotators scored both responses.", number=self.min_common)


@dataclass(frozen=True, slots=True)
class NoGap(Rule):
    name: ClassVar[str] = "no_gap"

    @property
    def meaning(self) -> Said:
        return say("The scores of those who scored both prefer a side: their differences do not add up to 0.")


@dataclass(frozen=True, slots=True)
class Direction(Rule):
    name: ClassVar[str] = "direction"

    @property
    def meaning(self) -> Said:
        return say(
            "Of those who scored both at least two thirds, and at least 2, prefer the chosen response. A tie is no "
            "vote."
        )


@dataclass(frozen=True, slots=True)
class Unanimity(Rule):
    name: ClassVar[str] = "unanimity"
    switch: ClassVar[str] = "unanimous"

    @property
    def meaning(self) -> Said:
        return say("All who scored both prefer the chosen response. A tie is no vote.")


@dataclass(frozen=True, slots=True)
class Gap(Rule):
    """It demands a preferred side as well, however small `min_gap` is: without `no_gap` before it a candidate that has
    none falls here."""

    name: ClassVar[str] = "gap"

    min_gap: Fraction = Fraction(1)

    @property
    def meaning(self) -> Said:
        return say(
            "Over those who scored both, the mean of the chosen response is above the other's, by {gap} or more. "
            "Compared exactly.",
            gap=str(self.min_gap),
        )


@dataclass(frozen=True, slots=True)
class LengthRatio(Rule):
    name: ClassVar[str] = "length_ratio"
    switch: ClassVar[str] = "max_length_ratio"

    max_length_ratio: Fraction

    @property
    def meaning(self) -> Said:
        return say(
            "The longer response is at most {ratio} times as long as the other.",
            ratio=str(self.max_length_ratio),
        )


@dataclass(frozen=True, slots=True)
class CapResponse(Rule):
    name: ClassVar[str] = "cap_response"
    kind: ClassVar[Kind] = Kind.SET
    switch: ClassVar[str] = "max_pairs_per_response"

    max_pairs_per_response: int

    @property
    def meaning(self) -> Said:
        return say(
            "No response stands in more than {number} pairs. A hash of the seed and the two ids decides which stay.",
            number=self.max_pairs_per_response,
        )


@dataclass(frozen=True, slots=True)
class CapPrompt(Rule):
    name: ClassVar[str] = "cap_prompt"
    kind: ClassVar[Kind] = Kind.SET
    switch: ClassVar[str] = "max_pairs_per_prompt"

    max_pairs_per_prompt: int

    @property
    def meaning(self) -> Said:
        return say(
            "No prompt has more than {number} pairs. A hash of the seed and the two ids decides which stay.",
            number=self.max_pairs_per_prompt,
        )


@dataclass(frozen=True, slots=True)
class Quota(Rule):
    name: ClassVar[str] = "quota"
    kind: ClassVar[Kind] = Kind.SET
    switch: ClassVar[str] = "quota"

    quota: int

    @property
    def meaning(self) -> Said:
        return say(
            "At most {number} pairs of each stratum stay. Under length symmetry a longer one goes with a shorter one.",
            number=self.quota,
        )


# --- of votes --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MinUpvotes(Rule):
    name: ClassVar[str] = "min_upvotes"
    kind: ClassVar[Kind] = Kind.FILTER

    min_upvotes: int = 10

    @property
    def meaning(self) -> Said:
        return say("A story has at least {number} upvotes.", number=self.min_upvotes)


@dataclass(frozen=True, slots=True)
class MinWords(Rule):
    name: ClassVar[str] = "min_words"
    kind: ClassVar[Kind] = Kind.FILTER

    min_words: int = 50

    @property
    def meaning(self) -> Said:
        return say("A story has at least {number} words.", number=self.min_words)


@dataclass(frozen=True, slots=True)
class MaxTokens(Rule):
    name: ClassVar[str] = "max_tokens"
    kind: ClassVar[Kind] = Kind.FILTER
    switch: ClassVar[str] = "max_tokens"

    max_tokens: int = 2048

    @property
    def meaning(self) -> Said:
        return say(
            "A story has at most {number} tokens, or words where the file does not count tokens.",
            number=self.max_tokens,
        )


@dataclass(frozen=True, slots=True)
class UpvoteGap(Rule):
    name: ClassVar[str] = "upvote_gap"

    min_difference: Fraction = Fraction(1, 4)

    @property
    def meaning(self) -> Said:
        return say(
            "The chosen story has more upvotes than the other, by {share} of its own or more. Compared exactly.",
            share=str(self.min_difference),
        )


@dataclass(frozen=True, slots=True)
class Time(Rule):
    name: ClassVar[str] = "time"
    switch: ClassVar[str] = "time_rule"

    @property
    def meaning(self) -> Said:
        return say("The chosen story was posted later than the other, so it had less time to be found.")


@dataclass(frozen=True, slots=True)
class Split(Rule):
    name: ClassVar[str] = "split"
    switch: ClassVar[str] = "split_at"

    split_at: datetime

    @property
    def meaning(self) -> Said:
        return say(
            "Both stories were posted before {moment} (train), or both at that moment or later (test).",
            moment=str(self.split_at),
        )


# --- of rankings -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Incomplete(Rule):
    name: ClassVar[str] = "incomplete"
    kind: ClassVar[Kind] = Kind.FILTER
    switch: ClassVar[str] = "complete"

    @property
    def meaning(self) -> Said:
        return say("The responses to a prompt keep exactly n, n - 1, ..., 1 of its n requirements.")


@dataclass(frozen=True, slots=True)
class NoRanking(Rule):
    name: ClassVar[str] = "no_ranking"

    @property
    def meaning(self) -> Said:
        return say("The prompt has the order of which pairs are made.")


@dataclass(frozen=True, slots=True)
class Tied(Rule):
    name: ClassVar[str] = "tied"

    @property
    def meaning(self) -> Said:
        return say("The two responses do not share a tier of that order.")


@dataclass(frozen=True, slots=True)
class NotAdjacent(Rule):
    name: ClassVar[str] = "not_adjacent"

    @property
    def meaning(self) -> Said:
        return say("Their tiers follow each other.")


OF_SCORES: tuple[type[Rule], ...] = (
    IdenticalText,
    InsufficientOverlap,
    NoGap,
    Direction,
    Unanimity,
    Gap,
    LengthRatio,
    CapResponse,
    CapPrompt,
    LengthSymmetry,
    Quota,
)
OF_VOTES: tuple[type[Rule], ...] = (
    MinUpvotes,
    MinWords,
    MaxTokens,
    IdenticalText,
    UpvoteGap,
    Time,
    Split,
    LengthSymmetry,
)
OF_RANKINGS: tuple[type[Rule], ...] = (Incomplete, IdenticalText, NoRanking, Tied, NotAdjacent)
