"""Alpha of many scores at once: of all, of every group of units, and without each annotator in turn.

The scores come as codes (score_table.py), clusters and groups as a code for each unit. Where codes stand in the order
of the names' bytes, as in columns.py, everything here is what agreement.report says of the same rows by name, its
intervals included: the arithmetic is that of agreement.py, and only what the questions have in common is done once.
That is the pattern of values that each unit has, of which a rubric allows a few dozen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from curation.domain import agreement, distances, ratings
from curation.domain.agreement import LEVELS, Levels, Report
from curation.domain.alpha_rows import Rows, of_histogram, summed
from curation.domain.bootstrap import Integers
from curation.domain.distances import Distance, Scale
from curation.domain.patterns import Codes, Patterns, places
from curation.domain.score_table import Bools, Long, Scores, ScoreTable, divided

LEVELS_OF_SCORES = ("ordinal", "interval", "nominal", "ratio")


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Scores that are counted, and the cluster of each unit (U,), None: each unit is its own.

    `patterns` is None where the values are too many to count by; each question is then computed by itself.
    """

    scores: ScoreTable
    cluster: Codes | None
    patterns: Patterns | None


def tally(scores: ScoreTable, cluster: Codes | None = None) -> Tally:
    if cluster is not None and len(cluster) != scores.n_units:
        raise ValueError("the clusters differ in number from the units; give every unit its cluster")
    return Tally(scores, cluster, scores.patterns())


def report(
    counted: Tally, *, levels: Sequence[str] = LEVELS, replicates: int = 2000, seed: str = "plumb-1"
) -> Report:
    """Alpha of all scores."""
    return _reports(counted, _Groups(counted.patterns, None, 1), levels, replicates, seed)[0]


def by_group(
    counted: Tally,
    group: Codes,
    groups: int,
    *,
    levels: Sequence[str] = LEVELS,
    replicates: int = 2000,
    seed: str = "plumb-1",
) -> list[Report]:
    """Alpha of each group of units, such as a genre (G,). `group` (U,) is below 0 for units of none."""
    if len(group) != counted.scores.n_units:
        raise ValueError("the groups differ in number from the units; give every unit its group, or -1")
    return _reports(counted, _Groups(counted.patterns, group, groups), levels, replicates, seed)


def without_each(
    counted: Tally, *, levels: Sequence[str] = ("ordinal",), replicates: int = 0, seed: str = "plumb-1"
) -> list[Levels]:
    """Alpha of the others, once each annotator is left out (A,). Without replicates there are no intervals."""
    asked = _Asked(counted, levels, replicates, seed)
    return asked.answers(asked.without_each())


class _Groups:
    """Units in groups (G,), those of a group below 0 in none; without groups all units are one."""

    def __init__(self, patterns: Patterns | None, group: Codes | None, count: int) -> None:
        self.patterns, self.group, self.count = patterns, group, count

    @cached_property
    def units(self) -> Sequence[Integers | slice]:
        """Those of each group."""
        return [slice(None)] if self.group is None else divided(self.group, self.count)

    @cached_property
    def shown(self) -> Integers | None:
        """How many units of each group show each pattern (G, P); None where that would be too many numbers."""
        if self.patterns is None or self.count * len(self.patterns.counts) > agreement.FEATURES:
            return None
        return self.counted(self.patterns.of_unit, len(self.patterns.counts))

    def counted(self, kind: Integers, kinds: int) -> Integers:
        """How many units of each group are of each kind (G, kinds)."""
        if self.group is None:
            return np.bincount(kind, minlength=kinds)[None, :]
        place = (self.group + 1).astype(np.int64)
        place *= kinds
        place += kind
        return np.bincount(place, minlength=(self.count + 1) * kinds).reshape(self.count + 1, kinds)[1:]


