"""A recipe as a list of rules: what it may hold, how it is written, and that a rule left out decides nothing."""

import json
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain import funnel, recipe_values, recipes, rules
from curation.domain.pairing import curate
from curation.domain.recipes import RECIPES, LitBench, RecipeError, Weval, WritingPreference
from curation.domain.rules import Kind
from tests.domain import material_strategies, story_strategies

pytestmark = pytest.mark.files
properties = settings(max_examples=80, deadline=None, derandomize=True)

# The recipe by which single scores are curated: one annotator, so nobody agrees with anybody.
THREE_RULES = WritingPreference.from_parameters({"rules": "identical_text,gap,length_symmetry"})
ALL_RULES = {rule.name: rule for kind in RECIPES.values() for rule in kind.all_rules}
weval_recipes = st.builds(
    Weval,
    complete=st.booleans(),
    ties=st.booleans(),
    pairs=st.sampled_from(["none", "adjacent", "all"]),
    pairs_from=st.sampled_from(["gold", "combined"]),
)
any_recipe = st.one_of(material_strategies.recipes, story_strategies.recipes, weval_recipes)


def listed(names: str, **given_values: object) -> WritingPreference:
    return WritingPreference.from_parameters({"rules": names, **given_values})


def refusal(names: str, **given_values: object) -> RecipeError:
    with pytest.raises(RecipeError) as caught:
        listed(names, **given_values)
    return caught.value


def written(**changes: object) -> dict:
    return {**WritingPreference().as_dict(), **changes}


# --- the rules -------------------------------------------------------------------------------------------


def test_the_rules_of_each_recipe_are_the_reasons_of_its_funnel():
    assert WritingPreference().reasons == funnel.REASONS
    assert LitBench().reasons == funnel.REASONS_OF_VOTES
    assert LitBench().filters == ("min_upvotes", "min_words", "max_tokens")
    assert Weval().reasons == funnel.REASONS_OF_RANKINGS


@pytest.mark.parametrize("rule", ALL_RULES.values(), ids=ALL_RULES)
def test_a_rule_has_a_name_and_a_version_and_parameters_that_are_read(rule):
    assert (rule.version, rule.kind in Kind) == (1, True)
    assert {*rule.parameters()} <= {*recipe_values.READERS}


def test_a_rule_is_frozen():
    with pytest.raises(FrozenInstanceError):
        rules.Gap().min_gap = Fraction(2)


def test_what_a_rule_means_holds_its_numbers():
    (gap,) = (rule for rule in WritingPreference(min_gap=Fraction(3, 2)).rules() if rule.name == "gap")
    assert gap == rules.Gap(Fraction(3, 2))
    assert "by 3/2 or more" in gap.meaning
    assert all(rule.meaning for kind in RECIPES.values() for rule in kind().rules())


def test_the_shipped_list_holds_a_rule_that_has_a_switch_only_where_it_is_on():
    assert [rule.name for rule in WritingPreference().rules()] == [
        "identical_text",
        "insufficient_overlap",
        "no_gap",
        "direction",
        "gap",
        "length_symmetry",
    ]
    more = WritingPreference(unanimous=True, quota=5, length_symmetry=False)
    assert rules.Unanimity() in more.rules()
    assert rules.Quota(5) in more.rules()
    assert "length_symmetry" not in [rule.name for rule in more.rules()]


# --- JSON ------------------------------------------------------------------------------------------------


def test_a_recipe_is_written_as_its_rules_with_their_versions_and_parameters():
    assert THREE_RULES.as_dict() == {
        "name": "writing-preference",
        "version": 1,
        "rules": [
            {"rule": "identical_text", "version": 1, "parameters": {}},
            {"rule": "gap", "version": 1, "parameters": {"min_gap": "1"}},
            {"rule": "length_symmetry", "version": 1, "parameters": {"buckets": 100}},
        ],
        "settings": {"length_unit": "auto", "strata": "none", "seed": "plumb-1"},
    }


@properties
@given(any_recipe)
def test_the_list_survives_json(recipe):
    again = recipes.from_dict(json.loads(json.dumps(recipe.as_dict())))
    assert again.as_dict() == recipe.as_dict()
    assert again.rules() == recipe.rules()
    assert again.reasons == recipe.reasons
    # What a rule that is off would have as its parameter is no part of the list.
    assert again == replace(recipe, **{name: getattr(again, name) for name in off(recipe)})


