"""The pages of recipes: rules in words, the form that makes a version or a copy, and the choice for a run."""

import pytest
from django.urls import reverse

from curation import tasks
from curation.domain.recipes import RECIPES, WritingPreference
from curation.models import Recipe, Run
from curation.services import recipes, runs
from tests.factories import NOW, make_member, make_project, make_round
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db


@pytest.fixture
def recipe(project):
    return recipes.save(project, parameters={}, by=None, now=NOW)


@pytest.fixture
def client(lead, browser_of):
    return browser_of(lead)


@pytest.fixture
def nudged(monkeypatch):
    sent_to = []
    monkeypatch.setattr(tasks.run_curation, "delay_on_commit", sent_to.append)
    return sent_to


def url(name, *arguments):
    return reverse(name, args=["bridges", *arguments])


def pages(recipe):
    return [
        ("get", url("recipes")),
        ("post", url("recipes")),
        ("get", url("recipe_file", recipe.pk)),
        ("get", url("recipe_shipped_file", "litbench")),
        ("get", url("recipe", recipe.pk)),
        ("get", url("recipe_shipped", "litbench")),
        ("get", url("recipe_change", recipe.pk)),
        ("post", url("recipe_change", recipe.pk)),
        ("get", url("recipe_copy", recipe.pk)),
        ("post", url("recipe_copy", recipe.pk)),
        ("get", url("recipe_copy_shipped")),
        ("post", url("recipe_copy_shipped")),
    ]


def form_of(client, address, **changes):
    """What a browser would send of the page's form, with some fields changed; None leaves one out."""
    given = {**sent_by(client.get(address).content.decode(), "recipe"), **changes}
    return {name: value for name, value in given.items() if value is not None}


def test_annotators_are_refused_and_for_strangers_nothing_is_there(recipe, stranger, browser_of):
    for method, address in pages(recipe):
        for person, status in (
            (make_member(recipe.project, "annotator"), 403),
            (make_member(recipe.project, "instructor"), 403),
            (stranger, 404),
            (make_member(make_project(), "lead"), 404),
        ):
            assert getattr(browser_of(person), method)(address).status_code == status, address
    assert Recipe.objects.count() == 1


def test_a_recipe_of_another_project_is_not_found_under_ones_own(recipe, browser_of):
    elsewhere = make_member(make_project("elsewhere"), "lead")
    for name in ("recipe", "recipe_file", "recipe_change", "recipe_copy"):
        assert browser_of(elsewhere).get(reverse(name, args=["elsewhere", recipe.pk])).status_code == 404
    started = browser_of(elsewhere).post(reverse("start_run", args=["elsewhere"]), {"recipe": recipe.pk})
    assert started.status_code == 404


def test_the_list_names_recipes_versions_and_rules_and_says_what_works_on_files_alone(recipe, client):
    recipes.save(recipe.project, parameters={"min_gap": "2"}, by=None, now=NOW)
    recipes.copy(recipe.project, name="mine", parameters={"rules": "no_gap"}, by=None, now=NOW)
    page = client.get(url("recipes")).content.decode()
    newest = Recipe.objects.get(name="writing-preference", version=2)
    assert f'<a href="{url("recipe", newest.pk)}">writing-preference</a>' in page
    assert "<code>no_gap</code>" in page
    assert all(f'{url("recipe_shipped", name)}">{name}</a>' in page for name in RECIPES)
    assert "runs with recipes of scores alone" in page


@pytest.mark.parametrize("versions", [1, 5])
def test_the_pages_ask_no_more_of_the_database_for_more_versions(
    recipe, client, versions, django_assert_num_queries
):
    for number in range(versions):
        recipes.save(recipe.project, parameters={"seed": f"s{number}"}, by=None, now=NOW)
        recipes.copy(recipe.project, name=f"r{number}", parameters={}, by=None, now=NOW)
    client.get(url("recipes"))
    with django_assert_num_queries(QUERIES["recipes"]):
        client.get(url("recipes"))
    with django_assert_num_queries(QUERIES["recipe"]):
        client.get(url("recipe", recipe.pk))


QUERIES = {"recipes": 5, "recipe": 6}


