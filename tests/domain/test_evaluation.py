"""A model on the pairs of a release: known answers, other programs, and what must not matter."""

import json
import math
from itertools import product
from pathlib import Path
from random import Random
from statistics import stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from curation.domain import rates
from curation.domain.audit import shares
from curation.domain.audit.rows import PairRow
from curation.domain.evaluation import accuracy, against, answers, report, spread
from curation.domain.evaluation.accuracy import Accuracy, Draws
from curation.domain.evaluation.answers import Answers
from curation.domain.evaluation.benchmark import Benchmark, Pairs, Scored
from curation.domain.evaluation.predictions import Given, Predictions
from curation.domain.evaluation.problems import Problems

pytestmark = pytest.mark.files

PAPERS = json.loads((Path(__file__).parent.parent / "facts" / "papers.json").read_text(encoding="utf-8"))
FEW = Draws(replicates=100, flips=199)
NONE, WRONG, TIE, RIGHT = answers.NONE, answers.WRONG, answers.TIE, answers.RIGHT

VERDICTS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([NONE, WRONG, TIE, RIGHT])), min_size=1, max_size=40
)
TWICE = st.lists(
    st.tuples(st.integers(0, 6), *[st.sampled_from([NONE, WRONG, TIE, RIGHT])] * 2), min_size=1, max_size=40
)


def fact(id: str) -> dict:
    return next(case for case in PAPERS if case["id"] == id)


def pair(number: int, *, prompt: str = "", genre: str = "", language: str = "en") -> PairRow:
    name = f"{number:03}"
    return PairRow(
        id=name,
        prompt_id=prompt or f"p{name}",
        chosen=f"{name}c",
        rejected=f"{name}r",
        chosen_text=f"The better text {name}.",
        rejected_text=f"Text {name}.",
        genre=genre,
        language=language,
    )


def scored(scores: dict[str, float | None]) -> Predictions:
    given_: Given[float] = Given("scores")
    for line, (name, score) in enumerate(scores.items(), start=1):
        given_.add((name, ""), score, line, "non_finite")
    return Predictions(given_, "P.jsonl")


def chosen(choices: dict[tuple[str, str], str | None]) -> Predictions:
    given_: Given[str] = Given("choices")
    for line, (key, choice) in enumerate(choices.items(), start=1):
        given_.add(key, choice, line, "no_verdict")
    return Predictions(given_, "C.jsonl")


def of_scores(score_pairs: list[tuple[float | None, float | None]]) -> Accuracy:
    rows = [pair(number) for number in range(len(score_pairs))]
    scores = {
        f"{number:03}{side}": score
        for number, both in enumerate(score_pairs)
        for side, score in zip("cr", both, strict=True)
    }
    pairs = Pairs.of(rows)
    return accuracy.of(
        answers.of(scored(scores), pairs), pairs.prompt, np.arange(len(pairs)), key="t", draws=FEW
    )


def told(rows: list[tuple[int, ...]]) -> tuple[Answers, np.ndarray]:
    """Answers from (prompt, verdict, ...) and the prompts."""
    verdicts = np.array([row[1:] for row in rows], dtype=np.int8)
    return Answers(verdicts, Problems()), np.array([row[0] for row in rows], dtype=np.int64)


def measured(rows: list[tuple[int, ...]], draws: Draws = FEW) -> Accuracy:
    found, prompts = told(rows)
    return accuracy.of(found, prompts, np.arange(len(rows)), key="t", draws=draws)


# --- known answers ---------------------------------------------------------------------------------------


def test_sd_015_a_tie_is_wrong_and_a_constant_scorer_gets_nothing():
    case = fact("SD-015")
    score_pairs, expected = case["input"]["score_pairs"], case["expected"]
    found = of_scores(score_pairs)
    assert found.accuracy.value == pytest.approx(expected["accuracy"], abs=case["tolerance"])
    assert found.ties == expected["ties"]
    assert found.ties_half.value == pytest.approx(
        expected["accuracy_with_half_credit"], abs=case["tolerance"]
    )
    constant = of_scores([(1.0, 1.0) for _ in score_pairs])
    assert constant.accuracy.value == expected["accuracy_constant_scorer"]
    assert constant.ties_half.value == 0.5


