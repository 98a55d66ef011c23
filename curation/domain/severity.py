"""How much more lenient than the others an annotator is, over all texts and week by week.

The difference on a text is the own score minus the mean of all others who scored it, as in against_rest.py, which
says why not of all. Severity is its mean over the texts that the annotator shared with anybody; above 0 is lenient.
The bootstrap draws prompts with replacement, and whoever has one prompt only has no interval. All that is summed is
whole numbers of the parts that the means have in common, hence exact. A number that is not defined is None:

    nothing_shared   the annotator scored no text that another scored too (in that week)
    nothing_before   a shift needs texts on both sides of it
    nothing_since
"""

import math
from collections import defaultdict
from dataclasses import asdict, dataclass

import numpy as np

from curation.domain import bootstrap, progress
from curation.domain.against_rest import NOTHING_SHARED, REPLICATES, SEED, Severity
from curation.domain.bootstrap import Floats, Integers
from curation.domain.columns import UNKNOWN
from curation.domain.patterns import Codes
from curation.domain.score_table import Bools, Scores, divided


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The scores of texts that two or more scored (M,): `rows` are their places among all, `own` the score, `rest`
    the mean of the others; both in as many `parts` of a point as make all of them whole."""

    rows: Integers
    own: Integers
    rest: Integers
    parts: int


@dataclass(frozen=True, slots=True)
class Leaning:
    """The severity of one annotator, in one week or in all, and over how many texts and prompts."""

    n: int
    prompts: int
    severity: Severity

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def shared(unit: Codes, score: Scores) -> Shared:
    """Of scores (N,), one an annotator and unit."""
    size = np.bincount(unit)
    total = np.bincount(unit, weights=score).astype(np.int64)
    rows = np.flatnonzero(size[unit] > 1)
    own, of = score[rows].astype(np.int64), unit[rows]
    others = size[of] - 1
    parts = math.lcm(*(int(each) for each in np.unique(others)))
    return Shared(rows, own * parts, (total[of] - own) * (parts // others), parts)


def severities(
    found: Shared,
    annotator: Codes,
    prompt: Codes,
    annotators: int,
    *,
    seed: str = SEED,
    replicates: int = REPLICATES,
) -> list[Leaning]:
    """By annotator (A,). `annotator` and `prompt` (N,) are those of all scores."""
    return _leanings(found, annotator[found.rows], prompt[found.rows], annotators, seed, replicates)


def by_week(
    found: Shared,
    annotator: Codes,
    prompt: Codes,
    week: Codes,
    annotators: int,
    *,
    seed: str = SEED,
    replicates: int = REPLICATES,
) -> tuple[list[int], list[list[Leaning]]]:
    """The weeks that occur (W,), and severity by annotator and week (A, W). Scores of an unknown week are left out."""
    known = found.rows[week[found.rows] >= 0]
    weeks, place = np.unique(week[known], return_inverse=True)
    group = np.full(len(found.rows), UNKNOWN)
    group[week[found.rows] >= 0] = annotator[known].astype(np.int64) * len(weeks) + place
    flat = _leanings(found, group, prompt[found.rows], annotators * len(weeks), seed, replicates)
    each = len(weeks)
    return weeks.tolist(), [flat[first * each : (first + 1) * each] for first in range(annotators)]


def shifts(
    found: Shared,
    annotator: Codes,
    prompt: Codes,
    since: Codes,
    annotators: int,
    *,
    seed: str = SEED,
    replicates: int = REPLICATES,
) -> list[Leaning]:
    """By annotator (A,): severity where `since` (N,) is 1, less that where it is 0. Below 0, where it is unknown, a
    score is left out. `n` and `prompts` are those since."""
    side = since[found.rows]
    results = []
    for rows in divided(np.where(side < 0, UNKNOWN, annotator[found.rows]), annotators):
        after = side[rows] == 1
        features = _features(found, rows, prompt[found.rows], after, ~after)
        prompts = int(np.count_nonzero(features[:, 1]))
        results.append(
            Leaning(int(after.sum()), prompts, _shift(features, found.parts, len(rows), seed, replicates))
        )
    return results


def weeks_of(at: Integers) -> Integers:
    """The week of each moment, as progress.py counts them; UNKNOWN where the moment is."""
    return np.where(at == UNKNOWN, UNKNOWN, progress.weeks_of(at))


def name_of(week: int) -> str:
    """As ISO 8601 writes it: 2026-W08."""
    year, number, _ = progress.monday_of(week).isocalendar()
    return f"{year}-W{number:02}"


def latest(unit: Codes, week: Codes, units: int) -> Integers:
    """The week of each unit (U,) is that of its latest score, when it was complete; UNKNOWN where that is not known."""
    last = np.full(units, UNKNOWN, dtype=np.int64)
    np.maximum.at(last, unit, week)
    return last


# --- means and their intervals ---------------------------------------------------------------------------


def _leanings(
    found: Shared, group: Codes, prompt: Codes, groups: int, seed: str, replicates: int
) -> list[Leaning]:
    """By group of the shared scores (G,), -1 being none. Groups of as many prompts share their draws."""
    features = [
        _features(found, rows, prompt, np.ones(len(rows), dtype=np.bool_)) for rows in divided(group, groups)
    ]
    together = defaultdict[int, list[int]](list)
    for place, each in enumerate(features):
        together[len(each)].append(place)
    intervals: dict[int, tuple[float | None, float | None]] = {}
    for prompts, places in together.items():
        if prompts > 1 and replicates:
            side_by_side = np.hstack([features[place] for place in places])
            drawn = _drawn(side_by_side, "severity", seed, replicates)
            for number, place in enumerate(places):
                means = drawn[:, 2 * number] / (found.parts * drawn[:, 2 * number + 1])
                intervals[place] = bootstrap.interval(means) or (None, None)
    return [
        Leaning(
            int(each[:, 1].sum()), len(each), _severity(each, found.parts, intervals.get(place, (None, None)))
        )
        for place, each in enumerate(features)
    ]


def _features(found: Shared, rows: Integers, prompt: Codes, *chosen: Bools) -> Floats:
    """By prompt (C,): the sum of the differences, in parts, and their number, for each choice among the rows."""
    prompts, place = np.unique(prompt[rows], return_inverse=True)
    difference = (found.own - found.rest)[rows]
    columns = []
    for each in chosen:
        columns.append(np.bincount(place, weights=difference * each, minlength=len(prompts)))
        columns.append(np.bincount(place, weights=each, minlength=len(prompts)))
    return np.stack(columns, axis=1)


def _severity(features: Floats, parts: int, interval: tuple[float | None, float | None]) -> Severity:
    total, count = features.sum(axis=0)
    if not count:
        return Severity(None, reason=NOTHING_SHARED)
    return Severity(float(total) / (parts * float(count)), *interval)


def _shift(features: Floats, parts: int, n: int, seed: str, replicates: int) -> Severity:
    since, n_since, before, n_before = features.sum(axis=0)
    if not n:
        return Severity(None, reason=NOTHING_SHARED)
    if not n_since or not n_before:
        return Severity(None, reason="nothing_before" if n_since else "nothing_since")
    value = float(since / n_since - before / n_before) / parts
    if len(features) < 2:
        return Severity(value)
    drawn = _drawn(features, "severity_shift", seed, replicates)
    drawn = drawn[(drawn[:, 1] > 0) & (drawn[:, 3] > 0)]
    differences = (drawn[:, 0] / drawn[:, 1] - drawn[:, 2] / drawn[:, 3]) / parts
    return Severity(value, *(bootstrap.interval(differences) or (None, None)))


def _drawn(features: Floats, key: str, seed: str, replicates: int) -> Floats:
    """The sums of the features (C, K) in each replicate (B, K)."""
    weights = bootstrap.resamples(bootstrap.generator(seed, key), len(features), None, replicates)
    sums = (bootstrap.weighted_sums(each, features) for each in weights)
    return np.concatenate([np.empty((0, features.shape[1])), *sums])
