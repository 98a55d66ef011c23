"""Agreement of rankings: published cases, other programs, real rankings, and what must not matter."""

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curation.domain import rank_agreement
from curation.domain.rank_agreement import concordance, concordances, correlation, correlations

pytestmark = pytest.mark.files

FACTS = json.loads(
    (Path(__file__).parent.parent / "facts" / "rank_agreement.json").read_text(encoding="utf-8")
)
LAMP = Path(__file__).parents[2] / ".." / "shared" / "data" / "lamp_rankings"
SOURCES = ("Human-edited", "AI-generated", "AI-edited")

PAIRS = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2)
)


def cases(statistic: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def noisy(rows: int, items: int, *, values: int = 1000, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Two sides that have something in common; few values tie."""
    chance = np.random.default_rng(seed)
    merit = chance.integers(0, values, (rows, items))
    one, other = (merit + chance.integers(0, values, (rows, items)) for _ in range(2))
    return (one // 2).astype(float), (other // 2).astype(float)


@pytest.fixture(params=["by pairs", "by sorting"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as for many short rankings and once as for a long one: different counting, the same results."""
    if request.param == "by sorting":
        monkeypatch.setattr(rank_agreement, "BY_PAIRS", 1)


# --- published values ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("case", cases("kendall_w"))
def test_the_published_concordance(case):
    table = np.array(case["input"]["ratings"], dtype=float).T
    found = concordance(table, ties_corrected=case["input"].get("tie_correction", True))
    names = {"W": found.w, "chi2": found.chi2, "df": found.df, "p": found.p, "reason": found.reason}
    for name, value in case["expected"].items():
        assert names[name] == pytest.approx(value, abs=case["tolerance"])


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("case", cases("rank_correlation"))
def test_the_published_correlations(case):
    one, other = case["input"]["x"], case["input"]["y"]
    found = correlation(one, other)
    expected = dict(case["expected"])
    p = expected.pop("p_kendall", None)
    names = {"tau_a": found.tau_a, "tau_b": found.tau_b, "spearman": found.spearman}
    assert names == pytest.approx(expected, abs=case["tolerance"])
    if p is not None:
        assert rank_agreement.kendall_p(one, other) == pytest.approx(p, abs=case["tolerance"])


# --- other programs --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("items", [2, 3, 8, 40])
@pytest.mark.parametrize("values", [3, 1000])
def test_correlations_are_those_of_scipy(items, values):
    one, other = noisy(15, items, values=values)
    found = correlations(one, other)
    for row in range(15):
        if min(len(set(one[row])), len(set(other[row]))) < 2:
            assert np.isnan([found.tau_b[row], found.spearman[row]]).all()
            continue
        tau, rho = stats.kendalltau(one[row], other[row]), stats.spearmanr(one[row], other[row])
        assert found.tau_b[row] == pytest.approx(tau.statistic, abs=1e-9)
        assert found.spearman[row] == pytest.approx(rho.statistic, abs=1e-9)
        exact = len(set(one[row])) == items == len(set(other[row]))
        peer = stats.kendalltau(one[row], other[row], method="exact" if exact else "asymptotic")
        assert rank_agreement.kendall_p(one[row], other[row]) == pytest.approx(peer.pvalue, abs=1e-9)


def test_a_long_ranking_is_as_quick_as_a_sort():
    one, other = noisy(1, 20_000, values=50)
    found = correlation(one[0], other[0])
    assert found.tau_b == pytest.approx(stats.kendalltau(one[0], other[0]).statistic, abs=1e-9)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(("annotators", "items"), [(3, 5), (8, 20)])
def test_concordance_is_that_of_friedman(annotators, items):
    tables = noisy(6 * annotators, items, values=4)[0].reshape(6, annotators, items)
    for table, w in zip(tables, concordances(tables), strict=True):
        peer = stats.friedmanchisquare(*table.T)
        found = concordance(table)
        assert [found.chi2, found.p] == pytest.approx([peer.statistic, peer.pvalue], abs=1e-9)
        assert w == found.w


# --- properties ------------------------------------------------------------------------------------------


@given(PAIRS)
@settings(deadline=None)
def test_order_of_items_sides_and_any_growing_scale_do_not_matter(pair):
    one, other = (np.array(side, dtype=float) for side in pair)
    found = correlation(one, other)
    order = np.random.default_rng(len(one)).permutation(len(one))
    assert correlation(one[order], other[order]) == found
    assert correlation(other, one) == found
    assert correlation(np.exp(one), other * 7 - 2) == found


@given(PAIRS)
@settings(deadline=None)
def test_turning_one_side_over_turns_the_sign(pair):
    one, other = (np.array(side, dtype=float) for side in pair)
    found, turned = correlation(one, other), correlation(one, -other)
    assert turned.tau_a == -found.tau_a
    if found.tau_b is not None:
        assert (turned.tau_b, turned.spearman) == (-found.tau_b, -found.spearman)


@given(PAIRS)
@settings(deadline=None)
def test_w_of_two_is_half_of_one_and_spearman_without_ties(pair):
    one, other = (np.argsort(np.argsort(side, kind="stable")).astype(float) for side in pair)
    expected = (1 + correlation(one, other).spearman) / 2
    assert concordance([one, other]).w == pytest.approx(expected, abs=1e-12)


def test_the_same_ranking_agrees_wholly_with_itself():
    chance = np.random.default_rng(1)
    for items in (2, 5, 80):
        ranking = chance.integers(0, 3, items).astype(float)
        ranking[:2] = (0, 1)
        found = correlation(ranking, ranking)
        assert (found.tau_b, found.spearman) == (1, 1)
        assert concordance([ranking] * 3).w == 1


def test_blocks_change_nothing(monkeypatch):
    one, other = noisy(50, 6, values=4)
    found, agreed = correlations(one, other), concordances(one.reshape(10, 5, 6))
    monkeypatch.setattr(rank_agreement, "CELLS", 20)
    again = correlations(one, other)
    np.testing.assert_array_equal(found.tau_b, again.tau_b)
    np.testing.assert_array_equal(found.spearman, again.spearman)
    np.testing.assert_array_equal(agreed, concordances(one.reshape(10, 5, 6)))


# --- where it is not defined -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1.0], [2.0]], "fewer_than_two_items"),
        ([[1.0, 2.0]], "fewer_than_two_annotators"),
        ([[1.0, np.nan], [2.0, 1.0]], "missing_values"),
        ([[1.0, 1.0], [2.0, 2.0]], "no_variation"),
    ],
)
def test_concordance_is_none_with_a_reason(table, reason):
    found = concordance(table)
    assert (found.w, found.chi2, found.p, found.reason) == (None, None, None, reason)
    assert np.isnan(concordances(np.array([table]))).all()


