"""A lead reads recipes and makes one: pages that break no rule of axe and scroll nowhere sideways."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from curation.models import Recipe
from curation.services import recipes, runs
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
def test_a_refused_form_breaks_none_either(page_of, lead, strange, look, complaints):
    complaints.allow("status of 422")
    page = page_of(lead)
    page.goto(reverse("recipe_change", args=[strange.project.slug, strange.pk]))
    page.locator("#id_min_gap").fill("four")
    page.locator("form#recipe button").click()
    expect(page.locator("#id_min_gap_error")).to_be_visible()
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