def test_sd_025_two_orders_are_averaged_and_their_consistency_stands_beside():
    case = fact("SD-025")
    both = zip(case["input"]["order_AB_correct"], case["input"]["order_BA_correct"], strict=True)
    found = measured(
        [(place, *(RIGHT if right else WRONG for right in pair)) for place, pair in enumerate(both)]
    )
    assert found.accuracy.value == case["expected"]["accuracy"]
    assert found.position is not None
    assert found.position.consistent.value == case["expected"]["consistent_share"]
    assert found.position.right_in_both.value == case["expected"]["correct_in_both"]


def test_the_first_text_is_preferred_by_whoever_always_says_a():
    rows = [pair(number) for number in range(3)]
    always = chosen({(row.id, first): "A" for row in rows for first in (row.chosen, row.rejected)})
    pairs = Pairs.of(rows)
    found = accuracy.of(answers.of(always, pairs), pairs.prompt, np.arange(3), key="t", draws=FEW)
    assert found.accuracy.value == 0.5
    assert found.position is not None
    assert (found.position.consistent.value, found.position.first_preferred.value) == (0, 1)


def test_bs_005_the_interval_draws_whole_prompts():
    clusters = [[1, 1, 1], [0, 0, 0], [1, 1, 0], [1, 0]]
    rows = [(prompt, RIGHT if hit else WRONG) for prompt, hits in enumerate(clusters) for hit in hits]
    found = measured(rows, Draws(replicates=4000)).accuracy
    assert found.value == pytest.approx(0.5454545455, abs=1e-8)
    every = [
        sum(sum(clusters[c]) for c in drawn) / sum(len(clusters[c]) for c in drawn)
        for drawn in product(range(4), repeat=4)
    ]
    low, high = np.quantile(every, [0.025, 0.975], method="inverted_cdf")
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.03)


@pytest.mark.parametrize(("only_first", "only_second", "p"), [(1, 6, 0.125), (0, 5, 0.0625), (3, 3, 1.0)])
def test_mc_003_to_005_two_models_by_the_pairs_that_one_gets_right(only_first, only_second, p):
    one, prompts = told(
        [(n, RIGHT) for n in range(only_first)] + [(n + 9, WRONG) for n in range(only_second)]
    )
    other = Answers(np.where(one.verdicts == RIGHT, WRONG, RIGHT).astype(np.int8), Problems())
    found = against.on_pairs(one, other, prompts, np.arange(len(prompts)), key="t", draws=FEW)
    assert (found.only_first, found.only_second) == (only_first, only_second)
    assert found.mcnemar.p == pytest.approx(p, abs=1e-8)


# --- other programs --------------------------------------------------------------------------------------


@given(VERDICTS)
@settings(max_examples=40, deadline=None)
def test_what_takes_pairs_as_independent_is_that_of_scipy_and_statsmodels(rows):
    found, k, n = measured(rows), sum(verdict == RIGHT for _, verdict in rows), len(rows)
    assert (found.accuracy.value, found.binomial.k, found.binomial.n) == (k / n, k, n)
    assert found.binomial.p == pytest.approx(stats.binomtest(k, n).pvalue, abs=1e-9)
    for interval, method in ((found.wilson, "wilson"), (found.exact, "beta")):
        low, high = proportion_confint(k, n, method=method)
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-9)


@given(VERDICTS)
@settings(max_examples=40, deadline=None)
def test_p_is_the_share_of_all_turnings_of_prompts(rows):
    found = measured(rows).p
    prompts = sorted({prompt for prompt, _ in rows})
    sums = [sum(1 if verdict == RIGHT else -1 for p, verdict in rows if p == prompt) for prompt in prompts]
    test = (
        stats.permutation_test(
            (np.array(sums, dtype=float),), np.sum, permutation_type="samples", n_resamples=np.inf
        )
        if len(sums) > 1
        else None
    )
    turned = [
        abs(sum(map(math.prod, zip(signs, sums, strict=True))))
        for signs in product((1, -1), repeat=len(sums))
    ]
    expected = sum(total >= abs(sum(sums)) for total in turned) / len(turned)
    assert found.p == pytest.approx(expected, abs=1e-9)
    if test is not None:
        assert found.p == pytest.approx(min(1.0, test.pvalue), abs=1e-9)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
