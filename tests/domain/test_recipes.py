"""Parameters of a recipe: what they may be, and what is said where they may not."""

import json
from dataclasses import fields
from fractions import Fraction

import pytest
from hypothesis import given, settings

from curation.domain import recipes
from curation.domain.recipes import RecipeError, WritingPreference
from tests.domain import material_strategies

pytestmark = pytest.mark.files


def read(**given_values: object) -> WritingPreference:
    return WritingPreference.from_parameters(given_values)


def refusal(**given_values: object) -> str:
    with pytest.raises(RecipeError) as caught:
        read(**given_values)
    assert caught.value.code == "bad_parameter"
    return str(caught.value)


def test_without_parameters_the_defaults_hold():
    assert read() == WritingPreference()
    assert read().parameters() == {
        "min_gap": "1",
        "min_common": 2,
        "unanimous": False,
        "max_length_ratio": None,
        "max_pairs_per_response": None,
        "max_pairs_per_prompt": None,
        "length_symmetry": True,
        "length_unit": "auto",
        "buckets": 100,
        "strata": "none",
        "quota": None,
        "seed": "plumb-1",
    }


@pytest.mark.parametrize(
    ("given_value", "gap"),
    [
        ("1", 1),
        ("3/2", Fraction(3, 2)),
        ("1.5", Fraction(3, 2)),
        (1.5, Fraction(3, 2)),
        (1, 1),
        (0.1, Fraction(1, 10)),
        ("4/3", Fraction(4, 3)),
        ("0", 0),
        ("3", 3),
        (" 2 ", 2),
    ],
)
def test_a_gap_is_read_exactly_as_it_is_written(given_value, gap):
    assert read(min_gap=given_value).min_gap == gap


@pytest.mark.parametrize(
    "value",
    [
        "",
        "one",
        "-1",
        "4",
        "1/0",
        "1e0",
        "１",
        "1.5/2",
        "1/2/3",
        "inf",
        "nan",
        True,
        None,
        [1],
        float("nan"),
        "9" * 400,
    ],
)
def test_a_gap_that_is_none_is_refused_with_what_it_may_be(value):
    assert "use a number from 0 to 3, such as 1, 1.5 or 3/2" in refusal(min_gap=value)


@pytest.mark.parametrize(
    ("value", "ratio"), [("2", 2), ("3/2", Fraction(3, 2)), ("off", None), ("none", None), (None, None)]
)
def test_a_length_ratio_may_be_off(value, ratio):
    assert read(max_length_ratio=value).max_length_ratio == ratio


@pytest.mark.parametrize("value", ["0.5", "99/100", "on", "", False])
def test_a_length_ratio_below_1_is_refused(value):
    assert "off, or a number of 1 or more" in refusal(max_length_ratio=value)


@pytest.mark.parametrize("name", ["unanimous", "length_symmetry"])
@pytest.mark.parametrize(("value", "on"), [("on", True), ("off", False), (True, True), (False, False)])
def test_a_switch_is_on_or_off(name, value, on):
    assert getattr(read(**{name: value}), name) is on


@pytest.mark.parametrize("value", ["yes", "ON", "true", "1", 1, 0, "", None])
def test_a_switch_of_another_word_is_refused(value):
    assert "use on or off" in refusal(unanimous=value)


@pytest.mark.parametrize("name", ["max_pairs_per_response", "max_pairs_per_prompt", "quota"])
def test_a_limit_is_off_or_a_whole_number(name):
    assert getattr(read(**{name: "5"}), name) == 5
    assert getattr(read(**{name: "off"}), name) is None
    for value in ("0", "-1", "1.0", 2.5, True, "x"):
        assert "off, or a whole number of 1 or more" in refusal(**{name: value})


def test_buckets_are_even():
    assert read(buckets="20").buckets == 20
    for value in ("0", "1", "7", "1000002", "off", 4.0, True):
        assert "use an even whole number from 2 to 1000000" in refusal(buckets=value)


def test_min_common_is_at_least_2():
    assert read(min_common="3").min_common == 3
    for value in ("1", "0", "2.0", "many"):
        assert "use a whole number of 2 or more" in refusal(min_common=value)


def test_a_choice_names_the_ones_there_are():
    assert read(strata="language+genre", length_unit="characters").strata == "language+genre"
    assert "use none, language or language+genre" in refusal(strata="genre")
    assert "use auto, words or characters" in refusal(length_unit="tokens")


def test_a_seed_is_a_text_on_one_line():
    assert read(seed="x").seed == "x"
    for value in ("", "a\nb", "x" * 201, 7, "\ud800"):
        assert "use a text of 1 to 200 characters" in refusal(seed=value)


def test_an_unknown_parameter_is_refused_with_the_nearest_name():
    said = refusal(mingap="1")
    assert "there is no parameter 'mingap'; did you mean min_gap? Known: min_gap, min_common" in said
    assert "Known: " in refusal(zzz="1")


def test_an_unknown_recipe_is_refused_with_the_nearest_name():
    assert recipes.recipe("writing-preference", {"buckets": "20"}).buckets == 20
    with pytest.raises(RecipeError, match="did you mean writing-preference"):
        recipes.recipe("writing_preferences", {})


def test_every_parameter_has_a_reader():
    assert set(recipes.READERS) == {field.name for field in fields(WritingPreference)}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(material_strategies.recipes)
def test_parameters_survive_json(recipe):
    again = json.loads(json.dumps(recipe.parameters()))
    assert WritingPreference.from_parameters(again) == recipe
    assert list(again) == [field.name for field in fields(recipe)]
