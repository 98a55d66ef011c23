"""The live scores that a report is about, as the statistics take them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curation.domain import severity
from curation.domain.bootstrap import Integers
from curation.domain.choice import Choice, rows
from curation.domain.columns import Columns, Scores


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The live scores of a choice, with texts numbered without gaps in the order of their names.

    `texts` (U,) are their codes in the columns; `prompt`, `genre` and `language` (U,) are of them.
    """

    columns: Columns
    scores: Scores
    texts: Integers
    unit: Integers

    @classmethod
    def of(cls, columns: Columns, choice: Choice) -> "Chosen":
        scores = columns.live.where(rows(columns.live, columns, choice))
        texts, unit = np.unique(scores.response, return_inverse=True)
        return cls(columns, scores, texts.astype(np.int64), unit.astype(np.int64))

    @property
    def prompt(self) -> Integers:
        return self.columns.prompt_of[self.texts].astype(np.int64)

    @property
    def genre(self) -> Integers:
        return self.columns.genre_of[self.prompt].astype(np.int64)

    @property
    def language(self) -> Integers:
        return self.columns.language_of[self.prompt].astype(np.int64)

    @property
    def is_pairable(self) -> NDArray[np.bool_]:
        """Whether two people scored a text (U,)."""
        return np.bincount(self.unit, minlength=len(self.texts)) > 1

    @property
    def annotator(self) -> Integers:
        return self.scores.annotator.astype(np.int64)

    @property
    def of_rows(self) -> Integers:
        """The prompt of each score (N,)."""
        return self.prompt[self.unit]

    @property
    def week(self) -> Integers:
        return severity.weeks_of(self.scores.at)
