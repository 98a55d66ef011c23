"""A lead reads recipes and makes one: pages that break no rule of axe and scroll nowhere sideways."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from curation.domain import recipe_json
from curation.domain.recipes import WritingPreference
from curation.models import Recipe, Run, Shard
from curation.services import recipes, runs, snapshots
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.factories import NOW, make_round


@pytest.fixture
def strange(project):
    """A recipe of few rules, of which there are two versions."""
    recipes.save(project, parameters={}, by=None, now=NOW)
    made = recipes.copy(
        project,
        name="single-scores",
        parameters={"rules": "gap,identical_text,length_symmetry"},
        by=None,
        now=NOW,
    )
    recipes.save(
        project,
        parameters={"rules": "gap,identical_text,quota", "quota": 3},
        name=made.name,
        by=None,
        now=NOW,
    )
    return made


def pages(project, recipe):
    run = runs.request(project, recipe=recipe, by=None, now=NOW)
    runs.execute(run.pk, clock=lambda: NOW)
    return [
        reverse("recipes", args=[project.slug]),
        reverse("recipe", args=[project.slug, recipe.pk]),
        reverse("recipe_shipped", args=[project.slug, "litbench"]),
        reverse("recipe_change", args=[project.slug, recipe.pk]),
        reverse("recipe_copy_shipped", args=[project.slug]),
        reverse("run", args=[project.slug, run.pk]),
        reverse("project", args=[project.slug]),
    ]


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_recipes_break_no_rule_and_scroll_nowhere_sideways(page_of, lead, strange, look):
    make_round(strange.project)
    page = page_of(lead)
    for address in pages(strange.project, strange):
        page.goto(address)
        assert axe(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address


@in_looks(OPPOSITE_LOOKS)
def test_a_run_while_its_parts_are_decided_says_how_many_are(page_of, lead, strange, look):
    now = timezone.now()
    held = {"claimed_by": "w:1", "lease_until": now + timedelta(minutes=5)}
    run = runs.request(strange.project, recipe=strange, by=None, now=now)
    Run.objects.filter(pk=run.pk).update(
        state="running", snapshot=snapshots.take(strange.project, now=now), **held
    )
    for first in range(0, 256, 32):
        states = {"state": "done", "tally": "t", "finished_at": now} if first < 96 else {"state": "queued"}
        Shard.objects.create(run=run, first=first, end=first + 32, folder="f", queued_at=now, **states)
    page = page_of(lead)
    page.goto(reverse("run", args=[strange.project.slug, run.pk]))
    expect(page.locator("progress")).to_have_attribute("value", "3")
    expect(page.locator("progress")).to_have_attribute("max", "8")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_looks(OPPOSITE_LOOKS)
def test_a_refused_form_breaks_none_either(page_of, lead, strange, look, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(reverse("recipe_change", args=[strange.project.slug, strange.pk]))
    page.locator("#id_min_gap").fill("four")
    page.locator("form#recipe button").click()
    expect(page.locator("#id_min_gap_error")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_looks(OPPOSITE_LOOKS)
def test_a_refused_file_says_the_place_and_breaks_no_rule(page_of, lead, strange, look, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(reverse("recipes", args=[strange.project.slug]))
    page.locator("#id_name").fill("mine")
    wrong = recipe_json.written(WritingPreference()).replace(b'"gap"', b'"gab"')
    page.locator("#id_file").set_input_files(
        {"name": "r.json", "mimeType": "application/json", "buffer": wrong}
    )
    page.locator("form#recipe-file button").click()
    expect(page.locator("#id_file_error")).to_contain_text("rules[4].rule")
    expect(page.locator("#id_name")).to_have_value("mine")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_lead_takes_a_recipe_away_as_json_and_brings_it_back(page_of, lead, strange, tmp_path):
    page = page_of(lead)
    page.goto(reverse("recipe", args=[strange.project.slug, strange.pk]))
    with page.expect_download() as taken:
        page.get_by_role("link", name="The recipe as JSON").click()
    assert taken.value.suggested_filename == "single-scores-1.json"
    taken.value.save_as(tmp_path / "mine.json")
    page.get_by_role("link", name="All recipes").click()
    page.get_by_label("Name").fill("mine")
    page.get_by_label("File").set_input_files(tmp_path / "mine.json")
    page.get_by_role("button", name="Upload the recipe").click()
    expect(page.get_by_role("heading", name="mine 1")).to_be_visible()
    assert Recipe.objects.get(name="mine").parameters == strange.parameters


def test_a_lead_makes_a_recipe_by_keyboard_and_starts_a_run_with_it(page_of, lead, strange):
    page = page_of(lead)
    page.goto(reverse("recipe_copy_shipped", args=[strange.project.slug]))
    page.locator("#id_name").fill("strict")
    page.locator("#id_on_unanimity").focus()
    page.keyboard.press("Space")
    page.locator("form#recipe button").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="strict 1")).to_be_visible()
    expect(page.get_by_text("All who scored both prefer the chosen response.")).to_be_visible()
    assert Recipe.objects.get(name="strict").parameters["unanimous"] is True


def test_writing_a_number_of_a_rule_ticks_the_rule(page_of, lead, strange):
    page = page_of(lead)
    page.goto(reverse("recipe_change", args=[lead.project.slug, strange.pk]))
    page.wait_for_load_state()
    rule = page.locator("#rule-length_ratio")
    expect(rule.get_by_role("checkbox")).not_to_be_checked()
    rule.get_by_role("textbox").first.fill("2")
    expect(rule.get_by_role("checkbox")).to_be_checked()
