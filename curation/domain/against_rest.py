"""How each annotator stands to the others who scored the same texts.

The rest of an annotator, on a text, is everybody else who scored it. Three numbers compare the two, over the texts
that the annotator and at least one other scored:

    alpha      Krippendorff's, ordinal, of two raters: the annotator, and the mean of the others
    kappa      quadratic weighted, with the others' median instead, as kappa wants scores. Of an even number of others
               both scores in the middle stand for it, each for half the text: rounding would favour some scores
    severity   mean of own score minus the mean of the others. Not minus the mean of all, which holds the own score
               and would shrink severity, to two thirds of it with three annotators

`without` is the group's alpha once the annotator is left out. Intervals are bootstraps over prompts, as in
agreement.py. A number that is not defined is None, with a reason: those of agreement.py, and

    nothing_shared   the annotator scored no text that another scored too
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import median_high, median_low
from typing import NamedTuple

import numpy as np

from annotation.domain import kappa
from annotation.domain.scoring import SCALE
from curation.domain import agreement, bootstrap
from curation.domain.agreement import Alpha, Report

REPLICATES = 2000
SEED = "plumb-1"
NOTHING_SHARED = "nothing_shared"
MILLIONTHS = 1_000_000


class Judgement(NamedTuple):
    """A score from the scale; a text belongs to one prompt, and an annotator scores it once."""

    response: str
    prompt: str
    annotator: str
    score: int


@dataclass(frozen=True, slots=True)
class Severity:
    """In points of the scale, above 0 where the annotator is the more lenient."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """One annotator. `n`: texts shared with others; `use`: how often each score of the scale was given at all."""

    n: int
    alpha: Alpha
    kappa: float | None
    kappa_reason: str | None
    severity: Severity
    use: tuple[int, ...]
    without: Alpha

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Gate:
    """A number of a standing, held against a threshold. `met` is False where the number is not defined."""

    statistic: str
    threshold: str
    value: float | None
    met: bool

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class _Shared(NamedTuple):
    """A text that the annotator and others scored."""

    response: str
    prompt: str
    own: int
    others: tuple[int, ...]

    @property
    def mean(self) -> Fraction:
        return Fraction(sum(self.others), len(self.others))


def group(judgements: Sequence[Judgement], *, seed: str = SEED, replicates: int = REPLICATES) -> Report:
    """Alpha of all, at the levels of a report."""
    return agreement.report(
        [each.response for each in judgements],
        [each.annotator for each in judgements],
        [each.score for each in judgements],
        clusters=[each.prompt for each in judgements],
        seed=seed,
        replicates=replicates,
    )


def standings(
    judgements: Sequence[Judgement], *, seed: str = SEED, replicates: int = REPLICATES
) -> dict[str, Standing]:
    """By annotator, in the order of their names. The order of the judgements does not matter."""
    by_text: dict[str, list[Judgement]] = defaultdict(list)
    for each in sorted(judgements):
        by_text[each.response].append(each)
    return {
        name: _standing(name, judgements, tuple(_shared(name, by_text.values())), seed, replicates)
        for name in sorted({each.annotator for each in judgements})
    }


def gate(standing: Standing, *, statistic: str, threshold: Decimal) -> Gate:
    """`statistic`: alpha_rest, alpha_rest_low (the lower end of its interval) or kappa_rest.

    Compared in whole millionths, so that a number which is the threshold on paper is not below it by an error of
    rounding.
    """
    value = {
        "alpha_rest": standing.alpha.value,
        "alpha_rest_low": standing.alpha.low,
        "kappa_rest": standing.kappa,
    }[statistic]
    met = value is not None and round(value * MILLIONTHS) >= threshold * MILLIONTHS
    return Gate(statistic, str(threshold), value, met)


def _shared(name: str, texts: Iterable[Sequence[Judgement]]) -> Iterator[_Shared]:
    for text in texts:
        own = [each for each in text if each.annotator == name]
        others = tuple(each.score for each in text if each.annotator != name)
        if own and others:
            yield _Shared(own[0].response, own[0].prompt, own[0].score, others)


def _standing(
    name: str, judgements: Sequence[Judgement], shared: Sequence[_Shared], seed: str, replicates: int
) -> Standing:
    given = Counter(each.score for each in judgements if each.annotator == name)
    value, reason = _kappa(shared)
    rest = [each for each in judgements if each.annotator != name]
    return Standing(
        n=len(shared),
        alpha=_alpha(shared, seed, replicates),
        kappa=value,
        kappa_reason=reason,
        severity=_severity(shared, seed, replicates),
        use=tuple(given[score] for score in SCALE),
        without=group(rest, seed=seed, replicates=replicates).alpha["ordinal"],
    )


def _alpha(shared: Sequence[_Shared], seed: str, replicates: int) -> Alpha:
    """Equal means are equal doubles, since a quotient of whole numbers is rounded once."""
    if not shared:
        return Alpha(None, reason=NOTHING_SHARED)
    texts = [each.response for each in shared]
    report = agreement.report(
        texts + texts,
        ["own"] * len(shared) + ["rest"] * len(shared),
        [float(each.own) for each in shared] + [float(each.mean) for each in shared],
        clusters=[each.prompt for each in shared] * 2,
        levels=("ordinal",),
        seed=seed,
        replicates=replicates,
    )
    return report.alpha["ordinal"]


def _kappa(shared: Sequence[_Shared]) -> tuple[float | None, str | None]:
    if not shared:
        return None, NOTHING_SHARED
    middles = {"low": median_low, "high": median_high}  # the same score where the others are odd in number
    table = kappa.tabulate(
        {(each.response, end): each.own for each in shared for end in middles},
        {(each.response, end): middle(each.others) for each in shared for end, middle in middles.items()},
    )
    found = kappa.coefficients(table, weights="quadratic")
    return (None, found.reason) if found.kappa is None else (float(found.kappa), None)


def _severity(shared: Sequence[_Shared], seed: str, replicates: int) -> Severity:
    """Sums of a prompt are whole numbers of the parts that all means have in common: exact in doubles."""
    if not shared:
        return Severity(None, reason=NOTHING_SHARED)
    parts = math.lcm(*(len(each.others) for each in shared))
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for each in shared:
        sums[each.prompt][0] += int((each.own - each.mean) * parts)
        sums[each.prompt][1] += 1
    features = np.array([sums[prompt] for prompt in sorted(sums)], dtype=np.float64)
    total, count = features.sum(axis=0)
    value = float(total) / (parts * float(count))
    if len(features) < 2:
        return Severity(value)
    drawn = bootstrap.resamples(bootstrap.generator(seed, "severity"), len(features), None, replicates)
    sums_drawn = [np.empty((0, 2)), *(bootstrap.weighted_sums(weights, features) for weights in drawn)]
    totals, counts = np.concatenate(sums_drawn).T
    means = totals / (parts * counts)
    low, high = bootstrap.interval(means) or (None, None)
    return Severity(value, low, high)
