"""Strengths from comparisons: published cases, other programs, where there is no maximum, and what must not matter."""

import json
from itertools import product
from pathlib import Path

import choix
import evalica
import numpy as np
import pytest
import statsmodels.api as sm
from choix.opt import PairwiseFcts
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from curation.domain import bootstrap, comparisons
from curation.domain.comparisons import Outcomes, fit, fit_with_intervals, fits, tally

pytestmark = pytest.mark.files

FACTS = json.loads(
    (Path(__file__).parent.parent / "facts" / "bradley_terry.json").read_text(encoding="utf-8")
)
WINS = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 2), min_size=n, max_size=n), min_size=n, max_size=n)
)


def cases(statistic: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def tables_of(given_: dict) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Items, and wins by winner and loser at home and away, whichever way a case is written down."""
    if "home_away_results" in given_:
        results = given_["home_away_results"]
        items = sorted({row[0] for row in results})
        home, away = np.zeros((2, len(items), len(items)))
        for host, guest, of_host, of_guest in results:
            home[items.index(host), items.index(guest)] += of_host
            away[items.index(guest), items.index(host)] += of_guest
        return items, home, away
    items = given_["items"] if isinstance(given_["items"], list) else list(range(given_["items"]))
    wins = np.zeros((len(items), len(items)))
    for winner, loser, *count in given_["wins"]:
        wins[items.index(winner), items.index(loser)] += count[0] if count else 1
    return items, wins, np.zeros_like(wins)


def played(
    items: int = 8, games: int = 2000, *, first: float = 0.0, ties: float = 0.0, seed: int = 1
) -> Outcomes:
    """Comparisons of items of different strengths, four a prompt."""
    chance = np.random.default_rng(seed)
    strengths = chance.normal(size=items)
    one = chance.integers(0, items, games)
    other = (one + chance.integers(1, items, games)) % items
    won = chance.random(games) < 1 / (1 + np.exp(strengths[other] - strengths[one] - first))
    halves = np.where(chance.random(games) < ties, 1, 2 * won)
    return Outcomes(one, other, halves, np.arange(games) // 4)


def everybody_beat_everybody(wins: np.ndarray) -> bool:
    reach = wins > 0
    for via in range(len(wins)):
        reach = reach | (reach[:, [via]] & reach[[via], :])
    return all(reach[i, j] for i, j in product(range(len(wins)), repeat=2) if i != j)


# --- published values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("bradley_terry_mle"))
def test_the_published_strengths(case):
    items, home, away = tables_of(case["input"])
    found, expected = fit(home, away), case["expected"]
    if "ability" in expected:
        reference = found.values[items.index(case["input"]["reference"])]
        ability = {item: value - reference for item, value in zip(items, found.values, strict=True)}
        assert ability == pytest.approx(expected["ability"], abs=case["tolerance"])
        assert deviance(home, away, found.log_likelihood) == pytest.approx(
            expected["residual_deviance_by_home_away_rows"], abs=case["tolerance"]
        )
    else:
        assert found.values == pytest.approx(expected["log_worth_centred"], abs=case["tolerance"])
        assert found.log_likelihood == pytest.approx(expected["loglik"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("bradley_terry_with_home_advantage"))
def test_the_published_advantage_of_the_home_side(case):
    items, home, away = tables_of(case["input"])
    found, expected = fit(home, away, position=True), case["expected"]
    assert found.first == pytest.approx(expected["home"], abs=case["tolerance"])
    reference = found.values[items.index(case["input"]["reference"])]
    ability = {item: value - reference for item, value in zip(items, found.values, strict=True)}
    assert ability == pytest.approx(expected["ability"], abs=case["tolerance"])
    assert deviance(home, away, found.log_likelihood) == pytest.approx(
        expected["residual_deviance"], abs=case["tolerance"]
    )


def deviance(home: np.ndarray, away: np.ndarray, log_likelihood: float) -> float:
    """Twice the distance from a model with a probability for each host and guest."""
    won, lost = home, away.T
    games = np.where(won + lost > 0, won + lost, 1)
    parts = [n * np.log(np.where(n > 0, n / games, 1)) for n in (won, lost)]
    return 2 * (sum(part.sum() for part in parts) - log_likelihood)


@pytest.mark.parametrize("case", cases("bradley_terry_pair_loss"))
def test_the_published_loss_of_a_pair(case):
    found = comparisons.pair_loss(case["input"]["r_chosen"], case["input"]["r_rejected"])
    assert found == pytest.approx(case["expected"]["loss"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("bradley_terry"))
def test_a_total_order_has_no_finite_strengths(case):
    _items, wins, _none = tables_of(case["input"])
    found = fit(wins)
    assert (found.values, found.reason) == (
        None,
        case["expected"]["reason"].replace("strongly ", "").replace(" ", "_"),
    )
    ridge = fit(wins, prior="ridge")
    assert ridge.prior == "ridge"
    assert ridge.values[0] > ridge.values[1] > ridge.values[2]


# --- other programs --------------------------------------------------------------------------------------


def test_strengths_are_those_of_choix_and_evalica():
    outcomes = played()
    of_first, of_second = tally(outcomes, 8)
    found = np.array(fit(of_first, of_second).values)
    won = outcomes.halves == 2
    winners, losers = (
        np.where(won, outcomes.first, outcomes.second),
        np.where(won, outcomes.second, outcomes.first),
    )
    peer = choix.ilsr_pairwise(8, list(zip(winners.tolist(), losers.tolist(), strict=True)), tol=1e-13)
    assert found == pytest.approx(peer - peer.mean(), abs=1e-9)
    results = [evalica.Winner.X if each else evalica.Winner.Y for each in won]
    sides = outcomes.first.tolist(), outcomes.second.tolist()
    scores = evalica.bradley_terry(*sides, results, tolerance=1e-13, limit=10_000).scores.sort_index()
    logs = np.log(scores.to_numpy())
    assert found == pytest.approx(logs - logs.mean(), abs=1e-9)


def test_the_ridge_is_the_one_of_choix():
    wins = [(0, 1), (0, 2), (1, 2), (3, 2)]
    table = np.zeros((4, 4))
    for winner, loser in wins:
        table[winner, loser] += 1
    found = fit(table, prior="ridge", weight=0.5)
    slope = PairwiseFcts(wins, penalty=0.25).gradient(np.array(found.values))
    assert slope == pytest.approx(np.zeros(4), abs=1e-9)


def test_the_position_is_that_of_a_logistic_regression():
    outcomes = played(first=0.4)
    design = np.zeros((len(outcomes.first), 8))
    rows = np.arange(len(design))
    design[rows, outcomes.first] += 1
    design[rows, outcomes.second] -= 1
    design[:, 0] = 1  # the item that is left out is the reference
    model = sm.GLM(outcomes.halves // 2, design, family=sm.families.Binomial())
    peer = model.fit(tol=1e-14, maxiter=100).params
    found = fit(*tally(outcomes, 8), position=True)
    assert found.first == pytest.approx(peer[0], abs=1e-9)
    assert [value - found.values[0] for value in found.values[1:]] == pytest.approx(peer[1:], abs=1e-9)


def test_many_fits_are_those_of_one_at_a_time(monkeypatch):
    chance = np.random.default_rng(4)
    wins = chance.integers(0, 3, (40, 5, 5)).astype(float)
    wins[:, np.arange(5), np.arange(5)] = 0
    wins[0] = 0
    for prior in ("none", "ridge"):
        single = [fit(table, prior=prior).values or (np.nan,) * 5 for table in wins]
        assert fits(wins, prior=prior) == pytest.approx(np.array(single), abs=1e-12, nan_ok=True)
    together = fits(wins)
    monkeypatch.setattr(comparisons, "CELLS", 1)
    assert fits(wins) == pytest.approx(together, abs=1e-12, nan_ok=True)


# --- where there is a maximum ----------------------------------------------------------------------------


@given(WINS)
@settings(deadline=None)
def test_there_are_strengths_where_everybody_beat_everybody_by_way_of_others(rows):
    wins = np.array(rows, dtype=float) * (1 - np.eye(len(rows)))
    found = fit(wins)
    if not wins.any():
        assert found.reason == "empty"
    elif everybody_beat_everybody(wins):
        assert found.reason is None
        # At the maximum everybody has as many wins as expected.
        likely = 1 / (1 + np.exp(np.subtract.outer(found.values, found.values).T))
        assert ((wins + wins.T) * likely).sum(axis=1) == pytest.approx(wins.sum(axis=1), abs=1e-9)
        assert sum(found.values) == pytest.approx(0, abs=1e-9)
    else:
        assert found.reason == "not_connected"


@given(WINS, WINS)
@settings(deadline=None)
def test_the_position_has_an_effect_where_the_likelihood_has_a_maximum(rows, others):
    items = min(len(rows), len(others))
    first, second = (
        np.array([row[:items] for row in table[:items]], dtype=float) * (1 - np.eye(items))
        for table in (rows, others)
    )
    found = fit(first, second, position=True)
    assert (found.reason is None) == has_one_maximum(first, second)
    if found.reason is None:
        likely = 1 / (1 + np.exp(np.subtract.outer(found.values, found.values).T - found.first))
        assert ((first + second.T) * likely).sum() == pytest.approx(first.sum(), abs=1e-8)


def has_one_maximum(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether no direction, of strengths (that of item 0 held) and of h, makes no outcome less likely."""
    items = len(first)
    gains = []
    for table, sign in ((first, 1), (second, -1)):
        for winner, loser in np.argwhere(table > 0):
            gain = np.zeros(items + 1)
            gain[winner], gain[loser], gain[items] = 1, -1, sign
            gains.append(gain[1:])
    if not gains:
        return False
    for goal in np.concatenate([np.eye(items), -np.eye(items)]):
        best = linprog(goal, A_ub=-np.array(gains), b_ub=np.zeros(len(gains)), bounds=(-1, 1))
        if best.fun < -1e-6:
            return False
    return True


def test_an_advantage_that_strengths_explain_as_well_is_not_identified():
    # Each item always meets the next, shown first: 0 over 1 over 2 over 0, and never the other way round.
    first = np.array([[0, 3, 0], [0, 0, 3], [3, 0, 0]], dtype=float)
    found = fit(first, np.zeros((3, 3)), position=True)
    assert (found.values, found.first, found.reason) == (None, None, "position_not_identified")
    # A circle of wins of those shown second is enough: strengths cannot follow h both ways.
    second = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)
    assert fit(first, second, position=True).first == pytest.approx(np.log(3))


