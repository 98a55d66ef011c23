"""What is still ahead: texts and hours until a genre has its pairs, the end of a round, what so many pairs will show.

Pairs ahead. Prompts to come are taken to be like those that are finished: with A accepted pairs, R responses and S
active seconds over the finished prompts, the missing pairs M take M R / A responses and M S / A seconds. The band is
the middle 95 % of that over a bootstrap of the finished prompts; its upper end is None where so few of them gave a
pair that there is no telling. Prompts that gave all the same, or a single one, say nothing of how much prompts may
differ: then both ends are None.

The end of a round. Of n periods (days or weeks) with m scores a period on average and a standard deviation of s, the
T periods to come bring T m, and with 95 % between T m - w and T m + w, where w = t s sqrt(T + T^2 / n), t being
Student's with n - 1 degrees of freedom: the noise of what is to come, and that of the mean. The band of the end is
where those limits reach what is left. Weeks are the better periods as soon as there are four of them: people work on
some days of the week and not on others.

A model's accuracy. Its Wilson interval over n pairs; where pairs share prompts, n counts for n / design_effect.

What is not defined is None, with a reason:

    nothing_finished   no prompt is finished
    no_pairs_yet       no finished prompt gave a pair
    too_few_periods    a rate without a deviation has no band: it takes two periods
    nothing_done       no score in any of them
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from annotation.domain.intervals import Z, student
from curation.domain import bootstrap
from curation.domain.bootstrap import Floats, Integers

REPLICATES = 2000
SEED = "plumb-1"
HOUR = 3600
MOST_PAIRS = 10**9


@dataclass(frozen=True, slots=True)
class Band:
    """An estimate and its limits, each None where there is no telling."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """The finished prompts of a genre (C,): accepted pairs, responses, active seconds of all who scored them."""

    pairs: Integers
    responses: Integers
    seconds: Integers


@dataclass(frozen=True, slots=True)
class Need:
    """Of one genre, or of all: pairs that are missing, and what they take."""

    pairs: int
    responses: Band
    hours: Band

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Step:
    """What will be left after so many periods."""

    period: int
    left: float
    low: float
    high: float

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


# --- pairs ahead -----------------------------------------------------------------------------------------


def plan(
    genres: Mapping[str, Finished],
    quotas: Mapping[str, int],
    *,
    seed: str = SEED,
    replicates: int = REPLICATES,
) -> tuple[dict[str, Need], Need]:
    """By genre with a quota, and of all of them together. A genre of which nothing is known makes that None too."""
    ahead = {
        genre: _Ahead(genres.get(genre), quotas[genre], f"planner:{genre}", seed, replicates)
        for genre in sorted(quotas)
    }
    needs = {genre: each.need() for genre, each in ahead.items()}
    unknown = [each.reason for each in ahead.values() if each.reason]
    missing = sum(each.missing for each in ahead.values())
    if unknown:
        nothing = Band(None, reason=unknown[0])
        return needs, Need(missing, nothing, nothing)
    drawn = sum((each.drawn for each in ahead.values()), start=np.zeros((2, replicates)))
    value = sum((each.value for each in ahead.values()), start=np.zeros(2))
    return needs, _need(missing, value, drawn, has_limits=all(each.has_limits for each in ahead.values()))


class _Ahead:
    """Responses and seconds that the missing pairs of a genre take: the estimate (2,) and its replicates (2, B)."""

    def __init__(self, finished: Finished | None, quota: int, key: str, seed: str, replicates: int) -> None:
        found = 0 if finished is None else int(finished.pairs.sum())
        self.missing = max(0, quota - found)
        self.reason: str | None = None
        self.has_limits = True
        self.value, self.drawn = np.zeros(2), np.zeros((2, replicates))
        if not self.missing:
            return
        if finished is None or not len(finished.pairs):
            self.reason = "nothing_finished"
        elif not found:
            self.reason = "no_pairs_yet"
        else:
            features = np.stack([finished.pairs, finished.responses, finished.seconds], axis=1).astype(float)
            self.value = self._taken(features.sum(axis=0)[:, None])[:, 0]
            random = bootstrap.generator(seed, key)
            weights = bootstrap.resamples(random, len(features), None, replicates)
            sums = [np.empty((0, 3)), *(bootstrap.weighted_sums(each, features) for each in weights)]
            self.drawn = self._taken(np.concatenate(sums).T)
            self.has_limits = bool((self.drawn != self.drawn[:, :1]).any())

    def need(self) -> Need:
        if self.reason:
            return Need(self.missing, Band(None, reason=self.reason), Band(None, reason=self.reason))
        return _need(self.missing, self.value, self.drawn, has_limits=self.has_limits)

    def _taken(self, sums: Floats) -> Floats:
        """(2, B) from pairs, responses and seconds (3, B); endless where there were no pairs."""
        pairs = sums[0]
        return np.where(pairs > 0, self.missing * sums[1:] / np.where(pairs > 0, pairs, 1), np.inf)


def _need(missing: int, value: Floats, drawn: Floats, *, has_limits: bool) -> Need:
    responses, hours = float(np.ceil(value[0])), float(value[1] / HOUR)
    if not has_limits:
        return Need(missing, Band(responses), Band(hours))
    return Need(missing, _band(responses, np.ceil(drawn[0])), _band(hours, drawn[1] / HOUR))


def _band(value: float, drawn: Floats) -> Band:
    low, high = bootstrap.interval(drawn) or (math.inf, math.inf)
    return Band(float(value), None if math.isinf(low) else low, None if math.isinf(high) else high)


# --- the end of a round ----------------------------------------------------------------------------------


def forecast(done: Sequence[int], left: int) -> Band:
    """In how many periods from now nothing is left. `done` are the latest whole periods."""
    if left <= 0:
        return Band(0.0, 0.0, 0.0)
    n, reason = len(done), _reason(done)
    if reason:
        return Band(None, reason=reason)
    mean, spread = _pace(done)
    # (left - T mean)^2 = spread^2 (T + T^2 / n), whose two roots are the limits of T.
    square = mean**2 - spread**2 / n
    middle = left * mean + spread**2 / 2
    root = math.sqrt(max(0.0, middle**2 - square * left**2))
    low = left**2 / (middle + root)
    return Band(left / mean, low, (middle + root) / square if square > 0 else None)


def burn_down(done: Sequence[int], left: int, periods: int) -> list[Step]:
    """What will be left after 0, 1, ... periods; empty where there is no forecast."""
    if _reason(done):
        return []
    mean, spread = _pace(done)
    steps = []
    for period in range(periods + 1):
        wide = spread * math.sqrt(period + period**2 / len(done))
        after = (left - period * mean + change for change in (0, -wide, wide))
        steps.append(Step(period, *(min(max(each, 0.0), float(left)) for each in after)))
    return steps


def _reason(done: Sequence[int]) -> str | None:
    if len(done) < 2:
        return "too_few_periods"
    return None if any(done) else "nothing_done"


def _pace(done: Sequence[int]) -> tuple[float, float]:
    """The mean of a period, and t times its standard deviation."""
    values = np.array(done, dtype=np.float64)
    return float(values.mean()), student(len(done) - 1) * float(values.std(ddof=1))


# --- what so many pairs will show ------------------------------------------------------------------------


def width(pairs: int, *, accuracy: float = 0.5, design_effect: float = 1.0) -> float | None:
    """From end to end, the 95 % interval of a model that gets this share of so many pairs; None of none."""
    if pairs < 1:
        return None
    n = pairs / design_effect
    inside = accuracy * (1 - accuracy) / n + Z**2 / (4 * n**2)
    return 2 * Z * math.sqrt(inside) / (1 + Z**2 / n)


def pairs_for(wanted: float, *, accuracy: float = 0.5, design_effect: float = 1.0) -> int | None:
    """The least number of pairs whose interval is no wider than that; None where that takes more than a billion."""
    if not wanted > 0:
        raise ValueError(f"an interval cannot be {wanted} wide; use a width above 0")
    numbers = range(1, MOST_PAIRS + 1)

    def narrowness(pairs: int) -> float:
        return -(width(pairs, accuracy=accuracy, design_effect=design_effect) or 1.0)

    place = bisect_left(numbers, -wanted, key=narrowness)
    return numbers[place] if place < MOST_PAIRS else None