def test_a_version_says_its_rules_in_words_in_their_order(project, client):
    made = recipes.copy(
        project, name="mine", parameters={"rules": "gap,identical_text", "min_gap": "3/2"}, by=None, now=NOW
    )
    page = client.get(url("recipe", made.pk)).content.decode()
    assert page.index("by 3/2 or more") < page.index("Two responses with the same text make no pair")
    assert "9 rules that it leaves out" in page
    assert "&quot;rule&quot;: &quot;gap&quot;" in page


def test_an_earlier_version_says_that_it_is_one(recipe, client):
    newest = recipes.save(recipe.project, parameters={"min_gap": "2"}, by=None, now=NOW)
    page = client.get(url("recipe", recipe.pk)).content.decode()
    assert "This is an earlier version. The newest is 2." in page
    assert "earlier version" not in client.get(url("recipe", newest.pk)).content.decode()


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_shipped_recipes_say_their_rules_and_whether_a_project_can_run_them(client, name, project):
    page = client.get(url("recipe_shipped", name)).content.decode()
    assert all(f"<code>{rule.name}</code>" in page for rule in RECIPES[name].all_rules)
    assert ("A project makes no runs with this recipe" in page) is (name != "writing-preference")


def test_a_shipped_recipe_that_there_is_not_is_not_found(client, project):
    assert client.get(url("recipe_shipped", "nothing")).status_code == 404


# --- the form --------------------------------------------------------------------------------------------


def test_the_form_as_it_comes_says_what_the_version_says(recipe, client):
    strange = recipes.copy(
        recipe.project,
        name="mine",
        parameters={
            "rules": "gap,length_ratio,identical_text,cap_prompt",
            "max_length_ratio": "3/2",
            "max_pairs_per_prompt": 9,
        },
        by=None,
        now=NOW,
    )
    for found in (recipe, strange):
        address = url("recipe_change", found.pk)
        answer = client.post(address, form_of(client, address))
        assert answer.url == url("recipe", found.pk), "nothing was changed, so no version was made"


def test_rules_are_switched_moved_and_given_numbers(recipe, client):
    address = url("recipe_change", recipe.pk)
    changes = {
        "on_direction": None,
        "on_insufficient_overlap": None,
        "on_no_gap": None,
        "on_quota": "on",
        "quota": "12",
        "min_gap": "3/2",
        "place_gap": "1",
        "place_identical_text": "2",
        "strata": "language",
    }
    answer = client.post(address, form_of(client, address, **changes))
    made = Recipe.objects.latest("pk")
    assert (answer.url, made.name, made.version) == (url("recipe", made.pk), "writing-preference", 2)
    found = WritingPreference.from_parameters(made.parameters)
    assert found.order == ("gap", "identical_text", "length_symmetry", "quota")
    assert (str(found.min_gap), found.quota, found.strata) == ("3/2", 12, "language")


def test_a_copy_bears_the_name_that_was_written(project, client):
    address = url("recipe_copy_shipped")
    client.post(address, form_of(client, address, name="mine", on_unanimity="on"))
    made = Recipe.objects.get()
    assert (made.name, made.version, made.parameters["unanimous"]) == ("mine", 1, True)
    address = url("recipe_copy", made.pk)
    client.post(address, form_of(client, address, name="yours"))
    assert Recipe.objects.get(name="yours").parameters["unanimous"] is True


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("min_gap", "four", "Use a number from 0 to 3, such as 1, 1.5 or 3/2."),
        ("min_common", "1", "Use a whole number from 2 to 999999999."),
        ("buckets", "7", "Use an even whole number from 2 to 1000000."),
        ("seed", "", "Use a text of 1 to 200 characters on one line."),
        ("place_gap", "0", "A gap: Place</a>: Use a whole number from 1 to 99."),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field_and_nothing_is_lost(recipe, client, field, value, said):
    address = url("recipe_change", recipe.pk)
    given = form_of(client, address, **{field: value, "on_direction": None, "on_quota": "on", "quota": "17"})
    answer = client.post(address, given)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page
    assert f'id="id_{field}_error"' in page
    kept = sent_by(page, "recipe")
    assert (kept[field], kept["quota"], "on_direction" in kept) == ([value], ["17"], False)
    assert Recipe.objects.count() == 1


