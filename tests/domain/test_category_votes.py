"""Votes on categories: more than half decide, three that differ are a tie, and until then it is open."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.category_votes import Outcome, outcome

pytestmark = pytest.mark.files

CATEGORIES = "ABCDE"
VOTES = st.lists(st.sampled_from(CATEGORIES), max_size=12)


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ("", Outcome("open")),
        ("A", Outcome("open")),
        ("AB", Outcome("open")),
        ("AA", Outcome("decided", "A", 2)),
        ("AAA", Outcome("decided", "A", 3)),
        ("ABA", Outcome("decided", "A", 2)),
        ("ABC", Outcome("tied")),
    ],
)
def test_two_of_three_decide_and_three_that_differ_are_a_tie(votes, expected):
    assert outcome(votes) == expected


@pytest.mark.parametrize(
    ("votes", "voters", "state"),
    [
        ("AABB", 4, "tied"),
        ("AABC", 4, "tied"),
        ("AAAB", 4, "decided"),
        ("AABBC", 5, "tied"),
        ("AAA", 5, "decided"),
        ("AAB", 5, "open"),
        ("A", 1, "decided"),
        ("AABC", 3, "tied"),  # more votes than voters: half of those there are is no majority
        ("AAAB", 3, "decided"),
    ],
)
def test_it_takes_more_than_half_whatever_their_number(votes, voters, state):
    assert outcome(votes, voters).state == state


def test_all_votes_of_three_on_five_categories():
    """125 ways to vote: in 60 of them all three differ."""
    states = Counter(outcome(votes).state for votes in product(CATEGORIES, repeat=3))
    assert states == {"decided": 65, "tied": 60}


@given(VOTES, st.randoms(use_true_random=False), st.integers(1, 9))
def test_the_order_of_the_votes_makes_no_difference(votes, random, voters):
    shuffled = list(votes)
    random.shuffle(shuffled)
    assert outcome(shuffled, voters) == outcome(votes, voters)


@given(VOTES, st.integers(1, 9))
def test_what_is_decided_has_more_than_half_and_nothing_else_could(votes, voters):
    found = outcome(votes, voters)
    majority = [one for one in CATEGORIES if 2 * votes.count(one) > max(voters, len(votes))]
    assert ([found.category] if found.state == "decided" else []) == majority
    assert found.votes == (votes.count(found.category) if majority else 0)
    assert (found.state == "open") == (not majority and len(votes) < voters)


@given(VOTES, st.integers(1, 9), st.sampled_from(CATEGORIES))
def test_a_decision_stands_whatever_the_others_who_are_asked_vote(votes, voters, late):
    found = outcome(votes, voters)
    if found.state == "decided" and len(votes) < voters:
        assert outcome([*votes, late], voters).category == found.category
