"""Where annotators are split so that an adjudicator looks at it: rules over what they gave, and nothing else."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from annotation.domain import category_votes
from annotation.domain.scoring import SCALE

FIRST, NEITHER, SECOND = 1, 0, -1  # which of two responses somebody holds to be better

Text = TypeVar("Text", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on a split goes to an adjudicator; None where the rule is not asked."""

    spread: int | None = 2  # between the highest and the lowest score of a text
    minority: int | None = 1  # votes for the side of a pair that fewer are for
    ties: bool = True  # votes on categories without a majority

    def __post_init__(self) -> None:
        if self.spread is not None and not 1 <= self.spread <= max(SCALE):
            raise ValueError(f"a spread of {self.spread} is not between 1 and {max(SCALE)}")
        if self.minority is not None and self.minority < 1:
            raise ValueError("contrary votes take one vote or more on either side")


def is_wide(scores: Sequence[int], least: int) -> bool:
    """Whether the scores of one text lie at least that far apart."""
    return len(scores) > 1 and max(scores) - min(scores) >= least


def is_contrary(sides: Iterable[int], least: int) -> bool:
    """Whether at least that many hold each of two responses to be better. A tie is for neither."""
    held = list(sides)
    return min(held.count(FIRST), held.count(SECOND)) >= least


def is_tied(votes: Sequence[Hashable], voters: int) -> bool:
    """Whether all have voted and no category has more than half of the votes."""
    return category_votes.outcome(votes, voters).state == "tied"


def side(one: int, other: int) -> int:
    """The better of two by numbers of which the higher is better."""
    return (one > other) - (one < other)


def sides_of_pairs(
    given: Iterable[Mapping[Text, int]], texts: Sequence[Text]
) -> dict[tuple[Text, Text], list[int]]:
    """What the scores of each person say of each two of the texts, named in this order, that they scored both."""
    found: dict[tuple[Text, Text], list[int]] = {pair: [] for pair in combinations(texts, 2)}
    for scores in given:
        for (one, other), sides in found.items():
            if one in scores and other in scores:
                sides.append(side(scores[one], scores[other]))
    return found
