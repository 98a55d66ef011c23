"""Whether somebody scores as the consensus does: by first attempts at items of a course, in integers throughout.

What counts is the last `window` first attempts, genre by genre. A genre with fewer than FEWEST of them says too
little by itself; the attempts of all genres together speak for it then.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

FEWEST = 3
COURSE_HOURS = 8  # what the course is planned to take; shown, and nothing follows from it


class Closeness(StrEnum):
    """How far a score is from the consensus."""

    EXACT = "exact"
    ONE_OFF = "one_off"
    FURTHER = "further"


def closeness(value: int, consensus: int) -> Closeness:
    distance = abs(value - consensus)
    if distance == 0:
        return Closeness.EXACT
    return Closeness.ONE_OFF if distance == 1 else Closeness.FURTHER


@dataclass(frozen=True, slots=True)
class Attempt:
    """A first attempt at an item; `genre` is the key of its macro-category, "" for none."""

    genre: str
    value: int
    consensus: int

    @property
    def is_exact(self) -> bool:
        return self.value == self.consensus


@dataclass(frozen=True, slots=True)
class Window:
    """The last attempts of a genre; `genre` is "" for those of all genres."""

    genre: str
    exact: int
    counted: int
    percent: int  # of exact ones that mastery asks for

    @property
    def is_mastered(self) -> bool:
        return self.counted > 0 and 100 * self.exact >= self.percent * self.counted

    @property
    def is_telling(self) -> bool:
        """Whether there are enough attempts to judge the genre by itself."""
        return self.counted >= FEWEST


@dataclass(frozen=True, slots=True)
class Standing:
    """How far somebody is; `genres` in the order asked for."""

    genres: tuple[Window, ...]
    overall: Window

    @property
    def weak(self) -> tuple[str, ...]:
        """Genres that are to be practised further: judged by themselves and not mastered."""
        return tuple(each.genre for each in self.genres if each.is_telling and not each.is_mastered)

    @property
    def is_mastered(self) -> bool:
        if self.weak:
            return False
        if self.genres and all(each.is_telling for each in self.genres):
            return True
        return self.overall.is_mastered


def standing(attempts: Sequence[Attempt], genres: Collection[str], *, window: int, percent: int) -> Standing:
    """Of first attempts in the order in which they were made; `genres` are those to be mastered."""
    by_genre = (
        _window(genre, [each for each in attempts if each.genre == genre], window, percent)
        for genre in genres
    )
    return Standing(tuple(by_genre), _window("", attempts, window, percent))


def _window(genre: str, attempts: Sequence[Attempt], window: int, percent: int) -> Window:
    last = attempts[-window:]
    return Window(genre, sum(each.is_exact for each in last), len(last), percent)
