"""How well predicted rankings follow the gold ones of a release, by the metrics of WEval (rank_metrics).

A prompt without a usable ranking counts as wrong in every pair of its texts and in every place: a correlation of -1,
and 0 of the others. Leaving a hard prompt out is then never better than answering it. Scores of single responses rank
the responses to each prompt.

    no_prompts      the release has no gold ranking, or none in this part
    not_comparable  prompts of so many different sizes that correlations have no common unit worth counting in
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.domain import rankings
from annotation.domain.rankings import NotARankingError, Tiers
from annotation.domain.records import InputError
from curation.domain import rank_metrics
from curation.domain.bootstrap import Integers
from curation.domain.evaluation.accuracy import Draws
from curation.domain.evaluation.benchmark import GoldOrder, coded
from curation.domain.evaluation.predictions import Given, Number, Predictions
from curation.domain.evaluation.problems import Problem, Problems
from curation.domain.rank_metrics import FEW, NAMES, Averages, Interval, Metrics

NO_PROMPTS = "no_prompts"
NO_ORDER = -1.0  # correlation of a prompt without a usable ranking

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Metrics of each prompt (P,), as shares of 1, in the order of the prompts' ids; those without a usable ranking
    have those of a wrong one. `sizes` (P,) are the numbers of their texts."""

    metrics: Metrics
    answered: Bools
    sizes: Integers
    genre: Integers
    language: Integers
    genres: tuple[str, ...]
    languages: tuple[str, ...]
    problems: Problems

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def strict(self) -> Integers:
        """1 where the ranking is the gold one, else 0 (P,)."""
        return self.metrics.pl.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Part:
    """Averages over some prompts, times 100, with intervals by name that draw prompts."""

    averages: Averages
    intervals: Mapping[str, Interval]
    unanswered: int

    def as_dict(self) -> dict[str, object]:
        found = self.averages.as_dict()
        return {
            "prompts": self.averages.n,
            "few": self.averages.n < FEW,
            "unanswered": self.unanswered,
            **{name: {"value": found[name], **self.intervals[name].as_dict()} for name in NAMES},
            "il_graded_chance": self.averages.chance,
            "reason": None if self.averages.n else NO_PROMPTS,
        }


def of(predictions: Predictions, orders: Sequence[GoldOrder]) -> Ranked:
    """Of rankings, or of scores of responses. InputError where nothing in the file is asked for."""
    asked = sorted(orders, key=lambda order: order.prompt_id.encode())
    found = list(predictions.given.problems)
    if predictions.form == "rankings":
        ranks, said = _of_rankings(predictions.given, asked, found)
    else:
        ranks, said = _of_scores(predictions.given, asked, found)
    if not said:
        reason = "no id of the file occurs in the release; give the predictions for this release"
        raise InputError(reason, source=predictions.source)
    genres, genre = coded([order.genre for order in asked])
    languages, language = coded([order.language for order in asked])
    return Ranked(
        metrics=_metrics(asked, ranks),
        answered=np.array([given is not None for given in ranks], dtype=np.bool_),
        sizes=np.array([sum(map(len, order.gold)) for order in asked], dtype=np.int64),
        genre=genre,
        language=language,
        genres=genres,
        languages=languages,
        problems=Problems.of(found),
    )


def part(ranked: Ranked, rows: Integers, *, draws: Draws) -> Part:
    """Of the prompts at `rows`."""
    metrics = ranked.metrics.only(rows)
    return Part(
        averages=metrics.averages(),
        intervals=rank_metrics.intervals(metrics, seed=draws.seed, replicates=draws.replicates),
        unanswered=int(np.count_nonzero(~ranked.answered[rows])),
    )


def balances(one: Ranked, other: Ranked, most: int = 10**6) -> tuple[Integers, int]:
    """By how much each prompt's correlation is better in the first (P,), in whole numbers, and how many make 1.

    A correlation is a whole number of pairs of n (n - 1) / 2, so the least common multiple of these will do; where that
    is more than `most`, differences are rounded to one part in `most`.
    """
    pairs = np.unique(one.sizes * (one.sizes - 1) // 2).tolist()
    unit = min(math.lcm(*pairs), most) if pairs else 1
    difference = one.metrics.correlation - other.metrics.correlation
    return np.rint(difference * unit).astype(np.int64), unit


# --- rankings of each prompt -----------------------------------------------------------------------------


def _of_rankings(
    given: Given[Tiers], asked: Sequence[GoldOrder], found: list[Problem]
) -> tuple[list[dict[str, int] | None], bool]:
    keys = {(order.prompt_id, ""): order for order in asked}
    ranks: list[dict[str, int] | None] = []
    for key, order in keys.items():
        if key not in given.lines:
            found.append(Problem("missing", order.prompt_id))
        tiers = given.values.get(key)
        ranks.append(None if tiers is None else _ranks_of(tiers, order))
        if tiers is not None and ranks[-1] is None:
            found.append(Problem("wrong_texts", order.prompt_id, given.lines[key]))
    found += [Problem("extra", key[0], line) for key, line in given.lines.items() if key not in keys]
    return ranks, not given.lines.keys().isdisjoint(keys)


def _ranks_of(tiers: Tiers, order: GoldOrder) -> dict[str, int] | None:
    texts = {text for tier in order.gold for text in tier}
    try:
        return rankings.ranks(rankings.checked(tiers, among=texts, ties_allowed=True))
    except NotARankingError:
        return None


def _of_scores(
    given: Given[Number], asked: Sequence[GoldOrder], found: list[Problem]
) -> tuple[list[dict[str, int] | None], bool]:
    texts = {text for order in asked for tier in order.gold for text in tier}
    found += [Problem("missing", text) for text in sorted(texts) if (text, "") not in given.lines]
    found += [Problem("extra", key[0], line) for key, line in given.lines.items() if key[0] not in texts]
    return [_ranks_by_score(given, order) for order in asked], not texts.isdisjoint(
        key[0] for key in given.lines
    )


def _ranks_by_score(given: Given[Number], order: GoldOrder) -> dict[str, int] | None:
    scores: dict[str, Number] = {}
    for tier in order.gold:
        for text in tier:
            score = given.values.get((text, ""))
            if score is None:
                return None
            scores[text] = score
    place = {score: rank for rank, score in enumerate(sorted(set(scores.values()), reverse=True), start=1)}
    return {text: place[score] for text, score in scores.items()}


def _metrics(asked: Sequence[GoldOrder], ranks: Sequence[dict[str, int] | None]) -> Metrics:
    """Where there is no ranking the gold one stands in, for its chance, and its metrics are replaced."""
    gold = [rankings.ranks(order.gold) for order in asked]
    texts = [sorted(of_prompt) for of_prompt in gold]
    predicted: list[list[float]] = [
        [float((own or of_gold)[text]) for text in names]
        for own, of_gold, names in zip(ranks, gold, texts, strict=True)
    ]
    golden: list[list[float]] = [
        [float(of_gold[text]) for text in names] for of_gold, names in zip(gold, texts, strict=True)
    ]
    metrics = rank_metrics.by_prompt(predicted, golden)
    missing = np.array([own is None for own in ranks], dtype=np.bool_)
    wrong: dict[str, Any] = {
        name: np.where(missing, NO_ORDER if name == "correlation" else 0.0, getattr(metrics, name))
        for name in (field.name for field in fields(Metrics))
        if name != "chance"
    }
    return replace(metrics, **wrong)
