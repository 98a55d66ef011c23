"""Strengths from comparisons of two: Bradley and Terry's model, with the effect of the position on the page.

Item i is preferred to item j with probability 1 / (1 + exp(-(s_i - s_j))), where s are strengths, in log-odds, with
mean 0. Where it is known which of the two was shown first, h is added for it: above 0, the first has the advantage.
A tie counts as half a win for either side (it is not a third outcome, as it is in Davidson's model).

Strengths are those of the highest likelihood, found by Newton's method on counts of wins, damped so that it cannot
overshoot: a step that changes a difference by up to d is taken log(1 + d) / d long. Many fits, as those of prompts or
of bootstrap replicates, go through the same steps at once. With the prior `ridge` the penalty is weight / 2 times the
sum of s^2 (a normal prior of variance 1 / weight), which is finite whatever was won; say so beside the numbers.

Sources: Bradley and Terry, Biometrika 39, 1952; Ford, American Mathematical Monthly 64 (8), 1957 (when there is a
maximum); Agresti, Categorical Data Analysis, 2nd edition 2002, section 10.6 (position); Sun and Tran-Dinh,
Mathematical Programming 178, 2019 (damping).

What is not defined is None, with a reason; among many fits a row of NaN, as arrays hold no None:

    empty                     there is no item, or no comparison
    not_connected             without a prior there is no finite maximum: some items never lost to any of the others
    position_not_identified   nor one of h: changing it along with the strengths never makes an outcome less likely
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from curation.domain import bootstrap
from curation.domain.bootstrap import Floats, Integers

Prior = Literal["none", "ridge"]
Bools = NDArray[np.bool_]

EMPTY = "empty"
NOT_CONNECTED = "not_connected"
POSITION_NOT_IDENTIFIED = "position_not_identified"
REPLICATES = 1000
SEED = "plumb-1"
RIDGE = 0.1
STEPS = 200  # Newton needs about five
CLOSE = 1e-6  # a step below this one leaves an error of about its square
CELLS = 2**17  # of the tables of wins that are fitted at once


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths by item code, with mean 0, and the effect of being shown first where it was asked for.

    `log_likelihood` is that of the outcomes, without binomial coefficients and without the prior. `low` and `high`
    are ends of 95 % intervals, where they were asked for: of the strengths, then of the first position. `undefined`
    counts the replicates that were left out.
    """

    values: tuple[float, ...] | None
    first: float | None = None
    log_likelihood: float | None = None
    prior: Prior = "none"
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    first_low: float | None = None
    first_high: float | None = None
    undefined: int = 0
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Outcomes:
    """Comparisons (N,): the codes of the item shown first and of the one shown second, and what the first got.

    `halves` is 2 where the first was preferred, 1 for a tie, 0 where the second was. `prompt` (N,) are codes.
    """

    first: Integers
    second: Integers
    halves: Integers
    prompt: Integers | None = None


def tally(outcomes: Outcomes, items: int) -> tuple[Floats, Floats]:
    """Wins by winner and loser (items, items), of those shown first and of those shown second."""
    if outcomes.halves.size and not 0 <= outcomes.halves.min() <= outcomes.halves.max() <= 2:
        raise ValueError("an outcome is 0, 1 or 2 halves of a win")
    if np.any(outcomes.first == outcomes.second):
        raise ValueError("an item is compared with itself")
    wins_first, wins_second = _wins(_cells(outcomes, items, position=True), None, items)
    return wins_first, wins_second


def fit(
    wins_first: Floats,
    wins_second: Floats | None = None,
    *,
    position: bool = False,
    prior: Prior = "none",
    weight: float = RIDGE,
) -> Strengths:
    """Of wins by winner and loser (items, items); all of them in the first where the order on the page is unknown.

    With `position` the two are those of `tally`, and h is fitted.
    """
    both = _both(wins_first, wins_second)[None]
    if not both.sum():
        return Strengths(None, prior=prior, reason=EMPTY)
    reason = _reason(both, position=position, prior=prior)
    if reason:
        return Strengths(None, prior=prior, reason=reason)
    solved = _solved(both, None, position=position, ridge=penalty(prior, weight))
    items = both.shape[-1]
    first = float(solved[0, items]) if position else None
    return Strengths(
        values=tuple(solved[0, :items].tolist()),
        first=first,
        log_likelihood=log_likelihood(solved[0, :items], wins_first, wins_second, first=first or 0.0),
        prior=prior,
    )


def fits(wins: Floats, *, prior: Prior = "none", weight: float = RIDGE) -> Floats:
    """Strengths (B, items) of many tables of wins (B, items, items), as by `fit` without position."""
    found = np.full(wins.shape[:2], np.nan)
    for part in _blocks(*wins.shape[:2]):
        both = np.stack([wins[part], np.zeros_like(wins[part])], axis=1)
        _fill(found[part], both, None, position=False, prior=prior, weight=weight)
    return found