def _reports(
    counted: Tally, groups: _Groups, levels: Sequence[str], replicates: int, seed: str
) -> list[Report]:
    asked = _Asked(counted, levels, replicates, seed)
    alphas = asked.answers(asked.of_groups(groups))
    raters = counted.scores.raters(groups.group, groups.count)
    return [
        Report(alpha, n_raters=int(people), **_counts(units))
        for alpha, people, units in zip(alphas, raters, asked.sizes(groups), strict=True)
    ]


def _counts(units: Integers) -> dict[str, int]:
    """Of so many units by the number of their scores (M,)."""
    pairable = units * np.arange(len(units))
    return {"n_units": int(units[1:].sum()), "n_pairable": int(pairable[2:].sum())}


class _Asked:
    """One question, put to many selections of the same scores: alpha at which levels, from which draws."""

    def __init__(self, counted: Tally, levels: Sequence[str], replicates: int, seed: str) -> None:
        self.counted = counted
        self.cluster = counted.cluster if replicates else None  # which alone it is for
        self.replicates, self.seed = replicates, seed
        self.scale = [float(value) for value in range(counted.scores.n_values)]
        self.levels = levels
        self.chosen = [_distance(level, self.scale) for level in levels]

    def of_groups(self, groups: _Groups) -> Iterator[Rows | str]:
        """What is drawn of each group, or why alpha is not defined."""
        patterns = self.counted.patterns
        if patterns is not None and self.cluster is None and groups.shown is not None:
            found = (self._of_histogram(patterns, each) for each in groups.shown)
        else:
            found = (self._of_some(patterns, units) for units in groups.units)
        for number, each in enumerate(found):
            yield each or self._of_rows(self._among(groups.units[number])[self._rows.unit])

    def without_each(self) -> Iterator[Rows | str]:
        """The same of all units, annotator by annotator."""
        scores = self.counted.scores
        lowered = None if self.counted.patterns is None else _lowered(self.counted.patterns)
        many = 0 if lowered is None else scores.n_annotators * lowered.by_value.size
        if lowered is not None and self.cluster is None and many <= agreement.FEATURES:
            given = scores.given(lowered.patterns.of_unit, len(lowered.units))
            found = (self._of_histogram(lowered.patterns, lowered.without(each)) for each in given)
        else:
            found = (self._lowered(lowered, unit, score) for unit, score in scores.each())
        for out, each in enumerate(found):
            yield each or self._of_rows(self._rows.annotator != out)

    def sizes(self, groups: _Groups) -> Integers:
        """How many units of each group have 0, 1, ... scores (G, M)."""
        patterns = self.counted.patterns
        if patterns is None:
            size = np.bincount(self._rows.unit, minlength=self.counted.scores.n_units)
            return groups.counted(size, max(2, int(size.max(initial=0)) + 1))
        size = patterns.size.astype(np.int64)
        sizes = max(2, int(size.max(initial=0)) + 1)
        if groups.shown is not None:
            return np.asarray(groups.shown @ (size[:, None] == np.arange(sizes)))
        return groups.counted(size[patterns.of_unit], sizes)

    def answers(self, asked: Iterable[Rows | str]) -> list[Levels]:
        return agreement.answers(asked, levels=self.levels, replicates=self.replicates, seed=self.seed)

    def _of_some(self, patterns: Patterns | None, units: Integers | slice) -> Rows | str | None:
        if patterns is None:
            return None
        cluster = None if self.cluster is None else self.cluster[units]
        return self._of_patterns(patterns, patterns.of_unit[units], cluster)

    def _of_patterns(self, patterns: Patterns, of_unit: Integers, cluster: Codes | None) -> Rows | str | None:
        """None where the values must be taken one by one."""
        units = np.bincount(of_unit, minlength=len(patterns.counts))
        if cluster is None or _reason(patterns, units):
            return self._of_histogram(patterns, units)
        paired = (patterns.size > 1)[of_unit]
        if not paired.all():
            of_unit, cluster = of_unit[paired], cluster[paired]
        return summed(patterns, of_unit, cluster, self.chosen, limit=agreement.FEATURES)

    def _of_histogram(self, patterns: Patterns, units: Integers) -> Rows | str | None:
        """The same of units that are drawn each by itself, from how many have each pattern (P,)."""
        reason = _reason(patterns, units)
        if reason:
            return reason
        paired = np.where(patterns.size > 1, units, 0)
        return of_histogram(patterns.counts, paired, self.chosen, limit=agreement.FEATURES)

    def _lowered(self, lowered: "_Lowered | None", unit: Codes, score: Scores) -> Rows | str | None:
        """Without these scores, of an annotator who has one of each of these units."""
        if lowered is None:
            return None
        before = lowered.patterns.of_unit[unit]
        after = lowered.by_value.ravel()[before * lowered.by_value.shape[1] + score]
        of_unit = lowered.patterns.of_unit.copy()
        of_unit[unit] = after
        return self._of_patterns(lowered.patterns, of_unit, self.cluster)

    def _among(self, units: Integers | slice) -> Bools:
        among = np.zeros(self.counted.scores.n_units, dtype=np.bool_)
        among[units] = True
        return among

    def _of_rows(self, chosen: Bools) -> Rows | str:
        """Of a selection of the scores, each by itself."""
        rows = self._rows
        table = ratings.coded(rows.unit[chosen], rows.score[chosen], self.scale, self.cluster)
        reason = agreement.unvaried(len(table.scale)) if chosen.any() else "empty"
        return reason or agreement.rows_of(table, [_distance(level, table.scale) for level in self.levels])

    @cached_property
    def _rows(self) -> Long:
        """The scores one by one, annotator by annotator."""
        units, scores = zip(*self.counted.scores.each(), strict=True)
        annotator = np.repeat(np.arange(len(units)), [len(each) for each in units])
        return Long(np.concatenate(units), annotator, np.concatenate(scores))