def off(recipe: recipes.AnyRecipe) -> list[str]:
    held = {rule.name for rule in recipe.rules()}
    return [
        n
        for rule in recipe.all_rules
        if rule.name not in held and rule.switch not in rule.parameters()
        for n in rule.parameters()
    ]


@properties
@given(any_recipe)
def test_the_flat_parameters_survive_json(recipe):
    again = json.loads(json.dumps(recipe.parameters()))
    assert type(recipe).from_parameters(again) == recipe


def rule(name: str, version: object = 1, **values: object) -> dict:
    return {"rule": name, "version": version, "parameters": values}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"name": "writing_preference"},
            "name: there is no recipe 'writing_preference'; did you mean writing-",
        ),
        ({"name": None}, "name: a recipe needs the name of one of these: writing-preference, litbench"),
        ({"name": ["litbench"]}, "name: a recipe needs the name"),
        ({"version": 2}, "version: the version of writing-preference is 1 here, not 2"),
        ({"version": True}, "version: the version of writing-preference is 1 here, not True"),
        ({"version": "1"}, "version: the version of writing-preference is 1 here, not '1'"),
        ({"ruels": []}, "there is no part 'ruels'; did you mean rules? Known: name, version, rules"),
        ({"rules": {}}, "rules: a recipe needs its rules; write a list of them"),
        ({"rules": None}, "rules: a recipe needs its rules"),
        ({"rules": []}, "rules: without no_gap and gap a pair could have no preferred side"),
        ({"settings": []}, "settings: this is no JSON object; write one, such as {}"),
        ({"settings": {"sed": "x"}}, "settings: there is no setting 'sed'; did you mean seed?"),
        ({"settings": {"min_gap": 1}}, "settings: there is no setting 'min_gap'"),
        ({"settings": {"seed": 7}}, "settings.seed: seed cannot be 7; use a text"),
        ({"rules": ["gap"]}, "rules[0]: this is no rule; write an object with rule"),
        ({"rules": [rule("gap"), rule("gab")]}, "rules[1].rule: there is no rule 'gab'; did you mean gap?"),
        ({"rules": [rule("time")]}, "rules[0].rule: there is no rule 'time'"),
        ({"rules": [rule("gap", 2)]}, "rules[0].version: the version of gap is 1 here, not 2"),
        ({"rules": [{"rule": "gap"}]}, "rules[0].version: the version of gap is 1 here, not None"),
        ({"rules": [rule("gap", True)]}, "rules[0].version: the version of gap is 1 here, not True"),
        (
            {"rules": [{**rule("gap"), "params": {}}]},
            "rules[0]: there is no part 'params'; did you mean param",
        ),
        ({"rules": [{**rule("gap"), "parameters": 1}]}, "rules[0].parameters: this is no JSON object"),
        (
            {"rules": [rule("gap", mingap=1)]},
            "rules[0].parameters: there is no parameter 'mingap'; did you mean min_gap? Known: min_gap",
        ),
        (
            {"rules": [rule("no_gap"), rule("gap", min_gap=4)]},
            "rules[1].parameters.min_gap: min_gap cannot be 4; use a number from 0 to 3",
        ),
        ({"rules": [rule("gap", min_gap=[[1] * 999])]}, "rules[0].parameters.min_gap: min_gap cannot be [[1"),
        ({"rules": [rule("gap"), rule("quota")]}, "rules[1]: the rule quota needs a value for quota"),
        ({"rules": [rule("gap"), rule("gap")]}, "rules: the rule gap is listed twice"),
        ({"rules": [rule("quota", quota=1), rule("gap")]}, "rules: the rules cannot stand in this order"),
        ({"parameters": {"min_gap": "2"}}, "parameters: these say something else than rules and settings"),
        ({"parameters": {"mingap": 1}}, "parameters: there is no parameter 'mingap'; did you mean min_gap?"),
        ({"parameters": {"min_gap": 9}}, "parameters.min_gap: min_gap cannot be 9"),
    ],
)
def test_what_does_not_exist_is_refused_with_its_place_and_the_nearest_name(changes, said):
    with pytest.raises(RecipeError) as caught:
        recipes.from_dict(written(**changes))
    assert str(caught.value).startswith(said)
    assert len(str(caught.value)) < 500
    assert str(caught.value) == ": ".join(filter(None, [caught.value.place, caught.value.reason]))


