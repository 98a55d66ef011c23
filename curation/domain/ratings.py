"""Ratings as a table of codes: what of a long table is pairable, and how its names and values are numbered."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from curation.domain.bootstrap import Integers
from curation.domain.distances import Scale
from curation.domain.patterns import Codes


@dataclass(frozen=True)
class Table:
    """The pairable values: value i belongs to unit `unit[i]` and is `scale[code[i]]`.

    Unit u is called `unit_names[kept[u]]`; without names the numbers stand in the order of the names. `scale` (V,)
    ascends, labels by the declared order if they are `ordered`. `cluster` (U,) is that of each unit, numbered in the
    order of their names; None: each unit is its own.
    """

    unit: Integers
    code: Integers
    unit_names: Sequence[str] | None
    kept: Integers
    scale: Scale
    labels: bool
    ordered: bool
    cluster: Integers | None

    def ranks(self) -> Integers:
        """The place of each unit (U,) in the order of their names."""
        if self.unit_names is None:
            return np.arange(len(self.kept))
        return ranks_of([self.unit_names[i] for i in self.kept])


def numbered(names: Sequence[str]) -> tuple[Integers, list[str]]:
    """The number of each name, and the different names, in the order in which they come."""
    place = defaultdict[str, int](count().__next__)
    return np.fromiter(map(place.__getitem__, names), dtype=np.int64, count=len(names)), list(place)


def ranks_of(names: Sequence[str]) -> Integers:
    """The place of each of the different names in their order, which is that of their UTF-8 bytes."""
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return ranks


def _closed_up(numbers: Codes) -> tuple[Integers, Integers]:
    """The numbers without gaps, in the same order, and those that occur."""
    occurs = np.bincount(numbers) > 0
    return (np.cumsum(occurs) - 1)[numbers], np.flatnonzero(occurs)


def refuse_second_values(
    unit: Codes,
    annotator: Codes,
    unit_names: Sequence[str] | None = None,
    annotator_names: Sequence[str] | None = None,
) -> None:
    """ValueError where an annotator has two values of a unit, by their names if they have any."""
    annotators = int(annotator.max(initial=-1)) + 1
    pair = unit.astype(np.int64)
    pair *= annotators
    pair += annotator
    if not (pair[1:] > pair[:-1]).all():  # a table in the order of its codes need not be sorted again
        pair.sort()
    twice = np.flatnonzero(pair[1:] == pair[:-1])
    if twice.size:
        u, a = divmod(int(pair[twice[0]]), annotators)
        of, by = unit_names[u] if unit_names else u, annotator_names[a] if annotator_names else a
        raise ValueError(f"unit {of!r} has two values of {by!r}; keep one")


def cluster_of_units(unit: Integers, unit_names: Sequence[str], clusters: Sequence[str]) -> Integers:
    """The cluster of each unit (U,), numbered in the order of their names."""
    of_rows, names = numbered(clusters)
    of_units = np.zeros(len(unit_names), dtype=np.int64)
    of_units[unit] = of_rows
    torn = np.flatnonzero(of_units[unit] != of_rows)
    if torn.size:
        raise ValueError(f"unit {unit_names[unit[torn[0]]]!r} stands in two clusters; give it one")
    return ranks_of(names)[of_units]


def pairable(
    unit: Integers,
    unit_names: Sequence[str],
    values: Scale,
    order: Sequence[str] | None,
    cluster: Integers | None,
) -> Table:
    """The table without the units that have a single value; `unit` and `cluster` are those of all rows."""
    labels = any(issubclass(kind, str) for kind in set(map(type, values)))
    code, scale = _coded_labels(values, order) if labels else _coded_numbers(values)
    return coded(unit, code, scale, cluster, unit_names=unit_names, labels=labels, ordered=order is not None)


def coded(
    unit: Codes,
    code: Codes,
    scale: Scale,
    cluster: Codes | None,
    *,
    unit_names: Sequence[str] | None = None,
    labels: bool = False,
    ordered: bool = False,
) -> Table:
    """The same of values that are codes of a scale already; `cluster` is that of each unit."""
    row = (np.bincount(unit) > 1)[unit]
    unit, kept = _closed_up(unit[row])
    code, used = _closed_up(code[row])
    if cluster is not None:
        cluster, clusters = _closed_up(cluster[kept])
        cluster = None if len(clusters) == len(kept) else cluster
    return Table(
        unit=unit,
        code=code,
        unit_names=unit_names,
        kept=kept,
        scale=[scale[i] for i in used],
        labels=labels,
        ordered=ordered,
        cluster=cluster,
    )


def _coded_numbers(values: Scale) -> tuple[Integers, list[float]]:
    numbers = np.array(values, dtype=np.float64)
    endless = np.flatnonzero(~np.isfinite(numbers))
    if endless.size:
        raise ValueError(f"value {endless[0]} is {numbers[endless[0]]}; alpha needs finite numbers or labels")
    scale, code = np.unique(numbers, return_inverse=True)
    return code, scale.tolist()


def _coded_labels(values: Scale, order: Sequence[str] | None) -> tuple[Integers, list[str]]:
    code, labels = numbered([str(value) for value in values])
    if order is None:
        return ranks_of(labels)[code], sorted(labels)
    unknown = set(labels).difference(order)
    if unknown:
        raise ValueError(f"the label {min(unknown)!r} is not in the declared order; add it")
    return np.array([order.index(label) for label in labels], dtype=np.int64)[code], list(order)
