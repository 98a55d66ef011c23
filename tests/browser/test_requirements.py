"""Requirements in a browser: written by keyboard with a script, and sound in every look."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from authoring import tasks
from authoring.domain.chat import Answer
from authoring.domain.countable import Check
from authoring.models import Endpoint, ModelRequest, Plan
from authoring.queries import requirements as queries
from authoring.services import answers, requirements
from tests.authoring.plans_under_way import make_plan
from tests.browser.axe import axe
from tests.browser.keyboard import press, tab_to, write
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.factories import NOW, make_member, make_prompt

ENGLISH = [
    ("content", "The bridge is crossed twice, for two different reasons.", None),
    ("style", "Use the phrase “so be it” once.", Check("string", string="so be it")),
    ("format", "Exactly 3 paragraphs.", Check("paragraphs", 3, 3)),
    ("length", "At least 300 words.", None),
    ("", "Nobody is named.", None),
]
CHINESE = [
    ("content", "同一座桥要走两次，理由不同。", None),
    ("length", "全文不少于800字。", Check("words", least=800)),
    ("format", "分为五个自然段。", None),
]
PROPOSED = """[{"kind": "style", "text": "Write in the present tense."},
{"kind": "length", "text": "At most 40 sentences."}]"""


@pytest.fixture
def ines(project):
    return make_member(project, "instructor", "Ines Okafor")


@pytest.fixture
def endpoint(db, monkeypatch):
    monkeypatch.setattr(tasks.work_on_plan, "delay_on_commit", lambda pk: None)
    return Endpoint.objects.create(
        name="writer-large",
        base_url="http://127.0.0.1:1/v1",
        model="m",
        public_name="Writer Large",
        created_at=NOW,
    )


def at(name, prompt):
    return reverse(f"requirements_{name}", args=[prompt.project.slug, prompt.pk])


def put(prompt, rows):
    requirements.put(prompt, rows, seen=requirements.mark(()), by=None, now=NOW)


def told(prompt):
    return [(row.kind, row.text, row.check) for row in queries.rows_of(prompt)]


# --- By keyboard ---------------------------------------------------------------------------------


def change(page: Page, name: str) -> None:
    """The rows of the form, on the page that is there."""
    tab_to(page, name)
    page.keyboard.press("Enter")


def test_they_are_written_checked_moved_and_saved_by_keyboard(project, ines, page_of):
    prompt = make_prompt(project, "bridge-01")
    page = page_of(ines)
    page.goto(reverse("requirements", args=[project.slug]))
    press(page, "^bridge-01$")
    write(page, "^Requirement$", "At least 300 words.")
    change(page, "^More empty rows")
    expect(page.locator(".requirement-row")).to_have_count(5)
    change(page, "^Check it so")
    expect(page.locator("#id_r0-least")).to_have_value("300")
    page.locator("#id_r1-text").fill("Nobody is named.")
    page.keyboard.press("Tab")
    change(page, "^More empty rows")
    expect(page.locator(".requirement-row")).to_have_count(7)
    change(page, "^Up")
    expect(page.locator("#id_r0-text")).to_have_value("Nobody is named.")
    assert told(prompt) == []
    press(page, "^Save the requirements")
    expect(page.get_by_text("The requirements are saved.")).to_be_visible()
    assert told(prompt) == [
        ("", "Nobody is named.", None),
        ("", "At least 300 words.", Check("words", least=300)),
    ]


def test_enter_in_a_field_stores_nothing(project, ines, page_of):
    prompt = make_prompt(project)
    put(prompt, ENGLISH)
    page = page_of(ines)
    page.goto(at("edit", prompt))
    page.locator("#id_r2-most").fill("7")
    page.keyboard.press("Enter")
    page.wait_for_load_state()
    expect(page.locator("#id_r2-most")).to_have_value("7")
    assert told(prompt) == ENGLISH


def test_rows_that_are_not_saved_are_not_left_unasked(project, ines, page_of):
    prompt = make_prompt(project)
    page = page_of(ines)
    page.goto(at("edit", prompt))
    page.locator("#id_r0-text").fill("Rhyme.")
    page.get_by_role("button", name="More empty rows").click()
    expect(page.locator(".requirement-row")).to_have_count(5)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.get_by_role("link", name="All prompts").click()
    page.wait_for_url("**/requirements/")
    assert asked == ["beforeunload"]


def test_a_models_proposals_come_into_the_form_beside_what_is_written(project, ines, endpoint, page_of):
    prompt = make_prompt(project)
    page = page_of(ines)
    page.goto(at("edit", prompt))
    page.get_by_role("button", name="Ask the model").click()
    expect(page.get_by_text("Writer Large is writing.")).to_be_visible()
    page.locator("#id_r0-text").fill("Rhyme.")
    ModelRequest.objects.update(state="done", ended_at=NOW, text=PROPOSED)
    page.get_by_role("button", name="Put them into the form").click()
    expect(page.locator("#id_r2-text")).to_have_value("At most 40 sentences.")
    expect(page.locator("#id_r0-text")).to_have_value("Rhyme.")
    assert told(prompt) == []
    page.get_by_role("button", name="Save the requirements").click()
    expect(page.get_by_text("The requirements are saved.")).to_be_visible()
    assert [text for _kind, text, _check in told(prompt)][1:] == [
        "Write in the present tense.",
        "At most 40 sentences.",
    ]


# --- In every look -------------------------------------------------------------------------------


def assert_sound(look: Page, path: str, status: int = 200) -> None:
    answer = look.goto(path)
    assert answer.status == status, path
    assert_page_sound(look, path)


def assert_page_sound(look: Page, path: str) -> None:
    assert axe(look) == [], path
    wider = look.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0, f"{path} is {wider} px wider than the window"


@pytest.fixture
def world(project, ines, endpoint):
    """A prompt to write, one in Chinese, one that is in use with its order, and one that a model was asked about."""
    names = ("bare", "english", "chinese", "ordered")
    found = {
        name: make_prompt(project, f"bridge-{name}", text=f"Write of a bridge.\n\n{name}") for name in names
    }
    found["chinese"].__class__.objects.filter(pk=found["chinese"].pk).update(language="zh", text="写一座桥。")
    found["chinese"].refresh_from_db()
    put(found["english"], ENGLISH)
    put(found["chinese"], CHINESE)
    put(found["ordered"], ENGLISH)
    plan = make_plan(
        project,
        endpoint,
        kind=Plan.Kind.DROPOUT,
        prompts=project.prompts.filter(pk=found["ordered"].pk),
        samples=2,
        seed="seed",
    )
    for request in plan.requests.exclude(variant=5):
        text = (
            "They crossed it, so be it.\n\nTwice.\n\nAnd home." if request.variant < 3 else "They crossed it."
        )
        answers.store(request.pk, Answer(text, "stop"), sent_at=NOW, now=NOW)
    requirements.propose(found["english"], endpoint, by=None, now=NOW)
    ModelRequest.objects.filter(plan__kind="proposal").update(state="done", ended_at=NOW, text=PROPOSED)
    requirements.propose(found["chinese"], endpoint, by=None, now=NOW)
    return found


@in_looks(LOOKS)
def test_the_editor_is_sound(look, world, ines, page_of):
    page_of(ines)
    for name in ("bare", "english", "chinese"):
        assert_sound(look, at("edit", world[name]))


@in_looks(OPPOSITE_LOOKS)
def test_the_other_pages_are_sound(look, world, project, ines, lead, page_of, complaints):
    complaints.allow("status of 422")
    for person in (ines, lead):
        page_of(person)
        assert_sound(look, reverse("requirements", args=[project.slug]))
        assert_sound(look, reverse("requirements", args=[project.slug]) + "?having=without&genre=poetry")
        assert_sound(look, at("edit", world["ordered"]))
        assert_sound(look, at("golden", world["ordered"]))
        assert_sound(look, at("golden", world["bare"]))
    look.goto(at("edit", world["english"]))
    look.locator("#id_r4-measure").evaluate("select => { select.value = 'words'; }")
    look.locator("button[value=save]").click()
    look.wait_for_selector("[role=alert]")
    assert_page_sound(look, "a refused form")
