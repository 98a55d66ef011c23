"""The pages on which a lead steers a round, sees what votes came to and has pairs checked: sound in every look."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.domain.prompt_selection import Filters
from annotation.services import category_votes, pair_rounds, preferences, rounds
from curation.services import recipes, runs
from tests.browser.axe import axe
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, score_all
from tests.rounds_of_votes import hand_out, make_category_round, make_pair_round


@pytest.fixture(autouse=True)
def long_name(project):
    project.name = "Bridges and crossings: literary quality in two languages"
    project.save(update_fields=["name"])


def is_sound(page: Page) -> None:
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]


@in_looks(LOOKS)
def test_a_round_while_it_is_on(look, project, lead, page_of, complaints):
    complaints.allow("status of 422")
    for language in ("en", "zh"):
        make_response(make_prompt(project, language=language, genre=project.genres.first()))
    seated = [make_member(project) for _ in range(3)]
    work = rounds.draft(
        project, "Panels of the spring term", purpose="live", filters=Filters(), by=None, now=NOW
    )
    seats = {number: member.pk for number, member in enumerate(seated, start=1)}
    rounds.seat(work, {prompt.pk: seats for prompt in project.prompts.all()}, by=None, now=NOW)
    rounds.open_draft(work, by=None, now=NOW)
    page = page_of(lead)
    page.goto(reverse("round_work", args=[project.slug, work.pk]))
    is_sound(page)
    for form, name, value in (("cap", "daily_cap", "many"), ("mixture", "gold", "90")):
        page.locator(f"[name={name}]").fill(value)
        page.locator(f"form[action$='/{form}/'] button").click()
        expect(page.locator(f"[name={name}][aria-invalid=true]")).to_be_focused()
        is_sound(page)
    page.locator("form[action$='/quotas/'] input.short").first.fill("-1")
    page.locator("form[action$='/quotas/'] button").click()
    expect(page.locator("form[action$='/quotas/'] .error")).to_be_visible()
    is_sound(page)
    rounds.lock(work, by=None, now=NOW)
    page.goto(reverse("round_work", args=[project.slug, work.pk]))
    is_sound(page)


@in_looks(LOOKS)
def test_what_votes_on_categories_came_to(look, project, lead, page_of):
    empty = make_category_round(project, [], name="Empty")
    prompts = [make_prompt(project, f"a-rather-long-id-of-a-prompt-{number}") for number in range(2)]
    work = make_category_round(project, prompts, voters=1)
    category_votes.submit(
        hand_out(make_member(project), work), category="poetry", justification="So it is.", now=NOW
    )
    page = page_of(lead)
    page.goto(reverse("category_outcomes", args=[project.slug, empty.pk]))
    expect(page.locator("#state")).to_have_count(0)  # nothing to filter
    is_sound(page)
    page.goto(reverse("category_outcomes", args=[project.slug, work.pk]))
    for row in page.locator(".decisions tbody th").all():
        box, frame = row.bounding_box(), page.locator(".table-scroll").bounding_box()
        assert box["width"] < 0.6 * frame["width"]  # what follows is seen beside it
    is_sound(page)


@in_looks(OPPOSITE_LOOKS)
def test_rounds_of_pairs_from_nothing_to_the_list(look, project, lead, page_of):
    page = page_of(lead)
    page.goto(reverse("new_pairs", args=[project.slug]))
    expect(page.locator("[name=name]")).to_have_count(0)  # no draft of nothing
    is_sound(page)
    prompt = make_prompt(project)
    for _ in range(3):
        make_response(prompt)
    page.reload()
    expect(page.locator("[name=name]")).to_be_visible()
    work = pair_rounds.study(
        project,
        "Preference study of the spring",
        filters=Filters(),
        sample=2,
        seed="1",
        annotators=13,
        ties_allowed=True,
        by=None,
        now=NOW,
    )
    page.goto(reverse("project_round", args=[project.slug, work.pk]))
    expect(page.locator(".figures .card").nth(2)).to_contain_text("26")  # two pairs for thirteen people each
    is_sound(page)
    page.goto(reverse("rounds", args=[project.slug]))
    is_sound(page)


@in_looks(OPPOSITE_LOOKS)
def test_a_spot_check_is_asked_for(look, project, annotator, lead, page_of, complaints):
    complaints.allow("status of 422")
    prompt = make_prompt(project, genre=project.genres.first())
    people = [annotator.user.username, make_member(project).user.username]
    for name in ("good", "weak"):
        make_response(prompt, name)
    values = {(name, one): {"good": 3, "weak": 1}[name] for name in ("good", "weak") for one in people}
    score_all(make_round(project), values)
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=timezone.now())
    runs.execute(run.pk, clock=timezone.now)
    page = page_of(lead)
    page.goto(reverse("spot_check", args=[project.slug, run.pk]))
    is_sound(page)
    page.locator("button.primary").click()
    expect(page.locator("[name=name]")).to_be_focused()
    is_sound(page)


@in_looks(LOOKS)
def test_the_own_work(look, project, annotator, page_of):
    page = page_of(annotator)
    page.goto(reverse("own_work"))
    is_sound(page)
    prompt = make_prompt(project, text="Write about a crossing. " * 20)
    pair = (make_response(prompt), make_response(prompt))
    lease = hand_out(annotator, make_pair_round(project, [pair], name="Pairs"))
    preferences.submit(lease, preferred="b", justification="It crosses.", now=NOW)
    preferences.revise(lease, preferred="a", justification="It does not.", based_on=1, now=NOW)
    page.reload()
    page.locator("details.revisions summary").click()
    is_sound(page)