@dataclass(frozen=True, slots=True, eq=False)
class _Lowered:
    """Patterns and those that they become when one score is taken away: `by_value` (P, V), and `units` (P,) of each."""

    patterns: Patterns
    by_value: Integers
    units: Integers

    def without(self, given: Integers) -> Integers:
        """How many units show each pattern once an annotator is left out, who gave to so many of each pattern each of
        the scores (P, V)."""
        after = np.bincount(self.by_value.ravel(), weights=given.ravel(), minlength=len(self.units))
        return np.asarray(self.units - given.sum(axis=1) + after.astype(np.int64))


def _lowered(patterns: Patterns) -> _Lowered:
    n_values = patterns.counts.shape[1]
    base = int(patterns.size.max(initial=0)) + 1
    worth = places(base, n_values)
    numbers = patterns.counts.astype(np.int64) @ worth
    less = np.where(patterns.counts > 0, numbers[:, None] - worth, 0)
    all_numbers = np.union1d(numbers, less)
    counts = all_numbers[:, None] // worth % base
    of_unit = np.searchsorted(all_numbers, numbers)[patterns.of_unit]
    by_value = np.zeros((len(all_numbers), n_values), dtype=np.int64)
    by_value[np.searchsorted(all_numbers, numbers)] = np.searchsorted(all_numbers, less)
    units = np.bincount(of_unit, minlength=len(all_numbers))
    return _Lowered(Patterns(counts.astype(np.float64), of_unit), by_value, units)


def _reason(patterns: Patterns, units: Integers) -> str | None:
    """Why alpha of so many units of each pattern (P,) is not defined, or None."""
    if not (units * patterns.size).any():
        return "empty"
    paired = np.where(patterns.size > 1, units, 0)
    return agreement.unvaried(int(np.count_nonzero(paired @ patterns.counts)))


def _distance(level: str, scale: Scale) -> Distance:
    if level not in LEVELS_OF_SCORES:
        raise ValueError(f"{level!r} is not a level of scores; use one of {', '.join(LEVELS_OF_SCORES)}")
    return distances.at(level, scale, None)