@pytest.mark.parametrize("value", ["", "off", "0", "many"])
def test_a_rule_that_needs_a_number_is_not_switched_on_without_one(recipe, client, value):
    address = url("recipe_change", recipe.pk)
    page = client.post(address, form_of(client, address, on_quota="on", quota=value)).content.decode()
    assert 'id="id_quota_error">Use a whole number of 1 or more.' in page


def test_a_recipe_that_prefers_no_side_is_refused_above_the_form(recipe, client):
    address = url("recipe_change", recipe.pk)
    answer = client.post(address, form_of(client, address, on_no_gap=None, on_gap=None))
    assert answer.status_code == 422
    assert "Without no_gap and gap a pair could have no preferred side" in answer.content.decode()


def test_numbers_of_a_rule_that_is_off_are_not_read(recipe, client):
    address = url("recipe_change", recipe.pk)
    answer = client.post(address, form_of(client, address, on_gap=None, min_gap="nonsense"))
    assert answer.status_code == 302
    assert "gap" not in WritingPreference.from_parameters(Recipe.objects.latest("pk").parameters).order


def test_a_version_saved_meanwhile_is_named_and_sent_again_the_form_stands(recipe, client):
    address = url("recipe_change", recipe.pk)
    given = form_of(client, address, min_gap="3")
    recipes.save(recipe.project, parameters={"min_gap": "2"}, by=None, now=NOW)
    answer = client.post(address, given)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Version 2 of this recipe was saved meanwhile" in page
    again = sent_by(page, "recipe")
    assert (again["min_gap"], again["after"]) == (["3"], ["2"])
    assert client.post(address, again).status_code == 302
    assert Recipe.objects.latest("pk").version == 3


@pytest.mark.parametrize(("name", "status"), [("mine", 422), ("Mine", 422), ("", 422)])
def test_a_name_that_cannot_be_is_refused_beside_it(project, client, name, status):
    recipes.copy(project, name="mine", parameters={}, by=None, now=NOW)
    address = url("recipe_copy_shipped")
    answer = client.post(address, form_of(client, address, name=name))
    assert answer.status_code == status
    assert 'id="id_name_error"' in answer.content.decode()
    assert Recipe.objects.count() == 1


# --- a run -----------------------------------------------------------------------------------------------


def test_a_run_takes_the_newest_writing_preference_or_the_one_that_was_chosen(recipe, client, nudged):
    make_round(recipe.project)
    assert 'name="recipe"' not in client.get(url("project")).content.decode()
    mine = recipes.copy(recipe.project, name="mine", parameters={"rules": "gap"}, by=None, now=NOW)
    page = client.get(url("project")).content.decode()
    assert (
        f'<option value="{recipe.pk}">writing-preference 1</option><option value="{mine.pk}">mine 1</option>'
        in page
    )
    client.post(url("start_run"), {"recipe": mine.pk})
    run = Run.objects.get()
    assert (run.recipe, nudged) == (mine, [run.pk])
    runs.execute(run.pk, clock=lambda: NOW)
    client.post(url("start_run"), {})
    assert Run.objects.latest("pk").recipe == recipe


@pytest.mark.parametrize("chosen", ["0", "x", "1" * 30, "-1"])
def test_a_recipe_that_there_is_not_starts_nothing(recipe, client, chosen):
    assert client.post(url("start_run"), {"recipe": chosen}).status_code == 404
    assert not Run.objects.exists()


def test_a_copy_can_be_run_before_the_shipped_one_is_stored(project, client):
    make_round(project)
    recipes.copy(project, name="mine", parameters={}, by=None, now=NOW)
    assert '<option value="">writing-preference</option>' in client.get(url("project")).content.decode()


def test_the_page_of_a_run_says_its_rules_and_the_version_of_the_code(project, client):
    mine = recipes.copy(project, name="mine", parameters={"rules": "gap"}, by=None, now=NOW)
    run = runs.request(project, recipe=mine, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    page = client.get(url("run", run.pk)).content.decode()
    run.refresh_from_db()
    assert f'<a href="{url("recipe", mine.pk)}">mine 1</a>' in page
    assert "by 1 or more" in page
    assert f"<code>{run.code_version}</code>" in page
