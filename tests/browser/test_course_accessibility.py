"""The course in a browser: no page breaks a rule of axe or scrolls sideways; a keyboard alone walks through it."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotation.models import Comment, LessonRead, Score
from annotation.services import consensus, courses, lessons, stages, threads, training
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.browser.texts import ENGLISH
from tests.courses import lock, make_course, make_trainee
from tests.factories import NOW, make_member

RATIONALE = (
    "The letter does all that was asked, and ¶2 is exact. But nothing in it could not stand in any other "
    "letter: the turn in ¶1 is the one that the prompt already gave."
)


@pytest.fixture
def teacher(project):
    return make_member(project, "instructor", "Ines Okafor")


@pytest.fixture
def world(project, teacher):
    """A course half done, with lessons, a thread with a ruling, another trainee, and a draft."""
    project.languages = ["en"]
    project.save(update_fields=["languages"])
    for lesson in lessons.add_starters(project, language="en", by=teacher.user, now=NOW):
        lessons.publish(lesson, by=teacher.user, now=NOW)
    retired = lessons.write(
        project, language="en", genre=project.genres.first(), title="Old", body="Old", by=None, now=NOW
    )
    lessons.retire(retired, by=None, now=NOW)
    work = courses.draft(project, language="en", by=None, now=NOW)
    for kind, number in (("worked", 2), ("practice", 4), ("extra", 1), ("check", 2)):
        for each in range(number):
            consensus.author(
                work,
                language="en",
                genre=project.genres.first(),
                prompt_text=f"Write a letter, {kind} {each}.",
                response_text=ENGLISH,
                kind=kind,
                value=2,
                split=[0, 2, 3, 0],
                rationale=RATIONALE,
                by=None,
                now=NOW,
            )
    courses.open_course(work, by=None, now=NOW)
    held, other = make_trainee(project, "tina"), make_trainee(project, "otto")
    lessons.read(project.lessons.first(), held.annotator, now=NOW)
    leases = [lock(held, value, "It keeps to the prompt (¶1).") for value in (1, 2, 0)]
    lock(other, 1)
    place = (work, leases[0].assignment.response)
    asked = {"body": "Is ¶2 not enough for a 3?", "paragraph": 2, "criterion": "voice"}
    threads.post(*place, by=held.annotator.user, now=NOW, **asked)
    ruling = threads.post(*place, by=teacher.user, body="Exact, yes. A 3 needs a choice.", now=NOW)
    threads.rule(ruling, by=teacher.user, now=NOW)
    threads.post(*place, by=other.annotator.user, body="Thank you, that helps.", now=NOW)
    draft = make_course(project, language="", texts={"practice": 1}, is_open=False)
    item = work.consensus_items.get(response=place[1])
    return {"held": held, "leases": leases, "work": work, "draft": draft, "item": item, "other": other}


def assert_sound(look: Page, path: str) -> None:
    answer = look.goto(path)
    assert answer.status == 200, path
    assert axe(look) == [], path
    wider = look.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0, f"{path} is {wider} px wider than the window"


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_a_trainee(look, world, project, page_of):
    page_of(world["held"].annotator)
    of_course = [project.slug, "en"]
    next_one = training.next_item(world["held"], now=NOW)
    for path in (
        reverse("training", args=of_course),
        reverse("training_lesson", args=[*of_course, 1]),
        reverse("training_lesson", args=[*of_course, 3]),
        reverse("training_example", args=[*of_course, 1]),
        reverse("consensus", args=[world["leases"][0].token]),
        reverse("consensus", args=[world["leases"][2].token]) + "#p2",
        reverse("score", args=[next_one.token]),
        reverse("guideline", args=[project.slug]),
        "/",
    ):
        assert_sound(look, path)


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_those_who_teach(look, world, project, page_of, teacher, lead):
    for person in (teacher, lead):
        page_of(person)
        for path in (
            reverse("course", args=[project.slug]),
            reverse("new_lesson", args=[project.slug, "en"]),
            reverse("lesson", args=[project.slug, project.lessons.first().pk]),
            reverse("course_items", args=[project.slug, world["work"].pk]),
            reverse("course_items", args=[project.slug, world["draft"].pk]),
            reverse("course_item", args=[project.slug, world["item"].pk]),
        ):
            assert_sound(look, path)
    assert_sound(look, reverse("rubric", args=[project.slug]))
    assert_sound(look, "/")


# --- By keyboard alone ---------------------------------------------------------------------------


def tab_to(page: Page, wanted: Locator) -> None:
    for _ in range(60):
        if wanted.evaluate_all("all => all.includes(document.activeElement)"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never comes to {wanted}")


def press_to(page: Page, name: str, role: str = "button") -> None:
    """Tab to the control of that name and press it, until another page is there."""
    tab_to(page, page.get_by_role(role, name=name, exact=True))
    with page.expect_navigation():
        page.keyboard.press("Enter")


def type_at(page: Page, label: str, words: str) -> None:
    tab_to(page, page.get_by_label(label, exact=True))
    page.keyboard.type(words)


def submit(page: Page) -> None:
    with page.expect_navigation(url="**/consensus/"):
        page.keyboard.press("Control+Enter")


def test_a_keyboard_walks_from_a_lesson_to_the_next_item_and_to_the_end(page_of, project, teacher):
    (lesson, *_others) = lessons.add_starters(project, language="en", by=teacher.user, now=NOW)
    lessons.publish(lesson, by=teacher.user, now=NOW)
    make_course(project, texts={"worked": 1, "practice": 1, "check": 1})
    held = make_trainee(project, "tina")
    page = page_of(held.annotator)
    page.goto(reverse("training", args=[project.slug, "en"]))
    press_to(page, "Read the lesson", "link")
    expect(page.get_by_role("heading", level=1)).to_have_text(lesson.title)
    press_to(page, "I have read it")
    page.wait_for_url("**/course/")
    assert LessonRead.objects.count() == 1
    press_to(page, "Example 1", "link")
    press_to(page, "On to practice", "link")
    page.wait_for_url("**/course/")
    press_to(page, "Score item 1")
    page.wait_for_url("**/score/*/")
    page.keyboard.press("1")
    type_at(page, "Justification", "A template.")
    submit(page)
    assert Score.objects.get().value == 1
    expect(page.locator(".versus").get_by_text("one off")).to_be_visible()
    press_to(page, "¶2", "link")
    expect(page.locator("#p2:target")).to_be_visible()
    type_at(page, "Your post", "Why is it no 1?")
    press_to(page, "Post")
    page.wait_for_url("**/consensus/#thread")
    assert Comment.objects.get().body == "Why is it no 1?"
    press_to(page, "Next item")
    page.wait_for_url(re.compile(r"/score/[^/]+/$"))
    page.keyboard.press("2")
    type_at(page, "Justification", "Sound.")
    submit(page)
    press_to(page, "Next item")
    page.wait_for_url("**/course/")
    assert [each.value for each in Score.objects.order_by("pk")] == [1, 2]
    expect(page.get_by_text("More of your first scores have to be exact.")).to_be_visible()


def test_whoever_masters_the_course_finishes_it_by_keyboard(page_of, project):
    make_course(project, texts={"practice": 1, "check": 1})
    held = make_trainee(project, "tina")
    for _ in range(2):
        lock(held, 2)
    page = page_of(held.annotator)
    page.goto(reverse("training", args=[project.slug, "en"]))
    press_to(page, "Finish the course")
    page.wait_for_url("**/preparation/")
    held.refresh_from_db()
    assert held.stage == stages.stages.CALIBRATION
