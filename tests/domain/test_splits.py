"""What goes to an adjudicator: wide spreads, contrary votes, ties; each from a threshold on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.splits import (
    FIRST,
    NEITHER,
    SECOND,
    Thresholds,
    is_contrary,
    is_tied,
    is_wide,
    side,
    sides_of_pairs,
)

pytestmark = pytest.mark.files

SCORES = st.lists(st.integers(0, 3), max_size=9)
SIDES = st.lists(st.sampled_from([FIRST, NEITHER, SECOND]), max_size=13)


@pytest.mark.parametrize(
    ("scores", "least", "expected"),
    [
        ([], 2, False),
        ([3], 2, False),
        ([1, 2, 2], 2, False),
        ([1, 2, 3], 2, True),
        ([0, 3, 3], 2, True),
        ([0, 3, 3], 3, True),
        ([1, 3, 3], 3, False),
        ([2, 2, 2], 1, False),
    ],
)
def test_scores_are_wide_apart_from_the_threshold_on(scores, least, expected):
    assert is_wide(scores, least) is expected


@pytest.mark.parametrize(
    ("sides", "least", "expected"),
    [
        ([], 1, False),
        ([FIRST, FIRST], 1, False),
        ([FIRST, NEITHER, NEITHER], 1, False),
        ([FIRST, SECOND], 1, True),
        ([FIRST] * 12 + [SECOND], 1, True),
        ([FIRST] * 12 + [SECOND], 2, False),
        ([FIRST] * 7 + [SECOND] * 6, 5, True),
    ],
)
def test_votes_are_contrary_where_enough_are_for_either_side(sides, least, expected):
    assert is_contrary(sides, least) is expected


def test_only_votes_that_are_all_in_are_tied():
    assert not is_tied("AB", 3)
    assert is_tied("ABC", 3)
    assert not is_tied("ABA", 3)


@given(SCORES, st.integers(1, 3))
def test_a_wider_threshold_sends_fewer(scores, least):
    assert not is_wide(scores, least + 1) or is_wide(scores, least)


@given(SIDES, st.integers(1, 6), st.randoms(use_true_random=False))
def test_contrary_is_the_same_seen_from_either_side_and_in_any_order(sides, least, random):
    turned = [-one for one in sides]
    random.shuffle(turned)
    assert is_contrary(turned, least) is is_contrary(sides, least)


@pytest.mark.parametrize(("one", "other", "better"), [(3, 1, FIRST), (1, 3, SECOND), (2, 2, NEITHER)])
def test_the_higher_number_is_the_better_side(one, other, better):
    assert side(one, other) == better


def test_pairs_are_compared_by_those_who_scored_both():
    given_ = [{"r1": 3, "r2": 1, "r3": 2}, {"r1": 1, "r2": 2}, {"r3": 0}]
    assert sides_of_pairs(given_, ["r1", "r2", "r3"]) == {
        ("r1", "r2"): [FIRST, SECOND],
        ("r1", "r3"): [FIRST],
        ("r2", "r3"): [SECOND],
    }


@pytest.mark.parametrize("wrong", [{"spread": 0}, {"spread": 4}, {"minority": 0}])
def test_thresholds_that_say_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match=r"spread|contrary"):
        Thresholds(**wrong)


def test_a_rule_may_be_left_out():
    assert Thresholds(spread=None, minority=None, ties=False) != Thresholds()
