"""Intraclass correlation of a file: all six forms of a filled table, the one-way forms of any other.

Nothing counts but how far values lie apart, so values of any kind are taken in whole steps: of 1, of a power of ten
that makes all of them whole, or else of one part in FINE of the way from the least to the greatest.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from curation.domain import icc, icc_tables, value_patterns
from curation.domain.bootstrap import Floats, Integers
from curation.domain.icc_tables import Estimate
from curation.management.agreement_of_files.rows import Bootstrap, Rows
from curation.management.agreement_of_files.scales import MOST_LEVELS

FINE = 2**24  # squares of so many steps are exact in doubles
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Intraclass:
    """The six forms. `design` is "filled" where every annotator gave every unit a value, else "one_way".

    `ratings` is how many annotators the k of a form stands for, None where that is not defined.
    """

    design: str
    ratings: float | None
    forms: dict[str, Estimate]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def undefined(reason: str) -> Intraclass:
    return Intraclass("one_way", None, {form: Estimate(None, reason=reason) for form in icc.FORMS})


def of_values(rows: Rows, values: Sequence[float], bootstrap: Bootstrap) -> Intraclass:
    levels, code = np.unique(steps(np.array(values, dtype=np.float64)), return_inverse=True)
    return of_codes(rows, code, levels.tolist(), bootstrap)


def of_codes(rows: Rows, code: Integers, levels: Sequence[int], bootstrap: Bootstrap) -> Intraclass:
    """Row i has the value `levels[code[i]]`."""
    units, annotators = len(rows.sizes), len(rows.annotators)
    if annotators and len(rows.unit) == units * annotators:
        table = np.empty((units, annotators), dtype=np.int64)
        table[rows.unit, rows.annotator] = code
        forms = icc_tables.filled(
            table,
            scale=levels,
            cluster=rows.cluster,
            replicates=bootstrap.replicates,
            seed=bootstrap.seed,
        )
        return Intraclass("filled", float(annotators), forms)
    if len(levels) <= MOST_LEVELS:
        patterns = value_patterns.of_codes(rows.unit, code, n_values=len(levels))
    else:
        patterns, levels = _moments(rows, np.array(levels)[code]), (-1, 0, 1)
    found = icc_tables.one_way(
        patterns,
        scale=levels,
        cluster=rows.cluster,
        replicates=bootstrap.replicates,
        seed=bootstrap.seed,
    )
    gaps = Estimate(None, reason="missing_values")
    return Intraclass("one_way", found.ratings, {form: found.forms.get(form, gaps) for form in icc.FORMS})


def steps(values: Floats) -> Integers:
    """The values, from the least on, in whole steps."""
    if not values.size:
        return np.zeros(0, dtype=np.int64)
    for power in 10.0 ** np.arange(DECIMALS + 1):
        with np.errstate(over="ignore"):
            whole = np.rint(values * power)
        if float(np.abs(whole).max()) < FINE and (whole / power == values).all():
            return (whole - whole.min()).astype(np.int64)
    values = values / np.abs(values).max()  # or the way between two of them may be no double
    least, most = values.min(), values.max()
    way = most - least if most > least else 1.0
    return np.rint((values - least) / way * FINE).astype(np.int64)


def _moments(rows: Rows, values: Integers) -> value_patterns.Patterns:
    """Each unit as a number of -1, of 0 and of 1 that have the number, the sum and the squares of its values.

    ICC1 asks for these three alone, and counts of many different values would take a cell for each. Numbers of 0 may
    be negative; all are whole, as a sum of squares is as odd or even as the sum.
    """
    total, squares = np.zeros((2, len(rows.sizes)), dtype=np.int64)
    np.add.at(total, rows.unit, values)
    np.add.at(squares, rows.unit, values**2)
    moments = [(squares - total) // 2, rows.sizes - squares, (squares + total) // 2]
    return value_patterns.of_counts(np.column_stack(moments))
