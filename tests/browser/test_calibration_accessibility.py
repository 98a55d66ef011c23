"""No page of a calibration breaks a rule of axe or scrolls sideways, whatever state it is in."""

import pytest
from django.urls import reverse

from annotation.services import assignments, threads
from annotation.services import calibration as services
from curation.services import calibration
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.browser.test_setup_accessibility import assert_sound
from tests.calibrations import begun, drafted, make_texts, score_texts, take_part
from tests.factories import NOW

VALUES = {"ann": 0, "ben": 2, "cat": 3}


@pytest.fixture
def people(project):
    return take_part(project, *VALUES)


def scored(work, people, shift=0):
    score_texts(
        work,
        people,
        lambda member, response: min(3, max(0, VALUES[member.user.username] + response.pk % 2 - shift)),
    )


@pytest.fixture
def world(project, lead, people):
    """A calibration in each state: draft, open, closed with its second round open, and with both closed."""
    by = {"by": lead.user}
    done = begun(project, people, make_texts(project), name="Done", **by)
    scored(done, people)
    calibration.close(done, now=NOW, **by)
    threads.post(done, done.assignments.first().response, by=lead.user, body="See ¶2.", now=NOW)
    after = services.second_round(done, now=NOW, **by)
    scored(after, people, shift=1)
    calibration.close(after, now=NOW, **by)
    closed = begun(project, people, make_texts(project), name="Closed", **by)
    scored(closed, people)
    calibration.close(closed, now=NOW, **by)
    second = services.second_round(closed, now=NOW, **by)
    opened = begun(project, people, make_texts(project), name="Open", **by)
    dan = take_part(project, "dan", stage="active")
    draft = drafted(project, [*people, *dan], make_texts(project), name="Draft", **by)
    make_texts(project, 2, "text that nobody asks about")
    return {"rounds": [done, after, closed, second, opened, draft], "second": second}


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_a_lead(look, world, project, page_of, lead):
    page_of(lead)
    assert_sound(look, reverse("calibrations", args=[project.slug]))
    assert_sound(look, reverse("calibration_new", args=[project.slug]))
    for work in world["rounds"]:
        assert_sound(look, reverse("calibration_round", args=[project.slug, work.pk]))
    for work in world["rounds"][:2]:
        assert_sound(look, reverse("calibration_text", args=[project.slug, work.pk, 1]))


@in_looks(OPPOSITE_LOOKS)
def test_a_refused_form_of_a_lead(look, world, project, page_of, lead, complaints):
    complaints.allow("status of 422")
    page_of(lead)
    opened = world["rounds"][4]
    assert_sound(look, reverse("calibration_round", args=[project.slug, opened.pk]))
    look.locator("#main form .button").first.click()
    assert look.locator("#reason-error").is_visible()


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_an_annotator(look, world, project, page_of, people):
    page_of(people[0])
    for number in (1, 2, 3):
        assert_sound(look, reverse("calibration_number", args=[project.slug, "en", number]))
    for number in (1, 2):
        assert_sound(look, reverse("calibration_own_text", args=[project.slug, "en", number, 1]))
    lease = assignments.claim(people[0], world["second"], now=NOW)
    assert_sound(look, reverse("score", args=[lease.token]))


@in_looks(OPPOSITE_LOOKS)
def test_pages_with_nothing_on_them(look, project, page_of, lead, people):
    page_of(people[0])
    assert_sound(look, reverse("calibration", args=[project.slug, "en"]))
    page_of(lead)
    assert_sound(look, reverse("calibrations", args=[project.slug]))
