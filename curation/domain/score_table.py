"""Scores as codes, in either of two shapes: a row for each score, or a row for each unit with a column a seat."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from curation.domain import ratings
from curation.domain.bootstrap import Integers
from curation.domain.patterns import ROWS, Codes, Patterns, exact, numbered, of_values, places

MISSING = 255  # in a panel's table: not scored
ORDERED = 2**16  # rows of a panel are told apart by one look-up where so few are possible

Scores = NDArray[np.uint8]
Bools = NDArray[np.bool_]


class ScoreTable(Protocol):
    """Scores count from 0, and so do the codes of units and annotators, which stand in the order of the names."""

    n_units: int
    n_values: int
    n_annotators: int  # a seat of a panel is one

    def patterns(self) -> Patterns | None:
        """Of all units, single scores and none among them; None where the values are too many to count by."""

    def each(self) -> Iterator[tuple[Codes, Scores]]:
        """The units that each annotator scored, and how, annotator by annotator."""

    def given(self, kind: Integers, kinds: int) -> Integers:
        """How often each annotator gave each score to units of each kind (A, kinds, V). `kind` (U,) is theirs."""

    def raters(self, group: Codes | None, groups: int) -> Integers:
        """How many annotators scored a unit of each group (G,), -1 being that of a unit of none; None: one group."""


class Long:
    """A row for each score. ValueError for columns of different lengths and for a second score of an annotator."""

    def __init__(self, unit: Codes, annotator: Codes, score: Scores, units: int | None = None) -> None:
        if not len(unit) == len(annotator) == len(score):
            raise ValueError("the columns differ in length; give every score its unit and annotator")
        ratings.refuse_second_values(unit, annotator)
        self.unit, self.annotator, self.score = unit, annotator, score
        self.n_units = int(unit.max(initial=-1)) + 1 if units is None else units
        self.n_values = int(score.max(initial=0)) + 1
        self.n_annotators = int(annotator.max(initial=-1)) + 1

    def patterns(self) -> Patterns | None:
        return of_values(self.unit, self.score, self.n_values, self.n_units)

    def each(self) -> Iterator[tuple[Codes, Scores]]:
        for rows in divided(self.annotator, self.n_annotators):
            yield self.unit[rows], self.score[rows]

    def given(self, kind: Integers, kinds: int) -> Integers:
        found = np.zeros(self.n_annotators * kinds * self.n_values, dtype=np.int64)
        for start in range(0, len(self.unit), ROWS):
            rows = slice(start, start + ROWS)
            place = self.annotator[rows].astype(np.int64)
            place *= kinds
            place += kind[self.unit[rows]]
            place *= self.n_values
            place += self.score[rows]
            found += np.bincount(place, minlength=len(found))
        return found.reshape(self.n_annotators, kinds, self.n_values)

    def raters(self, group: Codes | None, groups: int) -> Integers:
        seen = np.zeros((groups + 1) * self.n_annotators, dtype=np.bool_)
        for start in range(0, len(self.unit), ROWS):
            rows = slice(start, start + ROWS)
            place = 0 if group is None else group[self.unit[rows]].astype(np.int64)
            place = (place + 1) * self.n_annotators
            seen |= np.bincount(place + self.annotator[rows], minlength=len(seen)) > 0
        return np.asarray(seen.reshape(groups + 1, -1)[1:].sum(axis=1))


class Panel:
    """A row for each unit and a column for each annotator or seat, MISSING where there is no score (U, R)."""

    def __init__(self, table: Scores) -> None:
        self.table = table
        self.n_units, self.n_annotators = table.shape
        # MISSING plus one is 0
        self.n_values = max([1, *(int((rows + np.uint8(1)).max()) for rows in self._blocks())])

    def patterns(self) -> Patterns | None:
        few_rows = (self.n_values + 1) ** self.n_annotators <= ORDERED
        if few_rows and exact(self.n_annotators + 1, self.n_values):
            return self._by_order()
        size = [0, *(int((rows != MISSING).sum(axis=1).max()) for rows in self._blocks())]
        base = max(size) + 1
        if not exact(base, self.n_values):
            return None
        worth = np.zeros(MISSING + 1, dtype=np.int64)
        worth[: self.n_values] = places(base, self.n_values)
        numbers = [np.zeros(0, dtype=np.int64), *(worth[rows].sum(axis=1) for rows in self._blocks())]
        return numbered(np.concatenate(numbers), base, self.n_values)

    def _by_order(self) -> Patterns:
        """With few seats, rows are told apart by who gave which score, and only the different ones are counted."""
        digit = self.n_values + 1
        codes = np.zeros(self.n_units, dtype=np.uint16)
        for column in self.table.T:
            codes *= np.uint16(digit)
            codes += column + np.uint8(1)
        different = np.flatnonzero(np.bincount(codes, minlength=1))
        rows = different[:, None] // places(digit, self.n_annotators) % digit
        worth = np.concatenate([[0], places(self.n_annotators + 1, self.n_values)])
        found = numbered(worth[rows].sum(axis=1), self.n_annotators + 1, self.n_values)
        of_code = np.zeros(digit**self.n_annotators, dtype=np.int64)
        of_code[different] = found.of_unit
        return Patterns(found.counts, of_code[codes])

    def each(self) -> Iterator[tuple[Codes, Scores]]:
        for column in self.table.T:
            units = np.flatnonzero(column != MISSING)
            yield units, column[units]

    def given(self, kind: Integers, kinds: int) -> Integers:
        cells = kinds * self.n_values
        found = [
            np.bincount(kind[units] * self.n_values + score, minlength=cells) for units, score in self.each()
        ]
        return np.array(found, dtype=np.int64).reshape(-1, kinds, self.n_values)

    def raters(self, group: Codes | None, groups: int) -> Integers:
        if group is None:
            return np.array([sum(1 for column in self.table.T if (column != MISSING).any())])
        found = np.zeros(groups + 1, dtype=np.int64)
        for column in self.table.T:
            found += np.bincount(group[column != MISSING] + 1, minlength=groups + 1) > 0
        return found[1:]

    def _blocks(self) -> Iterator[Scores]:
        step = max(1, ROWS // max(1, self.n_annotators))
        for start in range(0, self.n_units, step):
            yield self.table[start : start + step]


def divided(codes: Codes, count: int) -> list[Integers]:
    """The places of each code (count,), in ascending order; codes below 0 stand in none."""
    kind = np.min_scalar_type(count)
    order = np.argsort((codes + 1).astype(kind), kind="stable")  # by digits, where the codes are short
    ends = np.cumsum(np.bincount(codes + 1, minlength=count + 1))
    return [order[first:last] for first, last in pairwise(ends)]
