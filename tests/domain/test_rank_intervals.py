"""Intervals of the averages of rank metrics: a percentile bootstrap over prompts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from curation.domain import bootstrap, rank_metrics
from curation.domain.rank_metrics import NAMES, Interval, Metrics, intervals

pytestmark = pytest.mark.files


def metrics_of(columns) -> Metrics:
    """Of prompts whose six metrics are given as rows."""
    return Metrics(*np.array(columns, dtype=np.float64).reshape(-1, 6).T)


def plain(of: Metrics, name: str, seed: str) -> tuple[float, float]:
    """The interval in plain Python, given the same draws."""
    values = getattr(of, name).tolist()
    weights = [
        row
        for block in bootstrap.resamples(
            bootstrap.generator(seed, "rank_metrics"), len(values), None, rank_metrics.REPLICATES
        )
        for row in block.tolist()
    ]
    averages = sorted(
        100 * math.fsum(times * value for times, value in zip(row, values, strict=True)) / len(values)
        for row in weights
    )
    k = (len(averages) + 1) // 40
    return averages[k - 1], averages[-k]


def test_it_is_that_of_a_plain_bootstrap_with_the_same_draws():
    random = np.random.default_rng(3)
    gold = np.tile(np.arange(5.0), (37, 1))
    predicted = np.floor(random.normal(gold, 1.5))
    of = rank_metrics.metrics(predicted, gold)
    found = intervals(of, seed="plumb-1")
    assert list(found) == list(NAMES)
    for name in NAMES:
        low, high = plain(of, name, "plumb-1")
        assert found[name] == Interval(pytest.approx(low), pytest.approx(high), undefined=0)


def test_of_a_share_it_is_that_of_the_binomial_distribution():
    """70 of 100 prompts: what is drawn of them is Binomial(100, 0.7)."""
    found = intervals(metrics_of([[0, 0, 0, place < 70, 0, 0] for place in range(100)]), seed="plumb-1")
    low, high = stats.binom.ppf([0.025, 0.975], 100, 0.7)
    assert found["pl"].low == pytest.approx(low, abs=1)
    assert found["pl"].high == pytest.approx(high, abs=1)


def test_of_two_prompts_it_reaches_from_the_one_to_the_other():
    found = intervals(metrics_of([[-1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]]), seed="plumb-1")
    assert found["correlation"] == Interval(-100, 100, 0)


@pytest.mark.parametrize("prompts", [0, 1])
def test_of_fewer_than_two_prompts_there_is_none(prompts):
    assert set(intervals(metrics_of([[1.0] * 6] * prompts), seed="s").values()) == {Interval(None, None, 0)}


def test_equal_prompts_leave_no_width():
    assert intervals(metrics_of([[0.25] * 6] * 9), seed="s")["il_exact"] == Interval(25, 25, 0)


def test_replicates_without_a_value_are_counted_and_left_out():
    """One prompt of two has no correlation, so only the replicates that draw the other twice have one: a quarter."""
    found = intervals(metrics_of([[np.nan, 0, 0, 0, 0, 0], [0.5, 1, 1, 1, 1, 1]]), seed="plumb-1")
    assert (found["correlation"].low, found["correlation"].high) == (50, 50)
    assert found["correlation"].undefined == pytest.approx(1500, abs=60)
    assert found["il_exact"] == Interval(0, 100, 0)


def test_where_no_replicate_has_a_value_there_is_none():
    found = intervals(metrics_of([[np.nan, 0, 0, 0, 0, 0]] * 3), seed="s")
    assert found["correlation"] == Interval(None, None, rank_metrics.REPLICATES)


def test_the_same_seed_gives_the_same_interval_and_another_another():
    of = metrics_of(np.random.default_rng(1).random((40, 6)))
    assert intervals(of, seed="a") == intervals(of, seed="a")
    assert intervals(of, seed="a") != intervals(of, seed="b")


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=60))
def test_it_lies_within_the_values_and_around_their_mean_or_close_to_it(values):
    of = metrics_of([[value] * 6 for value in values])
    interval = intervals(of, seed="s", replicates=200)["correlation"]
    assert 100 * min(values) - 1e-9 <= interval.low <= interval.high <= 100 * max(values) + 1e-9
