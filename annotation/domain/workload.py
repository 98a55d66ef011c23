"""How much there is to read, and how long that takes. Judging and writing come on top; nothing here guesses at it.

Time is an exact fraction of minutes, so that sums do not depend on the order in which they were made.
"""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import comb

from annotation.domain import text
from annotation.domain.text import Unit

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast people read: `words` and `characters` a minute, both 1 or more."""

    words: int
    characters: int


@dataclass(frozen=True, slots=True)
class Reading:
    """So many prompts and responses, and their length: in words where words are counted, else in characters."""

    prompts: int = 0
    responses: int = 0
    words: int = 0
    characters: int = 0

    def __add__(self, other: "Reading") -> "Reading":
        return Reading(
            self.prompts + other.prompts,
            self.responses + other.responses,
            self.words + other.words,
            self.characters + other.characters,
        )

    def times(self, people: int) -> "Reading":
        """The same, read by so many people."""
        return Reading(
            self.prompts * people, self.responses * people, self.words * people, self.characters * people
        )

    def minutes(self, pace: Pace) -> Fraction:
        return Fraction(self.words, pace.words) + Fraction(self.characters, pace.characters)


@dataclass(frozen=True, slots=True)
class PromptReading:
    """What one prompt gives to read: the prompt itself, once a person, and all its responses."""

    prompt: Reading
    responses: Reading

    @property
    def whole(self) -> Reading:
        """What one annotator reads who scores every response."""
        return self.prompt + self.responses


def of_prompt(prompt: str, unit: Unit) -> Reading:
    return Reading(prompts=1, **{unit: text.length(prompt, unit)})


def of_response(response: str, unit: Unit) -> Reading:
    return Reading(responses=1, **{unit: text.length(response, unit)})


def in_panel(reading: PromptReading, *, seats: int) -> Reading:
    """What all who hold a seat read together: prompt and responses, each of them."""
    return reading.whole.times(seats)


def in_pool(reading: PromptReading, *, seats: int, annotators: int) -> Reading:
    """What a pool reads together, at most: each response `seats` times, the prompt once by everybody who gets one.

    As many people get a response to it as there are slots, or as there are annotators.
    """
    slots = seats * reading.responses.responses
    readers = max(seats, min(annotators, slots))
    return reading.responses.times(seats) + reading.prompt.times(readers)


def cost(minutes: Fraction, hourly_rate: Decimal) -> Decimal:
    """Paid time, to the cent."""
    exact = minutes / 60 * Fraction(hourly_rate)
    return (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(CENT, ROUND_HALF_UP)


def share_with_common(annotators: int, *, seats: int, common: int) -> Fraction:
    """Of two responses whose `seats` annotators are drawn at random: how often `common` or more scored both.

    The upper tail of the hypergeometric distribution; 0 where there are fewer annotators than seats.
    """
    if annotators < seats:
        return Fraction(0)
    ways = sum(
        comb(seats, both) * comb(annotators - seats, seats - both) for both in range(common, seats + 1)
    )
    return Fraction(ways, comb(annotators, seats))
