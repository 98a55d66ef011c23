"""All that is said of a model's predictions for a release: over all of it, by genre, by language and by both.

JSON names are stable. What is not defined is null, with a `reason`; whole parts that the release or the predictions do
not have are null, with one beside them (`pairs_reason`, `rankings_reason`):

    no_pairs, no_rankings           the release has none
    rankings_given, choices_given   predictions of this form say nothing of it
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from annotation.domain.records import InputError
from curation.domain import rates
from curation.domain.audit.found import Share
from curation.domain.bootstrap import Floats, Integers
from curation.domain.ceiling import Ceiling
from curation.domain.evaluation import accuracy, against, answers, beside, orders, spread
from curation.domain.evaluation.accuracy import Accuracy, Draws
from curation.domain.evaluation.against import Against
from curation.domain.evaluation.answers import Answers
from curation.domain.evaluation.benchmark import Benchmark
from curation.domain.evaluation.orders import Ranked
from curation.domain.evaluation.parts import ALL, GENRES, LANGUAGES, Axis, Divided, axes, divided
from curation.domain.evaluation.predictions import Predictions
from curation.domain.evaluation.problems import Problems
from curation.domain.evaluation.spread import Spread

NO_PAIRS, NO_RANKINGS = "no_pairs", "no_rankings"
RANKINGS_GIVEN, CHOICES_GIVEN = "rankings_given", "choices_given"

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class OfPairs:
    """A model on some of the pairs, and what stands beside it."""

    model: Accuracy
    p_holm: float | None
    ceiling: Ceiling
    baselines: dict[str, Share]

    def as_dict(self) -> dict[str, object]:
        return {
            **self.model.as_dict(),
            "p_holm": self.p_holm,
            "ceiling": self.ceiling.as_dict(),
            "baselines": {name: share.as_dict() for name, share in self.baselines.items()},
        }


@dataclass(frozen=True, slots=True)
class OfOrders:
    """A model on some of the gold rankings, and what the release says of people on the same."""

    model: orders.Part
    human: object

    def as_dict(self) -> dict[str, object]:
        return {**self.model.as_dict(), "human": self.human}


@dataclass(frozen=True, slots=True)
class Compared:
    """Two models on some of either."""

    found: Against
    p_holm: float | None

    def as_dict(self) -> dict[str, object]:
        return {**self.found.as_dict(), "p_holm": self.p_holm}


@dataclass(frozen=True, slots=True)
class Results(Generic[Part]):
    """Of pairs or of rankings; spreads are over genres, of accuracies or of correlations, over all and by language."""

    divided: Divided[Part]
    spread: Spread
    by_language: dict[str, Spread]

    def as_dict(self, said: Callable[[Part], dict[str, object]]) -> dict[str, object]:
        by_language = [{"key": key, **found.as_dict()} for key, found in self.by_language.items()]
        return {
            **self.divided.as_dict(said),
            "spread": self.spread.as_dict(),
            "spread_by_language": by_language,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """`problems` are those of the predictions, `other_problems` those of the other model's."""

    benchmark: Benchmark
    predictions: Predictions
    draws: Draws
    problems: Problems
    pairs: Results[OfPairs] | None
    rankings: Results[OfOrders] | None
    reasons: dict[str, str | None]
    other: Predictions | None = None
    other_problems: Problems | None = None
    against_pairs: Divided[Compared] | None = None
    against_rankings: Divided[Compared] | None = None

    def as_dict(self) -> dict[str, object]:
        return {
            "release": {"name": self.benchmark.name, "version": self.benchmark.version},
            "predictions": _file(self.predictions, self.problems),
            "seed": self.draws.seed,
            "replicates": self.draws.replicates,
            "pairs": None if self.pairs is None else self.pairs.as_dict(OfPairs.as_dict),
            "pairs_reason": self.reasons["pairs"],
            "rankings": None if self.rankings is None else self.rankings.as_dict(OfOrders.as_dict),
            "rankings_reason": self.reasons["rankings"],
            "against": self._against(),
        }

    def _against(self) -> dict[str, object] | None:
        if self.other is None or self.other_problems is None:
            return None
        parts = {"pairs": self.against_pairs, "rankings": self.against_rankings}
        return {
            "predictions": _file(self.other, self.other_problems),
            **{
                name: None if part is None else part.as_dict(Compared.as_dict) for name, part in parts.items()
            },
        }


