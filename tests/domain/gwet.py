"""Gwet's analytic standard error of nominal alpha: a check on the bootstrap from another side."""

import math
from collections.abc import Sequence

import numpy as np

from curation.domain import distances, ratings
from curation.domain.distances import Scale


def nominal_standard_error(units: Sequence[str], values: Scale) -> float | None:
    """Analytic standard error of nominal alpha over units; None where it is not defined.

    The delta method on n * observed / expected, units being independent, as in K. L. Gwet, Handbook of
    Inter-Rater Reliability, 4th edition 2014, chapter 5. A check on the bootstrap; it knows no clusters.
    """
    table = ratings.pairable(*ratings.numbered(units), values, order=None, cluster=None)
    if len(table.scale) < 2 or len(table.kept) < 2:
        return None
    counts = np.zeros((len(table.kept), len(table.scale)))
    np.add.at(counts, (table.unit, table.code), 1)
    size, totals = counts.sum(axis=1), counts.sum(axis=0)
    n, expected = size.sum(), distances.expected_nominal(totals)
    observed = (size**2 - (counts**2).sum(axis=1)) / (size - 1)
    toward_others = size * n - counts @ totals
    influence = (n * observed + (size - 2 * n * toward_others / expected) * observed.sum()) / expected
    return math.sqrt(len(table.kept) / (len(table.kept) - 1) * float((influence**2).sum()))
