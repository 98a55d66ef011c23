"""Krippendorff's alpha with a bootstrap interval.

Only values of units with two or more values are pairable; the others are left out before anything is counted
or drawn, so they change neither alpha nor its interval. With n pairable values, of which n_c are c,

    alpha = 1 - (n - 1) * observed / expected
    observed = sum over units, and over ordered pairs of a unit's m values, of distance / (m - 1)
    expected = sum over c and k of n_c * n_k * distance(c, k)

where distance is 1 for different values (nominal), the squared difference of the values (interval) or that of
their mid-ranks among the pairable values (ordinal), or ((c - k) / (c + k))^2 (ratio). Source: Krippendorff,
Content Analysis, 2nd edition 2004, chapter 11.

Where alpha is not defined its value is None, with a reason, never 0, 1 or NaN:

    empty                      there is no value at all
    level_needs_numbers        the values are labels (at the level ordinal: without a declared order)
    ratio_needs_non_negative   the ratio distance has a pole at c = -k
    no_pairable_values         no unit has two values
    no_variation               all pairable values are the same

The bootstrap draws clusters (prompts) with replacement, units where there are no clusters, and computes all
of alpha anew; replicates in which it is not defined are counted and left out. All levels are computed on the
same draws, and units and clusters stand in the order of their names, so an interval depends neither on the
order of the rows nor on which other levels were asked for.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from curation.domain import bootstrap, distances, ratings
from curation.domain.alpha_rows import Entries, Rows, summed
from curation.domain.bootstrap import Floats
from curation.domain.distances import Declared, Distance, Scale
from curation.domain.patterns import of_values
from curation.domain.watcher import NOBODY, Watcher

LEVELS = ("ordinal", "interval", "nominal")  # those of a report; distances.LEVELS has more

FEATURES = 2**22  # numbers held in a table of rows and features; a larger one is kept as its entries
HELD = 2**22  # numbers held in the tables that are drawn together


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha at one level, with the ends of its 95 % interval.

    `value` is None where alpha is not defined; `reason` then says why. `low` and `high` are also None where
    there are fewer than two clusters (units) to draw from, or no replicate in which alpha is defined.
    `undefined` counts the replicates that were left out.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    undefined: int = 0
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


Levels = dict[str, Alpha]


@dataclass(frozen=True, slots=True)
class Report:
    """Alpha by level; units with a value, annotators, and values in units that have two or more."""

    alpha: dict[str, Alpha]
    n_units: int
    n_raters: int
    n_pairable: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def report(
    units: Sequence[str],
    annotators: Sequence[str],
    values: Scale,
    *,
    clusters: Sequence[str] | None = None,
    levels: Sequence[str] = LEVELS,
    replicates: int = 2000,
    seed: str = "plumb-1",
    order: Sequence[str] | None = None,
    distance: Declared | None = None,
    watcher: Watcher = NOBODY,
) -> Report:
    """Alpha of a long table, whose row i gives a unit, an annotator, a value and the unit's cluster.

    Values are finite numbers, or labels if any of them is a string. `order` declares the labels in ascending
    order, which the level ordinal needs; `distance` gives the squared distance of every two labels, which the
    level custom needs; `watcher` is told how many replicates were drawn. Raises ValueError on columns of different
    lengths, a unit with two values of one annotator, a unit in two clusters, a number that is not finite, an
    unknown level or label.
    """
    columns = [units, annotators, values] if clusters is None else [units, annotators, values, clusters]
    if len({len(column) for column in columns}) > 1:
        raise ValueError("the columns differ in length; give every value its unit and annotator")
    unit, unit_names = ratings.numbered(units)
    annotator, annotator_names = ratings.numbered(annotators)
    ratings.refuse_second_values(unit, annotator, unit_names, annotator_names)
    cluster = None if clusters is None else ratings.cluster_of_units(unit, unit_names, clusters)
    table = ratings.pairable(unit, unit_names, values, order, cluster)
    return Report(
        alpha=of_table(
            table,
            levels=levels,
            replicates=replicates,
            seed=seed,
            distance=distance,
            empty=not unit_names,
            watcher=watcher,
        ),
        n_units=len(unit_names),
        n_raters=len(annotator_names),
        n_pairable=len(table.unit),
    )


def of_table(
    table: ratings.Table,
    *,
    levels: Sequence[str] = LEVELS,
    replicates: int = 2000,
    seed: str = "plumb-1",
    distance: Declared | None = None,
    empty: bool = False,
    watcher: Watcher = NOBODY,
) -> dict[str, Alpha]:
    """Alpha by level; `empty` where there were no values from which to make the table."""
    reasons = {level: _reason(level, table, empty=empty) for level in levels}
    chosen = {
        level: distances.at(level, table.scale, distance)
        for level, reason in reasons.items()
        if reason is None
    }
    if not chosen:
        return {level: Alpha(None, reason=reason) for level, reason in reasons.items()}
    rows = rows_of(table, list(chosen.values()))
    found = estimates([rows], replicates=replicates, seed=seed, watcher=watcher)[0]
    defined = dict(zip(chosen, found, strict=True))
    return {level: defined.get(level) or Alpha(None, reason=reason) for level, reason in reasons.items()}


def _reason(level: str, table: ratings.Table, *, empty: bool) -> str | None:
    """Why alpha is not defined at this level, or None."""
    if level not in distances.LEVELS:
        raise ValueError(f"{level!r} is not a level; use one of {', '.join(distances.LEVELS)}")
    if empty:
        return "empty"
    if table.labels and (level in distances.NUMERIC or (level == "ordinal" and not table.ordered)):
        return "level_needs_numbers"
    if level == "ratio" and any(value < 0 for value in table.scale if not isinstance(value, str)):
        return "ratio_needs_non_negative"
    return unvaried(len(table.scale))


def unvaried(used: int) -> str | None:
    """Why alpha is not defined where so many different values are pairable, or None."""
    if not used:
        return "no_pairable_values"
    return "no_variation" if used == 1 else None


def rows_of(table: ratings.Table, chosen: Sequence[Distance]) -> Rows:
    """What is drawn of a table with two different values or more."""
    patterns = of_values(table.unit, table.code, len(table.scale), len(table.kept))
    if patterns is not None:
        sums = summed(patterns, patterns.of_unit, table.cluster, chosen, limit=FEATURES)
        if sums is not None:
            return sums
    return Entries(table, chosen)


def answers(
    asked: Iterable[Rows | str], *, levels: Sequence[str], replicates: int, seed: str
) -> list[Levels]:
    """Alpha by level of each selection of values, which is what is drawn of it, or why it has none.

    As many as there is room for are taken together.
    """
    found: list[Levels] = []
    held: list[Rows | str] = []
    numbers = 0
    for rows in asked:
        held.append(rows)
        numbers += 0 if isinstance(rows, str) else rows.numbers
        if numbers > HELD:
            found += _answers(held, levels, replicates, seed)
            held, numbers = [], 0
    return [*found, *_answers(held, levels, replicates, seed)]


def _answers(
    held: Sequence[Rows | str], levels: Sequence[str], replicates: int, seed: str
) -> Iterator[Levels]:
    tables = [each for each in held if not isinstance(each, str)]
    alphas = iter(estimates(tables, replicates=replicates, seed=seed))
    for each in held:
        if isinstance(each, str):
            yield {level: Alpha(None, reason=each) for level in levels}
        else:
            yield dict(zip(levels, next(alphas), strict=True))


def estimates(
    tables: Sequence[Rows], *, replicates: int, seed: str, watcher: Watcher = NOBODY
) -> list[list[Alpha]]:
    """Alpha of each table at each of its levels.

    What is drawn depends on the seed and on the number of rows, not on what they are: tables of as many clusters are
    computed on the same draws, which are the larger part of the work.
    """
    together = defaultdict[tuple[int, int], list[int]](list)
    for place, rows in enumerate(tables):
        together[rows.count, -1 if rows.multiplicity is None else place].append(place)
    found: dict[int, list[Alpha]] = {}
    for places in together.values():
        alphas = _alphas([tables[place] for place in places], replicates, seed, watcher)
        found |= dict(zip(places, alphas, strict=True))
    return [found[place] for place in range(len(tables))]


def _alphas(tables: Sequence[Rows], replicates: int, seed: str, watcher: Watcher) -> list[list[Alpha]]:
    """Of tables that are drawn alike."""
    count, multiplicity = tables[0].count, tables[0].multiplicity
    once = np.ones(count) if multiplicity is None else multiplicity.astype(np.float64)
    values = [rows.alphas(rows.gathered(once[None, :]))[:, 0] for rows in tables]
    if once.sum() < 2 or not replicates:
        return [[_estimate(float(value), np.empty(0)) for value in each] for each in values]
    gathered: list[list[Floats]] = [[] for _ in tables]
    random = bootstrap.generator(seed, "krippendorff_alpha")
    watcher.stage(f"Drawing {count:,} clusters anew", replicates)
    done = 0
    for weights in bootstrap.resamples(random, count, multiplicity, replicates):
        done += len(weights)
        watcher.reach(done)
        for rows, pieces in zip(tables, gathered, strict=True):
            pieces.append(rows.gathered(weights))
    drawn = [rows.alphas(np.concatenate(pieces)) for rows, pieces in zip(tables, gathered, strict=True)]
    return [
        [_estimate(float(value), results) for value, results in zip(each, by_level, strict=True)]
        for each, by_level in zip(values, drawn, strict=True)
    ]


def _estimate(value: float, replicates: Floats) -> Alpha:
    if math.isnan(value):  # the declared distances of all values that occur are 0
        return Alpha(None, reason="no_variation")
    defined = replicates[~np.isnan(replicates)]
    low, high = bootstrap.interval(defined) or (None, None)
    return Alpha(value, low, high, undefined=replicates.size - defined.size)
