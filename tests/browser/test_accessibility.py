"""No screen or state breaks a rule of axe, in either theme, language and width."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.services import assignments, scoring
from curation.models import Run
from curation.services import recipes, releases, runs
from tests.browser.axe import axe
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.browser.texts import CHINESE, ENGLISH
from tests.factories import NOW, REASON, make_member, make_prompt, make_response, make_round, score_all


@pytest.fixture
def work(project, annotator):
    project.justification_minimum = 5
    project.save(update_fields=["justification_minimum"])
    for language, text in (("en", ENGLISH), ("zh", CHINESE)):
        prompt = make_prompt(project, language=language, genre=project.genres.first())
        make_response(prompt, text=text[:600])
    return make_round(project)


@pytest.fixture
def leases(work, annotator):
    """One text scored and one in hand."""
    first = assignments.claim(annotator, work, now=NOW)
    scoring.submit(
        first, value=2, justification="这一段写得很好，理由充分。 One two three four five.", now=NOW
    )
    return first, assignments.claim(annotator, work, now=NOW)


@pytest.fixture
def release(project, annotator):
    prompt = make_prompt(project, "p1")
    for name in ("good", "weak"):
        make_response(prompt, name)
    people = [annotator.user.username, make_member(project, "annotator", "otto").user.username]
    values = {(name, person): {"good": 3, "weak": 1}[name] for name in ("good", "weak") for person in people}
    score_all(make_round(project), values)
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=NOW)
    run = runs.request(project, recipe=recipe, by=None, now=timezone.now())
    runs.execute(run.pk, clock=timezone.now)
    run.refresh_from_db()
    found = releases.request(run, name="bridges", version="0.1.0", reason=REASON, by=None, now=timezone.now())
    releases.execute(found.pk, clock=timezone.now)
    return found


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_before_work(look, work, page_of, annotator, stranger, complaints):
    complaints.allow("status of 404")
    look.goto("/sign-in/")
    assert axe(look) == []
    look.locator("main .primary").evaluate("button => button.form.noValidate = true")
    look.locator("main .primary").click()
    assert axe(look) == []
    page_of(stranger)
    for path in ("/", "/there-is-no-such-page/"):
        look.goto(path)
        assert axe(look) == []
    page_of(annotator)
    look.goto("/")
    assert axe(look) == []
    look.locator("[popovertarget=menu]").click()
    assert axe(look) == []


@in_looks(LOOKS)
def test_the_scoring_page_in_its_states(look, leases, page_of, annotator):
    page_of(annotator)
    given, in_hand = (reverse("score", args=[lease.token]) for lease in leases)
    look.goto(in_hand)
    assert axe(look) == []
    look.keyboard.press("?")
    assert axe(look) == []
    look.keyboard.press("Escape")
    if look.locator(".sheet-toggle").is_visible():
        look.locator(".sheet-toggle").click()
        assert axe(look) == []
    look.locator("[data-opens=rubric]").click()
    assert axe(look) == []
    look.keyboard.press("Escape")
    look.locator(".criteria summary").click()
    assert axe(look) == []
    look.keyboard.press("Control+Enter")
    assert look.get_by_role("alert").is_visible()
    assert axe(look) == []
    look.keyboard.press("3")
    assert axe(look) == []
    look.goto(given)
    assert axe(look) == []


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_a_lead(look, release, page_of, lead):
    page_of(lead)
    run = reverse("run", args=[release.project.slug, release.run_id])
    paths = [
        reverse("project", args=[release.project.slug]),
        run,
        reverse("release", args=["bridges", "0.1.0"]),
    ]
    for path in paths:
        look.goto(path)
        assert axe(look) == []
    waiting = Run.objects.create(
        project=release.project, recipe=release.run.recipe, queued_at=NOW, state=Run.State.QUEUED
    )
    look.goto(reverse("run", args=[release.project.slug, waiting.pk]))
    assert axe(look) == []