@settings(max_examples=40, deadline=None)
def test_mcnemar_is_that_of_statsmodels(rights):
    sides = [
        Answers(np.array([[RIGHT if pair[side] else WRONG] for pair in rights], dtype=np.int8), Problems())
        for side in (0, 1)
    ]
    found = against.on_pairs(*sides, np.arange(len(rights)), np.arange(len(rights)), key="t", draws=FEW)
    counts = [[sum(pair == (a, b) for pair in rights) for b in (True, False)] for a in (True, False)]
    assert found.mcnemar.exact_p == pytest.approx(mcnemar(counts, exact=True).pvalue, abs=1e-9)
    # Without shared prompts the sign flip of single pairs is the exact McNemar test.
    assert found.p.p == pytest.approx(found.mcnemar.exact_p, abs=1e-9)
    assert found.difference.value == pytest.approx(np.mean([a - b for a, b in rights]), abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=60))
@settings(max_examples=40, deadline=None)
def test_the_sd_is_the_sample_sd_and_sampling_gives_the_binomial_one(cases):
    genres = np.array([genre for genre, _ in cases])
    values = np.array([float(right) for _, right in cases])
    found = spread.spread(values, np.arange(len(cases)), genres, seed="s", dealings=50)
    by_genre = [values[genres == genre] for genre in np.unique(genres)]
    if len(by_genre) < 2:
        assert (found.sd, found.reason) == (None, spread.ONE_GENRE)
        return
    assert found.sd == pytest.approx(stdev([float(np.mean(part)) for part in by_genre]), abs=1e-9)
    share = values.mean()
    expected = math.sqrt(share * (1 - share) * np.mean([1 / len(part) for part in by_genre]))
    assert found.by_sampling == pytest.approx(expected, abs=1e-9)


def test_sampling_alone_gives_about_8_points_at_35_pairs_a_genre():
    genres = np.repeat(np.arange(8), 35)
    values = (np.arange(280) % 2).astype(np.float64)
    found = spread.spread(values, np.arange(280), genres, seed="s")
    assert found.by_sampling == pytest.approx(math.sqrt(0.25 / 35), abs=1e-12)
    # Drawn without replacement, prompts vary by a factor of 280 / 279 more between genres.
    assert found.by_sampling_of_prompts == pytest.approx(0.0846, abs=0.002)


def test_where_prompts_hold_alike_pairs_sampling_gives_more_than_independent_pairs_would():
    prompts = np.repeat(np.arange(56), 5)
    values = np.array([Random(prompt).random() < 0.5 for prompt in prompts.tolist()], dtype=np.float64)
    found = spread.spread(values, prompts, prompts % 8, seed="s")
    assert found.by_sampling_of_prompts is not None
    assert found.by_sampling_of_prompts > 1.8 * found.by_sampling


def test_genres_that_differ_by_more_than_sampling_have_a_small_p():
    genres = np.repeat(np.arange(2), 40)
    assert spread.spread(genres * 1.0, np.arange(80), genres, seed="s").p == 1 / 2000
    assert spread.spread(np.ones(80), np.arange(80), genres, seed="s").p == 1


def test_holm_over_genres_is_that_of_statsmodels():
    random = Random(5)
    rows = [pair(n, genre="abcde"[n % 5]) for n in range(100)]
    scores = {name: random.random() for row in rows for name in (row.chosen, row.rejected)}
    found = report.report(Benchmark("b", "1", rows, Pairs.of(rows)), scored(scores), draws=FEW)
    assert found.pairs is not None
    genres = found.pairs.divided.parts["genres"].values()
    expected = multipletests([part.model.p.p for part in genres], method="holm")[1]
    assert [part.p_holm for part in genres] == pytest.approx(expected, abs=1e-9)


@given(TWICE)
@settings(max_examples=40, deadline=None)
def test_of_two_orders_the_binomial_test_takes_the_pairs_on_which_both_agree(rows):
    found = measured(rows)
    right = sum(row[1:] == (RIGHT, RIGHT) for row in rows)
    wrong = sum(RIGHT not in row[1:] for row in rows)
    assert (found.binomial.k, found.binomial.n) == (right, right + wrong)
    assert found.accuracy.value == pytest.approx(
        sum(verdict == RIGHT for row in rows for verdict in row[1:]) / (2 * len(rows)), abs=1e-12
    )
    wilson = shares.wilson(found.halves, len(rows))
    assert wilson is not None
    assert (found.wilson.low, found.wilson.high) == (wilson.low, wilson.high)
    assert found.exact.reason == accuracy.BOTH_ORDERS


# --- what must and must not matter -----------------------------------------------------------------------