def test_an_unbeaten_item_has_no_strength_but_with_a_prior():
    wins = np.array([[0, 2, 2], [0, 0, 1], [0, 1, 0]], dtype=float)
    assert fit(wins).reason == "not_connected"
    assert fit(wins, prior="ridge").values[0] > 1
    assert np.isnan(fits(wins[None])).all()


def test_two_groups_that_never_met_have_no_strengths():
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 1
    assert fit(wins).reason == "not_connected"


def test_without_a_comparison_there_is_nothing():
    assert fit(np.zeros((3, 3))).reason == "empty"
    assert fit(np.zeros((0, 0))).reason == "empty"


def test_extreme_records_still_come_to_rest():
    wins = np.array([[0, 1e6, 1], [1, 0, 1e6], [1, 1, 0]], dtype=float)
    found = fit(wins)
    likely = 1 / (1 + np.exp(np.subtract.outer(found.values, found.values).T))
    assert ((wins + wins.T) * likely).sum(axis=1) == pytest.approx(wins.sum(axis=1), rel=1e-9)


def test_a_prior_has_a_positive_weight():
    with pytest.raises(ValueError, match="positive"):
        fit(np.ones((2, 2)) - np.eye(2), prior="ridge", weight=0)


# --- outcomes --------------------------------------------------------------------------------------------