@pytest.mark.parametrize("given_value", [None, [], "writing-preference", 1])
def test_what_is_no_object_is_no_recipe(given_value):
    with pytest.raises(RecipeError, match="a recipe is a JSON object with name, version and rules"):
        recipes.from_dict(given_value)


def test_a_recipe_is_not_read_as_another():
    with pytest.raises(RecipeError, match=r"no recipe 'writing-preference'\. Known: litbench"):
        LitBench.from_dict(WritingPreference().as_dict())


def test_what_is_left_out_has_its_default_and_a_rule_off_its_own():
    short = {"name": "writing-preference", "version": 1, "rules": [{"rule": "gap", "version": 1}]}
    assert recipes.from_dict(short) == listed("gap")


# --- lists -----------------------------------------------------------------------------------------------


def test_a_list_in_the_shipped_order_is_the_shipped_one():
    assert (
        listed("identical_text,insufficient_overlap,no_gap,direction,gap,length_symmetry")
        == WritingPreference()
    )


def test_the_parameters_of_rules_left_out_are_not_written():
    assert THREE_RULES.parameters() == {
        "rules": ["identical_text", "gap", "length_symmetry"],
        "min_gap": "1",
        "buckets": 100,
        "length_unit": "auto",
        "strata": "none",
        "seed": "plumb-1",
    }
    assert (THREE_RULES.min_common, THREE_RULES.unanimous) == (1, False)


@pytest.mark.parametrize("needed", ["no_gap", "gap"])
def test_a_list_of_scores_says_which_side_is_preferred(needed):
    assert listed(needed).reasons == (needed,)
    assert "without no_gap and gap a pair could have no preferred side" in str(
        refusal("identical_text,direction")
    )


def test_a_list_of_votes_says_which_story_is_chosen():
    assert LitBench.from_parameters({"rules": "upvote_gap"}).filters == ()
    with pytest.raises(RecipeError, match="without upvote_gap"):
        LitBench.from_parameters({"rules": "identical_text,time"})


def test_rules_on_all_pairs_follow_in_an_order_of_their_own():
    limits = {"quota": 5, "max_pairs_per_prompt": 4}
    names = "gap,identical_text,cap_prompt,length_symmetry,quota"
    assert listed(names, **limits).order == tuple(names.split(","))
    for wrong in (
        "cap_prompt,gap,identical_text,length_symmetry,quota",
        "gap,identical_text,quota,cap_prompt,length_symmetry",
    ):
        error = refusal(wrong, **limits)
        assert error.field == "rules"
        assert f"use {names.replace(',', ', ')}" in str(error)


def test_rules_of_votes_stand_in_the_shipped_order():
    with pytest.raises(RecipeError, match="use upvote_gap, time"):
        LitBench.from_parameters({"rules": "time,upvote_gap"})


def test_a_rule_is_listed_once():
    assert "gap is listed twice" in str(refusal("gap,gap"))


@pytest.mark.parametrize("value", [7, [1], None, {"gap": 1}])
def test_a_list_is_one_of_names(value):
    with pytest.raises(RecipeError, match="list their names"):
        WritingPreference.from_parameters({"rules": value})


@pytest.mark.parametrize(
    ("given_values", "field", "message"),
    [
        ({"min_common": 3}, "min_common", "of the rule insufficient_overlap, which the list leaves out"),
        ({"unanimous": "on"}, "unanimous", "of the rule unanimity, which the list leaves out"),
        ({"quota": "5"}, "quota", "of the rule quota, which the list leaves out"),
        ({"length_symmetry": "off"}, "length_symmetry", "is off, and the list has the rule"),
    ],
)
def test_a_value_that_contradicts_the_list_is_refused(given_values, field, message):
    error = refusal("gap,length_symmetry", **given_values)
    assert (error.field, message in str(error)) == (field, True)


def test_a_rule_that_needs_a_number_is_not_listed_without_one():
    error = refusal("gap,quota")
    assert (error.field, str(error)) == ("quota", "the rule quota needs a value for quota")
    assert LitBench.from_parameters({"rules": "max_tokens,upvote_gap"}).max_tokens == 2048


def test_a_switch_that_is_turned_changes_the_list():
    assert replace(THREE_RULES, length_symmetry=False).order == ("identical_text", "gap")
    assert replace(THREE_RULES, quota=3).order == ("identical_text", "gap", "length_symmetry", "quota")
    assert replace(THREE_RULES, max_pairs_per_prompt=3).order[2:] == ("cap_prompt", "length_symmetry")