def fit_with_intervals(
    outcomes: Outcomes,
    items: int,
    *,
    position: bool = False,
    prior: Prior = "none",
    weight: float = RIDGE,
    replicates: int = REPLICATES,
    seed: str = SEED,
) -> Strengths:
    """`fit` of outcomes, with percentile intervals from drawing prompts, or comparisons where no prompt is given.

    Replicates that have no finite maximum are counted and left out; where they are many, intervals are too short.
    """
    wins = tally(outcomes, items)
    found = fit(*wins, position=position, prior=prior, weight=weight)
    if found.values is None:
        return found
    start = np.array([*found.values, *([found.first] if position else [])])
    rows = [np.empty((0, len(start)))]
    for both in _drawn(outcomes, items, replicates, seed, position=position):
        rows.append(np.full((len(both), len(start)), np.nan))
        _fill(rows[-1], both, start, position=position, prior=prior, weight=weight)
    drawn = np.concatenate(rows)
    defined = drawn[~np.isnan(drawn[:, 0])]
    ends = [bootstrap.interval(column) for column in defined.T]
    low, high = (tuple(end[side] for end in ends if end) for side in (0, 1))
    return Strengths(
        values=found.values,
        first=found.first,
        log_likelihood=found.log_likelihood,
        prior=prior,
        low=low[:items] or None,
        high=high[:items] or None,
        first_low=low[items] if position and low else None,
        first_high=high[items] if position and high else None,
        undefined=len(drawn) - len(defined),
    )


def log_likelihood(
    values: Floats, wins_first: Floats, wins_second: Floats | None = None, *, first: float = 0.0
) -> float:
    """Of wins by winner and loser, without binomial coefficients."""
    away = values[:, None] - values[None, :]
    both = _both(wins_first, wins_second)
    return float((both[0] * log_expit(away + first)).sum() + (both[1] * log_expit(away - first)).sum())


def pair_loss(chosen: float, rejected: float) -> float:
    """What a reward model is trained to make small: -log of the probability that the chosen one is preferred."""
    return -float(log_expit(chosen - rejected))


# --- whether there is a maximum --------------------------------------------------------------------------


def connected(wins: Floats) -> Bools:
    """Whether everybody beat everybody, if only by way of others (B,), in tables of wins (B, items, items)."""
    won = (wins > 0).astype(np.float32)
    return np.asarray(_reaches_all(won) & _reaches_all(won.swapaxes(1, 2)))


def _reaches_all(edges: NDArray[np.float32]) -> Bools:
    """Whether item 0 reaches all others (B,)."""
    reached = np.zeros(edges.shape[:2], dtype=np.float32)
    reached[:, 0] = 1
    while True:
        wider = np.minimum(reached + np.matmul(reached[:, None, :], edges)[:, 0], 1)
        wider = (wider > 0).astype(np.float32)
        if np.array_equal(wider, reached):
            return np.asarray(reached.all(axis=1))
        reached = wider


def _reason(both: Floats, *, position: bool, prior: Prior) -> str | None:
    if prior == "none" and not connected(both.sum(axis=1))[0]:
        return NOT_CONNECTED
    return POSITION_NOT_IDENTIFIED if position and not _identified(both, prior)[0] else None


def _identified(both: Floats, prior: Prior) -> Bools:
    """Whether any change of h, up or down, makes some outcome less likely, whatever is done to the strengths (B,).

    To raise h by 1, each winner shown second must gain 1 on its loser, and one shown first may lose 1. Such strengths
    exist unless the wins go round in a circle in which more winners were shown second; to lower it, unless in one in
    which more were shown first. With a prior strengths cannot follow h, and a win on either side is enough.
    """
    if prior != "none":
        return np.asarray((both[:, 0] > 0).any(axis=(1, 2)) & (both[:, 1] > 0).any(axis=(1, 2)))
    return _circles(both[:, 0], both[:, 1]) & _circles(both[:, 1], both[:, 0])


def _circles(cheap: Floats, dear: Floats) -> Bools:
    """Whether some circle of wins has more dear ones than cheap ones (B,), by Bellman and Ford's relaxations."""
    costs = np.where(dear > 0, -1.0, np.where(cheap > 0, 1.0, np.inf))
    items = costs.shape[1]
    found = np.asarray(
        (costs + costs.swapaxes(1, 2) < 0).any(axis=(1, 2))
    )  # two items suffice, nearly always
    for row in np.flatnonzero(~found):
        distance = np.zeros(items)
        for _ in range(items):
            shorter = np.minimum(distance, (distance[:, None] + costs[row]).min(axis=0))
            if np.array_equal(shorter, distance):
                break
            distance = shorter
        else:
            found[row] = True
    return np.asarray(found)


# --- Newton's method, for many tables at once ------------------------------------------------------------


def _both(wins_first: Floats, wins_second: Floats | None) -> Floats:
    first = np.asarray(wins_first, dtype=np.float64)
    second = np.zeros_like(first) if wins_second is None else np.asarray(wins_second, dtype=np.float64)
    return np.stack([first, second])


def penalty(prior: Prior, weight: float) -> float:
    if prior == "none":
        return 0.0
    if weight <= 0:
        raise ValueError(f"the weight of the prior is {weight}; use a positive one")
    return weight


