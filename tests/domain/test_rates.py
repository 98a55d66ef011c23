"""Shares, their intervals and tests: published cases, other programs, and what must not matter."""

import json
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from curation.domain import bootstrap, rates

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "rates.json").read_text(encoding="utf-8"))
CASES = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def cases(*statistics: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] in statistics]


def test_every_fact_is_used():
    used = {
        "binomial_test_and_ci",
        "binomial_test",
        "mcnemar",
        "bootstrap_percentile_ci_of_accuracy",
        "cluster_bootstrap_of_accuracy_exact",
    }
    assert {case["statistic"] for case in FACTS} == used


# --- one share -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("binomial_test_and_ci", "binomial_test"))
def test_the_published_p(case):
    given_, expected = case["input"], case["expected"]
    found = rates.binomial_p(given_["successes"], given_["trials"], given_["p0"])
    assert found == pytest.approx(expected["p_two_sided"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("binomial_test_and_ci"))
@pytest.mark.parametrize("interval", ["wilson", "clopper_pearson"])
def test_the_published_intervals(case, interval):
    found = getattr(rates, interval)(case["input"]["successes"], case["input"]["trials"])
    assert [found.low, found.high] == pytest.approx(case["expected"][interval], abs=case["tolerance"])


@given(CASES, st.integers(1, 999).map(lambda thousandths: thousandths / 1000))
@settings(max_examples=50, deadline=None)
def test_p_is_that_of_scipy(case, p0):
    assert rates.binomial_p(*case, p0) == pytest.approx(stats.binomtest(*case, p0).pvalue, abs=1e-9)


@given(CASES)
@settings(deadline=None)
def test_intervals_are_those_of_statsmodels(case):
    for interval, method in (("wilson", "wilson"), ("clopper_pearson", "beta")):
        found = getattr(rates, interval)(*case)
        low, high = proportion_confint(*case, method=method)
        assert [found.low, found.high] == pytest.approx([low, high], abs=1e-9)


@given(CASES)
@settings(deadline=None)
def test_failures_mirror_successes(case):
    successes, n = case
    assert rates.binomial_p(successes, n) == rates.binomial_p(n - successes, n)
    one, other = rates.clopper_pearson(successes, n), rates.clopper_pearson(n - successes, n)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)


@pytest.mark.parametrize("case", cases("binomial_test"))
def test_p_is_the_sum_of_what_is_no_more_likely(case):
    n, k, p0 = case["input"]["trials"], case["input"]["successes"], case["input"]["p0"]
    likely = [comb(n, i) * p0**i * (1 - p0) ** (n - i) for i in range(n + 1)] if n < 30 else None
    if likely:
        total = sum(each for each in likely if each <= likely[k] * (1 + 1e-7))
        assert rates.binomial_p(k, n, p0) == pytest.approx(total, abs=1e-12)


def test_a_share_of_nothing_is_none_with_a_reason():
    for found in (rates.wilson(0, 0), rates.clopper_pearson(0, 0)):
        assert (found.value, found.low, found.high, found.reason) == (None, None, None, "empty")
    assert rates.binomial_p(0, 0) is None


@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2)])
def test_more_successes_than_cases_are_refused(successes, n):
    for function in (rates.wilson, rates.clopper_pearson, rates.binomial_p):
        with pytest.raises(ValueError, match="cannot be"):
            function(successes, n)


def test_p0_must_be_a_probability():
    with pytest.raises(ValueError, match="use a probability"):
        rates.binomial_p(1, 2, 1.1)


@pytest.mark.parametrize(
    ("k", "n", "p0", "p"), [(0, 5, 0.0, 1), (1, 5, 0.0, 0), (5, 5, 1.0, 1), (4, 5, 1.0, 0)]
)
def test_certain_outcomes_have_p_0_or_1(k, n, p0, p):
    assert rates.binomial_p(k, n, p0) == p


def test_p_of_millions_of_cases_is_that_of_scipy():
    for k in (4_998_000, 5_000_000, 5_003_000):
        assert rates.binomial_p(k, 10_000_000, 0.5) == pytest.approx(
            stats.binomtest(k, 10_000_000, 0.5).pvalue, abs=1e-9
        )


# --- two judges ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("mcnemar"))
def test_the_published_mcnemar(case):
    found = rates.mcnemar(case["input"]["b"], case["input"]["c"])
    names = {"exact_p": found.exact_p, "chi2": found.chi2, "chi2_cc": found.chi2_corrected}
    for name, value in case["expected"].items():
        assert names[name] == pytest.approx(value, abs=case["tolerance"])


@given(st.integers(0, 200), st.integers(0, 200))
@settings(deadline=None)
def test_mcnemar_is_that_of_statsmodels(b, c):
    if b == c:
        return  # statsmodels corrects a difference of 0 upwards
    found, table = rates.mcnemar(b, c), [[0, b], [c, 0]]
    assert found.exact_p == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, abs=1e-9)
    for corrected, chi2, p in (
        (False, found.chi2, found.chi2_p),
        (True, found.chi2_corrected, found.chi2_corrected_p),
    ):
        peer = statsmodels_mcnemar(table, exact=False, correction=corrected)
        assert [chi2, p] == pytest.approx([peer.statistic, peer.pvalue], abs=1e-9)


def test_mcnemar_is_exact_below_25_discordant_pairs():
    few, many = rates.mcnemar(8, 16), rates.mcnemar(9, 16)
    assert (few.test, few.p) == ("exact", few.exact_p)
    assert (many.test, many.p) == ("chi2_corrected", many.chi2_corrected_p)


