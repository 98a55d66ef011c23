"""Strengths from rankings: published cases, other programs, where there is no maximum, and what must not matter."""

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import choix
import numpy as np
import pytest
from choix.opt import Top1Fcts
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import comparisons, plackett_luce
from curation.domain.plackett_luce import Rankings, fit, log_likelihood

pytestmark = pytest.mark.files

FOLDER = Path(__file__).parent.parent / "facts"
FACTS = json.loads((FOLDER / "plackett_luce.json").read_text(encoding="utf-8"))
NASCAR = json.loads((FOLDER / "nascar_2002.json").read_text(encoding="utf-8"))
ORDERS = st.lists(
    st.permutations(range(4)).flatmap(lambda one: st.integers(1, 4).map(lambda k: one[:k])), max_size=8
)


def cases(statistic: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def rankings_of(orders: Sequence[Sequence[int]]) -> Rankings:
    """Of orders of item codes, best first."""
    rows = [
        (number, item, place) for number, one in enumerate(orders) for place, item in enumerate(one, start=1)
    ]
    return Rankings(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def noisy(rankings: int = 60, items: int = 6, seed: int = 1) -> list[list[int]]:
    """Orders of two to all items."""
    chance = np.random.default_rng(seed)
    strengths = chance.normal(size=items)
    orders = [np.argsort(-strengths - chance.gumbel(size=items)) for _ in range(rankings)]
    return [
        one[np.sort(chance.permutation(items)[: chance.integers(2, items + 1)])].tolist() for one in orders
    ]


# --- published values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [case for case in cases("plackett_luce_mle") if case.id != "PL-005"])
def test_the_published_strengths(case):
    found = fit(rankings_of(case["input"]["rankings"]), case["input"]["n_items"])
    assert found.values == pytest.approx(case["expected"]["log_worth_centred"], abs=case["tolerance"])
    assert found.log_likelihood == pytest.approx(case["expected"]["loglik"], abs=case["tolerance"])


@pytest.mark.parametrize("case", [case for case in cases("plackett_luce_mle") if case.id == "PL-005"])
def test_the_published_strengths_of_83_drivers_in_36_races(case):
    orders = [[driver - 1 for driver in race if driver <= 83] for race in NASCAR["orderings"]]
    found = fit(rankings_of(orders), 83)
    by_name = dict(zip(NASCAR["drivers"], found.values, strict=False))
    expected = case["expected"]
    assert found.log_likelihood == pytest.approx(expected["loglik"], abs=case["tolerance"])
    for name, value in expected["log_worth"].items():
        assert by_name[name] - by_name["Austin Cameron"] == pytest.approx(value, abs=case["tolerance"])
    whole = sum(np.exp(found.values))
    for name, value in expected["worth"].items():
        assert np.exp(by_name[name]) / whole == pytest.approx(value, abs=case["tolerance"])


def test_drivers_who_only_came_last_have_no_strength():
    orders = [[driver - 1 for driver in race] for race in NASCAR["orderings"]]
    found = fit(rankings_of(orders), 87)
    assert (found.values, found.log_likelihood, found.reason) == (None, None, "not_connected")
    assert fit(rankings_of(orders), 87, prior="ridge").values is not None


@pytest.mark.parametrize("case", cases("plackett_luce_loglik"))
def test_the_published_likelihood(case):
    found = log_likelihood(np.log(case["input"]["worth"]), rankings_of(case["input"]["rankings"]))
    assert found == pytest.approx(case["expected"]["loglik"], abs=case["tolerance"])


# --- other programs --------------------------------------------------------------------------------------


def test_strengths_are_those_of_choix():
    orders = noisy()
    peer = choix.ilsr_rankings(6, orders, tol=1e-13)
    found = fit(rankings_of(orders), 6)
    assert found.values == pytest.approx(peer - peer.mean(), abs=1e-9)
    assert found.log_likelihood == pytest.approx(
        choix.log_likelihood_rankings(orders, found.values), abs=1e-9
    )


def test_the_ridge_is_the_one_of_choix():
    orders = noisy(4)
    found = fit(rankings_of(orders), 6, prior="ridge", weight=0.5)
    slope = Top1Fcts.from_rankings(orders, penalty=0.25).gradient(np.array(found.values))
    assert slope == pytest.approx(np.zeros(6), abs=1e-9)


def test_rankings_of_two_are_comparisons():
    orders = [one[:2] for one in noisy(200)]
    wins = np.zeros((6, 6))
    for winner, loser in orders:
        wins[winner, loser] += 1
    found, peer = fit(rankings_of(orders), 6), comparisons.fit(wins)
    assert found.values == pytest.approx(peer.values, abs=1e-9)
    assert found.log_likelihood == pytest.approx(peer.log_likelihood, abs=1e-9)


# --- properties ------------------------------------------------------------------------------------------


@given(ORDERS)
@settings(deadline=None)
def test_there_are_strengths_where_everybody_stood_before_everybody(orders):
    wins = np.zeros((4, 4))
    for one in orders:
        for place, better in enumerate(one):
            wins[better, one[place + 1 :]] += 1
    found = fit(rankings_of(orders), 4)
    if not wins.any():
        assert found.reason == "empty"
    elif not comparisons.connected(wins[None])[0]:
        assert found.reason == "not_connected"
    else:
        slope = Top1Fcts.from_rankings(orders, penalty=0).gradient(np.array(found.values))
        assert slope == pytest.approx(np.zeros(4), abs=1e-9)
        assert sum(found.values) == pytest.approx(0, abs=1e-9)


def test_the_order_of_rows_and_the_names_of_rankings_and_places_do_not_matter():
    given_ = rankings_of(noisy())
    found = fit(given_, 6)
    order = np.random.default_rng(1).permutation(len(given_.item))
    other = Rankings(given_.ranking[order] * 7 + 3, given_.item[order], given_.place[order] * 2 - 5)
    assert fit(other, 6).values == pytest.approx(found.values, abs=1e-12)


def test_renaming_items_renames_their_strengths():
    orders = noisy()
    names = [3, 0, 5, 1, 2, 4]
    found = fit(rankings_of(orders), 6).values
    renamed = fit(rankings_of([[names[item] for item in one] for one in orders]), 6).values
    assert [renamed[name] for name in names] == pytest.approx(found, abs=1e-9)


def test_blocks_change_nothing(monkeypatch):
    found = fit(rankings_of(noisy()), 6)
    monkeypatch.setattr(plackett_luce, "CELLS", 1)
    assert fit(rankings_of(noisy()), 6).values == pytest.approx(found.values, abs=1e-12)


def test_probabilities_of_all_orders_add_up_to_one():
    strengths = np.array([0.5, -1.0, 2.0, -700.0])
    likely = [np.exp(log_likelihood(strengths, rankings_of([one]))) for one in permutations(range(4))]
    assert sum(likely) == pytest.approx(1)


# --- where it is not defined -----------------------------------------------------------------------------


@pytest.mark.parametrize("orders", [[], [[0], [1]]])
def test_without_a_ranking_of_two_there_is_nothing(orders):
    found = fit(rankings_of(orders), 2)
    assert (found.values, found.reason) == (None, "empty")
    assert found.as_dict()["reason"] == "empty"


def test_an_item_that_nobody_ranked_has_no_strength():
    assert fit(rankings_of([[0, 1], [1, 0]]), 3).reason == "not_connected"
    assert fit(rankings_of([[0, 1], [1, 0]]), 3, prior="ridge").values == pytest.approx((0, 0, 0))


def test_ties_are_not_for_this_model():
    tied = Rankings(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([1, 2, 2]))
    assert fit(tied, 3).reason == "tied_items"


def test_an_item_twice_in_a_ranking_is_refused():
    twice = Rankings(np.array([0, 0]), np.array([1, 1]), np.array([1, 2]))
    with pytest.raises(ValueError, match="twice"):
        fit(twice, 2)
