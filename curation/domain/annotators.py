"""What can be said of every annotator at once: use of the scale, agreement with the others, with gold, with oneself.

    use           how often each score was given, of all scores
    against_rest  Krippendorff's alpha, ordinal, of two raters: the annotator, and the mean of the others who scored
                  the same texts (against_rest.py, which does it for few annotators)
    tables        counts of pairs of scores by annotator: gold against given, or first against second
    match         exact, within one, and quadratic weighted kappa over the declared scale, of one such table
    proposals     who might be calibrated again, and why. It is proposed, and a lead decides

Severity is in severity.py. Scores come as codes (score_table.py), the scale as the number of its scores, from 0.
A number that is not defined is None, with a reason:

    nothing_shared   the annotator scored no text that another scored too
    empty            no text was scored twice, or none has a gold score
    no_variation     all of them are the same
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from annotation.domain import kappa
from curation.domain import agreement, distances, ratings
from curation.domain.against_rest import MILLIONTHS, NOTHING_SHARED, REPLICATES, SEED
from curation.domain.agreement import Alpha
from curation.domain.alpha_rows import Rows
from curation.domain.bootstrap import Integers
from curation.domain.patterns import Codes
from curation.domain.score_table import Scores, divided
from curation.domain.severity import Leaning, Shared


@dataclass(frozen=True, slots=True)
class Match:
    """Of n pairs of scores, how many are equal and how many at most one apart; kappa with its interval."""

    n: int
    exact: int
    within_one: int
    kappa: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When a calibration is proposed. Lengths of time are in weeks, shifts in points of the scale."""

    recent_weeks: int = 2  # that are held against the weeks before
    least_texts: int = 30  # shared ones since; with fewer nothing is proposed
    shift: Decimal = Decimal("0.3")  # this large or larger, and its interval without 0
    least_repeats: int = 10  # with fewer nothing is proposed
    same_again: Decimal = Decimal("0.5")  # a share of equal scores below this


@dataclass(frozen=True, slots=True)
class Ground:
    """Why: "drift" or "self_consistency", the threshold, the value that passed it, and of how many texts."""

    statistic: str
    threshold: str
    value: float
    n: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def use(annotator: Codes, score: Scores, annotators: int, values: int) -> Integers:
    """How often each annotator gave each score (A, V)."""
    place = annotator.astype(np.int64) * values + score
    return np.bincount(place, minlength=annotators * values).reshape(annotators, values)


def tables(annotator: Codes, one: Scores, other: Scores, annotators: int, values: int) -> Integers:
    """By annotator, how often `other` was given where `one` was said (A, V, V).

    `one` is the gold score or the first of two, `other` the annotator's own or second.
    """
    place = (annotator.astype(np.int64) * values + one) * values + other
    return np.bincount(place, minlength=annotators * values**2).reshape(annotators, values, values)


def match(table: Integers, *, seed: str = SEED) -> Match:
    """Of one annotator's table (V, V)."""
    counts = table.tolist()
    apart = np.abs(np.subtract.outer(np.arange(len(table)), np.arange(len(table))))
    found = kappa.coefficients(counts, weights="quadratic", scale=range(len(table)))
    interval = kappa.resampled(counts, seed=f"{seed}:match", scale=range(len(table)))
    return Match(
        n=found.n,
        exact=int(table[apart == 0].sum()),
        within_one=int(table[apart <= 1].sum()),
        kappa=None if found.kappa is None else float(found.kappa),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        reason=found.reason or None,
    )


def against_rest(
    found: Shared,
    annotator: Codes,
    prompt: Codes,
    annotators: int,
    *,
    seed: str = SEED,
    replicates: int = REPLICATES,
) -> list[Alpha]:
    """By annotator (A,). `annotator` and `prompt` (N,) are those of all scores, in the order of their units."""
    alphas = agreement.answers(
        _beside_the_rest(found, annotator, prompt, annotators),
        levels=("ordinal",),
        replicates=replicates,
        seed=seed,
    )
    return [each["ordinal"] for each in alphas]


def _beside_the_rest(found: Shared, annotator: Codes, prompt: Codes, annotators: int) -> Iterator[Rows | str]:
    for rows in divided(annotator[found.rows], annotators):
        if not rows.size:
            yield NOTHING_SHARED
            continue
        values, code = np.unique(np.concatenate([found.own[rows], found.rest[rows]]), return_inverse=True)
        unit = np.tile(np.arange(len(rows)), 2)
        table = ratings.coded(unit, code, (values / found.parts).tolist(), prompt[found.rows][rows])
        reason = agreement.unvaried(len(table.scale))
        yield reason or agreement.rows_of(table, [distances.at("ordinal", table.scale, None)])


def proposals(
    shifts: Sequence[Leaning], repeats: Sequence[Match], thresholds: Thresholds
) -> dict[int, tuple[Ground, ...]]:
    """The annotators for whom a calibration is proposed, with the grounds. Both sequences are by annotator (A,)."""
    found = {
        number: (*_drift(shift, thresholds), *_inconsistency(repeat, thresholds))
        for number, (shift, repeat) in enumerate(zip(shifts, repeats, strict=True))
    }
    return {number: grounds for number, grounds in found.items() if grounds}


def _drift(shift: Leaning, thresholds: Thresholds) -> Iterator[Ground]:
    """Compared in whole millionths, as a gate is: what is the threshold on paper passes it."""
    value, low, high = shift.severity.value, shift.severity.low, shift.severity.high
    if value is None or low is None or high is None or shift.n < thresholds.least_texts:
        return
    if abs(round(value * MILLIONTHS)) >= thresholds.shift * MILLIONTHS and (low > 0 or high < 0):
        yield Ground("drift", str(thresholds.shift), value, shift.n)


def _inconsistency(repeat: Match, thresholds: Thresholds) -> Iterator[Ground]:
    if repeat.n < max(1, thresholds.least_repeats):
        return
    if Fraction(repeat.exact, repeat.n) < Fraction(thresholds.same_again):
        yield Ground("self_consistency", str(thresholds.same_again), repeat.exact / repeat.n, repeat.n)
