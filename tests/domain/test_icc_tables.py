"""Intraclass correlations of many texts: the same as of few, and as of other programs; tables with gaps; intervals."""

import numpy as np
import pandas as pd
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from curation.domain import icc, value_patterns
from curation.domain.icc_tables import filled, one_way
from tests.domain import many_raters

pytestmark = pytest.mark.files

TABLES = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=2, max_size=8)
)


def scores(texts: int, annotators: int, seed: int) -> np.ndarray:
    """A filled table of scores with one severe annotator."""
    random = np.random.default_rng(seed)
    merit = random.integers(0, 4, (texts, 1))
    table = merit + random.integers(-1, 2, (texts, annotators))
    table[:, 0] -= 1
    return np.clip(table, 0, 3).astype(np.uint8)


def patterns_of(table: np.ndarray) -> value_patterns.Patterns:
    unit = np.repeat(np.arange(len(table)), table.shape[1])
    return value_patterns.of_codes(unit, table.ravel(), n_values=4)


# --- the same as elsewhere -------------------------------------------------------------------------------


@settings(deadline=None)
@given(TABLES)
def test_a_filled_table_has_the_exact_coefficients_and_limits(rows):
    found = filled(np.array(rows, dtype=np.uint8), replicates=0)
    exact = icc.coefficients(rows)
    for form in icc.FORMS:
        one, other = found[form], exact[form]
        assert (one.value, one.low, one.high, one.reason) == (
            other.value,
            other.low,
            other.high,
            other.reason,
        )


@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize(("annotators", "seed"), [(2, 1), (3, 2), (8, 3)])
def test_it_agrees_with_pingouin(annotators, seed):
    table = scores(60, annotators, seed)
    text, who = np.indices(table.shape)
    frame = pd.DataFrame({"text": text.ravel(), "who": who.ravel(), "score": table.ravel().astype(float)})
    expected = pingouin.intraclass_corr(frame, targets="text", raters="who", ratings="score")
    found = filled(table, replicates=0)
    values = [found[form].value for form in icc.FORMS]
    assert values == pytest.approx(expected["ICC"].tolist(), abs=1e-9)


def test_other_values_of_the_scale_are_what_is_measured():
    table = scores(30, 3, seed=4)
    stretched = filled(table, scale=(0, 1, 4, 9), replicates=0)
    exact = icc.coefficients([[value**2 for value in row] for row in table.tolist()])
    assert {form: each.value for form, each in stretched.items()} == {
        form: each.value for form, each in exact.items()
    }


@pytest.mark.parametrize("seed", range(3))
def test_unequal_numbers_follow_from_the_one_way_analysis_of_variance(seed):
    unit, _who, code = many_raters.scores(80, seed)
    found = one_way(value_patterns.of_codes(unit, code, n_values=4), replicates=0)
    frame = pd.DataFrame({"unit": unit, "score": code.astype(float)})
    between, within = anova_lm(ols("score ~ C(unit)", frame).fit())["mean_sq"]
    sizes = np.bincount(unit)
    sizes = sizes[sizes > 0]
    m0 = (len(unit) - (sizes**2).sum() / len(unit)) / (len(sizes) - 1)
    assert found.ratings == pytest.approx(m0, abs=1e-12)
    assert found.forms["ICC1"].value == pytest.approx(
        (between - within) / (between + (m0 - 1) * within), abs=1e-9
    )
    assert found.forms["ICC1k"].value == pytest.approx((between - within) / between, abs=1e-9)
    assert (found.n_units, found.n_ratings) == (len(sizes), len(unit))


@settings(deadline=None)
@given(TABLES)
def test_equal_numbers_have_the_one_way_forms_of_a_filled_table(rows):
    found, exact = one_way(patterns_of(np.array(rows)), replicates=0), icc.coefficients(rows)
    assert found.ratings == pytest.approx(len(rows[0]))
    for form in ("ICC1", "ICC1k"):
        value = exact[form].value
        assert found.forms[form].value == (value if value is None else pytest.approx(value, abs=1e-9))
        assert found.forms[form].reason == exact[form].reason


