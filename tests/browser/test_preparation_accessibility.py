"""No page of the stages, the screening or the items breaks a rule of axe or scrolls sideways."""

import pytest
from django.urls import reverse

from annotation.models import Preparation, Qualification
from annotation.services import membership, screening, stages
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.browser.test_setup_accessibility import assert_sound
from tests.factories import NOW, make_prompt, make_response, make_user
from tests.sittings import make_form

QUESTION = "What did you last read to the end, and would you give it to a friend who writes?"


@pytest.fixture
def held(project):
    """Somebody in the screening who has answered and waits for a lead."""
    Preparation.objects.create(project=project, questions=[QUESTION], exam_items_minimum=8)
    member = membership.add(
        project, make_user("cand"), role="annotator", languages=["en"], stage="screening", by=None, now=NOW
    )
    found = member.qualifications.get()
    said = [(QUESTION, "A novel about a bridge, twice, and yes: to the one who is afraid of endings.")]
    known = {"fiction": 2, "poetry": 0}
    screening.answer(found, level="B1", familiarity=known, answers=said, now=NOW)
    return found


@in_looks(OPPOSITE_LOOKS)
def test_the_annotators_pages(look, held, project, page_of, annotator):
    page_of(held.annotator)
    assert_sound(look, reverse("home"))
    assert_sound(look, reverse("standing", args=[project.slug]))
    assert_sound(look, reverse("screening", args=[project.slug, "en"]))
    page_of(annotator)
    assert_sound(look, reverse("standing", args=[project.slug]))


@in_looks(OPPOSITE_LOOKS)
def test_a_screening_with_gaps(look, held, project, page_of, complaints):
    complaints.allow("status of 422")
    page_of(held.annotator).goto(reverse("screening", args=[project.slug, "en"]))
    look.locator("main form button.primary").click()
    assert look.get_by_role("alert").first.is_visible()
    assert axe(look) == []


@in_looks(OPPOSITE_LOOKS)
def test_the_leads_pages(look, held, annotator, project, page_of, lead):
    page_of(lead)
    assert_sound(look, reverse("preparation_people", args=[project.slug]))
    assert_sound(look, reverse("preparation_settings", args=[project.slug]))
    assert_sound(look, reverse("preparation_record", args=[project.slug, held.pk]))
    stages.move(held, to="paused", by=lead.user, reason="Back in May, as agreed.", now=NOW)
    for each in Qualification.objects.all():
        assert_sound(look, reverse("preparation_record", args=[project.slug, each.pk]))


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_items(look, project, page_of, lead):
    form = make_form(project, publish=False)
    response = make_response(make_prompt(project))
    page_of(lead)
    assert_sound(look, reverse("consensus_items", args=[project.slug, form.pk]))
    assert_sound(look, reverse("consensus_author", args=[project.slug, form.pk]))
    assert_sound(look, reverse("consensus_add", args=[project.slug, form.pk, response.pk]))
    item = form.consensus_items.first()
    assert_sound(look, reverse("consensus_item", args=[project.slug, form.pk, item.pk]))
