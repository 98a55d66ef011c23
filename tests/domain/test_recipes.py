"""Parameters of a recipe: what they may be, and what is said where they may not."""

import json
from dataclasses import fields
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given, settings

from curation.domain import recipe_values, recipes
from curation.domain.recipes import LitBench, RecipeError, WritingPreference
from tests.domain import material_strategies, story_strategies

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
        assert "use a whole number from 2 to 999999999" in refusal(min_common=value)


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
    names = {field.name for kind in recipes.RECIPES.values() for field in fields(kind)}
    assert set(recipe_values.READERS) == names - {"order"}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(material_strategies.recipes)
def test_parameters_survive_json(recipe):
    again = json.loads(json.dumps(recipe.parameters()))
    assert WritingPreference.from_parameters(again) == recipe
    if not recipe.order:
        assert list(again) == [field.name for field in fields(recipe) if field.name != "order"]


# --- litbench --------------------------------------------------------------------------------------------


def votes(**given_values: object) -> LitBench:
    return LitBench.from_parameters(given_values)


def refusal_of_votes(**given_values: object) -> str:
    with pytest.raises(RecipeError) as caught:
        votes(**given_values)
    return str(caught.value)


def test_litbench_has_the_numbers_of_its_paper():
    assert votes() == recipes.recipe("litbench", {}) == LitBench()
    assert votes().parameters() == {
        "min_upvotes": 10,
        "min_words": 50,
        "max_tokens": 2048,
        "min_difference": "1/4",
        "time_rule": True,
        "length_symmetry": True,
        "length_unit": "auto",
        "buckets": 100,
        "strata": "none",
        "seed": "plumb-1",
        "split_at": None,
    }


def test_the_ablations_of_the_paper_are_recipes_that_lack_one_rule_each():
    without_time = recipes.recipe("litbench-without-time-rule", {})
    assert without_time.parameters() == {**votes().parameters(), "time_rule": False}
    without_pruning = recipes.recipe("litbench-without-length-filter", {"buckets": "20"})
    assert without_pruning.parameters() == {**votes(buckets=20).parameters(), "length_symmetry": False}
    assert (without_time.name, without_time.version) == ("litbench-without-time-rule", 1)


@pytest.mark.parametrize("value", ["1/4", "0.25", 0.25, "2/8"])
def test_a_least_difference_is_read_exactly(value):
    assert votes(min_difference=value).min_difference == Fraction(1, 4)


@pytest.mark.parametrize("value", ["5/4", "-1", "25%", "off", None, True])
def test_a_least_difference_is_a_share(value):
    assert "use a number from 0 to 1, such as 1/4 or 0.25" in refusal_of_votes(min_difference=value)


@pytest.mark.parametrize("name", ["min_upvotes", "min_words"])
def test_a_least_number_may_be_0(name):
    assert getattr(votes(**{name: "0"}), name) == 0
    for value in ("-1", "1.5", "off", True):
        assert "a whole number of 0 or more" in refusal_of_votes(**{name: value})


def test_a_largest_number_of_tokens_may_be_off():
    assert votes(max_tokens="off").max_tokens is None
    assert "off, or a whole number of 1 or more" in refusal_of_votes(max_tokens="0")


@pytest.mark.parametrize(
    "value",
    [
        "2023-01-01",
        "2023-01-01T00:00:00",
        "2023-01-01T00:00:00Z",
        "2023-01-01T01:00:00+01:00",
        " 2023-01-01 ",
    ],
)
def test_a_split_is_at_a_moment_and_a_day_begins_at_midnight_utc(value):
    recipe = votes(split_at=value)
    assert recipe.split_at == datetime(2023, 1, 1, tzinfo=UTC)
    assert recipe.parameters()["split_at"] == "2023-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "value", ["", "yesterday", "2023", "01/02/2023", 2023, True, "0001-01-01T00:00:00+01:00"]
)
def test_a_split_at_no_moment_is_refused(value):
    said = refusal_of_votes(split_at=value)
    assert "off, or a date or time in ISO 8601, such as 2023-01-01" in said


def test_a_parameter_of_another_recipe_is_unknown():
    assert "there is no parameter 'min_gap'" in refusal_of_votes(min_gap="1")
    assert "there is no parameter 'split_at'" in refusal(split_at="off")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(story_strategies.recipes)
def test_parameters_of_litbench_survive_json(recipe):
    assert LitBench.from_parameters(json.loads(json.dumps(recipe.parameters()))) == recipe
