"""How far rankings agree: Kendall's W of several annotators, tau and Spearman's rho of two, for one prompt or many.

A ranking is a row of numbers, one for each item; only their order counts, and equal numbers are a tie. With d an item's
mid-rank minus the mean rank, of n items ranked by m annotators,

    W          sum over items of (sum over annotators of d)^2 / (m * sum of all d^2), which is Kendall's W corrected
               for ties; uncorrected, the denominator is what it would be without any: m^2 (n^3 - n) / 12
    chi2       m (n - 1) W, with n - 1 degrees of freedom; p is approximate, and poor for few items
    tau_a      sum over pairs of sgn * sgn' / (n (n - 1) / 2), with sgn(0) = 0
    tau_b      the same sum / the root of the product of the numbers of pairs that either ranking does not tie
    spearman   Pearson's correlation of mid-ranks: sum of d d' / the root of sum d^2 * sum d'^2

All sums are of whole numbers (up to some three million values), so the order of items, annotators and prompts does
not matter, not even to the last bit. Sources: Kendall, Rank Correlation Methods,
4th edition 1970, chapters 3 to 6; many items at once by Knight, Journal of the American Statistical Association 61,
1966, with the exchanges counted bit by bit.

Where a number is not defined it is None, with a reason; in arrays of many prompts it is NaN, as arrays hold no None:

    fewer_than_two_items        there is no order
    fewer_than_two_annotators   nor agreement
    missing_values              somebody left an item out (NaN)
    no_variation                W: every ranking ties all items
    constant_ranking            tau_b, spearman: one of the two ties all items; tau_a is 0
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, ndtr

from curation.domain.bootstrap import Floats, Integers

BY_PAIRS = 64  # items up to which all pairs are compared, for many rankings at once
CELLS = 2**20  # numbers held at a time
MOST_EXACT = 170  # items whose number of orders still is a double

FEWER_THAN_TWO_ITEMS = "fewer_than_two_items"
FEWER_THAN_TWO_ANNOTATORS = "fewer_than_two_annotators"
MISSING_VALUES = "missing_values"
NO_VARIATION = "no_variation"
CONSTANT_RANKING = "constant_ranking"


@dataclass(frozen=True, slots=True)
class Concordance:
    """Kendall's W of one table; `reason` says why it is None, and then so are the others."""

    w: float | None
    chi2: float | None = None
    df: int | None = None
    p: float | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Correlation:
    """Of two rankings; `reason` says why tau_b and spearman are None, and tau_a unless one ranking is constant."""

    tau_a: float | None
    tau_b: float | None
    spearman: float | None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Correlations:
    """Of many pairs of rankings, (P,) each; NaN where not defined."""

    tau_a: Floats
    tau_b: Floats
    spearman: Floats


@dataclass(frozen=True)
class Tables:
    """Prompts (P,) of the same shape, and what their annotators gave: (P, annotators, items), NaN where nothing."""

    prompts: Integers
    rankings: Floats


def concordance(rankings: ArrayLike, *, ties_corrected: bool = True) -> Concordance:
    """W of a table (annotators, items). Uncorrected it is for comparison only: ties then count as disagreement."""
    table = np.asarray(rankings, dtype=np.float64)
    annotators, items = table.shape
    if reason := _reason(table):
        return Concordance(None, reason=reason)
    away = _deviations(table)
    between, within = _squares(away[None])
    most = annotators * (items**3 - items) // 3  # fourfold, as the squares are
    whole = annotators * int(within[0]) if ties_corrected else annotators * most
    if not within[0]:
        return Concordance(None, reason=NO_VARIATION)
    w = int(between[0]) / whole
    chi2 = annotators * (items - 1) * w
    return Concordance(w, chi2, items - 1, float(chdtrc(items - 1, chi2)))


def concordances(rankings: Floats) -> Floats:
    """Tie-corrected W (P,) of many tables (P, annotators, items); NaN where it is not defined."""
    prompts, annotators, items = rankings.shape
    found = np.full(prompts, np.nan)
    if annotators < 2 or items < 2:
        return found
    for part in _blocks(prompts, annotators * items):
        away = _deviations(rankings[part].reshape(-1, items)).reshape(-1, annotators, items)
        between, within = _squares(away)
        usable = (within > 0) & ~np.isnan(rankings[part]).any(axis=(1, 2))
        found[part][usable] = between[usable] / (annotators * within[usable])
    return found


def correlation(one: ArrayLike, other: ArrayLike) -> Correlation:
    """Of two rankings (items,) of any length."""
    pair = np.asarray([one, other], dtype=np.float64)
    reason = _reason(pair)
    if reason:
        return Correlation(None, None, None, reason=reason)
    found = correlations(pair[:1], pair[1:])
    tau_a, tau_b, spearman = float(found.tau_a[0]), float(found.tau_b[0]), float(found.spearman[0])
    if math.isnan(tau_b):
        return Correlation(tau_a, None, None, reason=CONSTANT_RANKING)
    return Correlation(tau_a, tau_b, spearman)


