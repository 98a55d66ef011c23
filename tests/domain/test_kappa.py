"""Cohen's kappa and its kin: published cases, where they are not defined, and what must not matter."""

import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain import intervals, kappa
from annotation.domain.kappa import coefficients, inference, resampled, tabulate

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "kappa.json").read_text(encoding="utf-8"))
WEIGHTS = {"unweighted": "none", "linear": "linear", "quadratic": "quadratic"}


def cases(statistic: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def table_of(case: dict) -> tuple[list | tuple, tuple[int, ...]]:
    """The table of a case and the scale it is over."""
    stated = case["input"]
    if "table" in stated:
        return stated["table"], tuple(range(len(stated["table"])))
    one, other = (dict(enumerate(column)) for column in zip(*stated["pairs"], strict=True))
    seen = sorted({*one.values(), *other.values()})
    if "OBSERVED" in stated["weights_on"]:
        place = {value: position for position, value in enumerate(seen, start=1)}
        one, other = ({item: place[each] for item, each in column.items()} for column in (one, other))
        scale = tuple(place.values())
    else:
        scale = tuple(range(1, 7))
    return tabulate(one, other, scale), scale


# --- published values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("cohen_kappa") + cases("two_rater_coefficients"))
def test_it_has_the_published_value(case: dict) -> None:
    table, scale = table_of(case)
    weights = WEIGHTS[case["input"].get("weights", "unweighted")]
    found = coefficients(table, weights=weights, scale=scale)
    for name, value in case["expected"].items():
        assert float(getattr(found, name)) == pytest.approx(value, abs=case["tolerance"]), name


@pytest.mark.parametrize("case", cases("cohen_weighted_kappa_custom"))
def test_weights_may_be_a_table(case: dict) -> None:
    table, scale = table_of(case)
    found = coefficients(table, weights=case["input"]["disagreement_weights"], scale=scale)
    assert float(found.kappa) == pytest.approx(case["expected"]["kappa_w"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("cohen_kappa_inference"))
def test_the_large_sample_error_is_the_published_one(case: dict) -> None:
    table, scale = table_of(case)
    found = inference(table, weights=case["input"]["weights"], scale=scale)
    expected, near = case["expected"], {"abs": case["tolerance"]}
    assert found.kappa == pytest.approx(expected["kappa"], **near)
    assert found.error == pytest.approx(expected["ase"], **near)
    assert (found.interval.low, found.interval.high) == (
        pytest.approx(expected["ci_low"], **near),
        pytest.approx(expected["ci_high"], **near),
    )
    assert found.error_without_agreement == pytest.approx(expected["ase0"], **near)
    assert found.z == pytest.approx(expected["z"], abs=1e-3)
    assert found.p == pytest.approx(expected["p_two_sided"], **near)


def test_no_case_is_left_out() -> None:
    assert len(FACTS) == len({case["id"] for case in FACTS}) == 21


# --- where it is not defined -----------------------------------------------------------------------------


def test_nothing_rated_by_both_is_a_reason_and_no_number() -> None:
    found = coefficients(tabulate({"a": 1}, {"b": 1}))
    assert (found.n, found.kappa, found.reason) == (0, None, "empty")
    assert inference(tabulate({}, {})) is None
    assert resampled(tabulate({}, {}), seed="s") is None


def test_one_score_throughout_is_a_reason_and_no_number() -> None:
    same = tabulate({"a": 2, "b": 2}, {"a": 2, "b": 2})
    found = coefficients(same, weights="quadratic")
    assert (found.kappa, found.scott_pi, found.reason) == (None, None, "no_variation")
    assert (found.po, found.pe, found.brennan_prediger, found.ac) == (1, 1, 1, 1)
    assert inference(same) is None
    assert resampled(same, seed="s") is None


def test_one_rater_who_never_varies_has_kappa_0() -> None:
    found = coefficients(tabulate({"a": 1, "b": 1}, {"a": 1, "b": 3}), weights="quadratic")
    assert (found.kappa, found.reason) == (0, "")


@pytest.mark.parametrize(
    "weights",
    [
        [[0, 1], [1, 0]],
        [[1] * 4] * 4,
        [[0] * 4] * 4,
        [[0, -1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]],
    ],
    ids=["of another scale", "own score disagrees", "nothing disagrees", "negative"],
)
def test_a_table_of_weights_that_is_none_is_refused(weights: list) -> None:
    with pytest.raises(ValueError, match=r"over a scale of 4|agree with themselves|not negative"):
        coefficients(tabulate({"a": 1}, {"a": 1}), weights=weights)


def test_a_score_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="not both on the scale"):
        tabulate({"a": 4}, {"a": 1})


# --- what must hold --------------------------------------------------------------------------------------

ratings = st.dictionaries(
    st.integers(0, 60), st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40
)
weightings = st.sampled_from(["none", "linear", "quadratic"])


def raters(rated: dict[int, tuple[int, int]]) -> tuple[dict[int, int], dict[int, int]]:
    return {item: pair[0] for item, pair in rated.items()}, {item: pair[1] for item, pair in rated.items()}


@given(ratings, weightings)
def test_raters_may_change_places(rated: dict, weights: str) -> None:
    one, other = raters(rated)
    assert coefficients(tabulate(one, other), weights=weights) == coefficients(
        tabulate(other, one), weights=weights
    )


@given(ratings, weightings, st.randoms())
def test_items_are_paired_by_name_in_whichever_order_they_come(
    rated: dict, weights: str, chance: random.Random
) -> None:
    one, other = raters(rated)
    items = list(other)
    chance.shuffle(items)
    shuffled = {item: other[item] for item in items}
    assert tabulate(one, shuffled) == tabulate(one, other)


@given(ratings, weightings)
def test_perfect_agreement_is_1_or_not_defined(rated: dict, weights: str) -> None:
    one, _ = raters(rated)
    found = coefficients(tabulate(one, one), weights=weights)
    assert found.kappa == (1 if len(set(one.values())) > 1 else None)
    assert found.brennan_prediger == found.ac == 1


@given(ratings, weightings)
def test_kappa_is_what_its_definition_says(rated: dict, weights: str) -> None:
    one, other = raters(rated)
    found = coefficients(tabulate(one, other), weights=weights)
    assert -1 <= (found.kappa or 0) <= 1
    if found.kappa is not None:
        assert found.kappa == (found.po - found.pe) / (1 - found.pe)
        assert isinstance(found.kappa, Fraction)


@given(ratings)
def test_an_item_that_only_one_rated_changes_nothing(rated: dict) -> None:
    one, other = raters(rated)
    assert tabulate({**one, "more": 3}, other) == tabulate(one, other)


def test_an_unused_score_of_the_scale_still_weighs() -> None:
    one, other = {"a": 0, "b": 3, "c": 0, "d": 1}, {"a": 0, "b": 3, "c": 1, "d": 3}
    declared = coefficients(tabulate(one, other), weights="linear")
    observed = coefficients(tabulate(one, other, (0, 1, 3)), weights="linear", scale=(0, 1, 3))
    assert declared.kappa == observed.kappa  # weights come from the values, not from their places
    assert declared.brennan_prediger != observed.brennan_prediger


# --- the interval that is reported -----------------------------------------------------------------------


def near_agreement(n: int, wrong: int) -> tuple:
    """n items evenly over the scale, `wrong` of them one step off."""
    expert = {item: item % 4 for item in range(n)}
    given_ = {item: value + (1 if value == 0 else -1) * (item < wrong) for item, value in expert.items()}
    return tabulate(given_, expert)


def test_the_interval_holds_the_point_and_never_passes_1() -> None:
    for wrong in range(41):
        found = coefficients(near_agreement(40, wrong), weights="quadratic")
        interval = resampled(near_agreement(40, wrong), seed="attempt 1")
        assert interval.low <= float(found.kappa) <= interval.high <= 1, wrong


def test_the_interval_of_perfect_agreement_is_no_point() -> None:
    perfect = resampled(near_agreement(40, 0), seed="attempt 1")
    one_off = resampled(near_agreement(40, 1), seed="attempt 1")
    assert perfect.high == 1
    assert one_off.low - 0.02 < perfect.low < 1
    assert resampled(near_agreement(12, 0), seed="attempt 1").low < perfect.low


def test_the_interval_follows_from_table_and_seed_alone() -> None:
    table = near_agreement(40, 9)
    assert resampled(table, seed="attempt 1") == resampled(table, seed="attempt 1")
    assert resampled(table, seed="attempt 1") != resampled(table, seed="attempt 2")


def test_the_interval_is_near_the_large_sample_one_where_there_are_many_items() -> None:
    table = [[300, 40, 8, 0], [50, 280, 60, 4], [6, 70, 310, 40], [0, 5, 30, 290]]
    by_theory = inference(table, weights="quadratic").interval
    by_resampling = resampled(table, seed="attempt 1")
    assert by_resampling.low == pytest.approx(by_theory.low, abs=0.004)
    assert by_resampling.high == pytest.approx(by_theory.high, abs=0.004)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """40 items, a candidate of true quadratic kappa .72 or so: the share of 400 exams that cover it."""
    cells = [[16, 7, 2, 0], [6, 14, 6, 1], [2, 6, 15, 6], [0, 1, 6, 12]]
    truth = float(coefficients(cells, weights="quadratic").kappa)
    chance = intervals.generator("coverage")
    share = [count / sum(map(sum, cells)) for row in cells for count in row]
    covered = 0
    for exam in range(400):
        drawn = chance.multinomial(40, share).reshape(4, 4).tolist()
        interval = resampled(drawn, seed=str(exam))
        covered += interval.low <= truth <= interval.high
    assert 0.91 <= covered / 400 <= 0.98


# --- intervals of shares and means -----------------------------------------------------------------------


def test_wilson_has_the_published_values() -> None:
    """Newcombe (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29."""
    for k, n, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        found = intervals.wilson(k, n)
        assert (found.low, found.high) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))
    assert intervals.wilson(29, 29).high == 1
    assert intervals.wilson(0, 0) is None


@pytest.mark.parametrize(
    ("freedom", "t"), [(1, 12.706), (2, 4.303), (3, 3.182), (10, 2.228), (39, 2.023), (120, 1.980)]
)
def test_student_has_the_values_of_the_printed_tables(freedom: int, t: float) -> None:
    assert intervals.student(freedom) == pytest.approx(t, abs=6e-4)


def test_the_interval_of_a_mean() -> None:
    found = intervals.of_mean([1, 2, 3, 4])
    half = 3.182446 * math.sqrt(5 / 3) / 2
    assert (found.low, found.high) == (pytest.approx(2.5 - half), pytest.approx(2.5 + half))
    assert intervals.of_mean([1]) is None
    assert intervals.of_mean([2, 2, 2]) == intervals.Interval(2, 2)
    with pytest.raises(ValueError, match="degree of freedom"):
        intervals.student(0)


def test_the_scale_is_two_scores_or_more() -> None:
    with pytest.raises(ValueError, match="each once"):
        kappa.disagreements("none", (1, 1))
