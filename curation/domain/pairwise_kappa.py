"""Cohen's kappa of every two annotators at once, plain and weighted.

Two annotators are compared over the units that both rated. With T(k, l) of their n common units rated k by the one
and l by the other, and v(k, l) the disagreement of the two values,

    kappa = 1 - n * sum T(k, l) v(k, l) / sum R(k) C(l) v(k, l)

where R and C are the sums of rows and columns, and v is 1 for different values (plain), their distance on the
DECLARED scale (linear), or its square (quadratic). All sums are integers. Source: Cohen, Psychological Bulletin 70,
1968. For one table of two raters, with errors and intervals, there is annotation/domain/kappa.py.

Not for a group of more than two: kappa is a number of two people. Their mean over all pairs goes by Light's name.

Where kappa is not defined it is None, with a reason:

    nothing_shared   no unit was rated by both
    no_variation     both gave one and the same value throughout, so that chance would agree as well
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from annotation.domain import kappa
from annotation.domain.scoring import SCALE
from curation.domain.bootstrap import Floats, Integers
from curation.domain.value_patterns import Codes, refuse_strange_codes

NOTHING_SHARED = "nothing_shared"
NO_VARIATION = "no_variation"

CELLS = 2**20  # cells of all tables, pairs that share nothing among them, for which a place is held each

Kind = Literal["plain", "linear", "quadratic"]


@dataclass(frozen=True, slots=True)
class PairKappa:
    """`n` units rated by both, and kappa over them; `reason` says why all three are None."""

    n: int
    plain: float | None
    linear: float | None
    quadratic: float | None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


NOBODY = PairKappa(0, None, None, None, NOTHING_SHARED)


def kappas(
    unit: Integers, annotator: Integers, code: Codes, *, scale: Sequence[int] = SCALE
) -> dict[tuple[int, int], PairKappa]:
    """Every two annotators that share a unit, the one of the lower number first; others are NOBODY.

    Rating i of unit `unit[i]` by `annotator[i]` is `scale[code[i]]`. Raises ValueError on columns of different
    lengths, a code that is not on the scale, and two ratings of a unit by one annotator.
    """
    if len({len(unit), len(annotator), len(code)}) > 1:
        raise ValueError("the columns differ in length; give every rating its unit and annotator")
    refuse_strange_codes(code, len(scale))
    pair, tables = _tables(*_by_unit(unit, annotator, code), len(scale))
    n = tables.sum(axis=(1, 2))
    found = [_kappa(tables, n, weights, scale) for weights in ("none", "linear", "quadratic")]
    one, other = np.divmod(pair, int(annotator.max(initial=0)) + 1)
    names = zip(one.tolist(), other.tolist(), strict=True)
    return dict(zip(names, map(_pair, n.tolist(), *(each.tolist() for each in found)), strict=True))


def between(found: Mapping[tuple[int, int], PairKappa], one: int, other: int) -> PairKappa:
    """That of two annotators, whichever is named first."""
    return found.get((min(one, other), max(one, other)), NOBODY)


def light(found: Mapping[tuple[int, int], PairKappa], kind: Kind = "plain") -> float | None:
    """The mean over all pairs whose kappa is defined (Light, 1971); None where there are none."""
    values = [value for each in found.values() if (value := getattr(each, kind)) is not None]
    return sum(values) / len(values) if values else None


def _by_unit(unit: Integers, annotator: Integers, code: Codes) -> tuple[Integers, Integers, Integers]:
    """The ratings in ascending order of units, and of annotators within."""
    people = int(annotator.max(initial=0)) + 1
    key = unit * people + annotator
    order = np.argsort(key, kind="stable")
    key = key[order]
    if (key[1:] == key[:-1]).any():
        raise ValueError("an annotator has two ratings of one unit; keep one")
    return unit[order], annotator[order], code[order].astype(np.int64)


def _tables(unit: Integers, annotator: Integers, code: Integers, q: int) -> tuple[Integers, Integers]:
    """Pairs of annotators (M,), numbered one * annotators + other, and their tables (M, q, q).

    Each rating with the next of its unit, with the next but one, and so on: memory grows with the ratings, and
    not with the squares of the sizes of units.
    """
    people = int(annotator.max(initial=0)) + 1
    cells = people**2 * q**2
    counted = np.zeros(cells if cells <= CELLS else 0, dtype=np.int64)
    numbers, times = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for step in range(1, int(np.bincount(unit).max(initial=0)) if len(unit) else 0):
        same = np.flatnonzero(unit[step:] == unit[:-step])
        key = (annotator[same] * people + annotator[same + step]) * q**2 + code[same] * q + code[same + step]
        if cells <= CELLS:
            counted += np.bincount(key, minlength=cells)
        else:
            numbers, times = _merged(numbers, times, key)
    if cells <= CELLS:
        numbers = np.flatnonzero(counted)
        times = counted[numbers]
    pair, of_number = np.unique(numbers // q**2, return_inverse=True)
    tables = np.zeros((len(pair), q**2), dtype=np.int64)
    tables[of_number, numbers % q**2] = times
    return pair, tables.reshape(-1, q, q)


def _merged(numbers: Integers, times: Integers, more: Integers) -> tuple[Integers, Integers]:
    """How often each number occurs, with more of them that occur once."""
    added, often = np.unique(more, return_counts=True)
    together, place = np.unique(np.concatenate([numbers, added]), return_inverse=True)
    total = np.zeros(len(together), dtype=np.int64)
    total[place[: len(numbers)]] += times
    total[place[len(numbers) :]] += often
    return together, total


def _kappa(
    tables: Integers, n: Integers, weights: Literal["none", "linear", "quadratic"], scale: Sequence[int]
) -> Floats:
    """Kappa (M,) of tables (M, q, q); NaN where it is not defined."""
    v = np.array(kappa.disagreements(weights, scale), dtype=np.int64)
    seen = n * (tables * v).sum(axis=(1, 2))
    by_chance = (tables.sum(axis=2) @ v * tables.sum(axis=1)).sum(axis=1)
    return np.asarray(1 - seen / np.where(by_chance > 0, by_chance, np.nan))


def _pair(n: int, plain: float, linear: float, quadratic: float) -> PairKappa:
    """No weight but that of equal values is 0, so the three are undefined together."""
    if np.isnan(plain):
        return PairKappa(n, None, None, None, NO_VARIATION)
    return PairKappa(n, plain, linear, quadratic)