# --- where they are not defined --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "reason"), [((1, 3), "fewer_than_two_units"), ((3, 1), "fewer_than_two_annotators")]
)
def test_too_small_a_table_has_a_reason_and_no_number(shape, reason):
    for each in filled(np.zeros(shape, dtype=np.uint8)).values():
        assert (each.value, each.low, each.drawn_low, each.reason) == (None, None, None, reason)


def test_one_score_throughout_is_no_variation():
    for found in (
        filled(np.ones((4, 3), dtype=np.uint8)),
        one_way(patterns_of(np.ones((4, 3), dtype=int))).forms,
    ):
        assert {(each.value, each.reason) for each in found.values()} == {(None, "no_variation")}


def test_a_gap_in_a_filled_table_is_refused():
    with pytest.raises(ValueError, match="not one of the 4"):
        filled(np.array([[1, 2], [255, 1]], dtype=np.uint8))


@pytest.mark.parametrize(
    ("unit", "reason"),
    [([], "empty"), ([0, 0], "fewer_than_two_units"), ([0, 1, 2], "no_pairable_values")],
)
def test_a_table_with_gaps_that_shows_nothing_says_why(unit, reason):
    codes = np.arange(len(unit)) % 4
    found = one_way(value_patterns.of_codes(np.array(unit, dtype=np.int64), codes, n_values=4))
    assert found.ratings is None
    assert {(each.value, each.drawn_low, each.reason) for each in found.forms.values()} == {
        (None, None, reason)
    }


def test_texts_of_equal_means_have_no_coefficient_of_a_mean():
    """Also where a mean is no whole number: nothing is left of the subtraction."""
    unit = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    codes = np.array([0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0])
    found = one_way(value_patterns.of_codes(unit, codes, n_values=4), replicates=0)
    assert (found.forms["ICC1k"].value, found.forms["ICC1k"].reason) == (None, "no_variation")
    assert found.forms["ICC1"].value < 0


# --- intervals -------------------------------------------------------------------------------------------


def test_a_replicate_is_the_coefficient_of_the_texts_drawn():
    table = np.array([[0, 1], [2, 2], [3, 1]], dtype=np.uint8)
    found = filled(table, replicates=4000)
    draws = [icc.coefficients(table[list(draw)].tolist()) for draw in np.ndindex(3, 3, 3)]
    for form in icc.FORMS:
        values = [each[form].value for each in draws]
        defined = [value for value in values if value is not None]
        assert found[form].drawn_low == pytest.approx(min(defined), abs=1e-12)
        assert found[form].drawn_high == pytest.approx(max(defined), abs=1e-12)
        assert found[form].undefined / 4000 == pytest.approx(values.count(None) / 27, abs=0.03)


def test_the_bootstrap_is_near_the_limits_by_f_where_texts_are_many_and_independent():
    found = filled(scores(2000, 3, seed=5))
    for form in ("ICC1", "ICC3"):
        each = found[form]
        assert each.drawn_low < each.value < each.drawn_high
        assert each.drawn_low == pytest.approx(each.low, abs=0.015)
        assert each.drawn_high == pytest.approx(each.high, abs=0.015)


def test_prompts_are_drawn_with_all_their_texts():
    table = np.repeat(scores(20, 3, seed=6), 10, axis=0)
    prompts = np.repeat(np.arange(20), 10)
    texts, by_prompt = (filled(table, cluster=cluster)["ICC1"] for cluster in (None, prompts))
    assert by_prompt.value == texts.value
    assert by_prompt.drawn_high - by_prompt.drawn_low > 2 * (texts.drawn_high - texts.drawn_low)
    gaps, gaps_by_prompt = (one_way(patterns_of(table), cluster=c).forms["ICC1"] for c in (None, prompts))
    assert gaps_by_prompt.drawn_high - gaps_by_prompt.drawn_low > 2 * (gaps.drawn_high - gaps.drawn_low)


def test_an_interval_follows_from_data_and_seed_and_not_from_the_order_of_texts():
    table = scores(100, 3, seed=7)
    assert filled(table) == filled(table[::-1])
    assert filled(table)["ICC2"] != filled(table, seed="other")["ICC2"]
    assert one_way(patterns_of(table)) == one_way(patterns_of(table[::-1]))
