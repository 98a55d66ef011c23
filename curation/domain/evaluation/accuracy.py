"""How often a model is right about some of the pairs, and what the position of the texts does to it.

A pair is right where the chosen text is strictly preferred; a tie, and a pair without an answer, is wrong. With
verdicts in both orders each counts half. Beside it stands the same with ties as half a right verdict.

    accuracy             mean over pairs; the interval draws prompts with all their pairs (rates.by_prompt)
    p                    two-sided, whether it differs from 1/2: whole prompts are turned over (rates.sign_flip)
    wilson, exact, binomial   the papers' figures, as if pairs were independent. Of verdicts in both orders the
                         binomial test counts the pairs on which both agree, and there is no exact interval
    position             share of pairs with the same verdict in both orders, share right in both, and how often the
                         text shown first was preferred, of the verdicts that are no ties

What is not defined is None, with a reason: those of `rates`, and

    one_order      texts were not shown in both orders
    both_orders    halves have no exact interval
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curation.domain import rates
from curation.domain.audit import shares
from curation.domain.bootstrap import Integers
from curation.domain.charts import FEWEST
from curation.domain.evaluation.answers import (
    CHOSEN_FIRST,
    HALVES,
    NONE,
    QUARTERS,
    REJECTED_FIRST,
    RIGHT,
    TIE,
    WRONG,
    Answers,
    Verdicts,
)
from curation.domain.rates import EMPTY, Rate, SignFlip

Bools = NDArray[np.bool_]

ONE_ORDER = "one_order"
BOTH_ORDERS = "both_orders"


@dataclass(frozen=True, slots=True)
class Draws:
    """What random numbers hang on: the seed, and how many replicates of the bootstrap and turnings there are."""

    seed: str = rates.SEED
    replicates: int = rates.REPLICATES
    flips: int = rates.FLIPS


@dataclass(frozen=True, slots=True)
class Binomial:
    """Two-sided p of k of n against 1/2."""

    p: float | None
    k: int
    n: int
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return {"p": self.p, "k": self.k, "n": self.n, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Position:
    """Of pairs with verdicts in both orders; `first_preferred` is of verdicts."""

    consistent: Rate
    right_in_both: Rate
    first_preferred: Rate

    def as_dict(self) -> dict[str, object]:
        return {
            "consistent": self.consistent.as_dict(),
            "right_in_both": self.right_in_both.as_dict(),
            "first_preferred": self.first_preferred.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Accuracy:
    """`halves` are those of right verdicts, 2 to a pair; `ties` and `unanswered` count verdicts; `few`: of fewer pairs
    than FEWEST, so that nothing is to be read into it."""

    pairs: int
    prompts: int
    orders: int
    halves: int
    ties: int
    unanswered: int
    accuracy: Rate
    ties_half: Rate
    wilson: Rate
    exact: Rate
    p: SignFlip
    binomial: Binomial
    position: Position | None

    @property
    def few(self) -> bool:
        return self.pairs < FEWEST

    def as_dict(self) -> dict[str, object]:
        position: Mapping[str, object] = (
            {"reason": ONE_ORDER} if self.position is None else self.position.as_dict()
        )
        return {
            "pairs": self.pairs,
            "prompts": self.prompts,
            "few": self.few,
            "verdicts": self.pairs * self.orders,
            "right": self.halves / HALVES,
            "ties": self.ties,
            "unanswered": self.unanswered,
            "accuracy": self.accuracy.as_dict(),
            "accuracy_ties_half": self.ties_half.as_dict(),
            "p": self.p.as_dict(),
            "as_if_independent": {
                "wilson": self.wilson.as_dict(),
                "exact": self.exact.as_dict(),
                "binomial": self.binomial.as_dict(),
            },
            "position": {
                "consistent": None,
                "right_in_both": None,
                "first_preferred": None,
                "reason": None,
                **position,
            },
        }


def of(answers: Answers, prompt: Integers, rows: Integers, *, key: str, draws: Draws) -> Accuracy:
    """Of the pairs at `rows` (M,); `prompt` (N,) is that of every pair, `key` names the part for the draws."""
    verdicts, prompts = answers.verdicts[rows], prompt[rows]
    halves, quarters = answers.halves[rows], answers.quarters[rows]
    right = int(halves.sum())
    return Accuracy(
        pairs=len(rows),
        prompts=len(np.unique(prompts)),
        orders=answers.orders,
        halves=right,
        ties=int((verdicts == TIE).sum()),
        unanswered=int((verdicts == NONE).sum()),
        accuracy=by_prompt(halves, HALVES, prompts, key=f"accuracy:{key}", draws=draws),
        ties_half=by_prompt(quarters, QUARTERS, prompts, key=f"ties_half:{key}", draws=draws),
        wilson=_wilson(right, len(rows)),
        exact=_exact(right, len(rows), answers.orders),
        p=rates.sign_flip(
            halves - HALVES // 2, prompts, seed=draws.seed, flips=draws.flips, key=f"chance:{key}"
        ),
        binomial=_binomial(halves),
        position=_position(verdicts, prompts, key, draws) if answers.orders > 1 else None,
    )


def by_prompt(credit: Integers, full: int, prompts: Integers, *, key: str, draws: Draws) -> Rate:
    """The mean of credits (M,), whole numbers of which `full` are 1, with an interval from drawing prompts."""
    found = rates.by_prompt(credit, prompts, seed=draws.seed, replicates=draws.replicates, key=key)
    value, low, high = (None if end is None else end / full for end in (found.value, found.low, found.high))
    return Rate(value, found.n, low, high, found.reason)


def _wilson(halves: int, n: int) -> Rate:
    interval = shares.wilson(halves, n)
    if interval is None:
        return Rate(None, 0, reason=EMPTY)
    return Rate(halves / (HALVES * n), n, interval.low, interval.high)


def _exact(halves: int, n: int, orders: int) -> Rate:
    if orders > 1 and n:
        return Rate(None, n, reason=BOTH_ORDERS)
    return rates.clopper_pearson(halves // HALVES, n)


def _binomial(halves: Integers) -> Binomial:
    whole = halves[halves != HALVES // 2]
    k, n = int((whole == HALVES).sum()), len(whole)
    p = rates.binomial_p(k, n)
    return Binomial(p, k, n, None if n else EMPTY)


def _position(verdicts: Verdicts, prompts: Integers, key: str, draws: Draws) -> Position:
    both = (verdicts != NONE).all(axis=1)
    one, other = verdicts[both].T
    same, right = one == other, (one == RIGHT) & (other == RIGHT)
    decided = (verdicts == RIGHT) | (verdicts == WRONG)
    # The first text is preferred where the chosen one, shown first, wins, and where it, shown second, loses.
    first = np.stack([verdicts[:, CHOSEN_FIRST] == RIGHT, verdicts[:, REJECTED_FIRST] == WRONG], axis=1)
    of_verdicts = np.repeat(prompts[:, None], verdicts.shape[1], axis=1)
    return Position(
        consistent=by_prompt(same.astype(np.int64), 1, prompts[both], key=f"consistent:{key}", draws=draws),
        right_in_both=by_prompt(
            right.astype(np.int64), 1, prompts[both], key=f"right_in_both:{key}", draws=draws
        ),
        first_preferred=by_prompt(
            first[decided].astype(np.int64),
            1,
            of_verdicts[decided],
            key=f"first_preferred:{key}",
            draws=draws,
        ),
    )