def correlations(one: Floats, other: Floats) -> Correlations:
    """Of many pairs of rankings, (P, items) each."""
    if one.shape != other.shape:
        raise ValueError("the rankings differ in shape; give both sides of every prompt the same items")
    rows, items = one.shape
    empty = (np.full(rows, np.nan) for _ in range(3))
    found = Correlations(*empty)
    if items < 2:
        return found
    for part in _blocks(rows, items):
        _fill(found, part, one[part], other[part])
    return found


def kendall_p(one: ArrayLike, other: ArrayLike) -> float | None:
    """Two-sided p of tau, if all orders of the items were equally likely; None where tau_b is not defined.

    Exact where nothing ties and there are at most 170 items; else by the normal distribution, with the variance
    corrected for ties (Kendall 1970, chapter 4).
    """
    pair = np.asarray([one, other], dtype=np.float64)
    if _reason(pair):
        return None
    n = pair.shape[1]
    sizes = [np.unique(side, return_counts=True)[1].astype(np.float64) for side in pair]
    if min(len(size) for size in sizes) < 2:
        return None
    balance = int(_balance_by_sorting(pair[0], pair[1]))
    if all(len(size) == n for size in sizes) and n <= MOST_EXACT:
        return _exact_p(n, abs(balance))
    pairs, triples, spread = ([_ties(size)[i] for size in sizes] for i in range(3))
    variance = (n * (n - 1) * (2 * n + 5) - sum(spread)) / 18 + 2 * math.prod(pairs) / (n * (n - 1))
    if n > 2:
        variance += math.prod(triples) / (9 * n * (n - 1) * (n - 2))
    return float(2 * ndtr(-abs(balance) / math.sqrt(variance)))


def tables(prompts: Integers, annotators: Integers, items: Integers, values: Floats) -> Iterator[Tables]:
    """A long table of codes (N,) as tables of prompts that have as many annotators and items, for the functions above.

    Row i says which value an annotator gave to an item of a prompt; what was not given is NaN. ValueError where
    something was given twice.
    """
    if not len(prompts):
        return
    names, prompt = np.unique(prompts, return_inverse=True)
    by, n_by = _places(prompt, annotators, len(names))
    of, n_of = _places(prompt, items, len(names))
    for n_annotators, n_items in np.unique(np.stack([n_by, n_of], axis=1), axis=0).tolist():
        chosen = (n_by == n_annotators) & (n_of == n_items)
        place = np.cumsum(chosen) - 1
        rows = np.flatnonzero(chosen[prompt])
        cell = (place[prompt[rows]] * n_annotators + by[rows]) * n_items + of[rows]
        if len(np.unique(cell)) < len(cell):
            raise ValueError("an annotator ranked an item of a prompt twice; keep the ranking that counts")
        filled = np.full(int(chosen.sum()) * n_annotators * n_items, np.nan)
        filled[cell] = values[rows]
        yield Tables(names[chosen], filled.reshape(-1, n_annotators, n_items))


# --- parts -----------------------------------------------------------------------------------------------


def _reason(table: Floats) -> str | None:
    annotators, items = table.shape
    if items < 2:
        return FEWER_THAN_TWO_ITEMS
    if annotators < 2:
        return FEWER_THAN_TWO_ANNOTATORS
    return MISSING_VALUES if np.isnan(table).any() else None