@pytest.mark.usefixtures("either_way")
def test_a_constant_ranking_has_a_tau_a_of_0_and_no_tau_b():
    found = correlation([1, 1, 1], [1, 2, 3])
    assert (found.tau_a, found.tau_b, found.spearman) == (0, None, None)
    assert found.reason == "constant_ranking"
    assert rank_agreement.kendall_p([1, 1, 1], [1, 2, 3]) is None


@pytest.mark.parametrize(
    ("one", "other", "reason"), [([1], [1], "fewer_than_two_items"), ([1, 2], [np.nan, 1], "missing_values")]
)
def test_correlation_is_none_with_a_reason(one, other, reason):
    found = correlation(one, other)
    assert (found.tau_a, found.tau_b, found.spearman, found.reason) == (None, None, None, reason)
    assert rank_agreement.kendall_p(one, other) is None
    rows = correlations(np.array([one], dtype=float), np.array([other], dtype=float))
    assert np.isnan([rows.tau_a, rows.tau_b, rows.spearman]).all()


def test_sides_of_different_shape_are_refused():
    with pytest.raises(ValueError, match="differ in shape"):
        correlations(np.ones((2, 3)), np.ones((3, 2)))


# --- long tables -----------------------------------------------------------------------------------------


def test_a_long_table_comes_out_by_shape_with_gaps():
    rows = np.array(
        [
            (7, 1, 10, 2), (7, 1, 11, 1), (7, 4, 10, 1), (7, 4, 11, 2),
            (9, 2, 20, 1), (9, 2, 21, 2), (9, 3, 20, 1),
            (3, 1, 30, 1), (3, 1, 31, 2), (3, 1, 32, 3),
        ]
    )  # fmt: skip
    rows = rows[np.random.default_rng(5).permutation(len(rows))]
    prompts, annotators, items, values = rows.T
    found = {
        tuple(table.prompts.tolist()): table.rankings
        for table in rank_agreement.tables(prompts, annotators, items, values.astype(float))
    }
    assert found.keys() == {(3,), (7, 9)}
    np.testing.assert_array_equal(found[7, 9][0], [[2, 1], [1, 2]])
    np.testing.assert_array_equal(found[7, 9][1], [[1, 2], [1, np.nan]])
    np.testing.assert_array_equal(found[3,], [[[1, 2, 3]]])
    np.testing.assert_array_equal(np.isnan(concordances(found[7, 9])), [False, True])


