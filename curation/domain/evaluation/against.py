"""Two models on the same release: how much better the first is, and whether that is more than chance.

    difference   of the mean credit, first less second; the interval draws prompts
    p            two-sided, whether it is 0: whole prompts are turned over (rates.sign_flip)
    p_holm       the same among all genres, adjusted for how many there are (rates.holm)
    mcnemar      by the pairs that only one of them gets right, in both orders where both were shown, as if pairs were
                 independent; of rankings by the prompts that only one of them ranks exactly as the gold

Both are held to everything that the release asks: what one of them leaves out it gets wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curation.domain import rates
from curation.domain.bootstrap import Integers
from curation.domain.evaluation import accuracy, orders
from curation.domain.evaluation.accuracy import Draws
from curation.domain.evaluation.answers import HALVES, Answers
from curation.domain.evaluation.orders import Ranked
from curation.domain.rates import McNemar, Rate, SignFlip


@dataclass(frozen=True, slots=True)
class Against:
    """On some of the cases, which are pairs or prompts."""

    difference: Rate
    p: SignFlip
    mcnemar: McNemar
    only_first: int
    only_second: int

    def as_dict(self) -> dict[str, object]:
        return {
            "difference": self.difference.as_dict(),
            "p": self.p.as_dict(),
            "as_if_independent": {
                "only_first": self.only_first,
                "only_second": self.only_second,
                "mcnemar": self.mcnemar.as_dict(),
            },
        }


def on_pairs(
    one: Answers, other: Answers, prompt: Integers, rows: Integers, *, key: str, draws: Draws
) -> Against:
    """Of the pairs at `rows`; `prompt` (N,) is that of every pair. Differences are shares of 1."""
    first, second = one.halves[rows], other.halves[rows]
    return _compared(
        first - second,
        HALVES,
        first == HALVES,
        second == HALVES,
        prompt[rows],
        key=f"pairs:{key}",
        draws=draws,
    )


def on_prompts(one: Ranked, other: Ranked, rows: Integers, *, key: str, draws: Draws) -> Against:
    """Of the prompts at `rows`, by their correlations, from -1 to 1."""
    balances, unit = orders.balances(one, other)
    exact = one.strict[rows] == 1, other.strict[rows] == 1
    return _compared(balances[rows], unit, *exact, rows, key=f"prompts:{key}", draws=draws)


def adjusted(parts: Sequence[Against]) -> list[float | None]:
    """Holm's p of each, among all of them."""
    return rates.holm([part.p.p for part in parts])


def _compared(
    balances: Integers,
    unit: int,
    first: accuracy.Bools,
    second: accuracy.Bools,
    prompts: Integers,
    *,
    key: str,
    draws: Draws,
) -> Against:
    only_first, only_second = (int(np.count_nonzero(only)) for only in (first & ~second, second & ~first))
    return Against(
        difference=accuracy.by_prompt(balances, unit, prompts, key=f"difference:{key}", draws=draws),
        p=rates.sign_flip(balances, prompts, seed=draws.seed, flips=draws.flips, key=f"against:{key}"),
        mcnemar=rates.mcnemar(only_first, only_second),
        only_first=only_first,
        only_second=only_second,
    )
