"""The scoring page as annotators use it: mouse, keys, phone, no script."""

import re
from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Score
from annotation.services import assignments, rounds
from tests.browser.texts import CHINESE, ENGLISH
from tests.factories import NOW, PASSWORD, make_prompt, make_response, make_round

PHONE = {"width": 390, "height": 844}
REASON = "The window says what she cannot."
LONGEST_LINE = {"en": 70, "zh": 40}

# Characters of each line of a paragraph, told apart by their height on the page.
LINES = """
paragraphs => paragraphs.flatMap(paragraph => {
  const text = paragraph.lastChild, range = document.createRange(), tops = [];
  for (let at = 0; at < text.length; at++) {
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const box = range.getBoundingClientRect();
    if (box.width && text.data[at].trim()) tops.push([Math.round(box.bottom / 8), at]);
  }
  const lines = Map.groupBy(tops, ([top]) => top);
  return [...lines.values()].map(line => line.at(-1)[1] - line[0][1] + 1);
})
"""


@pytest.fixture
def work(project, annotator):
    """Three English texts in an open round, each wanting five words of justification."""
    project.justification_minimum = 5
    project.save(update_fields=["justification_minimum"])
    prompt = make_prompt(project, genre=project.genres.first())
    for _ in range(3):
        make_response(prompt, text=ENGLISH)
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    return assignments.claim(annotator, work, now=NOW)


@pytest.fixture
def scoring(page_of, annotator, lease) -> Page:
    """The page of the first text."""
    page = page_of(annotator)
    page.goto(reverse("score", args=[lease.token]))
    return page


@pytest.fixture
def posts(page) -> Counter:
    """How often a score was sent to each address."""
    seen = Counter()
    page.on(
        "request",
        lambda request: request.method == "POST" and "/score/" in request.url and seen.update([request.url]),
    )
    return seen


