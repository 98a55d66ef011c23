"""How well rankings follow gold ones: the cases of the paper, all tie breaks one by one, and what must not matter."""

import json
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curation.domain import rank_agreement, rank_metrics
from curation.domain.rank_metrics import Averages, Metrics, by_prompt, chance_of_il_graded, metrics

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "weval.json").read_text(encoding="utf-8"))
LAMP = Path(__file__).parents[2] / ".." / "shared" / "data" / "lamp_rankings"

RANKS = st.integers(1, 4)
BOTH = st.integers(2, 5).flatmap(lambda n: st.tuples(*[st.lists(RANKS, min_size=n, max_size=n)] * 2))


def cases(statistic: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def of_one(predicted: list, gold: list) -> Averages:
    """Of one prompt, as shares of 1."""
    found = by_prompt([predicted], [gold]).averages()
    return Averages(1, *(getattr(found, name) / 100 for name in (*rank_metrics.NAMES, "chance")))


def ranks_of_order(order: list) -> list:
    """The rank of each item, by name, of an order that names the best first."""
    return [order.index(item) + 1 for item in sorted(order)]


def tie_breaks(ranks: list) -> list[tuple[int, ...]]:
    """Every ranking without ties that keeps what the ranks tell apart."""
    return [
        order
        for order in permutations(range(1, len(ranks) + 1))
        if all(order[i] < order[j] for i, j in product(range(len(ranks)), repeat=2) if ranks[i] < ranks[j])
    ]


@pytest.fixture(params=["by pairs", "by sorting"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as for short rankings and once as for long ones: different counting, the same results."""
    if request.param == "by sorting":
        monkeypatch.setattr(rank_agreement, "BY_PAIRS", 1)


# --- the cases of the paper ------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("case", cases("weval_metrics"))
def test_the_metrics_of_scores(case):
    scores, expected = case["input"]["model_scores_of_a1_to_an"], case["expected"]
    found = of_one([-score for score in scores], list(range(1, len(scores) + 1)))
    close = {"abs": case["tolerance"]}
    assert found.correlation == pytest.approx(expected["corr"], **close)
    assert found.il_exact == pytest.approx(expected.get("il_random_ties", expected["il_positions"]), **close)
    assert found.pl == expected["pl"]
    if "il_code" in expected:
        assert found.il_graded == pytest.approx(expected["il_code"], **close)
    ranks = [float(Fraction(rank)) for rank in case["input"]["model_ranks"]]
    assert of_one(ranks, list(range(1, len(scores) + 1))) == found


@pytest.mark.parametrize(
    "case", [param for param in cases("weval_metrics") if "authors_code_gives" in param.values[0]]
)
def test_ties_never_go_by_the_gold_as_in_the_published_program(case):
    scores = case["input"]["model_scores_of_a1_to_an"]
    in_gold_order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    broken = of_one([in_gold_order.index(i) for i in range(len(scores))], list(range(len(scores))))
    assert (broken.correlation, broken.il_graded, broken.pl) == pytest.approx(
        tuple(case["authors_code_gives"][name] for name in ("corr", "il_code", "pl"))
    )
    found = of_one([-score for score in scores], list(range(len(scores))))
    assert (found.correlation, found.pl) == (pytest.approx(case["expected"]["corr"]), 0)
    assert found.correlation < broken.correlation
    assert found.tie_rate > broken.tie_rate == 0


@pytest.mark.parametrize("case", cases("weval_rank_or_order"))
def test_a_rank_is_that_of_an_item_and_not_the_item_in_a_place(case):
    orders = case["input"]["model_order_best_first"], case["input"]["gold_order_best_first"]
    found = of_one(*map(ranks_of_order, orders))
    expected = case["expected"]["corr_as_ranks"], case["expected"]["il_as_ranks"]
    assert (found.correlation, found.il_exact) == pytest.approx(expected, abs=case["tolerance"])
    swapped = of_one(*orders)
    expected = case["expected"]["corr_if_orders_are_put_in"], case["expected"]["il_if_orders_are_put_in"]
    assert (swapped.correlation, swapped.il_exact) == pytest.approx(expected, abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("weval_table_consistency"))
def test_the_printed_tables_fit_il_graded_and_cannot_be_il_exact(case):
    n = case["input"]["n"]
    pairs = n * (n - 1) // 2
    every = np.array(list(permutations(range(n))), dtype=float)
    found = metrics(every, np.tile(np.arange(n, dtype=float), (len(every), 1)))
    other = found.pl == 0
    most_exact = found.il_exact[other].max()
    distance = (1 - found.il_graded) * 2 * pairs
    discordant = (1 - found.correlation) / 2 * pairs
    assert (discordant - 1e-9 <= distance).all()
    assert (distance <= 2 * discordant + 1e-9).all()
    counted = dict.fromkeys(case["expected"], 0)
    half = 0.0005  # the tables are rounded to one decimal
    for correlation, il, pl in (np.array(row) / 100 for row in case["input"]["rows"].values()):
        mean_discordant = (1 - correlation) / 2 * pairs
        mean_distance = (1 - il) * 2 * pairs
        counted["rows"] += 1
        counted["rows_where_printed_IL_exceeds_the_maximum_of_the_printed_formula"] += (
            il > pl + (1 - pl) * most_exact + half
        )
        counted["rows_that_fit_IL_code_bounds_d_le_F_le_2d"] += (
            abs(mean_distance - 1.5 * mean_discordant) <= 0.5 * mean_discordant + 3 * half * pairs
        )
        counted["rows_where_1_minus_PL_le_mean_discordant_pairs"] += 1 - pl <= mean_discordant + half * pairs
    assert counted == case["expected"]


@pytest.mark.parametrize("case", cases("weval_table_granularity"))
def test_pl_is_a_share_of_prompts(case):
    n = case["input"]["N"]
    attainable = {f"{share_identical(k, n).pl:.1f}" for k in range(n + 1)}
    missing = [name for name, pl in case["input"]["PL_rows"].items() if f"{pl:.1f}" not in attainable]
    assert missing == case["expected"]["not_attainable"]
    assert len(case["input"]["PL_rows"]) - len(missing) == case["expected"]["rows_PL_attainable_with_N_550"]


@pytest.mark.parametrize("case", cases("weval_pl_scale"))
def test_averages_are_over_prompts_times_100(case):
    found = share_identical(case["input"]["identical"], case["input"]["queries"])
    assert found.pl == pytest.approx(case["expected"]["pl_x100"], abs=case["tolerance"])
    assert found.n == case["input"]["queries"]


def share_identical(identical: int, prompts: int) -> Averages:
    gold = np.tile([1.0, 2.0, 3.0], (prompts, 1))
    predicted = gold.copy()
    predicted[identical:] = [2.0, 1.0, 3.0]
    return metrics(predicted, gold).averages()


# --- against other ways to compute the same --------------------------------------------------------------


@given(BOTH)
@settings(deadline=None, max_examples=40)
def test_with_ties_il_exact_is_the_mean_over_all_tie_breaks(both):
    predicted, gold = both
    breaks = list(product(tie_breaks(predicted), tie_breaks(gold)))
    hits = sum(a == b for one, other in breaks for a, b in zip(one, other, strict=True))
    assert of_one(predicted, gold).il_exact == pytest.approx(hits / len(breaks) / len(gold), abs=1e-12)


@given(BOTH)
@settings(deadline=None, max_examples=60)
def test_the_chance_is_the_mean_over_all_rankings(both):
    _, gold = both
    every = np.array(list(permutations(range(len(gold)))), dtype=float)
    found = metrics(every, np.tile(np.array(gold, dtype=float), (len(every), 1)))
    assert found.chance == pytest.approx(found.il_graded.mean(), abs=1e-12)


@pytest.mark.parametrize(("n", "chance"), [(2, 0.5), (3, 5 / 9), (5, 0.6), (100, 199 / 300)])
def test_the_chance_where_the_gold_ties_nothing(n, chance):
    assert of_one(list(range(n)), list(range(n))).chance == pytest.approx(chance, abs=1e-12)
    assert chance_of_il_graded(n) == pytest.approx(chance, abs=1e-12)


@given(BOTH)
@settings(deadline=None)
def test_correlation_and_il_graded_by_their_formulas(both):
    predicted, gold = both
    n = len(gold)
    found = of_one(predicted, gold)
    signs = sum(
        np.sign(predicted[i] - predicted[j]) * np.sign(gold[i] - gold[j]) for i in range(n) for j in range(i)
    )
    assert found.correlation == pytest.approx(signs / (n * (n - 1) / 2), abs=1e-12)
    apart = np.abs(stats.rankdata(predicted) - stats.rankdata(gold)).mean()
    assert found.il_graded == pytest.approx(1 - apart / (n - 1), abs=1e-12)
    tied = sum(predicted[i] == predicted[j] for i in range(n) for j in range(i))
    assert found.tie_rate == pytest.approx(tied / (n * (n - 1) / 2), abs=1e-12)


@pytest.mark.parametrize("n", [2, 5, 8, 90])
def test_correlation_is_kendalls_tau_where_nothing_ties(n):
    random = np.random.default_rng(n)
    predicted, gold = (random.random((12, n)) for _ in range(2))
    found = metrics(predicted, gold)
    for row in range(12):
        assert found.correlation[row] == pytest.approx(
            stats.kendalltau(predicted[row], gold[row]).statistic, abs=1e-12
        )


# --- what must not matter, and what must ----------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
def test_many_prompts_at_once_are_each_as_alone():
    random = np.random.default_rng(1)
    sizes = random.integers(2, 9, 40).tolist()
    predicted, gold = ([random.integers(1, 6, n).tolist() for n in sizes] for _ in range(2))
    found = by_prompt(predicted, gold)
    for row, (one, other) in enumerate(zip(predicted, gold, strict=True)):
        assert found.only(np.array([row])).averages() == by_prompt([one], [other]).averages()


@given(BOTH, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_texts_does_not_matter_to_the_last_bit(both, random):
    texts = list(zip(*both, strict=True))
    found = of_one(*both)
    random.shuffle(texts)
    assert of_one(*map(list, zip(*texts, strict=True))) == found


@given(BOTH)
@settings(deadline=None)
def test_only_the_order_of_the_numbers_matters(both):
    predicted, gold = both
    assert of_one([10**rank for rank in predicted], [rank / 7 - 3 for rank in gold]) == of_one(
        predicted, gold
    )


@given(st.lists(BOTH, min_size=2, max_size=8), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_prompts_does_not_matter_to_the_last_bit(prompts, random):
    found = by_prompt(*zip(*prompts, strict=True)).averages()
    random.shuffle(prompts)
    assert by_prompt(*zip(*prompts, strict=True)).averages() == found


@given(BOTH)
@settings(deadline=None)
def test_the_bounds_that_hold_for_any_ranking(both):
    found = of_one(*both)
    assert -1 <= found.correlation <= 1
    assert 0 <= found.il_exact <= 1
    assert 0 <= found.il_graded <= 1
    assert 0 <= found.tie_rate <= 1
    assert (found.pl == 1) == (found.correlation == 1)


@pytest.mark.parametrize("gold", [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [2, 5, 1, 3, 4]])
def test_who_finds_all_texts_equal_gains_nothing_by_it(gold):
    found = of_one([0.5] * 5, gold)
    assert (found.correlation, found.il_exact, found.pl, found.tie_rate) == (0, pytest.approx(1 / 5), 0, 1)


def test_the_same_tiers_are_not_identical_rankings():
    found = of_one([1, 1, 2], [1, 1, 2])
    assert (found.pl, found.il_graded, found.il_exact) == (0, 1, pytest.approx(2 / 3))
    assert found.correlation == pytest.approx(2 / 3)


def test_one_text_has_no_order():
    found = metrics(np.ones((2, 1)), np.ones((2, 1)))
    assert all(np.isnan(column).all() for column in (found.correlation, found.il_exact, found.chance))


def test_no_prompt_has_no_averages():
    assert by_prompt([], []).averages() == Averages(0)
    assert Averages(0).as_dict() == {"n": 0, **dict.fromkeys(rank_metrics.NAMES)}


def test_means_are_of_the_rows_that_belong_together():
    found = metrics(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]]), np.array([[1.0, 2.0]] * 3))
    means = found.means(np.array([0, 0, 1]))
    assert means.correlation.tolist() == [0, 0]
    assert means.il_exact.tolist() == [0.5, 0.5]
    assert means.tie_rate.tolist() == [0, 1]
    assert found.only(np.zeros(3, dtype=bool)).means(np.zeros(0, dtype=np.int64)).averages() == Averages(0)


@pytest.mark.parametrize(
    ("predicted", "gold", "fault"),
    [
        ([[1, 2]], [[1, 2, 3]], "shape"),
        ([[1, np.nan]], [[1, 2]], "no number"),
        ([[1, 2]], [[1, np.nan]], "no"),
    ],
)
def test_what_cannot_be_compared_is_refused(predicted, gold, fault):
    with pytest.raises(ValueError, match=fault):
        metrics(np.array(predicted, dtype=float), np.array(gold, dtype=float))


# --- real rankings ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not LAMP.is_dir(), reason="needs the LAMP rankings in ../shared/data")
def test_writers_against_each_other_correlate_as_published():
    of_batches = json.loads((LAMP / "agreement_map.json").read_text(encoding="utf-8"))
    found: list[Metrics] = []
    for batch in of_batches.values():
        sides = [
            np.array([ranks_of_order(order) for order in orders], dtype=float) for orders in batch.values()
        ]
        found += [metrics(one, other) for i, one in enumerate(sides) for other in sides[:i]]
    correlations = np.concatenate([part.correlation for part in found])
    assert len(correlations) == 3 * 201
    assert round(correlations.mean(), 4) == 0.6175  # the mean tau of two writers, with nothing tied
    assert {part.tie_rate.max() for part in found} == {0}
    assert all(part.chance == pytest.approx(5 / 9) for part in found)
