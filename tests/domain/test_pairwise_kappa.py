"""Kappa of all pairs of annotators: published tables, other programs, where it is not defined, what must not matter."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from annotation.domain import kappa
from curation.domain import pairwise_kappa
from curation.domain.pairwise_kappa import NOBODY, between, kappas, light
from tests.domain import many_raters

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "kappa.json").read_text(encoding="utf-8"))
KINDS = {"unweighted": "plain", "linear": "linear", "quadratic": "quadratic"}

RATINGS = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 4)), st.integers(0, 3), min_size=1, max_size=20
)


def arrays(rated: dict[tuple[int, int], int]) -> tuple[np.ndarray, ...]:
    rows = np.array([(unit, who, code) for (unit, who), code in rated.items()], dtype=np.int64)
    return tuple(rows.reshape(-1, 3).T)


def of_table(table: list[list[int]]) -> dict[tuple[int, int], int]:
    pairs = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return {(unit, who): pair[who] for unit, pair in enumerate(pairs) for who in (0, 1)}


# --- published values, and other programs ----------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["id"])
        for case in FACTS
        if "table" in case["input"] and "kappa" in case["expected"] and "rows" in case["input"]
    ],
)
def test_it_has_the_published_value(case):
    table = case["input"]["table"]
    found = kappas(*arrays(of_table(table)), scale=range(len(table)))[0, 1]
    assert found.n == sum(map(sum, table))
    assert getattr(found, KINDS[case["input"]["weights"]]) == pytest.approx(
        case["expected"]["kappa"], abs=case["tolerance"]
    )


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["id"])
        for case in FACTS
        if "declared" in case["input"].get("weights_on", "")
    ],
)
def test_weights_come_from_the_declared_scale(case):
    rated = {(unit, who): pair[who] - 1 for unit, pair in enumerate(case["input"]["pairs"]) for who in (0, 1)}
    found = kappas(*arrays(rated), scale=range(1, 7))[0, 1]
    assert getattr(found, KINDS[case["input"]["weights"]]) == pytest.approx(
        case["expected"]["kappa"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", many_raters.cases("many_rater_kappas"))
def test_lights_kappa_is_the_mean_over_all_pairs(case):
    units, scale = many_raters.units_of(case["input"]), many_raters.scale_of(case["input"])
    rated = {(u, who): scale.index(value) for u, row in enumerate(units) for who, value in enumerate(row)}
    found = kappas(*arrays(rated), scale=range(len(scale)))
    assert light(found) == pytest.approx(case["expected"]["light"], abs=case["tolerance"])


@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_scikit_learn_on_every_pair(seed):
    unit, who, code = many_raters.scores(150, seed)
    rated = {(u, w): c for u, w, c in zip(unit.tolist(), who.tolist(), code.tolist(), strict=True)}
    found = kappas(unit, who, code)
    assert len(found) == 28
    for one, other in combinations(range(8), 2):
        both = [u for u in range(150) if (u, one) in rated and (u, other) in rated]
        columns = [[rated[u, w] for u in both] for w in (one, other)]
        assert found[one, other].n == len(both)
        for kind, weights in (("plain", None), ("linear", "linear"), ("quadratic", "quadratic")):
            expected = cohen_kappa_score(*columns, labels=[0, 1, 2, 3], weights=weights)
            assert getattr(found[one, other], kind) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(RATINGS)
def test_it_is_the_exact_kappa_of_the_table_of_the_two(rated):
    found = kappas(*arrays(rated))
    for one, other in combinations(range(5), 2):
        table = kappa.tabulate(*({u: c for (u, w), c in rated.items() if w == who} for who in (one, other)))
        each = between(found, one, other)
        for kind, weights in (("plain", "none"), ("linear", "linear"), ("quadratic", "quadratic")):
            exact = kappa.coefficients(table, weights=weights)
            value = getattr(each, kind)
            assert each.n == exact.n
            assert (value is None) == (exact.kappa is None)
            assert value is None or value == pytest.approx(float(exact.kappa), abs=1e-12)


# --- where it is not defined -----------------------------------------------------------------------------


def test_two_who_share_nothing_have_a_reason_and_no_number():
    found = kappas(*arrays({(0, 0): 1, (0, 1): 2, (1, 2): 1}))
    assert set(found) == {(0, 1)}
    assert between(found, 2, 0) == NOBODY
    assert (NOBODY.n, NOBODY.quadratic, NOBODY.reason) == (0, None, "nothing_shared")


def test_one_score_throughout_has_a_reason_and_no_number():
    found = kappas(*arrays({(u, w): 2 for u in range(4) for w in range(2)}))[0, 1]
    assert (found.n, found.plain, found.linear, found.quadratic) == (4, None, None, None)
    assert found.reason == "no_variation"
    assert light({(0, 1): found}) is None


def test_one_who_never_varies_agrees_as_much_as_chance():
    found = kappas(*arrays({(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 3}))[0, 1]
    assert (found.plain, found.linear, found.quadratic, found.reason) == (0, 0, 0, None)


def test_nothing_at_all_is_no_pair():
    nothing = np.zeros(0, dtype=np.int64)
    assert kappas(nothing, nothing, nothing) == {}


def test_a_second_rating_of_a_unit_is_refused():
    with pytest.raises(ValueError, match="two ratings"):
        kappas(np.array([0, 0]), np.array([1, 1]), np.array([2, 3]))


def test_columns_that_differ_and_codes_off_the_scale_are_refused():
    with pytest.raises(ValueError, match="length"):
        kappas(np.array([0, 0]), np.array([0, 1]), np.array([2]))
    with pytest.raises(ValueError, match="not one of the 4"):
        kappas(np.array([0, 0]), np.array([0, 1]), np.array([2, 4]))


# --- what must not matter --------------------------------------------------------------------------------


@settings(deadline=None)
@given(RATINGS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rated, random):
    rows = list(rated.items())
    random.shuffle(rows)
    assert kappas(*arrays(dict(rows))) == kappas(*arrays(rated))


@settings(deadline=None)
@given(RATINGS)
def test_it_does_not_matter_which_of_two_comes_first(rated):
    found = kappas(*arrays(rated))
    turned = kappas(*arrays({(unit, 4 - who): code for (unit, who), code in rated.items()}))
    for one, other in combinations(range(5), 2):
        assert between(turned, 4 - one, 4 - other) == between(found, one, other)


def test_many_annotators_are_counted_in_another_way_with_the_same_result(monkeypatch):
    unit, who, code = many_raters.scores(200, seed=9)
    usual = kappas(unit, who, code)
    monkeypatch.setattr(pairwise_kappa, "CELLS", 0)
    assert kappas(unit, who, code) == usual
