"""Triage as people use it: by mouse and keys, on a phone, without a script."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Flag, Response, Score
from annotation.services import assignments
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.browser.texts import CHINESE, ENGLISH
from tests.factories import NOW, PASSWORD, make_import, make_prompt, make_response, make_round

PHONE = {"width": 390, "height": 844}


def flag(about, check="refusal", **columns):
    return Flag.objects.create(
        project=about.project,
        check_key=check,
        rules_version=1,
        detail={
            "template": "it declines at the very start: {evidence}",
            "values": {"evidence": "I am sorry"},
        },
        raised_at=NOW,
        **{"response" if isinstance(about, Response) else "prompt": about},
        **columns,
    )


@pytest.fixture
def queue(project):
    source = make_import(project)
    for language, text in (("en", ENGLISH), ("zh", CHINESE)):
        prompt = make_prompt(project, language=language, genre=project.genres.first(), source=source)
        for number in range(2):
            flag(make_response(prompt, f"{language}-{number}", text, source=source))
    slash = make_prompt(project, "p-slash", text="/", source=source)
    make_response(slash, "to-slash", source=source)
    flag(slash, "placeholder_prompt")
    return reverse("triage", args=[project.slug])


@pytest.fixture
def lease(project, annotator):
    make_response(make_prompt(project), text=ENGLISH)
    return assignments.claim(annotator, make_round(project), now=NOW)


# --- The queue -----------------------------------------------------------------------------------


def test_a_queue_is_worked_off_by_keys(queue, page_of, lead):
    page = page_of(lead)
    page.goto(queue)
    page.locator("article", has_text="en-0").get_by_role("button", name="Keep").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#decided")).to_be_focused()
    expect(page.locator("#decided")).to_contain_text("en-0 Kept.")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "keep":
            break
    page.keyboard.press("Enter")
    expect(page.locator("#decided")).to_contain_text("en-1 Kept.")
    assert Flag.objects.filter(state="kept").count() == 2


def test_the_next_item_is_in_view_after_a_decision(queue, page_of, lead):
    page = page_of(lead)
    page.set_viewport_size(PHONE)
    page.goto(queue)
    second = page.locator("article", has=page.locator("h2", has_text="en-1"))
    second.get_by_role("button", name="Remove").click()
    expect(page.locator("#decided")).to_contain_text("Removed: Violates the prompt.")
    expect(page.locator("#decided")).to_be_in_viewport()
    expect(page.locator("#decided + article")).to_be_in_viewport()


def test_all_of_a_page_are_ticked_by_one_button_and_decided_on(queue, page_of, lead):
    page = page_of(lead)
    page.goto(queue)
    page.get_by_role("button", name="Tick all on this page").click()
    page.get_by_label("Why they are removed").select_option("Duplicate")
    page.locator(".triage-several").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status")).to_contain_text("4 responses were removed.")
    assert set(Response.objects.filter(state="removed").values_list("removed_kind", flat=True)) == {
        "duplicate"
    }


def test_the_whole_text_takes_the_place_of_its_beginning(queue, page_of, lead):
    page = page_of(lead)
    page.goto(queue)
    item = page.locator("article", has=page.locator("h2", has_text="en-0"))
    expect(item.locator(".beginning")).to_be_visible()
    item.get_by_text("The whole text").click()
    expect(item.locator(".beginning")).to_be_hidden()
    expect(item.get_by_text("the jetty with the ferry still tied to it.").last).to_be_visible()


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_break_no_rule(look, queue, project, page_of, lead, complaints):
    complaints.allow("status of 4(09|22)")
    page_of(lead)
    one = Response.objects.get(external_id="en-0")
    single = reverse("triage_response", args=[project.slug, one.pk])
    pages = [
        queue,
        f"{queue}?state=all&was=response-{one.pk}",
        f"{queue}?raised=empty",
        single,
        reverse("triage_counts", args=[project.slug]),
    ]
    for path in pages:
        look.goto(path)
        assert axe(look) == []
        assert look.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    look.goto(queue)
    look.locator(".triage-several [value=keep]").click()
    expect(look.get_by_role("alert")).to_be_visible()
    assert axe(look) == []
    look.goto(single)
    one.flags.update(state="kept", settled_at=NOW)
    look.locator("[value=keep]").click()
    expect(look.get_by_role("alert")).to_be_visible()
    assert axe(look) == []


# --- Flagging ------------------------------------------------------------------------------------


def test_a_text_is_flagged_by_keys_and_what_was_written_is_still_there(lease, page_of, annotator):
    page = page_of(annotator)
    page.goto(reverse("score", args=[lease.token]))
    page.keyboard.press("2")
    page.keyboard.press("e")
    page.keyboard.type("Half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.wait_for_url(re.compile("/flag/"))
    page.get_by_role("radio", name="I have read this text before").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("Word for word, ¶2.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Flagged. A lead will look at it.")).to_be_visible()
    expect(page.get_by_label("Justification")).to_have_value("Half a thought")
    page.wait_for_load_state()  # its keys are heard by then
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile("/finished/"))
    assert Score.objects.get().justification == "Half a thought"
    assert Flag.objects.get().note == "Word for word, ¶2."


def test_leaving_to_flag_asks_no_question_but_leaving_otherwise_does(lease, page_of, annotator, complaints):
    page = page_of(annotator)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.goto(reverse("score", args=[lease.token]))
    page.get_by_label("Justification").fill("Half a thought")
    page.get_by_role("link", name="Flag").click()
    page.wait_for_url(re.compile("/flag/"))
    assert asked == []
    page.get_by_role("link", name="Back to your item").click()
    expect(page.get_by_label("Justification")).to_have_value("Half a thought")
    page.wait_for_load_state()
    page.route(
        "**/draft/**", lambda route: route.abort()
    )  # or the last word might be saved before the page is left
    complaints.allow("ERR_FAILED")
    page.get_by_label("Justification").press("End")
    page.keyboard.type("!")
    page.goto("/")
    assert asked == ["beforeunload"]


def test_a_text_is_flagged_from_the_sheet_of_a_phone(lease, page_of, annotator):
    page = page_of(annotator)
    page.set_viewport_size(PHONE)
    page.goto(reverse("score", args=[lease.token]))
    page.get_by_role("button", name="Rubric, reason").click()
    page.get_by_role("link", name="Flag").click()
    page.get_by_role("radio", name="It breaks off").check()
    page.get_by_role("button", name="Flag the text").click()
    expect(page.get_by_text("Flagged. A lead will look at it.")).to_be_in_viewport()


@pytest.fixture
def page_without_script(browser, live_server) -> Page:
    with browser.new_context(base_url=live_server.url, java_script_enabled=False, locale="en-US") as context:
        yield context.new_page()


def test_flagging_and_deciding_work_without_javascript(lease, annotator, lead, page_without_script):
    page = page_without_script

    def sign_in(person):
        page.goto("/sign-in/")
        page.get_by_label("User name").fill(person.user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

    sign_in(annotator)
    page.goto(reverse("score", args=[lease.token]))
    page.get_by_role("link", name="Flag").click()
    page.get_by_role("radio", name="It is in the wrong language").check()
    page.get_by_role("button", name="Flag the text").click()
    expect(page.get_by_text("Flagged. A lead will look at it.")).to_be_visible()
    page.context.clear_cookies()
    sign_in(lead)
    page.goto(reverse("triage", args=[lease.annotator.project.slug]))
    page.get_by_role("button", name="Remove").first.click()
    expect(page.locator("#decided")).to_contain_text("Removed: Wrong language.")
    assert Response.objects.get().removed_kind == "wrong_language"


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_a_flag_break_no_rule(look, lease, page_of, annotator, complaints):
    complaints.allow("status of 422")
    page_of(annotator)
    path = reverse("flag", args=[lease.token])
    look.goto(path)
    assert axe(look) == []
    look.locator("main .primary").click()
    expect(look.get_by_role("alert")).to_be_visible()
    assert axe(look) == []
    look.locator("[value=grammar]").check()
    look.locator("main .primary").click()
    look.wait_for_url(re.compile("/score/[^/]+/$"))
    assert axe(look) == []
    look.goto(path)
    assert axe(look) == []