def test_an_empty_table_has_no_prompts():
    nothing = np.array([], dtype=np.int64)
    assert list(rank_agreement.tables(nothing, nothing, nothing, nothing.astype(float))) == []


def test_an_item_ranked_twice_by_one_annotator_is_refused():
    codes = np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="twice"):
        list(rank_agreement.tables(codes, codes, codes, np.ones(2)))


# --- real rankings ---------------------------------------------------------------------------------------


def lamp_rows() -> Iterator[tuple[int, int, int, int]]:
    """Prompt, writer, source of the text, place: by what 'Response 1' to 'Response 3' stood for."""
    paths = sorted(LAMP.glob("batch*/*_items.json"))
    batches = sorted({path.parent.name for path in paths})
    for writer, path in enumerate(paths):
        items = json.loads(path.read_text(encoding="utf-8"))
        name = path.name.replace("_items", "_rankings")
        ranked = json.loads(path.with_name(name).read_text(encoding="utf-8"))
        for number, (item, answer) in enumerate(zip(items, ranked, strict=True)):
            prompt = batches.index(path.parent.name) * 1000 + number
            for place in (1, 2, 3):
                yield prompt, writer, SOURCES.index(item["mapping"][answer[f"rank_{place}"]]), place


@pytest.mark.skipif(not LAMP.is_dir(), reason="needs the LAMP rankings in ../shared/data")
def test_thirteen_writers_agree_on_201_triples_as_published():
    prompts, annotators, items, places = np.array(list(lamp_rows())).T
    (table,) = rank_agreement.tables(prompts, annotators, items, places.astype(float))
    assert table.rankings.shape == (201, 3, 3)
    assert round(concordances(table.rankings).mean(), 4) == 0.7629
    sides = [table.rankings[:, annotator] for annotator in range(3)]
    taus = [correlations(one, other).tau_a for one, other in combinations(sides, 2)]
    assert round(np.mean(taus), 4) == 0.6175
    # Nothing ties, so the mean Spearman of three is fixed by W.
    rhos = [correlations(one, other).spearman for one, other in combinations(sides, 2)]
    assert np.mean(rhos) == pytest.approx((3 * concordances(table.rankings).mean() - 1) / 2)


def test_results_can_be_stored():
    assert concordance([[1, 2], [1, 2]]).as_dict()["w"] == 1
    assert correlation([1, 2], [2, 1]).as_dict()["tau_b"] == -1
