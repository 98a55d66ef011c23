"""What is still ahead: by hand, against simulated futures, and where there is no telling."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from curation.domain.ahead import ahead, known
from curation.domain.planner import Band, Finished, Need, burn_down, forecast, pairs_for, plan, width

pytestmark = pytest.mark.files


def finished(pairs: list[int], responses: int = 10, seconds: int = 7200) -> Finished:
    many = len(pairs)
    return Finished(np.array(pairs), np.full(many, responses), np.full(many, seconds))


# --- pairs ahead -----------------------------------------------------------------------------------------


def test_missing_pairs_take_what_those_so_far_took() -> None:
    needs, together = plan({"poem": finished([5, 5, 5, 5])}, {"poem": 50})
    expected = Need(
        30, Band(60.0), Band(12.0)
    )  # 2 responses and 24 minutes a pair; nothing differs, so no limits
    assert needs == {"poem": expected}
    assert together == expected


def test_a_quota_that_is_reached_takes_nothing() -> None:
    needs, together = plan({"poem": finished([30, 40])}, {"poem": 50})
    nothing = Band(0.0, 0.0, 0.0)
    assert needs["poem"] == together == Need(0, nothing, nothing)


def test_half_a_response_is_a_whole_one() -> None:
    assert plan({"poem": finished([4])}, {"poem": 5})[0]["poem"].responses.value == 3


def test_a_single_prompt_gives_an_estimate_without_limits() -> None:
    needs, together = plan({"poem": finished([4]), "story": finished([1, 9])}, {"poem": 8, "story": 20})
    assert needs["poem"] == Need(4, Band(10.0), Band(2.0))
    assert needs["story"].responses.high is not None
    assert (together.responses.low, together.responses.high) == (None, None)
    found = known({"poem": finished([4]), "story": finished([1, 9])}, {"poem": 4, "story": 10})
    assert ahead(found, 20)[1].hours.low is None


def test_prompts_that_differ_make_a_band_and_more_of_them_a_narrower_one() -> None:
    few = plan({"poem": finished([1, 9] * 5)}, {"poem": 500})[0]["poem"].responses
    many = plan({"poem": finished([1, 9] * 100)}, {"poem": 1450})[0]["poem"].responses
    assert few.value == many.value == 900
    assert few.low < many.low < 900 < many.high < few.high


def test_all_genres_together_add_up_and_their_band_is_narrower_than_the_sum_of_bands() -> None:
    genres = {name: finished([1, 9, 3, 7, 5]) for name in ("poem", "story", "essay")}
    needs, together = plan(genres, dict.fromkeys(genres, 250))
    assert together.pairs == sum(each.pairs for each in needs.values())
    assert together.hours.value == pytest.approx(sum(each.hours.value for each in needs.values()))
    assert together.hours.high < sum(each.hours.high for each in needs.values())


def test_a_genre_does_not_depend_on_which_others_there_are() -> None:
    genres = {name: finished([1, 9, 3, 7, 5]) for name in ("poem", "story")}
    both, alone = plan(genres, dict.fromkeys(genres, 250))[0], plan(genres, {"story": 250})[0]
    assert both["story"] == alone["story"]


@pytest.mark.parametrize(
    ("genres", "reason"),
    [
        ({}, "nothing_finished"),
        ({"poem": finished([])}, "nothing_finished"),
        ({"poem": finished([0, 0])}, "no_pairs_yet"),
    ],
)
def test_where_nothing_is_known_there_is_a_reason(genres: dict, reason: str) -> None:
    needs, together = plan({**genres, "story": finished([1, 2])}, {"poem": 10, "story": 10})
    assert needs["poem"] == Need(10, Band(None, reason=reason), Band(None, reason=reason))
    assert needs["story"].hours.value is not None
    assert together.hours.reason == reason


def test_where_pairs_are_too_rare_there_is_no_upper_end() -> None:
    need = plan({"poem": finished([0, 0, 0, 1])}, {"poem": 10})[0]["poem"]
    assert (need.responses.value, need.responses.high) == (360, None)
    assert need.responses.low < 360
    assert json.loads(json.dumps(need.as_dict(), allow_nan=False))["hours"]["high"] is None


# --- the end of a round ----------------------------------------------------------------------------------


def test_an_even_pace_ends_when_it_should_and_without_a_band() -> None:
    assert forecast([20, 20, 20], 100) == Band(5.0, 5.0, 5.0)


def test_nothing_left_is_the_end() -> None:
    assert forecast([], 0) == Band(0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("done", "reason"), [([], "too_few_periods"), ([9], "too_few_periods"), ([0, 0], "nothing_done")]
)
def test_without_a_pace_there_is_a_reason(done: list[int], reason: str) -> None:
    assert forecast(done, 10) == Band(None, reason=reason)
    assert burn_down(done, 10, 5) == []


def test_a_pace_that_may_be_none_has_no_upper_end() -> None:
    found = forecast([0, 0, 30], 100)
    assert found.value == 10
    assert found.high is None


def test_the_end_falls_into_the_band_in_95_of_100_futures() -> None:
    chance, hits, runs = np.random.default_rng(1), 0, 2000
    for _ in range(runs):
        periods = chance.normal(50, 12, 60)
        band = forecast(periods[:8].tolist(), 600)
        end = int(np.searchsorted(np.cumsum(periods[8:]), 600)) + 1
        hits += band.low <= end and (band.high is None or end - 1 <= band.high)
    assert 0.94 < hits / runs < 0.985  # a little above, since ends are whole periods


@given(st.lists(st.integers(0, 80), min_size=2, max_size=9).filter(any), st.integers(1, 500))
def test_the_band_of_the_end_is_where_the_band_of_what_is_left_meets_nothing(
    done: list[int], left: int
) -> None:
    found = forecast(done, left)
    assert found.low <= found.value + 1e-9
    steps = burn_down(done, left, 40)
    assert (steps[0].left, steps[0].low, steps[0].high) == (left, left, left)
    for step in steps[1:]:
        assert step.low <= step.left <= step.high
        assert (step.low == 0) == (step.period >= found.low - 1e-9) or abs(step.period - found.low) < 1e-6
        if found.high is None or step.period < found.high - 1e-6:
            assert step.high > 0


# --- what so many pairs will show ------------------------------------------------------------------------


@pytest.mark.parametrize(("right", "pairs"), [(50, 100), (90, 100), (0, 35), (21, 35), (1, 1)])
def test_the_width_is_that_of_wilsons_interval(right: int, pairs: int) -> None:
    low, high = proportion_confint(right, pairs, method="wilson")
    assert width(pairs, accuracy=right / pairs) == pytest.approx(high - low, abs=1e-9)


def test_pairs_that_share_prompts_count_for_fewer() -> None:
    assert width(300, design_effect=3.0) == width(100)
    assert width(0) is None


@given(st.floats(0.01, 0.9), st.floats(0, 1))
def test_the_pairs_for_a_width_are_the_least_that_reach_it(wanted: float, accuracy: float) -> None:
    pairs = pairs_for(wanted, accuracy=accuracy)
    assert width(pairs, accuracy=accuracy) <= wanted
    assert pairs == 1 or width(pairs - 1, accuracy=accuracy) > wanted


def test_a_width_of_nothing_is_refused_and_one_out_of_reach_is_none() -> None:
    assert pairs_for(1e-6) is None
    with pytest.raises(ValueError, match="cannot be 0 wide"):
        pairs_for(0)