def _blocks(rows: int, items: int) -> Iterator[slice]:
    size = max(1, CELLS // items**2)
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def _fill(
    found: Floats, both: Floats, start: Floats | None, *, position: bool, prior: Prior, weight: float
) -> None:
    """Parameters of those tables (B, 2, items, items) that have a maximum."""
    usable = both.any(axis=(1, 2, 3))
    if prior == "none":
        usable &= connected(both.sum(axis=1))
    if position:
        usable &= _identified(both, prior)
    if usable.any():
        found[usable] = _solved(both[usable], start, position=position, ridge=penalty(prior, weight))


def _solved(both: Floats, start: Floats | None, *, position: bool, ridge: float) -> Floats:
    """Strengths, and h after them with `position` (B, items or items + 1)."""
    rows, _two, items, _items = both.shape
    if position:
        won, games = both[:, 0], both[:, 0] + both[:, 1].swapaxes(1, 2)
    else:  # either of the two may stand for the first: half a game each way round
        won = both.sum(axis=1) / 2
        games = won + won.swapaxes(1, 2)
    parameters = np.zeros((rows, items + position))
    if start is not None:
        parameters[:] = start
    busy = np.arange(rows)
    for _ in range(STEPS):
        step = _step(parameters[busy], won[busy], games[busy], position=position, ridge=ridge)
        span = step[:, :items].max(axis=1) - step[:, :items].min(axis=1)
        span += np.abs(step[:, items:]).sum(axis=1)
        damping = np.log1p(span) / np.where(span > 0, span, 1)
        parameters[busy] += np.where(span > CLOSE, damping, 1)[:, None] * step
        busy = busy[span > CLOSE]
        if not busy.size:
            return parameters
    raise ArithmeticError("Newton's method did not come to rest")


def _step(parameters: Floats, won: Floats, games: Floats, *, position: bool, ridge: float) -> Floats:
    """Newton's step (B, P) from the gradient and the information of each table."""
    items = won.shape[-1]
    strengths = parameters[:, :items]
    away = strengths[:, :, None] - strengths[:, None, :]
    if position:
        away += parameters[:, items, None, None]
    likely = expit(away)
    excess = won - games * likely
    curvature = games * likely * (1 - likely)
    gradient = np.zeros_like(parameters)
    gradient[:, :items] = excess.sum(axis=2) - excess.sum(axis=1) - ridge * strengths
    information = np.zeros((*parameters.shape, parameters.shape[1]))
    # A constant added to all strengths changes nothing, so any information about it will do: the step then has
    # mean 0, as the gradient has.
    information[:, :items, :items] = 1 / items - curvature - curvature.swapaxes(1, 2)
    diagonal = np.arange(items)
    information[:, diagonal, diagonal] += curvature.sum(axis=2) + curvature.sum(axis=1) + ridge
    if position:
        gradient[:, items] = excess.sum(axis=(1, 2))
        information[:, items, :items] = curvature.sum(axis=2) - curvature.sum(axis=1)
        information[:, :items, items] = information[:, items, :items]
        information[:, items, items] = curvature.sum(axis=(1, 2))
    return np.asarray(np.linalg.solve(information, gradient[:, :, None])[:, :, 0])


# --- the bootstrap ---------------------------------------------------------------------------------------


def _drawn(outcomes: Outcomes, items: int, replicates: int, seed: str, *, position: bool) -> Iterator[Floats]:
    """Tables of wins (B, 2, items, items) of the replicates, in blocks.

    A row that is drawn is a prompt, or all comparisons with the same outcome as one row with a multiplicity.
    """
    cell, width = _cells(outcomes, items, position=position), 3 * items**2
    if outcomes.prompt is None:
        cell, multiplicity = np.unique(cell, return_counts=True)
        row, count, rows = np.arange(len(cell)), np.ones(len(cell)), len(cell)
    else:
        prompts, place = np.unique(outcomes.prompt, return_inverse=True)
        key, count = np.unique(place * width + cell, return_counts=True)
        (row, cell), rows, multiplicity = np.divmod(key, width), len(prompts), None
    size = max(1, CELLS // (2 * items**2))
    for weights in bootstrap.resamples(
        bootstrap.generator(seed, "bradley_terry"), rows, multiplicity, replicates
    ):
        each = weights[:, row] * count
        for start in range(0, len(each), size):
            yield np.stack([_wins(cell, weight, items) for weight in each[start : start + size]])


def _cells(outcomes: Outcomes, items: int, *, position: bool) -> Integers:
    """Number of each outcome (N,), of 3 * items^2. Without `position` it does not matter who was shown first."""
    halves, first, second = outcomes.halves, outcomes.first, outcomes.second
    if not position:
        turned = first > second
        halves = np.where(turned, 2 - halves, halves)
        first, second = np.minimum(first, second), np.maximum(first, second)
    return np.asarray((halves * items + first) * items + second)


def _wins(cell: Integers, weight: Floats | None, items: int) -> Floats:
    """By winner and loser, of those shown first and second (2, items, items), from numbers of outcomes."""
    lost, tied, won = np.bincount(cell, weights=weight, minlength=3 * items**2).reshape(3, items, items)
    return np.stack([won + tied / 2, (lost + tied / 2).T])