def test_a_tie_is_half_a_win_for_either_side():
    tied = Outcomes(np.array([0, 0, 0]), np.array([1, 1, 1]), np.array([1, 1, 2]))
    first, second = tally(tied, 2)
    np.testing.assert_array_equal(first, [[0, 2], [0, 0]])
    np.testing.assert_array_equal(second, [[0, 0], [1, 0]])
    assert fit(first, second).values == pytest.approx([np.log(2) / 2, -np.log(2) / 2])


def test_turning_the_page_round_turns_the_advantage():
    outcomes = played(first=0.4)
    turned = Outcomes(outcomes.second, outcomes.first, 2 - outcomes.halves)
    one, other = fit(*tally(outcomes, 8), position=True), fit(*tally(turned, 8), position=True)
    assert other.first == pytest.approx(-one.first, abs=1e-9)
    assert other.values == pytest.approx(one.values, abs=1e-9)
    plain = [fit(*tally(each, 8)).values for each in (outcomes, turned)]
    assert plain[0] == pytest.approx(plain[1], abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "halves", "message"),
    [([0], [0], [2], "with itself"), ([0], [1], [3], "halves of a win")],
)
def test_outcomes_that_cannot_be_are_refused(first, second, halves, message):
    with pytest.raises(ValueError, match=message):
        tally(Outcomes(np.array(first), np.array(second), np.array(halves)), 2)


