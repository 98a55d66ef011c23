"""Prompts in a browser: by keyboard from a blueprint to the material, kept as they are typed, sound in every look."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Genre, Prompt
from authoring import tasks
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest, PromptVersion
from authoring.services import expansions, prompts, reviews
from tests.authoring.writing import CHANGES, TEXT, accepted, begun, handed_in, reviewed, written
from tests.browser.axe import axe
from tests.browser.keyboard import heading, press, tab_to, tick, write
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.factories import NOW, make_member

CHINESE = "请写一篇八百字的故事：有人两次走过同一座桥，第二次的理由与第一次相反。\n\n不要写对话。"


@pytest.fixture
def ines(project):
    return make_member(project, "instructor", "Ines Okafor")


@pytest.fixture
def ivan(project):
    return make_member(project, "instructor", "Ivan Petrov")


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


def at(name, authored, *more):
    return reverse(f"authored_{name}", args=[authored.project.slug, authored.key, *more])


# --- By keyboard alone ---------------------------------------------------------------------------


def review(page: Page, verdict: str, *, reason: str = "") -> None:
    """From the page of the prompt to the review, and back."""
    press(page, "^Review version")
    for name in ("Creative intent", "Fitting difficulty", "Evaluative granularity"):
        if not (reason and name == "Fitting difficulty"):
            tick(page, name)
    if reason:
        write(page, "^Reason", reason)
    press(page, verdict)
    heading(page, "Reviews")
    press(page, "^Back to the prompt")


def test_two_people_bring_a_prompt_from_its_blueprint_into_the_material(project, ines, ivan, page_of):
    page = page_of(ines)
    page.goto(reverse("authored_prompts", args=[project.slug]))
    press(page, "^Begin a prompt")
    write(page, "^Id$", "bridge-01")
    write(page, "^Genre", "Fiction")
    write(page, "^Blueprint", "Somebody crosses a bridge twice, for two reasons.")
    press(page, "^Begin$")
    write(page, "^Title", "The bridge")
    write(page, "^Prompt$", TEXT)
    expect(page.locator("[data-preview-text]")).to_have_text(TEXT)
    press(page, "^Save and hand in")
    heading(page, "This will be version 1")
    press(page, "^Hand in for review")
    review(page, "^Accept$")
    expect(page.get_by_role("heading", name="It waits for another person's review")).to_be_visible()
    authored = AuthoredPrompt.objects.get()

    page = page_of(ivan)
    page.goto(reverse("authored_prompts", args=[project.slug]))
    press(page, "1 prompt waits for your review")
    press(page, "^The bridge$")
    expect(page.get_by_text("1 review is given.")).to_be_visible()
    review(page, "^Ask for changes", reason="Two reasons, but nothing is at stake.")
    press(page, "^Go on writing")
    expect(page.get_by_text("nothing is at stake")).to_be_visible()
    tab_to(page, "^Prompt$")
    page.keyboard.press("Control+End")
    page.keyboard.type(" The second time it must cost something.")
    press(page, "^Save and hand in")
    expect(page.locator("ins").filter(has_text="The second time")).to_be_visible()
    write(page, "^Note", "What is at stake.")
    press(page, "^Hand in for review")
    review(page, "^Accept$")

    page = page_of(ines)
    page.goto(at("prompt", authored))
    review(page, "^Accept$")
    expect(page.get_by_role("heading", name="Both have accepted it")).to_be_visible()
    made = Prompt.objects.get()
    assert (made.external_id, made.genre.key) == ("bridge-01", "fiction")
    assert made.text.endswith("cost something.")
    assert PromptVersion.objects.count() == 2


# --- The editor ----------------------------------------------------------------------------------


def saved(page: Page) -> None:
    expect(page.locator("[data-save-state=saved]")).to_be_visible()


def test_what_is_typed_is_kept_and_shown_as_it_will_be_read(project, ines, page_of):
    authored = begun(project, ines)
    page = page_of(ines)
    page.goto(at("edit", authored))
    page.get_by_label("Prompt", exact=True).fill("One.\n\nTwo,\nand three.")
    shown = page.locator("[data-preview-text]")
    expect(shown.locator("p")).to_have_count(2)
    expect(shown.locator("br")).to_have_count(1)
    saved(page)
    authored.refresh_from_db()
    assert (authored.text, authored.state) == ("One.\n\nTwo,\nand three.", "draft")
    page.locator("select[name=language]").select_option("zh")
    expect(shown).to_have_attribute("lang", "zh-Hans")
    width = "document.querySelector('.frame .reading').offsetWidth"
    assert page.evaluate(width) == 632
    page.get_by_label("Phone").check()
    assert page.evaluate(width) == 390
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_load_state()
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("One.\n\nTwo,\nand three.")


def test_what_is_no_length_yet_is_said_and_the_writing_goes_on(project, ines, page_of, complaints):
    complaints.allow("status of 413")
    authored = begun(project, ines)
    page = page_of(ines)
    page.goto(at("edit", authored))
    page.get_by_label("Intended length").fill("8oo")
    expect(page.get_by_text("Write the length as a whole number").first).to_be_visible()
    page.get_by_label("Intended length").fill("800")
    saved(page)
    authored.refresh_from_db()
    assert authored.intended_length == 800


def test_of_two_tabs_none_overwrites_the_other_unseen(project, ines, page_of, context, complaints):
    complaints.allow("status of 409")
    authored = begun(project, ines)
    page, other = page_of(ines), context.new_page()
    for tab in (page, other):
        tab.goto(at("edit", authored))
    page.get_by_label("Prompt", exact=True).fill("Of the first tab.")
    saved(page)
    other.get_by_label("Prompt", exact=True).fill("Of the second tab.")
    expect(other.get_by_role("heading", name="This item is open elsewhere")).to_be_visible()
    other.get_by_role("button", name="Use that version").click()
    expect(other.get_by_label("Prompt", exact=True)).to_have_value("Of the first tab.")
    expect(other.locator("[data-preview-text]")).to_have_text("Of the first tab.")
    other.close()


def test_a_model_reads_what_was_typed_a_moment_ago_and_its_text_is_taken_over(
    project, ines, endpoint, page_of
):
    authored = begun(project, ines)
    page = page_of(ines)
    page.goto(at("edit", authored))
    page.get_by_label("Blueprint").fill("Somebody mends a bridge.")
    page.get_by_role("button", name="Ask the model").click()
    expect(page.get_by_text("Writer Large is writing.")).to_be_visible()
    assert "Somebody mends a bridge." in ModelRequest.objects.get().asked
    ModelRequest.objects.update(state="done", ended_at=NOW, text="Write of a mended bridge.")
    page.get_by_role("button", name="Take over the text").click()
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("Write of a mended bridge.")
    authored.refresh_from_db()
    assert authored.expansion is not None


# --- In every look -------------------------------------------------------------------------------


def assert_sound(look: Page, path: str) -> None:
    answer = look.goto(path)
    assert answer.status == 200, path
    assert axe(look) == [], path
    wider = look.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0, f"{path} is {wider} px wider than the window"


@pytest.fixture
def world(project, ines, ivan, lead, endpoint):
    """Prompts in every state, one of them twice round and in two languages."""
    fiction, poetry = project.genres.order_by("position")
    for number, (english, chinese) in enumerate([("Ballad", "叙事诗"), ("Lament", "挽歌")]):
        Genre.objects.create(
            project=project,
            parent=poetry,
            key=english.lower(),
            name_en=english,
            name_zh=chinese,
            position=number,
        )
    found = {key: begun(project, ines, key, genre=fiction) for key in ("blueprint", "accepted", "retired")}
    accepted(found["accepted"], ines, ivan)
    found["changes"] = begun(
        project,
        ines,
        "changes",
        language="zh",
        parallel_to=found["accepted"],
        blueprint="有人两次走过同一座桥。",
        constraints="不要写对话。",
        intended_length=800,
    )
    first = handed_in(found["changes"], CHINESE, note="第一稿。")
    reviews.comment(first, field="text", text="为什么是两次？", author=ivan, now=NOW)
    reviewed(first, ines)
    reviewed(first, ivan, CHANGES)
    found["review"] = begun(project, ivan, "review", genre=poetry.types.first())
    old = handed_in(found["review"])
    reviewed(old, ines, CHANGES)
    reviewed(old, ivan, CHANGES)
    new = handed_in(found["review"], TEXT.replace("twice", "three times") + "\n\nAt night.", note="Night.")
    reviewed(new, ivan)
    prompts.retire(found["retired"], reason="Too near to another.", by=ines.user, now=NOW)
    expansions.ask(found["blueprint"], endpoint, by=ines.user, now=NOW)
    ModelRequest.objects.update(
        state="done", ended_at=NOW, text=f"{TEXT}\n\nAt night.", finish_reason="length"
    )
    return found


@in_looks(LOOKS)
def test_the_editor_is_sound(look, world, ines, page_of):
    page_of(ines)
    for key in ("blueprint", "changes"):
        assert_sound(look, at("edit", world[key]))


@in_looks(OPPOSITE_LOOKS)
def test_the_other_pages_are_sound(look, world, project, ines, lead, page_of):
    written(world["changes"], CHINESE + "结尾要在夜里。")
    for person in (ines, lead):
        page_of(person)
        assert_sound(look, reverse("authored_prompts", args=[project.slug]))
        assert_sound(look, reverse("authored_prompts", args=[project.slug]) + "?target=5&state=mine")
        assert_sound(look, reverse("authored_new", args=[project.slug]))
        for authored in world.values():
            assert_sound(look, at("prompt", authored))
        assert_sound(look, at("hand_in", world["changes"]))
        for authored, number in ((world["review"], 2), (world["review"], 1), (world["changes"], 1)):
            assert_sound(look, at("version", authored, number))
