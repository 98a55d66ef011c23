"""The scale on which values were given: as declared, or as far as the values tell."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.domain.records import shown
from curation.domain.bootstrap import Integers
from curation.management.agreement_of_files.scores import Scores
from curation.management.agreement_of_files.table import shortened

MOST_LEVELS = 50  # of a scale whose levels are taken for categories
MOST_SHOWN = 100  # columns of labels in a note
WIDEST = 255  # whole numbers are taken for a scale from 0 to here

WHOLE = re.compile(r"[+-]?[0-9]{1,3}")


class ScaleError(ValueError):
    """What was declared is no scale."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The levels, in ascending order, for coefficients that depend on which could have been given.

    `source` is "declared", "values" (whole numbers from the least to the most that occurs) or "labels" (those that
    occur, in the order of their names). There are no levels for one of these reasons:

        empty                   there are no values
        one_level               one value occurs, which tells nothing about the others
        values_not_whole        some value has a fraction
        values_outside_0_to_255 some value is below or above
        too_many_levels         there would be more than MOST_LEVELS
    """

    source: Literal["declared", "values", "labels"]
    levels: tuple[int, ...] | tuple[str, ...] = ()
    reason: str | None = None

    def numbers(self) -> tuple[int, ...]:
        """The levels as numbers; those of labels only count them."""
        return tuple(level if isinstance(level, int) else i for i, level in enumerate(self.levels))

    def codes(self, values: Sequence[float] | Sequence[str]) -> Integers:
        """The place of each value among the levels."""
        place = {level: i for i, level in enumerate(self.levels)}
        return np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))

    def as_dict(self) -> dict[str, object]:
        levels = list(self.levels) if self.levels else None
        return {"levels": levels, "source": self.source, "reason": self.reason}

    def __str__(self) -> str:
        return ", ".join(level if isinstance(level, str) else str(level) for level in self.levels)


def declared(text: str) -> Scale:
    """That of 0,1,2,3. Raises ScaleError."""
    levels = [part.strip() for part in text.split(",")]
    for level in levels:
        if not WHOLE.fullmatch(level) or abs(int(level)) > WIDEST:
            raise ScaleError(
                f"{shown(level)} is no level; write whole numbers up to {WIDEST}, such as 0,1,2,3"
            )
    numbers = sorted({int(level) for level in levels})
    if len(numbers) < len(levels):
        raise ScaleError("a level stands there twice; give each once")
    if not 2 <= len(numbers) <= MOST_LEVELS:
        raise ScaleError(f"a scale has 2 to {MOST_LEVELS} levels, and here is {len(numbers)}")
    return Scale("declared", tuple(numbers))


def of_scores(scores: Scores, declared_scale: Scale | None) -> Scale:
    """The declared scale, or else what the values tell. Raises InputError on the first value that is not on it."""
    if declared_scale is None:
        return _of_labels(scores) if scores.first_label is not None else _of_numbers(scores)
    levels = set(declared_scale.levels)
    for row, value in enumerate(scores.values):
        if value not in levels:
            written = shown(value) if isinstance(value, str) else f"{value:.15g}"
            reason = f"{written} is not on the scale {declared_scale}; correct the value or --scale"
            raise scores.error(row, reason)
    return declared_scale


def _of_labels(scores: Scores) -> Scale:
    labels = sorted({str(value) for value in scores.numbers_or_labels()})
    reason = _reason(len(labels))
    return Scale("labels", () if reason else tuple(labels), reason)


def _of_numbers(scores: Scores) -> Scale:
    numbers = [value for value in scores.values if not isinstance(value, str)]
    if not numbers:
        return Scale("values", reason="empty")
    if not all(number.is_integer() for number in numbers):
        return Scale("values", reason="values_not_whole")
    least, most = int(min(numbers)), int(max(numbers))
    if least < 0 or most > WIDEST:
        return Scale("values", reason="values_outside_0_to_255")
    reason = _reason(most - least + 1)
    return Scale("values", () if reason else tuple(range(least, most + 1)), reason)


def note(scores: Scores, scale: Scale) -> str:
    """What a person should know of a scale that was not declared."""
    if scale.source == "labels" and scale.levels:
        return (
            f"Labels taken for all that could be given: {shortened(str(scale), MOST_SHOWN)}. "
            "They serve what compares equal with different: weighted coefficients and ICC need numbers."
        )
    if scale.levels:
        return (
            f"Scale taken: {scale}, whole numbers from the least to the most that occurs; "
            "declare another with --scale."
        )
    why = _why(scores, scale.reason or "")
    kept = (
        ""
        if scale.source == "labels" or scale.reason == "empty"
        else " Alpha, ICC and percent agreement stay."
    )
    return f"No chance-corrected coefficients and no kappas: {why}.{kept}"


def _reason(levels: int) -> str | None:
    if levels == 1:
        return "one_level"
    return "too_many_levels" if levels > MOST_LEVELS else None


def _why(scores: Scores, reason: str) -> str:
    few = "where the scale has few levels, declare them: --scale=-1,0,1"
    if reason == "values_not_whole":
        fraction = _first(scores, lambda value: not value.is_integer())
        return f"they are for scales of a few whole numbers, and {fraction}"
    if reason == "values_outside_0_to_255":
        outside = _first(scores, lambda value: not 0 <= value <= WIDEST)
        return f"they are for whole numbers from 0 to {WIDEST}, and {outside}; {few}"
    of_labels = {
        "too_many_levels": f"they are for up to {MOST_LEVELS} different labels, and here are more",
        "one_level": "one label alone occurs",
    }
    of_numbers = {
        "empty": "there are no values",
        "too_many_levels": f"they are for up to {MOST_LEVELS} levels, and here would be more; {few}",
        "one_level": "one value alone occurs, which does not tell the scale; declare it: --scale 0,1,2,3",
    }
    return (of_numbers if scores.first_label is None else of_labels)[reason]


def _first(scores: Scores, strange: Callable[[float], bool]) -> str:
    """Where the first of the values stands that are none of such a scale."""
    row, value = next(
        (row, value)
        for row, value in enumerate(scores.values)
        if not isinstance(value, str) and strange(value)
    )
    return f"line {scores.lines[row]} has {value:.15g}"
