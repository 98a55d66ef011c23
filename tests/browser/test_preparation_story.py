"""From an invitation to the work, by keyboard alone: the annotator's steps and the lead's between them."""

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from annotation.models import Membership, Preparation, Project, Qualification, Round, Score
from annotation.services import (
    assignments,
    consensus,
    consent,
    courses,
    exam_forms,
    lessons,
    membership,
    scoring,
)
from tests.browser.keyboard import heading, next_page, press, tab_to, tick, write
from tests.factories import NOW, PASSWORD, make_member, make_prompt, make_response, make_round, make_user

pytestmark = pytest.mark.django_db(transaction=True)
REASON = "The second paragraph decides it: the bridge speaks there, and the closing line answers to that."


@pytest.fixture
def prepared(project: Project) -> Project:
    """A project with an exam, a course and two people who wait for a calibration, all very small."""
    Preparation.objects.create(
        project=project,
        exam_items_minimum=4,
        critiques_graded=1,
        worked_items=1,
        practice_items=2,
        check_items=1,
    )
    consent.add_shipped(project, by=None, now=NOW)
    form = exam_forms.draft_form(project, language="en", name="Form A", by=None, now=NOW)
    for value in range(4):
        add(form, "exam", value)
    exam_forms.publish(form, by=None, now=NOW)
    lesson = lessons.write(
        project, language="en", genre=None, title="The scale", body="Read **twice**.", by=None, now=NOW
    )
    lessons.publish(lesson, by=None, now=NOW)
    course = courses.draft(project, language="en", by=None, now=NOW)
    for kind, value in (("worked", 2), ("practice", 1), ("practice", 3), ("check", 0)):
        add(course, kind, value)
    courses.open_course(course, by=None, now=NOW)
    for name in ("ben", "cat"):
        membership.add(
            project,
            make_user(name),
            role="annotator",
            languages=["en"],
            stage="calibration",
            by=None,
            now=NOW,
        )
    return project


def add(work: Round, kind: str, value: int) -> None:
    """An item whose text says what it deserves, so that whoever scores it need not think."""
    genre = work.project.genres.get(key="fiction")
    response = make_response(
        make_prompt(work.project, genre=genre), text=f"A text of level {value}.\n\nIt ends here, {kind}."
    )
    consensus.add(work, response, kind=kind, value=value, rationale="See ¶1.", by=None, now=NOW)


def deserved(page: Page) -> str:
    """The score that the text on the page asks for."""
    return page.locator("article").inner_text().split("level ")[1][0]


def score(page: Page) -> None:
    """Score the text at hand by its keys, with a reason, and send it."""
    page.keyboard.press(deserved(page))
    page.keyboard.press("e")
    page.keyboard.type(REASON)
    with next_page(page):
        page.keyboard.press("Control+Enter")


def score_all(member: Membership, work: Round) -> None:
    while lease := assignments.claim(member, work, now=NOW):
        value = int(lease.assignment.response.text.split("level ")[1][0])
        scoring.submit(lease, value=value, justification=REASON, now=NOW)


@pytest.fixture
def lead_page(browser: Browser, live_server, prepared: Project) -> Page:
    """The lead, signed in, in a browser of their own."""
    lead = make_member(prepared, "lead", "lea")
    client = Client()
    client.force_login(lead.user)
    with browser.new_context(base_url=live_server.url, locale="en-US") as context:
        context.route("**/active-time/", lambda route: route.fulfill(status=204))
        name = "sessionid"
        context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
        yield context.new_page()


def is_invited(lead_page: Page, project: Project) -> str:
    """The link that the lead would hand over."""
    lead_page.goto(f"/projects/{project.slug}/")
    press(lead_page, "^Preparation")
    press(lead_page, "Invite people")
    write(lead_page, "^E-mail address", "eve@example.org")
    tick(lead_page, "^English")
    press(lead_page, "^Invite$")
    heading(lead_page, "1 person is invited")
    return lead_page.locator("#link-1").input_value()


