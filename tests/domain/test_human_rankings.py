"""Rankings of several people as one, the gold order, majorities, and the pairs that an order holds."""

import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from annotation.domain import rankings
from curation.domain import human_rankings
from curation.domain.human_rankings import combined, gold, is_complete, majority, pairs, votes

pytestmark = pytest.mark.files

LAMP = Path(__file__).parents[2] / ".." / "shared" / "data" / "lamp_rankings"


@st.composite
def by_several(draw: st.DrawFn) -> list[rankings.Tiers]:
    """Rankings of the same texts, with ties, by up to five people."""
    n, people = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    texts = rankings.letters(n)
    tiers = st.lists(st.integers(1, n), min_size=n, max_size=n)
    return [rankings.of_ranks(dict(zip(texts, draw(tiers), strict=True))) for _ in range(people)]


def tiers(written: str) -> rankings.Tiers:
    """'a > b=c' as tiers."""
    return tuple(tuple(tier.split("=")) for tier in written.replace(" ", "").split(">"))


def balance(given: list[rankings.Tiers], one: str, other: str) -> int:
    """People who put one before the other, less those who do the reverse."""
    ranks = [rankings.ranks(order) for order in given]
    return sum((own[one] < own[other]) - (own[other] < own[one]) for own in ranks)


# --- combining -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a>b>c", "a>b>c", "c>b>a"], "a>b>c"),  # two of three decide
        (["a>b>c", "b>c>a", "c>a>b"], "a=b=c"),  # a circle
        (["a>b>c>d", "b>c>a>d", "c>a>b>d"], "a=b=c>d"),  # a circle above one whom all put last
        (["d>a>b>c", "d>b>c>a", "d>c>a>b"], "d>a=b=c"),
        (["a>b", "b>a"], "a=b"),  # one against one
        (["a>b>c", "c>b>a"], "a=b=c"),
        (["a>b=c", "a=b>c", "a=b=c"], "a>b>c"),  # who ties two says nothing of them
        (["a=b=c"], "a=b=c"),
        # a ties b and b ties c, so all three are one tier, though two people put a before c and none after it.
        (["a=b=c", "b>a>c", "a>c>b"], "a=b=c"),
        (["a", "a"], "a"),
    ],
)
def test_what_several_rankings_come_to(given, expected):
    assert combined([tiers(order) for order in given]) == tiers(expected)


def test_nobody_ranked_anything():
    assert combined([]) == ()


def test_rankings_of_other_texts_do_not_combine():
    with pytest.raises(ValueError, match="different texts"):
        combined([tiers("a>b"), tiers("a>c")])


@given(by_several())
@settings(deadline=None)
def test_tiers_are_the_strongly_connected_components_in_topological_order(orders):
    texts = sorted(rankings.ranks(orders[0]))
    relation = np.array([[balance(orders, one, other) >= 0 for other in texts] for one in texts])
    n, labels = connected_components(csr_array(relation), directed=True, connection="strong")
    found = combined(orders)
    assert {frozenset(tier) for tier in found} == {
        frozenset(text for text, label in zip(texts, labels, strict=True) if label == k) for k in range(n)
    }
    for higher, lower in combinations(found, 2):
        assert all(balance(orders, one, other) > 0 for one in higher for other in lower)


@given(by_several(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_people_and_the_names_of_texts_do_not_matter(orders, random):
    found = combined(orders)
    random.shuffle(orders)
    assert combined(orders) == found
    texts = sorted(rankings.ranks(orders[0]))
    renamed = dict(zip(texts, random.sample(texts, len(texts)), strict=True))
    other = combined([tuple(tuple(renamed[text] for text in tier) for tier in order) for order in orders])
    assert other == tuple(tuple(sorted(renamed[text] for text in tier)) for tier in found)


@given(by_several())
@settings(deadline=None)
def test_one_person_and_people_of_one_mind_are_that_ranking(orders):
    assert combined(orders[:1]) == orders[0]
    assert combined([orders[0]] * 3) == orders[0]


@given(by_several())
@settings(deadline=None)
def test_all_turned_over_is_the_order_turned_over(orders):
    assert combined([order[::-1] for order in orders]) == combined(orders)[::-1]


# --- gold ------------------------------------------------------------------------------------------------


def test_more_requirements_kept_is_better():
    assert gold({"a": 1, "b": 5, "c": 3, "d": 4, "e": 2}) == tiers("b>d>c>e>a")


def test_equal_numbers_of_requirements_tie_and_numbers_that_nobody_has_leave_no_gap():
    assert gold({"a": 5, "b": 2, "c": 5, "d": 0}) == tiers("a=c>b>d")


@pytest.mark.parametrize(
    ("kept", "requirements", "complete"),
    [
        ([3, 2, 1], 3, True),
        ([1, 3, 2], 3, True),
        ([3, 2, 1], 4, False),
        ([3, 2], 3, False),
        ([3, 1], 3, False),
        ([3, 3, 1], 3, False),
        ([2, 1, 0], 2, False),
    ],
)
def test_complete_is_n_to_1_of_n_requirements(kept, requirements, complete):
    assert is_complete({f"r{i}": number for i, number in enumerate(kept)}, requirements) is complete


# --- majorities ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["plan", "plan", "essay"], "plan"),
        (["plan", "essay", "story"], ""),
        (["plan", "essay"], ""),
        (["plan"], "plan"),
        (["plan", "plan", "essay", "essay"], ""),
        ([], ""),
    ],
)
def test_more_than_half_of_the_votes_name_the_category(given, expected):
    for order in permutations(given):
        assert majority(order) == expected


# --- pairs -----------------------------------------------------------------------------------------------


def test_pairs_of_tiers_that_follow_each_other():
    found = list(pairs(tiers("a>b=c>d"), adjacent=True))
    assert found == [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]


def test_pairs_of_all_tiers():
    found = list(pairs(tiers("a>b=c>d"), adjacent=False))
    assert sorted(found) == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")]


@pytest.mark.parametrize("order", [(), tiers("a"), tiers("a=b=c")])
@pytest.mark.parametrize("adjacent", [True, False])
def test_an_order_of_one_tier_has_no_pairs(order, adjacent):
    assert list(pairs(order, adjacent=adjacent)) == []


def test_n_responses_have_n_minus_1_adjacent_pairs_and_half_n_times_n_minus_1_in_all():
    order = tiers("a>b>c>d>e")
    assert len(list(pairs(order, adjacent=True))) == 4
    assert len(set(pairs(order, adjacent=False))) == 10


def test_votes_for_against_and_neither():
    ranks = [rankings.ranks(tiers(order)) for order in ("a>b", "b>a", "a=b", "a>b")]
    assert votes(ranks, "a", "b") == (2, 1, 1)
    assert votes(ranks, "b", "a") == (1, 2, 1)


# --- real rankings ---------------------------------------------------------------------------------------


@pytest.mark.skipif(not LAMP.is_dir(), reason="needs the LAMP rankings in ../shared/data")
def test_three_writers_on_201_triples():
    """Without ties three people never draw on two texts, so an order is strict or one circle of three."""
    shapes = []
    of_batches = json.loads((LAMP / "agreement_map.json").read_text(encoding="utf-8"))
    for batch in of_batches.values():
        for orders in zip(*batch.values(), strict=True):
            given = [tuple((str(text),) for text in order) for order in orders]
            found = human_rankings.combined(given)
            shapes.append(len(found))
            for higher, lower in combinations(found, 2):
                assert balance(given, higher[0], lower[0]) > 0
    assert len(shapes) == 201
    assert set(shapes) <= {1, 3}
