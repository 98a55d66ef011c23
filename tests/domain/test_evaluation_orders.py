"""A model's rankings against the gold ones of a release: WEval's cases, and what a missing ranking counts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotation.domain.records import InputError
from curation.domain.audit.rows import PairRow
from curation.domain.evaluation import against, orders, report
from curation.domain.evaluation.accuracy import Draws
from curation.domain.evaluation.benchmark import Benchmark, GoldOrder, Pairs
from curation.domain.evaluation.orders import Ranked
from curation.domain.evaluation.predictions import Given, Predictions

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "weval.json").read_text(encoding="utf-8"))
CASES = [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == "weval_metrics"]
FEW = Draws(replicates=50, flips=99)
NAMED = {"correlation": "corr", "il_graded": "il_code", "pl": "pl"}


def ranked(tiers: dict[str, object]) -> Predictions:
    given_: Given[Any] = Given("rankings")
    for line, (prompt, order) in enumerate(tiers.items(), start=1):
        given_.add((prompt, ""), order, line, "non_finite")
    return Predictions(given_, "K.jsonl")


def scored(scores: dict[str, float | None]) -> Predictions:
    given_: Given[Any] = Given("scores")
    for line, (name, score) in enumerate(scores.items(), start=1):
        given_.add((name, ""), score, line, "non_finite")
    return Predictions(given_, "P.jsonl")


def gold(prompt: str, n: int = 5, genre: str = "") -> GoldOrder:
    return GoldOrder(prompt, tuple((f"{prompt}{place}",) for place in range(n)), genre)


def order(prompt: str, *places: int) -> tuple[tuple[str, ...], ...]:
    return tuple((f"{prompt}{place}",) for place in places)


def averages(found: Ranked) -> dict[str, float | None]:
    return orders.part(found, np.arange(len(found)), draws=FEW).averages.as_dict()


@pytest.mark.parametrize("case", CASES)
def test_the_published_metrics_come_out_of_scores(case):
    scores = case["input"]["model_scores_of_a1_to_an"]
    given_ = scored({f"p{place}": score for place, score in enumerate(scores)})
    found = averages(orders.of(given_, [gold("p", len(scores))]))
    for name, key in NAMED.items():
        if key in case["expected"]:
            assert found[name] == pytest.approx(100 * case["expected"][key], abs=100 * case["tolerance"])
    exact = case["expected"].get("il_random_ties", case["expected"]["il_positions"])
    assert found["il_exact"] == pytest.approx(100 * exact, abs=1e-7)


@given(st.lists(st.permutations(range(4)), min_size=1, max_size=8))
@settings(deadline=None)
def test_the_correlation_is_scipys_where_nothing_ties(permutations):
    asked = [gold(f"p{n}-", 4) for n in range(len(permutations))]
    tiers = {
        each.prompt_id: order(each.prompt_id, *places)
        for each, places in zip(asked, permutations, strict=True)
    }
    found = orders.of(ranked(tiers), asked)
    expected = [stats.kendalltau(range(4), np.argsort(places)).statistic for places in permutations]
    assert found.metrics.correlation.tolist() == pytest.approx(expected, abs=1e-9)


def test_scores_of_responses_rank_as_a_ranking_does():
    scores = {"p0": 3.0, "p1": 5.0, "p2": 2.0, "p3": 2.0, "p4": -1.0}
    tiers = {"p": (("p1",), ("p0",), ("p2", "p3"), ("p4",))}
    assert averages(orders.of(scored(scores), [gold("p")])) == averages(orders.of(ranked(tiers), [gold("p")]))


def test_a_prompt_without_a_ranking_is_wrong_in_every_pair_and_place():
    found = orders.of(ranked({"p": order("p", 0, 1, 2, 3, 4)}), [gold("p"), gold("q")])
    assert averages(found) == {
        "n": 2,
        "correlation": 0,
        "il_exact": 50,
        "il_graded": 50,
        "pl": 50,
        "tie_rate": 0,
    }
    assert [(each.kind, each.id) for each in found.problems.every] == [("missing", "q")]


@given(st.permutations(range(5)))
def test_leaving_a_prompt_out_is_never_better_than_ranking_it(places):
    asked = [gold("p"), gold("q")]
    left_out = averages(orders.of(ranked({"p": order("p", 0, 1, 2, 3, 4)}), asked))
    answered = averages(orders.of(ranked({"p": order("p", 0, 1, 2, 3, 4), "q": order("q", *places)}), asked))
    assert all(left_out[name] <= answered[name] for name in ("correlation", "il_exact", "il_graded", "pl"))


@pytest.mark.parametrize(
    ("tiers", "kind"),
    [
        (order("q", 0, 1, 2), "wrong_texts"),
        (order("q", 0, 1, 2, 3, 4, 5), "wrong_texts"),
        (order("q", 0, 1, 2, 3, 3), "wrong_texts"),
        ((), "wrong_texts"),
        ((*order("q", 0, 1, 2, 3, 4), ()), "wrong_texts"),
        (None, "non_finite"),
    ],
)
def test_what_does_not_rank_the_texts_of_its_prompt_is_reported_with_its_line(tiers, kind):
    found = orders.of(ranked({"p": order("p", 0, 1, 2, 3, 4), "q": tiers}), [gold("p"), gold("q")])
    assert [(each.kind, each.id, each.line) for each in found.problems.every] == [(kind, "q", 2)]
    assert found.answered.tolist() == [True, False]


def test_a_text_without_a_score_leaves_its_prompt_without_a_ranking():
    scores: dict[str, float | None] = {f"p{place}": -place for place in range(5)}
    found = orders.of(scored({**scores, "p3": None, "z": 1}), [gold("p")])
    assert found.answered.tolist() == [False]
    assert {(each.kind, each.id) for each in found.problems.every} == {("non_finite", "p3"), ("extra", "z")}


def test_parts_are_those_of_the_categories():
    asked = [gold("p", genre="letter"), gold("q", genre="story"), gold("r")]
    tiers = {"p": order("p", 0, 1, 2, 3, 4), "q": order("q", 4, 3, 2, 1, 0), "r": order("r", 0, 1, 2, 3, 4)}
    human = {"letter": {"n": 1, "correlation": 80.0}}
    found = report.report(Benchmark("b", "1", orders=asked, human_by_genre=human), ranked(tiers), draws=FEW)
    assert found.rankings is not None
    genres = found.rankings.divided.parts["genres"]
    assert {name: part.model.averages.correlation for name, part in genres.items()} == {
        "letter": 100,
        "story": -100,
    }
    assert (genres["letter"].human, genres["story"].human) == (human["letter"], None)
    assert (found.rankings.divided.unknown["genres"], found.rankings.spread.sd) == (1, pytest.approx(2**0.5))
    assert (found.pairs, found.reasons["pairs"]) == (None, "no_pairs")


def test_two_models_are_compared_by_prompts_of_any_size():
    asked = [gold("p", 2), gold("q", 3), gold("r", 5)]
    right = {each.prompt_id: each.gold for each in asked}
    turned = {each.prompt_id: each.gold[::-1] for each in asked}
    one, other = (orders.of(ranked(tiers), asked) for tiers in (right, turned))
    balances, unit = orders.balances(one, other)
    assert (balances.tolist(), unit) == ([60, 60, 60], 30)
    found = against.on_prompts(one, other, np.arange(3), key="t", draws=FEW)
    assert (found.difference.value, found.p.p, found.only_first, found.only_second) == (2, 0.25, 3, 0)


def test_rankings_and_choices_have_nothing_to_compare():
    row = PairRow("p:p0:p1", "p", "p0", "p1", "A longer text.", "Text.")
    benchmark = Benchmark("b", "1", [row], Pairs.of([row]), [gold("p")])
    choices: Given[str] = Given("choices")
    choices.add((row.id, "p0"), "A", 1, "no_verdict")
    with pytest.raises(InputError, match="its form is choices, which is not compared with rankings"):
        report.report(benchmark, ranked({"p": order("p", 0)}), other=Predictions(choices, "C.jsonl"))


def test_scores_serve_pairs_and_gold_rankings_alike():
    row = PairRow("p:p0:p1", "p", "p0", "p1", "A longer text.", "Text.")
    benchmark = Benchmark("b", "1", [row], Pairs.of([row]), [gold("p", 3)])
    found = report.report(benchmark, scored({"p0": 2, "p1": 1, "p2": 0}), draws=FEW)
    assert found.pairs is not None
    assert found.rankings is not None
    assert (
        found.pairs.divided.whole.model.accuracy.value,
        found.rankings.divided.whole.model.averages.pl,
    ) == (1, 100)
    assert found.problems.every == ()


@pytest.mark.parametrize(
    ("predicted", "benchmark", "reason"),
    [
        (
            ranked({"p": ()}),
            Benchmark("b", "1", [PairRow("x", "p", "a", "b", "", "")]),
            "has no gold rankings",
        ),
        (ranked({"x": ()}), Benchmark("b", "1", orders=[gold("p")]), "no id of the file"),
    ],
)
def test_what_the_release_does_not_ask_is_refused(predicted, benchmark, reason):
    with pytest.raises(InputError, match=reason):
        report.report(benchmark, predicted)