def _file(predictions: Predictions, problems: Problems) -> dict[str, object]:
    return {
        "file": predictions.source,
        "form": predictions.form,
        "rows": predictions.given.rows,
        "problems": problems.as_dict(),
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """One model's predictions against the release."""

    form: str
    source: str
    answers: Answers | None
    ranked: Ranked | None
    reasons: dict[str, str | None]

    @property
    def problems(self) -> Problems:
        of_pairs = () if self.answers is None else self.answers.problems.every
        if self.ranked is None:
            return Problems.of(of_pairs)
        # What no pair has, gold rankings ask for.
        used = (problem for problem in of_pairs if problem.kind != "unused")
        return Problems.of({*used, *self.ranked.problems.every})

    def meets(self, other: "_Held") -> bool:
        """Whether both say something of pairs, or both of rankings."""
        of_pairs = self.answers is not None and other.answers is not None
        return of_pairs or (self.ranked is not None and other.ranked is not None)


def report(
    benchmark: Benchmark,
    predictions: Predictions,
    *,
    other: Predictions | None = None,
    draws: Draws | None = None,
) -> Report:
    """InputError where predictions are of no use for the release, or two of them have nothing in common; ValueError
    where the release contradicts itself."""
    draws = draws or Draws()
    one = _held(benchmark, predictions)
    two = None if other is None else _held(benchmark, other)
    if two is not None and not one.meets(two):
        reason = f"its form is {two.form}, which is not compared with {one.form}; give both in the same form"
        raise InputError(reason, source=two.source)
    return Report(
        benchmark=benchmark,
        predictions=predictions,
        draws=draws,
        problems=one.problems,
        pairs=None if one.answers is None else _of_pairs(benchmark, one.answers, draws),
        rankings=None if one.ranked is None else _of_orders(benchmark, one.ranked, draws),
        reasons=one.reasons,
        other=other,
        other_problems=None if two is None else two.problems,
        against_pairs=_pairs_against(benchmark, one, two, draws),
        against_rankings=_rankings_against(one, two, draws),
    )


def _held(benchmark: Benchmark, predictions: Predictions) -> _Held:
    reasons = {
        "pairs": None if benchmark.rows else NO_PAIRS,
        "rankings": None if benchmark.orders else NO_RANKINGS,
    }
    if predictions.form == "rankings":
        reasons["pairs"] = reasons["pairs"] or RANKINGS_GIVEN
    elif predictions.form != "scores":
        reasons["rankings"] = reasons["rankings"] or CHOICES_GIVEN
    if all(reasons.values()):
        asked = "gold rankings" if predictions.form == "rankings" else "pairs"
        reason = f"the release has no {asked}, which predictions in the form of {predictions.form} are about"
        raise InputError(f"{reason}; give scores of its responses", source=predictions.source)
    return _Held(
        form=predictions.form,
        source=predictions.source,
        answers=None if reasons["pairs"] else answers.of(predictions, benchmark.pairs, benchmark.held()),
        ranked=None if reasons["rankings"] else orders.of(predictions, benchmark.orders),
        reasons=reasons,
    )


# --- pairs -----------------------------------------------------------------------------------------------


def _of_pairs(benchmark: Benchmark, found: Answers, draws: Draws) -> Results[OfPairs]:
    pairs, by = benchmark.pairs, _axes_of_pairs(benchmark)
    people, surface = beside.People.of(benchmark.scores, benchmark.recipe), beside.Surface.of(benchmark.rows)

    def measured(axis: str, rows: Mapping[str, Integers]) -> dict[str, OfPairs]:
        keys = {name: f"{axis}:{name}" for name in rows}
        models = {
            name: accuracy.of(found, pairs.prompt, rows[name], key=keys[name], draws=draws) for name in rows
        }
        p_holm = dict(zip(rows, rates.holm([model.p.p for model in models.values()]), strict=True))
        if axis == ALL:
            ceilings = {ALL: people.whole(draws)}
        else:
            of_prompts = pairs.of_prompts(by[axis].codes, by[axis].names)
            ceilings = people.parts(of_prompts, list(rows), draws)
        return {
            name: OfPairs(
                models[name],
                p_holm[name],
                ceilings[name],
                surface.guesses(rows[name], key=keys[name], draws=draws),
            )
            for name in rows
        }

    return Results(
        divided(by, len(pairs), measured),
        *_spreads(found.halves / answers.HALVES, pairs.prompt, by, "pairs", draws),
    )


def _axes_of_pairs(benchmark: Benchmark) -> dict[str, Axis]:
    pairs = benchmark.pairs
    return axes(Axis(pairs.genre, pairs.genres), Axis(pairs.language, pairs.languages))


def _pairs_against(
    benchmark: Benchmark, one: _Held, two: _Held | None, draws: Draws
) -> Divided[Compared] | None:
    if two is None or one.answers is None or two.answers is None:
        return None
    pairs, first, second = benchmark.pairs, one.answers, two.answers

    def on(name: str, rows: Integers) -> Against:
        return against.on_pairs(first, second, pairs.prompt, rows, key=name, draws=draws)

    return divided(_axes_of_pairs(benchmark), len(pairs), _comparing(on))


# --- rankings --------------------------------------------------------------------------------------------


def _of_orders(benchmark: Benchmark, found: Ranked, draws: Draws) -> Results[OfOrders]:
    human = {ALL: {ALL: benchmark.human}, GENRES: benchmark.human_by_genre}
    by = _axes_of_prompts(found)

    def measured(axis: str, rows: Mapping[str, Integers]) -> dict[str, OfOrders]:
        said = human.get(axis, {})
        return {
            name: OfOrders(orders.part(found, some, draws=draws), said.get(name))
            for name, some in rows.items()
        }

    prompts = np.arange(len(found))
    return Results(
        divided(by, len(found), measured),
        *_spreads(found.metrics.correlation, prompts, by, "rankings", draws),
    )


def _axes_of_prompts(found: Ranked) -> dict[str, Axis]:
    return axes(Axis(found.genre, found.genres), Axis(found.language, found.languages))


def _rankings_against(one: _Held, two: _Held | None, draws: Draws) -> Divided[Compared] | None:
    if two is None or one.ranked is None or two.ranked is None:
        return None
    first, second = one.ranked, two.ranked

    def on(name: str, rows: Integers) -> Against:
        return against.on_prompts(first, second, rows, key=name, draws=draws)

    return divided(_axes_of_prompts(first), len(first), _comparing(on))


# --- both ------------------------------------------------------------------------------------------------


def _comparing(
    on: Callable[[str, Integers], Against],
) -> Callable[[str, Mapping[str, Integers]], dict[str, Compared]]:
    def measured(axis: str, rows: Mapping[str, Integers]) -> dict[str, Compared]:
        found = {name: on(f"{axis}:{name}", some) for name, some in rows.items()}
        p_holm = against.adjusted(list(found.values()))
        return {name: Compared(part, p) for (name, part), p in zip(found.items(), p_holm, strict=True)}

    return measured


def _spreads(
    values: Floats, prompts: Integers, by: Mapping[str, Axis], key: str, draws: Draws
) -> tuple[Spread, dict[str, Spread]]:
    """Over genres, of all cases (N,) and of those of each language."""

    def over(rows: Integers, name: str) -> Spread:
        genre = by[GENRES].codes[rows]
        return spread.spread(values[rows], prompts[rows], genre, seed=draws.seed, key=f"spread:{key}:{name}")

    by_language = {name: over(rows, name) for name, rows in by[LANGUAGES].rows()}
    return over(np.arange(len(values)), ""), by_language
