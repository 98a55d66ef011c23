"""Stored recipes: never edited, copied under a new name, and run."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.errors import DomainError, Invalid
from annotation.models import JournalEntry
from curation.domain import recipe_json
from curation.domain.recipes import LitBench, WritingPreference
from curation.models import Recipe, Run
from curation.services import recipes, runs
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round, score_all

pytestmark = pytest.mark.django_db
THREE_RULES = {"rules": "identical_text,gap,length_symmetry"}


def saved(project, **options):
    return recipes.save(project, parameters=options.pop("parameters", {}), by=None, now=NOW, **options)


def test_a_change_is_a_new_version_and_the_earlier_one_stays(project):
    first = saved(project)
    second = saved(project, parameters=THREE_RULES, after=1)
    assert (first.version, second.version) == (1, 2)
    assert second.parameters["rules"] == ["identical_text", "gap", "length_symmetry"]
    first.refresh_from_db()
    assert WritingPreference.from_parameters(first.parameters) == WritingPreference()


def test_the_journal_says_which_version_was_saved(project, lead):
    recipes.copy(project, name="three-rules", parameters=THREE_RULES, by=lead.user, now=NOW)
    entry = JournalEntry.objects.get(action="recipe.saved")
    assert (entry.actor, entry.data["name"], entry.data["version"]) == (lead.user, "three-rules", 1)


def test_what_says_the_same_is_the_same_version(project):
    first = saved(project)
    shipped = "identical_text,insufficient_overlap,no_gap,direction,gap,length_symmetry"
    assert saved(project, parameters={"rules": shipped}, after=1) == first


def test_a_version_made_of_one_that_is_not_the_newest_any_more_is_refused_with_the_newest(project):
    saved(project)
    saved(project, parameters={"min_gap": "2"}, after=1)
    with pytest.raises(recipes.Newer) as caught:
        saved(project, parameters={"min_gap": "3"}, after=1)
    assert (caught.value.code, caught.value.version) == ("recipe_changed", 2)
    assert saved(project, parameters={"min_gap": "3"}, after=2).version == 3


def test_a_copy_begins_anew_under_its_name(project):
    saved(project, parameters={"min_gap": "2"})
    made = recipes.copy(project, name="strict", parameters={"unanimous": "on"}, by=None, now=NOW)
    assert (made.name, made.version, made.parameters["unanimous"]) == ("strict", 1, True)
    assert saved(project, parameters={}, name="strict", after=1).version == 2
    assert recipes.current(project, by=None, now=NOW).parameters["min_gap"] == "2"


@pytest.mark.parametrize("name", ["", "Strict", "-x", "a b", "é", "x" * 61, "a/b"])
def test_a_name_that_will_not_do_is_refused(project, name):
    with pytest.raises(Invalid, match="small letters") as caught:
        recipes.copy(project, name=name, parameters={}, by=None, now=NOW)
    assert caught.value.code == "bad_name"


@pytest.mark.parametrize("name", ["strict", "writing-preference", "litbench", "weval"])
def test_a_name_that_is_taken_or_shipped_is_refused(project, name):
    recipes.copy(project, name="strict", parameters={}, by=None, now=NOW)
    recipes.copy(make_project("elsewhere"), name="mine", parameters={}, by=None, now=NOW)
    with pytest.raises(Invalid) as caught:
        recipes.copy(project, name=name, parameters={}, by=None, now=NOW)
    assert caught.value.code == "name_taken"
    assert recipes.copy(project, name="mine", parameters={}, by=None, now=NOW).version == 1


def test_a_file_is_the_next_version_of_a_name_that_there_is_or_the_first_of_a_new_one(project, lead):
    def taken(name, given):
        return recipes.take(project, given, name=name, by=lead.user, now=NOW)

    gap = WritingPreference.from_parameters({"rules": "gap"})
    assert (taken("mine", gap).version, taken("mine", WritingPreference()).version) == (1, 2)
    assert taken("mine", WritingPreference()).version == 2, "what says the same is the same version"
    assert (taken("writing-preference", gap).version, taken("writing-preference", gap).version) == (1, 1)
    assert JournalEntry.objects.filter(action="recipe.saved", actor=lead.user).count() == 3
    for name, given, code in (
        ("litbench", gap, "name_taken"),
        ("My Own", gap, "bad_name"),
        ("mine", LitBench(), "not_of_scores"),
    ):
        with pytest.raises(Invalid) as caught:
            taken(name, given)
        assert caught.value.code == code
    assert Recipe.objects.count() == 3


def test_rules_and_parameters_that_do_not_exist_are_refused(project):
    for parameters, said in (({"rules": "gab"}, "did you mean gap"), ({"mingap": 1}, "did you mean min_gap")):
        with pytest.raises(Invalid, match=said):
            saved(project, parameters=parameters)
    assert not Recipe.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_leads_at_once_one_saves_the_version_and_the_other_is_told():
    project = make_project()
    saved(project)
    ready = Barrier(2)

    def save(gap):
        try:
            ready.wait(10)
            return saved(project, parameters={"min_gap": gap}, after=1).version
        except DomainError as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(save, ("2", "3")))
    assert sorted(map(str, outcomes)) == ["2", "recipe_changed"]
    assert Recipe.objects.count() == 2


# --- runs ------------------------------------------------------------------------------------------------


@pytest.fixture
def scored(project):
    """Two texts that one annotator has scored, and a third that is its twin."""
    make_member(project, "annotator", "ann")
    prompt = make_prompt(project, "p1")
    make_response(prompt, "good", "The bridge stood where nobody needed it.")
    make_response(prompt, "poor", "Bridges are a very important invention.")
    score_all(make_round(project), {("good", "ann"): 3, ("poor", "ann"): 1})
    return project


def executed(project, recipe):
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    run.refresh_from_db()
    assert run.state == "done", run.error
    return run


def test_the_command_runs_a_recipe_by_its_name_and_a_list_of_rules_makes_a_version(scored, capsys):
    recipes.copy(scored, name="mine", parameters={}, by=None, now=NOW)
    call_command("run_curation", scored.slug, "--recipe", "mine", "--param", "rules=identical_text,gap")
    assert "with mine 2: 1 pairs of 1 candidates" in capsys.readouterr().out
    assert Run.objects.get().recipe.parameters["rules"] == ["identical_text", "gap"]
    with pytest.raises(
        CommandError, match=r"no recipe yours in this project. Known: mine, writing-preference"
    ):
        call_command("run_curation", scored.slug, "--recipe", "yours")


def test_the_command_takes_a_recipe_as_a_file(scored, tmp_path, capsys):
    file = tmp_path / "mine.json"
    file.write_bytes(recipe_json.written(WritingPreference.from_parameters({"rules": "gap"})))
    call_command("run_curation", scored.slug, "--recipe", "mine", "--recipe-file", str(file))
    assert "with mine 1: 1 pairs of 1 candidates" in capsys.readouterr().out
    call_command("run_curation", scored.slug, "--recipe-file", str(file), "--param", "min_gap=3")
    assert "with writing-preference 1: 0 pairs" in capsys.readouterr().out
    assert Run.objects.latest("pk").recipe.parameters["min_gap"] == "3"
    file.write_text(file.read_text().replace('"min_gap"', '"mingap"'))
    with pytest.raises(CommandError, match=r"mine.json: rules\[0\].parameters: .*did you mean min_gap"):
        call_command("run_curation", scored.slug, "--recipe-file", str(file))
    file.write_bytes(recipe_json.written(LitBench()))
    with pytest.raises(CommandError, match="recipes of scores alone; this one is litbench"):
        call_command("run_curation", scored.slug, "--recipe-file", str(file))
    assert Run.objects.count() == 2


def test_a_run_keeps_its_recipe_rules_and_code_version_and_names_only_its_rules(scored):
    made = recipes.copy(scored, name="single", parameters={"rules": "identical_text,gap"}, by=None, now=NOW)
    run = executed(scored, made)
    assert run.funnel["rejected"] == {"identical_text": 0, "gap": 0}
    assert (run.recipe, run.funnel["accepted"], bool(run.code_version)) == (made, 1, True)
    assert runs.recipe_of(run).reasons == ("identical_text", "gap")


def test_without_a_majority_the_sum_of_the_scores_decides_and_the_pair_is_stored(scored):
    for name in ("ben", "cat"):
        make_member(scored, "annotator", name)
    values = {("good", "ben"): 1, ("good", "cat"): 1, ("poor", "ben"): 2, ("poor", "cat"): 1}
    score_all(make_round(scored, "Round 2"), values)
    made = recipes.copy(scored, name="sums", parameters={"rules": "gap", "min_gap": "1/3"}, by=None, now=NOW)
    pair = executed(scored, made).pairs.get()
    assert (pair.chosen.external_id, pair.votes_for, pair.votes_against, pair.ties) == ("good", 1, 1, 1)
