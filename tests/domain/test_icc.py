"""Intraclass correlations: published cases, where they are not defined, and what must not matter."""

import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.domain import icc
from curation.domain.icc import FORMS, coefficients

pytestmark = pytest.mark.files

FACTS = json.loads((Path(__file__).parent.parent / "facts" / "icc.json").read_text(encoding="utf-8"))

TABLES = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 3), min_size=k, max_size=k), min_size=2, max_size=8)
)


def cases(statistic: str) -> list[object]:
    return [pytest.param(case, id=case["id"]) for case in FACTS if case["statistic"] == statistic]


def noisy(texts: int = 30, annotators: int = 4) -> list[list[float]]:
    chance = random.Random(4)
    return [
        [merit + chance.choice((-1, 0, 0, 1)) + (place == 0) for place in range(annotators)]
        for merit in (chance.randrange(8) for _ in range(texts))
    ]


# --- published values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases("icc_shrout_fleiss"))
def test_the_published_coefficients(case):
    found = coefficients(case["input"]["ratings"])
    assert {form: each.value for form, each in found.items()} == pytest.approx(
        case["expected"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases("icc_confidence_limits"))
def test_the_published_limits(case):
    found = coefficients(case["input"]["ratings"]).values()
    assert [each.low for each in found] == pytest.approx(case["expected"]["lower"], abs=case["tolerance"])
    assert [each.high for each in found] == pytest.approx(case["expected"]["upper"], abs=case["tolerance"])


# --- where they are not defined --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "fewer_than_two_units"),
        ([[1, 2]], "fewer_than_two_units"),
        ([[1], [2]], "fewer_than_two_annotators"),
        ([[1, None], [2, 2]], "missing_values"),
        ([[2, 2], [2, 2]], "no_variation"),
    ],
)
def test_a_form_that_is_not_defined_says_why(rows, reason):
    for each in coefficients(rows).values():
        assert (each.value, each.low, each.high, each.reason) == (None, None, None, reason)


def test_a_mean_of_annotators_without_variance_between_texts_has_no_coefficient():
    found = coefficients([[1, 2], [2, 1]])
    assert found["ICC1k"].reason == found["ICC3k"].reason == "no_variation"
    assert found["ICC3"].value == -1


def test_rows_of_different_lengths_and_endless_values_are_refused():
    with pytest.raises(ValueError, match="length"):
        coefficients([[1, 2], [1]])
    with pytest.raises(ValueError, match="finite"):
        coefficients([[1, math.inf], [1, 2]])


# --- what they mean --------------------------------------------------------------------------------------


def test_agreement_in_everything_is_one_without_limits():
    for each in coefficients([[0, 0, 0], [1, 1, 1], [3, 3, 3]]).values():
        assert (each.value, each.low, each.high) == (1, None, None)


def test_constant_severity_lowers_all_forms_but_the_third():
    found = coefficients([[0, 1], [1, 2], [2, 3]])
    assert found["ICC3"].value == 1
    assert found["ICC1"].value < 1
    assert found["ICC2"].value < 1


def test_the_second_form_lies_within_its_limits_and_a_step_up_is_that_of_spearman_and_brown():
    rows = noisy()
    found = coefficients(rows)
    for each in found.values():
        assert each.low < each.value < each.high
    for one, mean in (("ICC1", "ICC1k"), ("ICC2", "ICC2k"), ("ICC3", "ICC3k")):
        stepped = 4 * found[one].value / (1 + 3 * found[one].value)
        assert found[mean].value == pytest.approx(stepped)


@given(TABLES, st.integers(-5, 5), st.integers(1, 4), st.randoms(use_true_random=False))
def test_neither_order_nor_unit_of_measurement_matters(rows, shift, scale, chance):
    turned = [[value * scale + shift for value in row] for row in rows]
    chance.shuffle(turned)
    places = list(range(len(rows[0])))
    chance.shuffle(places)
    turned = [[row[place] for place in places] for row in turned]
    assert coefficients(turned) == coefficients(rows)


@given(TABLES)
def test_no_number_is_endless_and_no_single_form_is_above_one(rows):
    found = coefficients(rows)
    for form in FORMS:
        each = found[form]
        assert (each.value is None) != (each.reason is None)
        numbers = [each.value, each.low, each.high]
        assert all(math.isfinite(number) for number in numbers if number is not None)
    for form in ("ICC1", "ICC2", "ICC3"):
        assert found[form].value is None or found[form].value <= 1


@settings(max_examples=400, deadline=None)
@given(TABLES)
def test_a_value_lies_within_its_limits(rows):
    for each in coefficients(rows).values():
        if each.low is not None:
            assert each.low - 1e-9 <= each.value <= each.high + 1e-9


def test_a_mean_has_no_limits_where_those_of_one_annotator_reach_the_pole_of_the_step_up():
    found = coefficients([[0, 3], [0, 0], [1, 2], [3, 0]])
    assert found["ICC2"].low <= -1
    assert (found["ICC2k"].low, found["ICC2k"].high) == (None, None)


@given(TABLES)
def test_the_mean_squares_add_up(rows):
    s = icc.mean_squares(rows)
    values = [Fraction(value) for row in rows for value in row]
    mean = sum(values) / len(values)
    total = sum((value - mean) ** 2 for value in values)
    assert total == s.between * (s.n - 1) + s.within * s.n * (s.k - 1)
    assert total == s.between * (s.n - 1) + s.columns * (s.k - 1) + s.error * (s.n - 1) * (s.k - 1)
