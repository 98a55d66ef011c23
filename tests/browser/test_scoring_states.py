"""What can go wrong while somebody scores, and that nothing they wrote is lost by it."""

import re

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Draft, Response, Score
from annotation.services import assignments, drafts
from tests.browser.axe import axe
from tests.browser.texts import ENGLISH
from tests.factories import NOW, PASSWORD, make_member, make_prompt, make_response, make_round

REASON = "The window says what she cannot."


@pytest.fixture
def work(project, annotator):
    prompt = make_prompt(project, genre=project.genres.first())
    for _ in range(3):
        make_response(prompt, text=ENGLISH)
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    return assignments.claim(annotator, work, now=NOW)


@pytest.fixture
def scoring(page_of, annotator, lease) -> Page:
    page = page_of(annotator)
    page.goto(reverse("score", args=[lease.token]))
    return page


def reason(page: Page):
    return page.get_by_label("Justification")


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit and next").click()


def is_at(page: Page, item: int) -> None:
    expect(page).to_have_title(re.compile(rf"^Item {item} of 3 "))
    page.wait_for_load_state()


def given() -> list[tuple[int, str]]:
    return list(Score.objects.order_by("pk").values_list("value", "justification"))


def chosen(page: Page) -> list[str]:
    return page.locator("input[name=value]:checked").evaluate_all("all => all.map(e => e.value)")


def kept_on_device(page: Page) -> list[str]:
    return page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('draft:'))")


def fail_drafts(page: Page) -> None:
    page.route("**/draft/**", lambda route: route.abort())


# --- Drafts ------------------------------------------------------------------------------------------------


def test_a_save_that_began_before_the_last_words_does_not_call_them_saved(scoring, lease):
    held = []

    def hold(route):
        held.append(route)

    scoring.route("**/draft/**", hold)
    scoring.keyboard.press("2")
    expect(scoring.locator("[data-save-state=saving]")).to_be_visible()
    reason(scoring).fill(REASON)
    while not held:
        scoring.wait_for_timeout(20)
    with scoring.expect_response("**/draft/**"):
        held.pop(0).continue_()
    scoring.wait_for_timeout(100)
    assert scoring.locator("[data-save-state]").get_attribute("data-save-state") == "saving"
    scoring.unroute_all(behavior="ignoreErrors")
    for route in held:
        route.continue_()
    expect(scoring.locator("[data-save-state=saved]")).to_be_visible()
    assert Draft.objects.get(lease=lease).content["justification"] == REASON


def test_what_is_written_before_the_scripts_are_there_is_saved_all_the_same(scoring, lease):
    held = []

    def hold(route):
        held.append(route)

    scoring.route("**/draft*.js", hold)
    scoring.reload(wait_until="commit")
    reason(scoring).fill(REASON)
    while not held:
        scoring.wait_for_timeout(20)
    held.pop().continue_()
    expect(scoring.locator("[data-save-state=saved]")).to_be_visible()
    assert Draft.objects.get(lease=lease).content["justification"] == REASON


def test_a_draft_is_on_the_server_before_it_is_called_saved(scoring, lease):
    scoring.keyboard.press("2")
    reason(scoring).press_sequentially(REASON)
    expect(scoring.locator("[data-save-state=saved]")).to_have_text(re.compile(r"Draft saved \d\d:\d\d"))
    content = Draft.objects.get(lease=lease).content
    assert (content["value"], content["justification"]) == ("2", REASON)
    scoring.evaluate("localStorage.clear()")
    scoring.reload()
    assert chosen(scoring) == ["2"]
    expect(reason(scoring)).to_have_value(REASON)


def test_offline_it_is_on_the_device_and_goes_to_the_server_later(scoring, lease, complaints):
    complaints.allow("ERR_FAILED")
    fail_drafts(scoring)
    reason(scoring).fill(REASON)
    strip = scoring.get_by_text("You are offline. Your work is kept on this device")
    expect(strip).to_be_visible()
    expect(scoring.locator("[data-save-words]")).to_have_text("Saved on this device")
    assert axe(scoring) == []
    article = scoring.get_by_role("article").bounding_box()
    scoring.unroute("**/draft/**")
    scoring.get_by_role("button", name="Try now").click()
    expect(strip).to_be_hidden()
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    assert scoring.get_by_role("article").bounding_box() == article
    assert Draft.objects.get(lease=lease).content["justification"] == REASON