@pytest.fixture
def page_without_script(browser, live_server, annotator) -> Page:
    with browser.new_context(base_url=live_server.url, java_script_enabled=False, locale="en-US") as context:
        page = context.new_page()
        page.goto("/")
        page.get_by_label("User name").fill(annotator.user.username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        yield page


def is_at(page: Page, item: int) -> None:
    expect(page).to_have_title(re.compile(rf"^Item {item} of 3 "))
    page.wait_for_load_state()  # its keys are heard by then


def given() -> list[tuple[int, str]]:
    return list(Score.objects.order_by("pk").values_list("value", "justification"))


def chosen(page: Page) -> list[str]:
    return page.locator("input[name=value]").evaluate_all(
        "all => all.filter(e => e.checked).map(e => e.value)"
    )


def test_a_text_is_scored_by_mouse_from_the_home_page(work, page_of, annotator):
    page = page_of(annotator)
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    is_at(page, 1)
    page.locator(".level", has_text="en description 2").click()
    page.get_by_label("Justification").fill(REASON)
    page.get_by_role("button", name="Submit and next").click()
    is_at(page, 2)
    assert given() == [(2, REASON)]


def test_a_text_is_scored_by_keys_alone(scoring):
    scoring.keyboard.press("3")
    scoring.keyboard.press("e")
    scoring.keyboard.type(REASON)
    scoring.keyboard.press("Control+Enter")
    is_at(scoring, 2)
    assert given() == [(3, REASON)]


def test_a_text_is_scored_without_javascript(work, page_without_script):
    page = page_without_script
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("radio", name="0").check()
    page.get_by_label("Justification").fill(REASON)
    page.get_by_role("button", name="Submit and next").click()
    is_at(page, 2)
    assert given() == [(0, REASON)]


def test_a_text_is_scored_in_the_dock_of_a_phone(scoring):
    scoring.set_viewport_size(PHONE)
    expect(scoring.get_by_label("Justification")).to_be_hidden()
    scoring.get_by_role("radio", name="1").check()
    scoring.get_by_role("button", name="Rubric, reason").click()
    expect(scoring.locator(".level-text", has_text="en description 1")).to_be_in_viewport()
    scoring.get_by_label("Justification").fill(REASON)
    scoring.get_by_role("button", name="Submit and next").click()
    is_at(scoring, 2)
    assert given() == [(1, REASON)]


def test_the_buttons_of_the_dock_are_54_pixels_high(scoring):
    scoring.set_viewport_size(PHONE)
    heights = scoring.locator(".level").evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
    assert len(heights) == 4
    assert min(heights) >= 54


def test_the_sheet_of_a_phone_closes_and_gives_the_focus_back(scoring):
    scoring.set_viewport_size(PHONE)
    toggle = scoring.get_by_role("button", name="Rubric, reason")
    toggle.click()
    sheet = scoring.locator("score-panel").bounding_box()
    assert sheet["height"] <= 0.86 * PHONE["height"] + 1
    scoring.keyboard.press("Escape")
    expect(toggle).to_be_focused()
    expect(scoring.get_by_label("Justification")).to_be_hidden()


def test_nothing_is_chosen_beforehand(scoring):
    assert chosen(scoring) == []
    expect(scoring.locator("[data-chosen]")).to_have_text("No score yet")


def test_what_is_missing_is_named_before_anything_is_sent(scoring, posts):
    scoring.get_by_label("Justification").fill("Too short.")
    scoring.get_by_role("button", name="Submit and next").click()
    summary = scoring.get_by_role("alert")
    expect(summary).to_contain_text("Choose a score from 0 to 3.")
    expect(summary).to_contain_text("Write at least 5 words")
    expect(scoring.get_by_role("radio", name="0")).to_be_focused()
    scoring.keyboard.press("2")
    expect(summary).not_to_contain_text("Choose a score")
    assert posts == {}


def test_a_refusal_of_the_server_keeps_what_was_written_and_goes_there(scoring, complaints):
    complaints.allow("status of 422")
    scoring.keyboard.press("2")
    scoring.get_by_label("Justification").fill("Too short.")
    scoring.evaluate("document.querySelector('score-panel').problems = () => []")
    with scoring.expect_response(lambda response: response.status == 422):
        scoring.get_by_role("button", name="Submit and next").click()
    expect(scoring.get_by_role("alert")).to_contain_text("Write at least 5 words")
    expect(scoring.get_by_label("Justification")).to_be_focused()
    expect(scoring.get_by_label("Justification")).to_have_value("Too short.")
    assert chosen(scoring) == ["2"]
    assert given() == []


def test_a_refusal_without_javascript_keeps_what_was_written_and_goes_there(work, page_without_script):
    page = page_without_script
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Justification").fill(REASON)
    page.get_by_role("button", name="Submit and next").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose a score from 0 to 3.")
    expect(page.get_by_role("radio", name="0")).to_be_focused()
    expect(page.get_by_label("Justification")).to_have_value(REASON)


def test_a_double_click_submits_once(scoring, lease, posts):
    scoring.keyboard.press("2")
    scoring.get_by_label("Justification").fill(REASON)
    scoring.get_by_role("button", name="Submit and next").dblclick()
    is_at(scoring, 2)
    assert [count for url, count in posts.items() if lease.token in url] == [1]
    assert given() == [(2, REASON)]


def test_no_key_fires_while_writing(scoring):
    is_open = scoring.locator("#prompt").get_attribute("open")
    scoring.get_by_label("Justification").press_sequentially("0123 pe?")
    assert chosen(scoring) == []
    assert scoring.locator("#prompt").get_attribute("open") == is_open
    expect(scoring.get_by_role("dialog")).to_be_hidden()
    expect(scoring.get_by_label("Justification")).to_have_value("0123 pe?")


@pytest.mark.parametrize("state", ["isComposing", "ctrlKey", "altKey", "metaKey"])
def test_no_key_fires_while_composing_or_with_a_modifier(scoring, state):
    pressed = "state => document.body.dispatchEvent(new KeyboardEvent('keydown', {...state, key: '2', bubbles: true}))"
    scoring.evaluate(pressed, {state: True})
    assert chosen(scoring) == []


def test_single_keys_can_be_switched_off_for_good(scoring):
    scoring.keyboard.press("?")
    scoring.get_by_label("Use the single-key shortcuts").uncheck()
    scoring.keyboard.press("Escape")
    scoring.keyboard.press("2")
    scoring.reload()
    scoring.keyboard.press("2")
    assert chosen(scoring) == []
    scoring.get_by_role("button", name="Keys").click()
    expect(scoring.get_by_role("dialog")).to_be_visible()


def test_the_count_follows_the_words(scoring):
    reason = scoring.get_by_label("Justification")
    reason.fill("One well-made")
    expect(scoring.locator("[data-count]")).to_have_text("2 words")
    reason.fill("One")
    expect(scoring.locator("[data-count]")).to_have_text("1 word")


def test_leaving_is_asked_about_only_where_the_server_has_not_got_it(scoring, complaints):
    asked = []
    scoring.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    address = scoring.url
    scoring.get_by_label("Justification").press_sequentially("Unsent")
    expect(scoring.get_by_text("Draft saved")).to_be_visible()
    scoring.goto("/")
    assert asked == []
    scoring.goto(address)
    scoring.route("**/draft/**", lambda route: route.abort())
    complaints.allow("ERR_FAILED")
    scoring.get_by_label("Justification").press_sequentially("More")
    scoring.goto("/")
    assert asked == ["beforeunload"]


def test_a_lost_connection_costs_nothing_that_was_written(scoring, complaints):
    complaints.allow("ERR_FAILED|ERR_INTERNET")
    scoring.keyboard.press("1")
    scoring.get_by_label("Justification").fill(REASON)
    scoring.route(
        "**/score/**", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    scoring.get_by_role("button", name="Submit and next").click()
    expect(scoring.get_by_text("Not sent: the server cannot be reached.")).to_be_visible()
    expect(scoring.get_by_label("Justification")).to_have_value(REASON)
    assert given() == []
    scoring.unroute("**/score/**")
    scoring.get_by_role("button", name="Submit and next").click()
    is_at(scoring, 2)
    assert given() == [(1, REASON)]


def test_a_change_of_theme_keeps_what_was_written(scoring):
    scoring.get_by_label("Justification").fill(REASON)
    with scoring.expect_request("**/theme/"):
        scoring.get_by_role("button", name="Dark theme").click()
    expect(scoring.get_by_label("Justification")).to_have_value(REASON)
    expect(scoring.locator("html")).to_have_attribute("data-theme", "dark")
    scoring.reload()
    expect(scoring.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_language_of_the_page_is_not_the_language_of_the_text(scoring):
    scoring.get_by_role("button", name="Account, language and theme").click()
    scoring.get_by_role("button", name="中文").click()
    expect(scoring.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(scoring.get_by_role("article")).to_have_attribute("lang", "en")
    expect(scoring.get_by_role("article")).to_have_attribute("translate", "no")
    expect(scoring.get_by_text("zh description 3", exact=True)).to_be_visible()


def test_a_submitted_text_shows_the_own_answer_and_a_way_on(scoring, lease, browser_of, annotator):
    address = scoring.url
    scoring.keyboard.press("3")
    scoring.get_by_label("Justification").fill(REASON)
    scoring.keyboard.press("Control+Enter")
    is_at(scoring, 2)
    scoring.goto(address)
    expect(scoring.get_by_text("Your answer")).to_be_visible()
    expect(scoring.get_by_text(REASON)).to_be_visible()
    expect(scoring.get_by_role("radio")).to_have_count(0)
    scoring.keyboard.press("Control+Enter")
    is_at(scoring, 2)


def test_the_round_ends_with_thanks(work, page_of, annotator):
    page = page_of(annotator)
    page.goto("/")
    page.get_by_role("button", name="Begin").click()
    for item in (1, 2, 3):
        is_at(page, item)
        page.keyboard.press("2")
        page.get_by_label("Justification").fill(REASON)
        page.keyboard.press("Control+Enter")
    expect(page.get_by_text("you have finished 3 items")).to_be_visible()


def test_a_closed_round_leaves_the_page_to_be_read_and_copied(scoring, work, complaints):
    complaints.allow("status of 423")
    rounds.lock(work, by=None, now=NOW)
    scoring.keyboard.press("2")
    scoring.get_by_label("Justification").fill(REASON)
    scoring.keyboard.press("Control+Enter")
    expect(scoring.get_by_text("This round has been closed")).to_be_visible()
    expect(scoring.get_by_label("Justification")).to_have_value(REASON)
    expect(scoring.get_by_role("button", name="Copy my text")).to_be_visible()
    expect(scoring.get_by_role("button", name="Submit and next")).to_be_hidden()
    expect(scoring.get_by_role("article")).to_be_visible()


def test_the_page_says_nothing_of_who_wrote_the_text(scoring, lease):
    response = lease.assignment.response
    for secret in (response.source_model, response.external_id, response.prompt.external_id):
        assert secret not in re.sub(r'value="\w{64}"', "", scoring.content())


@pytest.fixture
def reading(project, annotator, page_of):
    """Opens a text of a language at a width."""

    def opened(language: str, width: int) -> Page:
        prompt = make_prompt(project, language=language)
        make_response(prompt, text={"en": ENGLISH, "zh": CHINESE}[language])
        lease = assignments.claim(annotator, make_round(project), now=NOW)
        page = page_of(annotator)
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(reverse("score", args=[lease.token]))
        return page

    return opened


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1440, 390, 320])
def test_nothing_scrolls_sideways_and_lines_stay_readable(reading, language, width):
    page = reading(language, width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    lines = page.locator(".text p").evaluate_all(LINES)
    assert len(lines) > 20
    assert max(lines) <= LONGEST_LINE[language]


def test_a_chinese_text_without_blank_lines_keeps_its_paragraphs(reading):
    page = reading("zh", 1440)
    expect(page.locator(".text p")).to_have_count(CHINESE.count("\n") + 1)


def test_a_person_of_another_project_does_not_find_the_page(lease, stranger):
    client = Client()
    client.force_login(stranger)
    assert client.get(reverse("score", args=[lease.token])).status_code == 404