def test_pairs_of_rankings_are_asked_for_by_their_rules():
    adjacent = Weval.from_parameters({"rules": "incomplete,identical_text,no_ranking,tied,not_adjacent"})
    assert adjacent == Weval(pairs="adjacent")
    assert Weval.from_parameters({"rules": "identical_text,no_ranking,tied"}) == Weval(
        complete=False, pairs="all"
    )
    with pytest.raises(RecipeError, match="pairs need the rules identical_text, no_ranking as well"):
        Weval.from_parameters({"rules": "tied"})
    with pytest.raises(RecipeError, match="asks for pairs=none"):
        Weval.from_parameters({"rules": "incomplete", "pairs": "all"})


# --- what is decided -------------------------------------------------------------------------------------


def test_a_candidate_without_a_preferred_side_falls_for_the_gap_where_no_gap_is_left_out():
    responses = [ResponseRow(id=name, prompt_id="p", text=f"text of {name}") for name in "ABC"]
    scores = [CurrentScore("A", "ann", 2), CurrentScore("B", "ann", 2)]
    found = curate(responses, scores, replace(THREE_RULES, min_gap=Fraction(0)))
    assert found.funnel.rejected == {"identical_text": 0, "gap": 3, "length_symmetry": 0}


def test_one_annotator_is_enough_where_nobody_has_to_agree():
    responses = [ResponseRow(id=name, prompt_id="p", text=f"text of {name}") for name in "AB"]
    scores = [CurrentScore("A", "ann", 3), CurrentScore("B", "ann", 2)]
    (pair,) = curate(responses, scores, replace(THREE_RULES, length_symmetry=False)).pairs
    assert (pair.chosen, pair.k, pair.votes_for, pair.gap, pair.mean_chosen) == ("A", 1, 1, (1, 1), 3.0)


def test_the_first_rule_of_the_list_is_the_reason():
    responses = [ResponseRow(id=name, prompt_id="p", text="the same") for name in "AB"]
    for names in ("identical_text,gap", "gap,identical_text", "direction,gap,identical_text"):
        (fell,) = curate(responses, [], listed(names)).rejected
        assert fell.reason == names.partition(",")[0]


@properties
@given(material_strategies.material(), material_strategies.listed())
def test_a_rule_left_out_never_rejects_and_the_funnel_does_not_name_it(rows, recipe):
    assume(recipe.order)
    found = curate(*rows, recipe)
    assert tuple(found.funnel.rejected) == recipe.order
    assert {row.reason for row in found.rejected} <= {*recipe.order}


@properties
@given(material_strategies.material(), material_strategies.shipped, st.data())
def test_leaving_out_a_rule_on_single_candidates_frees_only_what_fell_for_it(rows, recipe, data):
    recipe = replace(
        recipe, length_symmetry=False, quota=None, max_pairs_per_prompt=None, max_pairs_per_response=None
    )
    names = [rule.name for rule in recipe.rules() if rule.name not in ("gap", "no_gap")]
    dropped = data.draw(st.sampled_from(names))
    kept = [rule for rule in recipe.rules() if rule.name != dropped]
    values = {name: value for rule in kept for name, value in rule.as_dict()["parameters"].items()}
    fewer = curate(
        *rows,
        WritingPreference.from_parameters({"rules": [r.name for r in kept], **values, "seed": recipe.seed}),
    )
    whole = curate(*rows, recipe)
    before = {(row.a, row.b): row.reason for row in whole.rejected}
    after = {(row.a, row.b): row.reason for row in fewer.rejected}
    assert {key for key, reason in before.items() if reason != dropped} <= after.keys()
    assert all(after[key] == reason for key, reason in before.items() if reason != dropped)
    freed = Counter(reason == dropped for reason in before.values())[True]
    assert len(fewer.pairs) <= len(whole.pairs) + freed


@properties
@given(material_strategies.material(), material_strategies.listed(), st.randoms(use_true_random=False))
def test_the_order_of_rules_on_single_candidates_changes_reasons_and_no_pair(rows, recipe, rng):
    assume(recipe.order)
    alone = [rule.name for rule in recipe.rules() if rule.kind is Kind.CANDIDATE]
    shuffled = replace(recipe, order=(*rng.sample(alone, len(alone)), *recipe.order[len(alone) :]))
    assert list(curate(*rows, recipe).pairs) == list(curate(*rows, shuffled).pairs)
