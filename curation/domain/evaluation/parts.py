"""The parts that figures are given for: all cases, each genre, each language, and each genre within a language.

Cases are pairs or prompts. Those whose genre or language is not known are in no part that it would decide.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from curation.domain.bootstrap import Integers
from curation.domain.evaluation.benchmark import UNKNOWN

ALL = "all"
GENRES, LANGUAGES, STRATA = "genres", "languages", "strata"

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One way to divide cases: the codes of their parts (N,), UNKNOWN for none, and the names of the parts."""

    codes: Integers
    names: Sequence[str]

    def rows(self) -> Iterator[tuple[str, Integers]]:
        for code, name in enumerate(self.names):
            yield name, np.flatnonzero(self.codes == code)

    @property
    def unknown(self) -> int:
        return int(np.count_nonzero(self.codes == UNKNOWN))


@dataclass(frozen=True, slots=True)
class Divided(Generic[Part]):
    """The whole, and by axis its parts in the order of their names. `unknown` counts by axis the cases in no part."""

    whole: Part
    parts: Mapping[str, Mapping[str, Part]]
    unknown: Mapping[str, int]

    def as_dict(self, said: Callable[[Part], dict[str, object]]) -> dict[str, object]:
        return {
            "overall": said(self.whole),
            **{
                axis: [{"key": key, **said(part)} for key, part in self.parts[axis].items()]
                for axis in (GENRES, LANGUAGES, STRATA)
            },
            "unknown_genre": self.unknown[GENRES],
            "unknown_language": self.unknown[LANGUAGES],
        }


def axes(genre: Axis, language: Axis) -> dict[str, Axis]:
    """The three ways; strata are called as in `en+poetry`, and stand by language, then by genre."""
    width = len(genre.names)
    known = (genre.codes != UNKNOWN) & (language.codes != UNKNOWN)
    cells, place = np.unique(language.codes[known] * width + genre.codes[known], return_inverse=True)
    codes = np.full(len(known), UNKNOWN, dtype=np.int64)
    codes[known] = place
    names = [f"{language.names[cell // width]}+{genre.names[cell % width]}" for cell in cells.tolist()]
    return {GENRES: genre, LANGUAGES: language, STRATA: Axis(codes, names)}


def divided(
    by: Mapping[str, Axis], cases: int, measured: Callable[[str, Mapping[str, Integers]], Mapping[str, Part]]
) -> Divided[Part]:
    """`measured` gives the parts of an axis, from its name and the rows of each; the whole is an axis of its own."""
    return Divided(
        whole=measured(ALL, {ALL: np.arange(cases)})[ALL],
        parts={name: measured(name, dict(axis.rows())) for name, axis in by.items()},
        unknown={name: axis.unknown for name, axis in by.items()},
    )
