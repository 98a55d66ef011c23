"""No page of the exam breaks a rule of axe or scrolls sideways, and critiques are graded by keyboard alone."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Attempt, CritiqueGrade
from annotation.services import critiques, exams
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.browser.test_setup_accessibility import assert_sound
from tests.factories import make_member
from tests.sittings import (
    always_off,
    answer,
    ask,
    candidate,
    grade_all,
    instructor_of,
    make_form,
    points,
    sat,
)


@pytest.fixture
def world(project, lead, annotator):
    """A candidate at every point of the exam, two forms and a draft."""
    ask(project, graders=2, retakes=1)
    for name in ("Form A", "Form B"):
        make_form(project, name)
    draft = make_form(project, "Form C", texts=3, publish=False)
    grader, now = instructor_of(project), timezone.now()
    held = {
        name: candidate(make_member(project, "annotator", name))
        for name in ("ready", "open", "waiting", "failed", "passed", "lost")
    }
    answer(exams.start(held["open"], now=now), texts=3, now=now)
    sat(held["waiting"], now=now)
    for name, scores, begun in (
        ("failed", always_off, now),
        ("passed", lambda value: value, now),
        ("lost", always_off, now - timedelta(days=20)),
        ("lost", always_off, now - timedelta(days=10)),
    ):
        attempt = sat(held[name], scores=scores, now=begun)
        for person in (grader, lead):
            grade_all(attempt, person.user, each=1 if name == "failed" else 2, now=begun)
    waiting = Attempt.objects.get(state="finished")
    response = waiting.result["critiques"][0]
    critiques.grade(waiting, response, by=lead.user, points=points(1), comment="", now=now)
    return {"held": held, "draft": draft, "grader": grader, "form": waiting.round}


@in_looks(OPPOSITE_LOOKS)
def test_the_candidates_page_in_every_state(look, world, project, page_of):
    for held in world["held"].values():
        page_of(held.annotator)
        assert_sound(look, reverse("exam", args=[project.slug, "en"]))


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_leads_and_instructors(look, world, project, page_of, lead):
    page_of(lead)
    assert_sound(look, reverse("exams", args=[project.slug]))
    for form in (world["draft"], world["form"]):
        assert_sound(look, reverse("exam_form", args=[project.slug, form.pk]))
    for attempt in Attempt.objects.all():
        assert_sound(look, reverse("exam_attempt", args=[project.slug, attempt.pk]))
    for person in (world["grader"], lead):
        page_of(person)
        for name in ("exams", "exam_grading"):
            assert_sound(look, reverse(name, args=[project.slug]))


@in_looks(OPPOSITE_LOOKS)
def test_a_grader_needs_the_keyboard_alone(look, world, project, page_of):
    page_of(world["grader"])
    look.goto(reverse("exam_grading", args=[project.slug]))
    for key in ("2", "1", "0"):
        look.keyboard.press(key)
    with look.expect_navigation():
        look.keyboard.press("Control+Enter")
    grade = CritiqueGrade.objects.filter(grader=world["grader"].user).latest("pk")
    assert grade.points == {"evidence": 2, "level": 1, "place": 0}