def test_it_tries_again_by_itself_when_the_browser_is_back(scoring, lease, complaints):
    complaints.allow("ERR_FAILED")
    fail_drafts(scoring)
    reason(scoring).fill(REASON)
    expect(scoring.get_by_text("You are offline.")).to_be_visible()
    scoring.unroute("**/draft/**")
    scoring.evaluate("window.dispatchEvent(new Event('online'))")
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")


def test_what_only_the_device_has_comes_back_with_the_page(scoring, complaints):
    complaints.allow("ERR_FAILED")
    scoring.on("dialog", lambda dialog: dialog.accept())
    fail_drafts(scoring)
    scoring.keyboard.press("3")
    reason(scoring).fill(REASON)
    expect(scoring.get_by_text("You are offline.")).to_be_visible()
    scoring.reload()
    expect(reason(scoring)).to_have_value(REASON)
    assert chosen(scoring) == ["3"]


def test_the_device_keeps_the_answers_and_never_the_text(scoring):
    reason(scoring).fill(REASON)
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    [key] = kept_on_device(scoring)
    stored = scoring.evaluate("key => localStorage.getItem(key)", key)
    assert REASON in stored
    assert "ferry" not in stored


def test_submit_and_sign_out_remove_it_from_the_device(scoring, complaints):
    scoring.keyboard.press("2")
    submit(scoring)
    is_at(scoring, 2)
    assert kept_on_device(scoring) == []
    reason(scoring).fill(REASON)
    scoring.get_by_role("button", name="Account, language and theme").click()
    scoring.get_by_role("button", name="Sign out").click()
    expect(scoring.get_by_role("heading", name="Sign in")).to_be_visible()
    assert kept_on_device(scoring) == []
    assert Draft.objects.get().content["justification"] == REASON


@pytest.mark.parametrize(
    ("button", "expected"), [("Use that version", "Theirs."), ("Keep mine", "Mine and more.")]
)
def test_of_two_tabs_none_writes_over_the_other_unasked(scoring, lease, complaints, button, expected):
    complaints.allow("status of 409")
    reason(scoring).fill("Mine.")
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    content = Draft.objects.get().content
    drafts.save(lease, version=1, content={**content, "justification": "Theirs."}, now=NOW)
    reason(scoring).fill("Mine and more.")
    dialog = scoring.get_by_role("dialog", name="This item is open elsewhere")
    expect(dialog).to_be_visible()
    assert axe(scoring) == []
    assert Draft.objects.get().content["justification"] == "Theirs."
    dialog.get_by_role("button", name=button).click()
    expect(reason(scoring)).to_have_value(expected)
    scoring.keyboard.press("Escape")
    scoring.keyboard.press("1")
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    assert Draft.objects.get().content["justification"] == expected


# --- Submitting --------------------------------------------------------------------------------------------


def test_a_fault_of_the_server_is_said_with_its_reference_and_loses_nothing(scoring, complaints):
    complaints.allow("status of 500")
    failing = {"status": 500, "headers": {"X-Reference": "ab12cd34"}, "body": "<p>fault</p>"}
    scoring.route(
        "**/score/*/",
        lambda route: route.fulfill(**failing) if route.request.method == "POST" else route.continue_(),
    )
    scoring.keyboard.press("2")
    reason(scoring).fill(REASON)
    submit(scoring)
    expect(scoring.get_by_text("Not sent. Your work is kept here. Try again.")).to_be_visible()
    expect(scoring.get_by_text("ab12cd34")).to_be_visible()
    assert axe(scoring) == []
    expect(reason(scoring)).to_have_value(REASON)
    scoring.unroute("**/score/*/")
    submit(scoring)
    is_at(scoring, 2)
    assert given() == [(2, REASON)]


def test_an_answer_lost_after_the_commit_is_sent_again_and_stored_once(scoring, complaints):
    complaints.allow("ERR_FAILED")

    def lose(route):
        route.fetch()
        route.abort()

    scoring.keyboard.press("2")
    reason(scoring).fill(REASON)
    scoring.route(
        "**/score/*/", lambda route: lose(route) if route.request.method == "POST" else route.continue_()
    )
    submit(scoring)
    # Its draft, sent a moment later, is told that it is over.
    complaints.allow("status of 410")
    expect(scoring.get_by_text("This was submitted meanwhile")).to_be_visible()
    scoring.unroute("**/score/*/")
    submit(scoring)
    is_at(scoring, 2)
    assert given() == [(2, REASON)]


