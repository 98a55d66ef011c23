"""Units that are alike, as one row with a multiplicity: what makes many ratings few numbers.

With three scores of four levels there are 20 ways to score a text, however many texts there are. Whatever is a sum
over units is a sum over these patterns, weighted by how many units show each, and a replicate of the bootstrap is
nothing but other weights. Patterns ascend, so what is drawn does not depend on the order of units or rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curation.domain import bootstrap
from curation.domain.bootstrap import Floats, Integers

FEW = 2**16  # patterns that could be, for which a place is held each
EXACT = 2**53  # integers below are exact in doubles

Codes = NDArray[np.int64] | NDArray[np.uint8]


@dataclass(frozen=True)
class Patterns:
    """What units have in common, `rows` (P, K), how many `units` (P,) show it, and the pattern `of_unit` (U,).

    Unit u of these is number `kept[u]`; units without a value are not kept.
    """

    rows: Integers
    units: Integers
    of_unit: Integers
    kept: Integers


def of_codes(unit: Integers, code: Codes, *, n_values: int) -> Patterns:
    """Patterns of a long table: rating i of unit `unit[i]` is value `code[i]`; rows hold the count of each value.

    That an annotator has one rating of a unit is up to the caller. Raises ValueError on columns of different
    lengths and on a code that is no value.
    """
    if len(unit) != len(code):
        raise ValueError("the columns differ in length; give every rating its unit")
    refuse_strange_codes(code, n_values)
    sizes = np.bincount(unit) if len(unit) else np.zeros(0, dtype=np.int64)
    base = int(sizes.max(initial=0)) + 1
    if base**n_values >= EXACT:
        key = unit * n_values + code
        counts = np.bincount(key, minlength=len(sizes) * n_values).reshape(len(sizes), n_values)
        return of_counts(counts)
    place = base ** np.arange(n_values)
    numbers = np.bincount(unit, weights=place.astype(np.float64)[code]).astype(np.int64)
    kept = np.flatnonzero(sizes)
    found, of_unit, units = _grouped(numbers if len(kept) == len(sizes) else numbers[kept], base**n_values)
    return Patterns(found[:, None] // place % base, units, of_unit, kept)


def of_counts(counts: Integers) -> Patterns:
    """Patterns of a table (U, V) of how often each value was given to each unit."""
    kept = np.flatnonzero(counts.any(axis=1))
    rows, of_unit, units = np.unique(counts[kept], axis=0, return_inverse=True, return_counts=True)
    return Patterns(rows, units, of_unit.reshape(-1), kept)


def of_table(scores: Codes, *, n_values: int) -> Patterns:
    """Patterns of a filled table (U, K), K annotators in fixed places; rows hold their values.

    Raises ValueError on a code that is no value.
    """
    refuse_strange_codes(scores, n_values)
    n, k = scores.shape
    kept = np.arange(n)
    if n_values**k >= EXACT:
        rows, of_unit, units = np.unique(scores, axis=0, return_inverse=True, return_counts=True)
        return Patterns(rows.astype(np.int64), units, of_unit.reshape(-1), kept)
    place = n_values ** np.arange(k)[::-1]
    numbers = np.zeros(n, dtype=np.int64)
    for column in scores.T:  # Horner: no table of wider numbers is made
        numbers *= n_values
        numbers += column
    found, of_unit, units = _grouped(numbers, n_values**k)
    return Patterns(found[:, None] // place % n_values, units, of_unit, kept)


def refuse_strange_codes(code: Codes, n_values: int) -> None:
    if code.size and (int(code.min()) < 0 or int(code.max()) >= n_values):
        raise ValueError(f"a code is not one of the {n_values} values of the scale; count from 0")


def resampled_sums(
    patterns: Patterns, features: Floats, *, cluster: Integers | None, replicates: int, seed: str, key: str
) -> tuple[Floats, Floats]:
    """Features (P, K) summed over all units (1, K), and over the units of each replicate (B, K).

    `cluster` gives the cluster of each unit by its number, and clusters are drawn with all their units; None:
    units are drawn. Where there are fewer than two to draw from, there are no replicates (B = 0).
    """
    rows, multiplicity = features, None if patterns.units.max(initial=0) == 1 else patterns.units
    if cluster is None:
        drawable = int(patterns.units.sum())
    else:
        _numbers, of_units = np.unique(cluster[patterns.kept], return_inverse=True)
        columns = (column[patterns.of_unit] for column in features.T)
        rows = np.stack([np.bincount(of_units, weights=column) for column in columns], axis=1)
        multiplicity, drawable = None, len(rows)
    found = [np.empty((0, features.shape[1]))]
    if drawable > 1:
        draws = bootstrap.resamples(bootstrap.generator(seed, key), len(rows), multiplicity, replicates)
        found += [bootstrap.weighted_sums(weights, rows) for weights in draws]
    return patterns.units[None, :] @ features, np.concatenate(found)


def _grouped(numbers: Integers, bound: int) -> tuple[Integers, Integers, Integers]:
    """The different numbers, the place among them of each, and how often each occurs."""
    if bound > FEW:
        return np.unique(numbers, return_inverse=True, return_counts=True)
    counts = np.bincount(numbers, minlength=bound)
    found = np.flatnonzero(counts)
    place = np.zeros(bound, dtype=np.int64)
    place[found] = np.arange(len(found))
    return found, place[numbers], counts[found]