# --- intervals -------------------------------------------------------------------------------------------


def test_intervals_hold_the_strengths_and_the_advantage():
    outcomes = played(first=0.4, ties=0.1)
    found = fit_with_intervals(outcomes, 8, position=True, replicates=200)
    assert all(
        low < value < high for low, value, high in zip(found.low, found.values, found.high, strict=True)
    )
    assert found.first_low < found.first < found.first_high
    assert found.values == fit(*tally(outcomes, 8), position=True).values
    assert found.undefined == 0


@pytest.mark.parametrize("clustered", [True, False])
def test_intervals_do_not_hang_on_the_order_of_rows(clustered):
    outcomes = played(games=300)
    prompt = outcomes.prompt if clustered else None
    order = np.random.default_rng(2).permutation(300)
    shuffled = Outcomes(
        outcomes.first[order],
        outcomes.second[order],
        outcomes.halves[order],
        prompt[order] if clustered else None,
    )
    plain = Outcomes(outcomes.first, outcomes.second, outcomes.halves, prompt)
    one = fit_with_intervals(plain, 8, replicates=50)
    assert one == fit_with_intervals(shuffled, 8, replicates=50)
    assert one != fit_with_intervals(plain, 8, replicates=50, seed="other")


def test_prompts_whose_comparisons_say_the_same_widen_the_intervals():
    outcomes = played(games=200)
    twenty_times = Outcomes(
        *(np.repeat(part, 20) for part in (outcomes.first, outcomes.second, outcomes.halves))
    )
    clustered = Outcomes(
        twenty_times.first, twenty_times.second, twenty_times.halves, np.repeat(np.arange(200), 20)
    )
    width = {}
    for name, each in (("apart", twenty_times), ("clustered", clustered)):
        found = fit_with_intervals(each, 8, replicates=200)
        width[name] = np.mean(np.subtract(found.high, found.low))
    assert width["clustered"] == pytest.approx(width["apart"] * 20**0.5, rel=0.25)


def test_a_replicate_is_the_fit_of_what_was_drawn(monkeypatch):
    outcomes = played(items=4, games=40)
    weights = np.random.default_rng(3).integers(1, 3, (5, 10)).astype(float)
    seen = []
    monkeypatch.setattr(bootstrap, "resamples", lambda *_: iter([weights]))
    monkeypatch.setattr(bootstrap, "interval", lambda column: seen.append(column) or (0.0, 0.0))
    fit_with_intervals(outcomes, 4, replicates=5, position=True)
    for row, weight in enumerate(weights):
        times = weight[outcomes.prompt].astype(int)
        drawn = Outcomes(
            *(np.repeat(part, times) for part in (outcomes.first, outcomes.second, outcomes.halves))
        )
        expected = fit(*tally(drawn, 4), position=True)
        assert [column[row] for column in seen] == pytest.approx([*expected.values, expected.first], abs=1e-9)


def test_replicates_without_a_maximum_are_counted_and_left_out():
    outcomes = Outcomes(np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([2, 2, 2]), np.array([0, 1, 2]))
    found = fit_with_intervals(outcomes, 2, replicates=300)
    assert 70 < found.undefined < 130  # 1/27 + 8/27 of them
    assert None not in (found.low, found.high)


def test_strengths_that_are_not_defined_have_no_intervals():
    outcomes = Outcomes(np.array([0]), np.array([1]), np.array([2]))
    found = fit_with_intervals(outcomes, 2, replicates=10)
    assert (found.values, found.low, found.reason) == (None, None, "not_connected")
    assert found.as_dict()["reason"] == "not_connected"