def accepts(page: Page, link: str) -> None:
    page.goto(link)
    write(page, "^User name", "eve")
    write(page, "^Password", PASSWORD)
    tick(page, "I have read what is recorded")
    press(page, "Accept the invitation")
    heading(page, "Where you stand|Your work")


def is_screened(page: Page, kinds_of_text: int) -> None:
    page.goto("/")
    press(page, "Go to: Screening")
    tick(page, "Native")
    for _ in range(kinds_of_text):
        tick(page, "Not at all")
        for _step in range(2):
            page.keyboard.press("ArrowDown")
    press(page, "Send the answers")


def sits_the_exam(page: Page) -> None:
    page.goto("/")
    press(page, "Go to: Exam")
    press(page, "Start the exam")
    for _ in range(4):
        score(page)
    heading(page, "You have scored every text")


def grades(lead_page: Page, project: Project) -> None:
    lead_page.goto(f"/projects/{project.slug}/exams/")
    press(lead_page, "[Gg]rade")
    for _ in range(3):
        lead_page.keyboard.press("2")
    with next_page(lead_page):
        lead_page.keyboard.press("Control+Enter")


def takes_the_course(page: Page) -> None:
    page.goto("/")
    press(page, "Go to: Training")
    press(page, "Read the lesson")
    press(page, "I have read it")
    press(page, "Example 1")
    page.go_back()
    press(page, "Score item 1")
    for number in range(3):
        score(page)
        heading(page, "Your score and the consensus")
        if number == 0:
            write(page, "^Your post", "Does the ending matter?")
            press(page, "^Post")
            expect(page.get_by_text("Does the ending matter?")).to_be_visible()
        press(page, "Next item")
    press(page, "Finish the course")


def opens_a_calibration(lead_page: Page, project: Project) -> Round:
    for value in range(4):
        make_response(make_prompt(project), text=f"A text of level {value}.\n\nIt ends here, calibrated.")
    lead_page.goto(f"/projects/{project.slug}/calibrations/")
    press(lead_page, "New calibration")
    tab_to(lead_page, "^Draw")  # the name is asked for below it
    write(lead_page, "^Name", "First calibration")
    for name in ("ben", "cat", "eve"):
        tab_to(lead_page, f"^{name}")
        if not lead_page.evaluate("document.activeElement.checked"):
            lead_page.keyboard.press("Space")
    press(lead_page, "Make a draft")
    press(lead_page, "Open the calibration")
    return Round.objects.get(purpose="calibration")


def is_calibrated(page: Page, lead_page: Page, member: Membership, work: Round) -> None:
    for name in ("ben", "cat"):
        score_all(Membership.objects.get(user__username=name), work)
    page.goto("/")
    press(page, "Go to: Calibration")
    press(page, "^Begin")
    for _ in range(work.assignments.filter(reserved_for=member).count()):
        score(page)
    expect(page.get_by_text("3 of 3 have submitted.")).to_be_visible()
    lead_page.reload()
    press(lead_page, "Close and measure")
    press(lead_page, "Make active those who meet the gate")


def works(page: Page, project: Project) -> Round:
    make_response(make_prompt(project), text="A text of level 2.\n\nIt ends here, alive.")
    live = make_round(project, "Live round")
    page.goto("/")
    press(page, "^Begin")
    score(page)
    return live


def test_a_stranger_goes_from_the_invitation_to_the_work_by_keyboard_alone(prepared, lead_page, page):
    accepts(page, is_invited(lead_page, prepared))
    held = Qualification.objects.get(annotator__user__username="eve")
    is_screened(page, prepared.genres.count())
    sits_the_exam(page)
    grades(lead_page, prepared)
    takes_the_course(page)
    is_calibrated(page, lead_page, held.annotator, opens_a_calibration(lead_page, prepared))
    live = works(page, prepared)
    assert list(held.passages.order_by("pk").values_list("to_stage", flat=True)) == [
        "invited",
        "screening",
        "exam",
        "training",
        "calibration",
        "active",
    ]
    assert Score.objects.get(round=live).annotator == held.annotator