def _blocks(rows: int, width: int) -> Iterator[slice]:
    size = max(1, CELLS // width)
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def _squares(away: Integers) -> tuple[Integers, Integers]:
    """Of tables of deviations (P, annotators, items): squares of the items' sums, and of all, summed (P,)."""
    between: Integers = (away.sum(axis=1) ** 2).sum(axis=1)
    within: Integers = (away**2).sum(axis=(1, 2))
    return between, within


def _deviations(rankings: Floats) -> Integers:
    """Twice each item's mid-rank minus the mean rank (R, items): items ranked below it minus those above."""
    rows, items = rankings.shape
    if items > BY_PAIRS:
        return np.stack([_deviations_by_sorting(row) for row in rankings])
    columns = np.ascontiguousarray(rankings.T)
    away = np.zeros((items, rows), dtype=np.int8)
    for first in range(items):
        for second in range(first):
            sign = _sign(columns[first], columns[second])
            away[first] += sign
            away[second] -= sign
    return away.T.astype(np.int64)


def _deviations_by_sorting(ranking: Floats) -> Integers:
    ascending = np.sort(ranking)
    below = np.searchsorted(ascending, ranking, side="left")
    above = len(ranking) - np.searchsorted(ascending, ranking, side="right")
    return np.asarray(below - above, dtype=np.int64)


def _sign(one: Floats, other: Floats) -> NDArray[np.int8]:
    """-1, 0 or 1; 0 beside NaN."""
    return np.subtract((one > other).view(np.int8), (one < other).view(np.int8))


def _fill(found: Correlations, part: slice, one: Floats, other: Floats) -> None:
    items = one.shape[1]
    pairs = items * (items - 1) // 2
    if items > BY_PAIRS:
        balance = np.array([_balance_by_sorting(*both) for both in zip(one, other, strict=True)])
        untied = [np.array([_untied(row) for row in side]) for side in (one, other)]
        away = [_deviations(side) for side in (one, other)]
    else:
        balance, untied, away = _compared(one, other)
    complete = ~(np.isnan(one).any(axis=1) | np.isnan(other).any(axis=1))
    ordered = complete & (untied[0] > 0) & (untied[1] > 0)
    found.tau_a[part][complete] = balance[complete] / pairs
    roots = np.sqrt(untied[0][ordered].astype(np.float64) * untied[1][ordered])
    found.tau_b[part][ordered] = np.clip(balance[ordered] / roots, -1, 1)
    products, squares, others = (
        (a[ordered].astype(np.float64) * b[ordered]).sum(axis=1)
        for a, b in (away, (away[0], away[0]), (away[1], away[1]))
    )
    found.spearman[part][ordered] = np.clip(products / np.sqrt(squares * others), -1, 1)


def _compared(one: Floats, other: Floats) -> tuple[Integers, list[Integers], list[Integers]]:
    """Concordant minus discordant pairs (P,), pairs that each side does not tie (P,), deviations (P, items)."""
    rows, items = one.shape
    sides = [np.ascontiguousarray(side.T) for side in (one, other)]
    away = [np.zeros((items, rows), dtype=np.int8) for _ in sides]
    untied = [np.zeros(rows, dtype=np.int16) for _ in sides]
    balance = np.zeros(rows, dtype=np.int16)
    for first in range(items):
        for second in range(first):
            signs = [_sign(side[first], side[second]) for side in sides]
            balance += signs[0] * signs[1]
            for side, sign in enumerate(signs):
                untied[side] += sign != 0
                away[side][first] += sign
                away[side][second] -= sign
    return (
        balance.astype(np.int64),
        [total.astype(np.int64) for total in untied],
        [apart.T.astype(np.int64) for apart in away],
    )


def _untied(ranking: Floats | Integers) -> int:
    sizes = np.unique(ranking, return_counts=True)[1]
    return (len(ranking) ** 2 - int((sizes**2).sum())) // 2


def _balance_by_sorting(one: Floats, other: Floats) -> int:
    """Concordant minus discordant pairs, in n log n."""
    ranks = np.unique(other, return_inverse=True)[1]
    cells = np.unique(one, return_inverse=True)[1] * len(ranks) + ranks
    untied_by_both = _untied(one) + _untied(other) - _untied(cells)
    return untied_by_both - 2 * _exchanges(ranks[np.argsort(cells)])


def _exchanges(ranks: Integers) -> int:
    """Pairs of which the earlier is the larger.

    Two numbers differ first in one bit. Those that agree in all bits above it are taken together, in the given order;
    the zeros then count the ones before them.
    """
    found, bits = 0, int(ranks.max()).bit_length()
    for bit in reversed(range(bits)):
        head = ranks >> (bit + 1)
        one = ranks >> bit & 1
        before = np.cumsum(one) - one
        start = np.searchsorted(head, head, side="left")
        found += int(((before - before[start]) * (1 - one)).sum())
        ranks = ranks[np.argsort(ranks >> bit, kind="stable")]
    return found


def _exact_p(n: int, balance: int) -> float:
    """From how many orders have so many exchanges: of the next item 0 to its place, all equally likely."""
    pairs = n * (n - 1) // 2
    probable = np.ones(1)
    for item in range(2, n + 1):
        probable = np.convolve(probable, np.full(item, 1 / item))
    exchanges = (pairs - balance) // 2
    return min(1.0, 2 * float(probable[: exchanges + 1].sum()))


def _ties(size: Floats) -> tuple[float, float, float]:
    """Sums over tied groups that the variance of tau needs."""
    pairs = size * (size - 1)
    return float(pairs.sum() / 2), float((pairs * (size - 2)).sum()), float((pairs * (2 * size + 5)).sum())


def _places(prompt: Integers, codes: Integers, prompts: int) -> tuple[Integers, Integers]:
    """The place of each code among those of its prompt (N,), and how many a prompt has (prompts,)."""
    width = int(codes.max()) + 1
    keys, key = np.unique(prompt * width + codes, return_inverse=True)
    count = np.bincount(keys // width, minlength=prompts)
    return key - (np.cumsum(count) - count)[prompt], count
