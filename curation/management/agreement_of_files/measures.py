"""Every measure of agreement that `--coefficients all` puts beside alpha.

A measure that is not defined carries the reason that its own module gives, or "needs_numbers" (the values are labels),
or that of scales.Scale: there is no scale that chance could be computed on.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from curation.domain import agreement, chance, pairwise_kappa, value_patterns
from curation.domain.bootstrap import Integers
from curation.domain.chance import Coefficient
from curation.domain.pairwise_kappa import PairKappa
from curation.management.agreement_of_files import intraclass, rows
from curation.management.agreement_of_files.intraclass import Intraclass
from curation.management.agreement_of_files.rows import Bootstrap, Rows
from curation.management.agreement_of_files.scales import Scale
from curation.management.agreement_of_files.scores import Scores

NEEDS_NUMBERS = "needs_numbers"
WEIGHTS: Final = "quadratic"


@dataclass(frozen=True, slots=True)
class Left:
    """Alpha of the others at one level; `reason` says why it is None."""

    value: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Measures:
    """`pairs` are all pairs of annotators, `without` alpha by level without the annotator who is named."""

    chance: dict[str, Coefficient]
    icc: Intraclass
    pairs: dict[tuple[str, str], PairKappa]
    without: dict[str, dict[str, Left]]

    def as_dict(self) -> dict[str, object]:
        return {
            "weights": WEIGHTS,
            "chance": {name: each.as_dict() for name, each in self.chance.items()},
            "icc": self.icc.as_dict(),
            "pairs": [{"annotators": list(names)} | pair.as_dict() for names, pair in self.pairs.items()],
            "without": {
                name: {level: asdict(left) for level, left in levels.items()}
                for name, levels in self.without.items()
            },
        }


def measured(scores: Scores, scale: Scale, *, levels: Sequence[str], bootstrap: Bootstrap) -> Measures:
    coded = rows.of_scores(scores)
    code = scale.codes(scores.numbers_or_labels()) if scale.levels else None
    return Measures(
        chance=_percent_agreement(scores, coded, scale, bootstrap)
        if code is None
        else _chance(coded, code, scale, bootstrap),
        icc=_icc(scores, coded, code, scale, bootstrap),
        pairs=_pairs(coded, code, scale),
        without=_without(scores, coded, levels),
    )


def _percent_agreement(
    scores: Scores, coded: Rows, scale: Scale, bootstrap: Bootstrap
) -> dict[str, Coefficient]:
    """Without a scale chance is not known; how often people gave the same value is, since it takes no scale."""
    found = {name: Coefficient(None, reason=scale.reason) for name in chance.COEFFICIENTS}
    if not len(coded.unit):
        return found
    code = _equal_within_units(coded.unit, scores.numbers_or_labels())
    seen = _coefficients(coded, code, range(max(2, int(code.max()) + 1)), bootstrap)
    return found | {name: seen[name] for name in chance.PERCENTAGES}


def _equal_within_units(unit: Integers, values: Sequence[float] | Sequence[str]) -> Integers:
    """Of each value a number from 0, the same within a unit where the values are; so that many values stay few."""
    distinct, code = np.unique(np.asarray(values), return_inverse=True)
    held, place = np.unique(unit * len(distinct) + code, return_inverse=True)
    first = np.searchsorted(held, unit * len(distinct))
    return place - first


def _chance(coded: Rows, code: Integers, scale: Scale, bootstrap: Bootstrap) -> dict[str, Coefficient]:
    found = _coefficients(coded, code, scale.numbers(), bootstrap)
    if scale.source == "labels":
        return found | {name: Coefficient(None, reason=NEEDS_NUMBERS) for name in chance.WEIGHTED}
    return found


def _coefficients(
    coded: Rows, code: Integers, levels: Sequence[int], bootstrap: Bootstrap
) -> dict[str, Coefficient]:
    return chance.report(
        value_patterns.of_codes(coded.unit, code, n_values=len(levels)),
        scale=levels,
        weights=WEIGHTS,
        cluster=coded.cluster,
        replicates=bootstrap.replicates,
        seed=bootstrap.seed,
    ).coefficients


def _icc(
    scores: Scores, coded: Rows, code: Integers | None, scale: Scale, bootstrap: Bootstrap
) -> Intraclass:
    if scale.source == "labels":
        return intraclass.undefined(NEEDS_NUMBERS)
    if code is None:
        values = [value for value in scores.values if not isinstance(value, str)]
        return intraclass.of_values(coded, values, bootstrap)
    return intraclass.of_codes(coded, code, scale.numbers(), bootstrap)


def _pairs(coded: Rows, code: Integers | None, scale: Scale) -> dict[tuple[str, str], PairKappa]:
    """Where values tell no scale, how many units two annotators share is still known."""
    shared = np.zeros(len(coded.unit), dtype=np.int64) if code is None else code
    numbers = scale.numbers() if scale.levels else (0, 1)
    found = pairwise_kappa.kappas(coded.unit, coded.annotator, shared, scale=numbers)
    names = coded.annotators
    return {
        (names[one], names[other]): _fitting(pairwise_kappa.between(found, one, other), scale)
        for one, other in combinations(range(len(names)), 2)
    }


def _fitting(pair: PairKappa, scale: Scale) -> PairKappa:
    """Of labels the plain kappa alone, of no scale none."""
    if pair.n and scale.reason:
        return replace(pair, reason=scale.reason)
    if pair.plain is not None and scale.source == "labels":
        return replace(pair, linear=None, quadratic=None, reason=NEEDS_NUMBERS)
    return pair


def _without(scores: Scores, coded: Rows, levels: Sequence[str]) -> dict[str, dict[str, Left]]:
    found = {}
    for place, name in enumerate(coded.annotators):
        others = scores.only(np.flatnonzero(coded.annotator != place).tolist())
        alpha = agreement.report(
            others.units, others.annotators, others.numbers_or_labels(), levels=levels, replicates=0
        ).alpha
        found[name] = {level: Left(each.value, each.reason) for level, each in alpha.items()}
    return found
