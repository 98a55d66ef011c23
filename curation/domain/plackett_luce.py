"""Strengths from rankings, of all items or of some: the model of Plackett and Luce.

The best of a ranking is chosen first, the next among those that are left, and so on, each with a probability in
proportion to exp(s), where s are strengths, in log-odds, with mean 0. So a ranking of k items holds k - 1 choices, and
that of two items is a comparison by Bradley and Terry. The model knows no ties; rankings that have some go as
comparisons, where a tie is half a win each (comparisons.py).

Strengths are those of the highest likelihood, found by Newton's method, damped so that it cannot overshoot: a step that
changes a difference by up to d is taken log(1 + d) / d long. With the prior `ridge` the penalty is weight / 2 times the
sum of s^2, which is finite whatever was ranked; say so beside the numbers.

Sources: Plackett, Applied Statistics 24, 1975; Luce, Individual Choice Behavior, 1959; Hunter, Annals of Statistics 32,
2004 (when there is a maximum); Sun and Tran-Dinh, Mathematical Programming 178, 2019 (damping).

What is not defined is None, with a reason:

    empty           there is no item, or no ranking of two or more
    tied_items      a ranking gives two items the same place
    not_connected   without a prior there is no finite maximum: some items never stood behind any of the others
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from curation.domain import comparisons
from curation.domain.bootstrap import Floats, Integers
from curation.domain.comparisons import CLOSE, EMPTY, NOT_CONNECTED, RIDGE, STEPS, Prior

TIED_ITEMS = "tied_items"
CELLS = 2**20  # numbers held at a time


@dataclass(frozen=True, slots=True)
class Strengths:
    """By item code, with mean 0; `log_likelihood` is that of the rankings, without the prior."""

    values: tuple[float, ...] | None
    log_likelihood: float | None = None
    prior: Prior = "none"
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Rankings:
    """Row i says which place (1 or any smallest number is the best) a ranking gives to an item, by codes (N,)."""

    ranking: Integers
    item: Integers
    place: Integers


def fit(rankings: Rankings, items: int, *, prior: Prior = "none", weight: float = RIDGE) -> Strengths:
    """ValueError where a ranking has an item twice."""
    order = np.lexsort((rankings.place, rankings.ranking))
    ranking, item, place = rankings.ranking[order], rankings.item[order], rankings.place[order]
    next_of = ranking[1:] == ranking[:-1]  # rows whose next row is of the same ranking
    by_item = np.lexsort((item, ranking))
    if np.any(next_of & (item[by_item][1:] == item[by_item][:-1])):
        raise ValueError("a ranking has an item twice; keep one place of each")
    if not next_of.any():
        return Strengths(None, prior=prior, reason=EMPTY)
    if np.any(place[1:][next_of] == place[:-1][next_of]):
        return Strengths(None, prior=prior, reason=TIED_ITEMS)
    if prior == "none" and not _connected(item[:-1][next_of], item[1:][next_of], items):
        return Strengths(None, prior=prior, reason=NOT_CONNECTED)
    choices = list(_by_length(ranking, item))
    ridge = comparisons.penalty(prior, weight)
    strengths = np.zeros(items)
    for _ in range(STEPS):
        step = _step(strengths, choices, ridge)
        span = float(step.max() - step.min())
        strengths += step * (np.log1p(span) / span if span > CLOSE else 1)
        if span <= CLOSE:
            likely = sum(_log_likelihood(strengths, orders) for orders in choices)
            return Strengths(tuple(strengths.tolist()), likely, prior)
    raise ArithmeticError("Newton's method did not come to rest")


def log_likelihood(strengths: Floats, rankings: Rankings) -> float:
    """Of rankings without ties."""
    order = np.lexsort((rankings.place, rankings.ranking))
    by_length = _by_length(rankings.ranking[order], rankings.item[order])
    return sum((_log_likelihood(strengths, orders) for orders in by_length), 0.0)


# --- parts -----------------------------------------------------------------------------------------------


def _connected(better: Integers, worse: Integers, items: int) -> bool:
    """Whether everybody stood before everybody, if only by way of others; neighbours in a ranking say it all."""
    before = np.bincount(better * items + worse, minlength=items**2).reshape(items, items)
    return bool(comparisons.connected(before[None].astype(np.float64))[0])


def _by_length(ranking: Integers, item: Integers) -> Iterator[Integers]:
    """Orders of items (rankings, k), best first, of all rankings that have k items, for every k from 2."""
    starts = np.flatnonzero(np.diff(ranking, prepend=ranking[:1] - 1))
    lengths = np.diff(starts, append=len(ranking))
    for length in np.unique(lengths[lengths > 1]).tolist():
        yield item[starts[lengths == length][:, None] + np.arange(length)]


def _blocks(orders: Integers) -> Iterator[Integers]:
    size = max(1, CELLS // orders.shape[1] ** 2)
    for start in range(0, len(orders), size):
        yield orders[start : start + size]


def _left(strengths: Floats, orders: Integers) -> tuple[Floats, Floats, Floats]:
    """Largest strength of each ranking (R, 1), exp(s) over that of it (R, k), and their sums from each place on."""
    chosen = strengths[orders]
    largest = chosen.max(axis=1, keepdims=True)
    scaled = np.exp(chosen - largest)
    return largest, scaled, np.cumsum(scaled[:, ::-1], axis=1)[:, ::-1]


def _log_likelihood(strengths: Floats, orders: Integers) -> float:
    """Of those rankings of one length: each choice among what is left, of which the last is none."""
    largest, _scaled, left = _left(strengths, orders)
    return float((strengths[orders] - largest - np.log(left))[:, :-1].sum())


def _step(strengths: Floats, choices: list[Integers], ridge: float) -> Floats:
    """Newton's step from the gradient and the information."""
    items = len(strengths)
    gradient = -ridge * strengths
    # A constant added to all strengths changes nothing, so any information about it will do.
    information = np.full((items, items), 1 / items) + ridge * np.eye(items)
    for orders in choices:
        length = orders.shape[1]
        for part in _blocks(orders):
            _largest, scaled, left = _left(strengths, part)
            once = np.cumsum(1 / left[:, :-1], axis=1)  # sums over the choices up to each place
            twice = np.cumsum(1 / left[:, :-1] ** 2, axis=1)
            last = np.minimum(np.arange(length), length - 2)  # the last choice that an item was there for
            expected = scaled * once[:, last]
            gradient += np.bincount(part[:, :-1].ravel(), minlength=items)
            gradient -= np.bincount(part.ravel(), weights=expected.ravel(), minlength=items)
            both = scaled[:, :, None] * scaled[:, None, :] * twice[:, np.minimum.outer(last, last)]
            cell = part[:, :, None] * items + part[:, None, :]
            together = np.bincount(cell.ravel(), weights=both.ravel(), minlength=items**2)
            information -= together.reshape(items, items)
            information[np.diag_indices(items)] += np.bincount(
                part.ravel(), weights=expected.ravel(), minlength=items
            )
    return np.asarray(np.linalg.solve(information, gradient))