def sign_in_over(page: Page, password: str) -> None:
    dialog = page.get_by_role("dialog", name="You have been signed out")
    expect(dialog).to_be_visible()
    dialog.get_by_label("Password").fill(password)
    dialog.get_by_role("button", name="Sign in and continue").click()


def test_whose_session_has_ended_signs_in_over_the_page_and_the_score_is_sent(scoring, complaints):
    complaints.allow("status of 40[01]")
    scoring.keyboard.press("2")
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    Session.objects.all().delete()
    reason(scoring).fill(REASON)
    expect(scoring.get_by_role("dialog", name="You have been signed out")).to_be_visible()
    assert axe(scoring) == []
    sign_in_over(scoring, "not this one")
    expect(scoring.get_by_text("User name or password is wrong.")).to_be_visible()
    sign_in_over(scoring, PASSWORD)
    expect(scoring.get_by_role("dialog")).to_be_hidden()
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    expect(reason(scoring)).to_have_value(REASON)
    assert chosen(scoring) == ["2"]
    submit(scoring)
    is_at(scoring, 2)
    assert given() == [(2, REASON)]


def test_a_submit_after_the_session_has_ended_is_sent_again_after_signing_in(scoring, complaints):
    complaints.allow("status of 401")
    scoring.keyboard.press("2")
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    Session.objects.all().delete()
    submit(scoring)
    sign_in_over(scoring, PASSWORD)
    is_at(scoring, 2)
    assert given() == [(2, "")]


def test_whoever_else_signs_in_does_not_get_the_draft(scoring, context, project, page_of, complaints):
    complaints.allow("status of 404")
    reason(scoring).fill(REASON)
    expect(scoring.locator("[data-save-state]")).to_contain_text("Draft saved")
    page_of(make_member(project))
    reason(scoring).fill(REASON + " And more.")
    expect(scoring.get_by_role("heading", level=1)).to_have_text(re.compile("not here|not found", re.I))
    assert Draft.objects.get().content["justification"] == REASON
    assert len(kept_on_device(scoring)) == 1


def test_after_a_submit_the_heading_has_the_focus_and_undo_leads_back(scoring, lease):
    scoring.keyboard.press("2")
    reason(scoring).fill(REASON)
    submit(scoring)
    is_at(scoring, 2)
    expect(scoring.get_by_role("heading", level=1)).to_be_focused()
    toast = scoring.locator("[data-toast]")
    expect(toast).to_contain_text("Item 1 submitted.")
    text, box = scoring.get_by_role("article").bounding_box(), toast.bounding_box()
    assert box["x"] >= text["x"] + text["width"]
    assert axe(scoring) == []
    toast.get_by_role("link", name="Undo").click()
    expect(reason(scoring)).to_have_value(REASON)
    assert chosen(scoring) == ["2"]
    scoring.wait_for_load_state()  # its keys are heard by then
    scoring.keyboard.press("3")
    scoring.get_by_role("button", name="Save the change").click()
    is_at(scoring, 2)
    assert given() == [(2, REASON), (3, REASON)]


def test_back_to_what_was_submitted_shows_the_answer(scoring):
    scoring.keyboard.press("2")
    reason(scoring).fill(REASON)
    submit(scoring)
    is_at(scoring, 2)
    scoring.go_back()
    expect(scoring.get_by_text("Your answer")).to_be_visible()
    expect(scoring.get_by_text(REASON)).to_be_visible()
    assert axe(scoring) == []
    scoring.get_by_role("link", name="Edit").click()
    expect(reason(scoring)).to_have_value(REASON)


def test_a_text_withdrawn_meanwhile_stays_readable(scoring, lease, complaints):
    complaints.allow("status of 410")
    Response.objects.filter(pk=lease.assignment.response_id).update(state="removed", removed_at=NOW)
    scoring.keyboard.press("2")
    expect(scoring.get_by_text("This text has been withdrawn.")).to_be_visible()
    expect(scoring.get_by_role("article")).to_be_visible()
    assert axe(scoring) == []
