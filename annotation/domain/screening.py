"""Whether somebody's command of a language, and what they read and write, will do for a project."""

from collections.abc import Mapping
from dataclasses import dataclass

LEVELS = ("B1", "B2", "C1", "C2", "native")  # ascending; the first four of the Common European Framework
FAMILIARITY = (0, 1, 2, 3)  # not at all, a little, well, as a professional


@dataclass(frozen=True, slots=True)
class Outcome:
    """`genres`: keys of the macro-categories in which the person may score, in the order they were asked."""

    language_will_do: bool
    genres: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.language_will_do and bool(self.genres)


def outcome(
    level: str, familiarity: Mapping[str, int], *, level_minimum: str, familiarity_minimum: int
) -> Outcome:
    """What the answers come to. `familiarity` by key of each macro-category. ValueError on an unknown level."""
    return Outcome(
        language_will_do=LEVELS.index(level) >= LEVELS.index(level_minimum),
        genres=tuple(key for key, known in familiarity.items() if known >= familiarity_minimum),
    )