@given(TWICE)
@settings(max_examples=30, deadline=None)
def test_exchanging_the_two_orders_changes_nothing_but_which_is_first(rows):
    found, exchanged = measured(rows), measured([(row[0], row[2], row[1]) for row in rows])
    assert (found.accuracy, found.ties_half, found.p) == (
        exchanged.accuracy,
        exchanged.ties_half,
        exchanged.p,
    )
    assert found.position is not None
    assert exchanged.position is not None
    assert found.position.consistent == exchanged.position.consistent
    assert found.position.first_preferred.n == exchanged.position.first_preferred.n
    if found.position.first_preferred.n:
        total = found.position.first_preferred.value + exchanged.position.first_preferred.value
        assert total == pytest.approx(1, abs=1e-12)


@given(VERDICTS)
@settings(max_examples=30, deadline=None)
def test_two_orders_that_always_agree_say_what_one_says(rows):
    once, twice = measured(rows), measured([(prompt, verdict, verdict) for prompt, verdict in rows])
    assert (once.accuracy, once.ties_half, once.p, once.binomial) == (
        twice.accuracy,
        twice.ties_half,
        twice.p,
        twice.binomial,
    )


@given(VERDICTS, st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_copies_of_pairs_within_their_prompts_add_no_certainty_but_where_pairs_pass_for_independent(
    rows, times
):
    once, often = measured(rows), measured([row for row in rows for _ in range(times)])
    assert (often.accuracy.value, often.p.p) == (once.accuracy.value, once.p.p)
    assert (often.accuracy.low, often.accuracy.high) == (once.accuracy.low, once.accuracy.high)
    assert often.wilson.high - often.wilson.low < once.wilson.high - once.wilson.low


@given(VERDICTS)
@settings(max_examples=30, deadline=None)
def test_turning_every_verdict_turns_the_accuracy_and_leaves_p(rows):
    decided = [row for row in rows if row[1] in (RIGHT, WRONG)] or [(0, RIGHT)]
    found = measured(decided)
    turned = measured([(prompt, RIGHT + WRONG - verdict) for prompt, verdict in decided])
    assert found.accuracy.value == pytest.approx(1 - turned.accuracy.value, abs=1e-12)
    assert found.p.p == pytest.approx(turned.p.p, abs=1e-12)
    assert found.binomial.p == turned.binomial.p


@given(VERDICTS, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_pairs_and_of_lines_shows_in_no_figure(rows, random):
    pairs = [pair(place, prompt=f"p{row[0]}", genre="ab"[row[0] % 2]) for place, row in enumerate(rows)]
    scores = {}
    for row, (_, verdict) in zip(pairs, rows, strict=True):
        scores[row.chosen] = None if verdict == NONE else float(verdict)
        scores[row.rejected] = 1.0
    one = report.report(Benchmark("b", "1", pairs, Pairs.of(pairs)), scored(scores), draws=FEW)
    shuffled, lines = random.sample(pairs, len(pairs)), random.sample(list(scores.items()), len(scores))
    other = report.report(Benchmark("b", "1", shuffled, Pairs.of(shuffled)), scored(dict(lines)), draws=FEW)
    assert one.pairs == other.pairs


def test_a_missing_answer_is_wrong_and_never_leaves_the_count():
    found = of_scores([(2.0, 1.0), (None, 1.0), (1.0, None), (None, None)])
    assert (found.pairs, found.unanswered, found.accuracy.value, found.accuracy.n) == (4, 3, 0.25, 4)


def test_leaving_a_pair_out_is_never_better_than_any_answer():
    for answer in (WRONG, TIE, RIGHT):
        left_out, answered = measured([(0, RIGHT), (1, NONE)]), measured([(0, RIGHT), (1, answer)])
        assert left_out.accuracy.value <= answered.accuracy.value
        assert left_out.ties_half.value <= answered.ties_half.value


def test_whole_numbers_beyond_those_of_doubles_are_told_apart():
    assert of_scores([(2**53 + 1, 2**53)]).accuracy.value == 1
    assert of_scores([(1, 1.0)]).ties == 1


def test_the_same_seed_gives_the_same_figures():
    rows = [(n % 9, RIGHT if n % 3 else WRONG) for n in range(40)]
    assert measured(rows, Draws("a")) == measured(rows, Draws("a"))
    one, other = (measured(rows, Draws(seed, replicates=50)).accuracy for seed in "ab")
    assert one.value == other.value
    assert (one.low, one.high) != (other.low, other.high)


def test_a_model_against_itself_differs_by_nothing():
    one, prompts = told([(n % 5, (RIGHT, WRONG, TIE)[n % 3]) for n in range(30)])
    found = against.on_pairs(one, one, prompts, np.arange(30), key="t", draws=FEW)
    assert (found.difference.value, found.difference.low, found.p.p, found.mcnemar.p) == (0, 0, 1, 1)


def test_exchanging_two_models_turns_the_difference():
    one, prompts = told([(n % 5, (RIGHT, WRONG, TIE)[n % 3]) for n in range(30)])
    other, _ = told([(n % 5, (RIGHT, WRONG)[n % 2]) for n in range(30)])
    found = against.on_pairs(one, other, prompts, np.arange(30), key="t", draws=FEW)
    turned = against.on_pairs(other, one, prompts, np.arange(30), key="t", draws=FEW)
    assert found.difference.value == -turned.difference.value
    assert (found.p, found.mcnemar) == (turned.p, turned.mcnemar)


# --- what stands beside, and what is not defined ---------------------------------------------------------


def test_the_ceiling_and_the_baselines_are_of_the_same_genres():
    rows = [pair(n, prompt=f"p{n}", genre="ab"[n % 2]) for n in range(40)]
    points = {"c": (3, 3, 3), "r": (1, 1, 0)}
    scores = [
        Scored(f"{row.id}{side}", row.prompt_id, person, point)
        for row in rows
        for side, given_ in points.items()
        for person, point in zip("xyz", given_, strict=True)
    ]
    benchmark = Benchmark("b", "1", rows, Pairs.of(rows), scores=scores)
    found = report.report(
        benchmark, scored({f"{row.id}{side}": 1 for row in rows for side in "cr"}), draws=FEW
    )
    assert found.pairs is not None
    assert list(found.pairs.divided.parts["genres"]) == ["a", "b"]
    for part in (found.pairs.divided.whole, *found.pairs.divided.parts["genres"].values()):
        assert (part.ceiling.value, part.ceiling.annotators) == (1, 3)
        assert (part.baselines["longer"].rate, part.baselines["source_model"].reason) == (1, "no_known_model")


def test_cases_of_an_unknown_genre_or_language_are_in_the_whole_alone():
    known = [("a", "en"), ("a", "zh"), ("b", "en"), ("", "en"), ("b", ""), ("", "")]
    rows = [pair(n, genre=genre, language=language) for n, (genre, language) in enumerate(known)]
    scores = {f"{row.id}c": 1 for row in rows} | {f"{row.id}r": 0 for row in rows}
    found = report.report(Benchmark("b", "1", rows, Pairs.of(rows)), scored(scores), draws=FEW)
    assert found.pairs is not None
    divided = found.pairs.divided
    pairs = {
        axis: {name: part.model.pairs for name, part in of.items()} for axis, of in divided.parts.items()
    }
    assert pairs == {
        "genres": {"a": 2, "b": 2},
        "languages": {"en": 3, "zh": 1},
        "strata": {"en+a": 1, "en+b": 1, "zh+a": 1},
    }
    assert (divided.whole.model.pairs, divided.unknown["genres"], divided.unknown["languages"]) == (6, 2, 2)
    assert {name: over.genres for name, over in found.pairs.by_language.items()} == {"en": 2, "zh": 1}


def test_what_is_not_defined_is_null_with_its_reason():
    rows = [pair(0), pair(1)]
    found = report.report(Benchmark("b", "1", rows, Pairs.of(rows)), scored({"000c": 1}), draws=FEW).as_dict()
    assert (found["rankings"], found["rankings_reason"], found["against"]) == (None, "no_rankings", None)
    pairs = found["pairs"]
    assert (pairs["genres"], pairs["unknown_genre"], pairs["spread"]["reason"]) == ([], 2, "one_genre")
    assert pairs["overall"]["position"]["reason"] == "one_order"
    assert pairs["overall"]["ceiling"]["reason"] == "no_scores"
    json.dumps(found, allow_nan=False)


def test_everything_of_nothing_has_a_reason():
    empty = np.zeros(0, dtype=np.int64)
    found = accuracy.of(Answers(np.zeros((0, 1), np.int8), Problems()), empty, empty, key="t", draws=FEW)
    said = found.as_dict()
    assert {said[name]["reason"] for name in ("accuracy", "accuracy_ties_half", "p")} == {rates.EMPTY}
    assert {part["reason"] for part in said["as_if_independent"].values()} == {rates.EMPTY}