def test_judges_who_never_differ_have_p_1_and_no_chi2():
    found = rates.mcnemar(0, 0)
    assert (found.p, found.chi2, found.reason) == (1.0, None, "no_discordant_pairs")


# --- prompts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("cluster_bootstrap_of_accuracy_exact"))
def test_the_bootstrap_draws_prompts_with_all_their_cases(case, monkeypatch):
    clusters = case["input"]["clusters"]
    draws = [np.bincount(draw, minlength=4) for draw in product(range(4), repeat=4)]
    seen = []
    monkeypatch.setattr(bootstrap, "resamples", lambda *_: iter([np.array(draws, dtype=np.float64)]))
    monkeypatch.setattr(bootstrap, "interval", seen.append)
    hits = np.array([hit for cluster in clusters for hit in cluster])
    found = rates.by_prompt(hits, np.repeat(np.arange(4), [len(cluster) for cluster in clusters]))
    (every,) = seen
    expected = case["expected"]
    assert found.value == pytest.approx(expected["point"], abs=case["tolerance"])
    assert [len(every), every.mean(), every.std(), every.min(), every.max()] == pytest.approx(
        [expected[name] for name in ("n_resamples", "mean", "se", "min", "max")], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases("bootstrap_percentile_ci_of_accuracy"))
def test_cases_that_share_no_prompt_have_the_percentiles_of_a_binomial(case):
    k, n = case["input"]["successes"], case["input"]["trials"]
    found = rates.by_prompt(np.repeat([1, 0], [k, n - k]), np.arange(n), replicates=20_000)
    assert [found.low, found.high] == pytest.approx(case["expected"]["ideal_percentile_ci"], abs=1e-8)


def test_the_interval_hangs_on_seed_and_key_but_not_on_the_order_of_rows():
    chance = np.random.default_rng(1)
    hits, prompts = chance.integers(0, 2, 300), chance.integers(0, 40, 300)
    order = chance.permutation(300)
    assert rates.by_prompt(hits, prompts) == rates.by_prompt(hits[order], prompts[order])
    assert rates.by_prompt(hits, prompts) != rates.by_prompt(hits, prompts, seed="other")
    assert rates.by_prompt(hits, prompts) != rates.by_prompt(hits, prompts, key="poetry")


def test_one_prompt_has_a_share_without_an_interval():
    found = rates.by_prompt(np.array([1, 0, 1]), np.array([7, 7, 7]))
    assert (found.value, found.n, found.low, found.high) == (2 / 3, 3, None, None)


def test_no_case_has_no_share_and_no_p():
    nothing = np.array([], dtype=np.int64)
    assert rates.by_prompt(nothing, nothing).reason == "empty"
    assert rates.sign_flip(nothing, nothing).reason == "empty"
    assert rates.sign_flip(nothing, nothing).p is None


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 8)), min_size=1, max_size=30))
@settings(deadline=None)
def test_p_counts_every_way_of_turning_prompts_over(rows):
    balances, prompts = (np.array(column) for column in zip(*rows, strict=True))
    sums = [balances[prompts == prompt].sum() for prompt in np.unique(prompts)]
    turned = [abs(np.dot(signs, sums)) for signs in product((-1, 1), repeat=len(sums))]
    expected = np.mean([each >= abs(sum(sums)) for each in turned])
    found = rates.sign_flip(balances, prompts)
    assert found.exact
    assert found.p == pytest.approx(expected, abs=1e-12)
    assert found.prompts == np.count_nonzero(sums)


def test_prompts_of_one_case_each_give_the_binomial_p():
    balances = np.repeat([1, -1], [17, 6])
    assert rates.sign_flip(balances, np.arange(23)).p == pytest.approx(rates.binomial_p(17, 23), abs=1e-12)


def test_where_counting_costs_too_much_turnings_are_drawn(monkeypatch):
    chance = np.random.default_rng(2)
    balances, prompts = np.where(chance.random(900) < 0.55, 1, -1), chance.integers(0, 90, 900)
    exact = rates.sign_flip(balances, prompts)
    monkeypatch.setattr(rates, "EXACT_WORK", 0)
    drawn = rates.sign_flip(balances, prompts)
    assert exact.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=4 * (exact.p / rates.FLIPS) ** 0.5)
    assert drawn == rates.sign_flip(balances, prompts)
    assert drawn != rates.sign_flip(balances, prompts, seed="other")
    monkeypatch.setattr(bootstrap, "CELLS", 2**8)
    assert drawn == rates.sign_flip(balances, prompts)


def test_a_drawn_p_is_never_0(monkeypatch):
    monkeypatch.setattr(rates, "EXACT_WORK", 0)
    assert rates.sign_flip(np.ones(100, dtype=np.int64), np.arange(100)).p == 1 / 10_000


def test_balances_of_0_leave_nothing_to_turn():
    found = rates.sign_flip(np.array([1, -1, 0]), np.array([0, 0, 1]))
    assert (found.p, found.prompts) == (1.0, 0)


# --- many tests ------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
@settings(max_examples=10, deadline=None)  # the peer takes a fifth of a second
def test_holm_is_that_of_statsmodels(p_values):
    assert rates.holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1], abs=1e-12)


def test_holm_does_not_count_what_is_not_defined():
    assert rates.holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])
    assert rates.holm([]) == []


def test_results_can_be_stored():
    assert rates.wilson(9, 11).as_dict()["n"] == 11
    assert rates.mcnemar(1, 6).as_dict()["test"] == "exact"
    assert rates.sign_flip(np.array([1]), np.array([0])).as_dict()["p"] == 1.0
