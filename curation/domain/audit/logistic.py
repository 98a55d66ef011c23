"""A logistic model that guesses the chosen side from differences of features.

    P(the first side is chosen) = 1 / (1 + exp(-w . d)),   d = features of the first side less those of the second

Without an intercept, so that turning a pair around turns the guess around. Each feature is divided by the root mean
square of its differences; a ridge keeps the weights finite where a feature tells all. The weights minimise

    sum log(1 + exp(-w . d)) + ridge / 2 * |w|^2,   d = chosen less rejected

by Newton's method with step halving. The function is strictly convex, so there is one minimum.

For the accuracy the prompts are dealt into folds, and each fold is guessed by the model of all the others: no pair is
guessed by a model that has seen its prompt.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from curation.domain import priority
from curation.domain.audit import shares
from curation.domain.bootstrap import Floats, Integers

RIDGE = 1.0
FOLDS = 10
STEPS = 100
CLOSE = 1e-10  # a step as small as that changes no guess
SHORTEST = 2.0**-30  # of a step that is halved
ROUNDING = 1e-12  # relative error of the loss, which is a sum over all pairs


def folds(prompts: Sequence[str], *, seed: str, most: int = FOLDS) -> Integers:
    """The fold of each prompt (P,): dealt in turn, in the order of the keyed hashes of their ids."""
    hashes = priority.hashes(f"{seed}:folds", prompts)
    order = sorted(range(len(prompts)), key=lambda place: (int(hashes[place]), prompts[place]))
    fold = np.empty(len(prompts), dtype=np.int64)
    fold[order] = np.arange(len(prompts)) % min(most, max(1, len(prompts)))
    return fold


def weights(differences: Floats, *, ridge: float = RIDGE) -> Floats:
    """By feature (F,), in log odds for each typical difference, of differences (N, F).

    A feature that never differs has the weight 0. ArithmeticError if Newton's method does not come to rest.
    """
    scale = _scale(differences)
    return _minimum(differences / scale, ridge)


def guesses(differences: Floats, fold: Integers, *, ridge: float = RIDGE) -> Integers:
    """What models say of pairs (N,) that they have not seen: in halves, as shares.guess. `fold` (N,) is that of each
    pair; of one fold alone nothing can be guessed."""
    found = np.full(len(differences), shares.TIE, dtype=np.int64)
    for number in np.unique(fold):
        held = fold == number
        if held.all():
            return np.full(len(differences), shares.NO_CASE, dtype=np.int64)
        scale = _scale(differences[~held])
        weight = _minimum(differences[~held] / scale, ridge)
        odds = (differences[held] / scale) @ weight
        found[held] = 1 + np.sign(odds)
    return found


def _scale(differences: Floats) -> Floats:
    typical = np.sqrt(np.mean(differences**2, axis=0)) if len(differences) else np.zeros(differences.shape[1])
    return np.where(typical > 0, typical, 1.0)


def _minimum(differences: Floats, ridge: float) -> Floats:
    if ridge <= 0:
        raise ValueError(f"the ridge is {ridge}; use a positive number")
    weight = np.zeros(differences.shape[1])
    loss = _loss(differences, weight, ridge)
    for _ in range(STEPS):
        wrong = expit(-(differences @ weight))  # how probable the other side was
        gradient = differences.T @ wrong - ridge * weight
        information = (differences * (wrong * (1 - wrong))[:, None]).T @ differences
        step = np.linalg.solve(information + ridge * np.eye(len(weight)), gradient)
        if np.abs(step).max(initial=0.0) < CLOSE:
            return np.asarray(weight + step)
        share, ahead = 1.0, _loss(differences, weight + step, ridge)
        while ahead > loss * (1 + ROUNDING) and share > SHORTEST:
            share /= 2
            ahead = _loss(differences, weight + share * step, ridge)
        weight, loss = weight + share * step, ahead
    raise ArithmeticError("Newton's method did not come to rest")


def _loss(differences: Floats, weight: Floats, ridge: float) -> float:
    return float(np.logaddexp(0, -(differences @ weight)).sum() + ridge / 2 * weight @ weight)
