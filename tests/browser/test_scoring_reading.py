"""Reading, quoting, undoing on the scoring page, and how it looks on any screen."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Score
from annotation.services import assignments
from annotation.services import scoring as scores
from tests.browser.axe import axe
from tests.browser.texts import CHINESE, ENGLISH
from tests.factories import NOW, make_prompt, make_response, make_round

REASON = "The window says what she cannot."
LONG = {"en": "\n\n".join([ENGLISH] * 3)[:9000], "zh": "\n".join([CHINESE] * 2)[:1500]}


@pytest.fixture
def lease(project, annotator):
    prompt = make_prompt(project, genre=project.genres.first())
    for _ in range(3):
        make_response(prompt, text=ENGLISH)
    return assignments.claim(annotator, make_round(project), now=NOW)


@pytest.fixture
def scoring(page_of, annotator, lease) -> Page:
    page = page_of(annotator)
    page.goto(reverse("score", args=[lease.token]))
    return page


def reason(page: Page):
    return page.get_by_label("Justification")


def chosen(page: Page) -> list[str]:
    return page.locator("input[name=value]:checked").evaluate_all("all => all.map(e => e.value)")


SELECT = """([from, to]) => {
  const [start, end] = [from, to].map(([paragraph, at]) =>
    [document.querySelectorAll('.text p')[paragraph].lastChild, at]);
  getSelection().setBaseAndExtent(...start, ...end);
}"""


def test_a_passage_is_quoted_with_its_paragraph_by_key_and_by_button(scoring):
    scoring.evaluate(SELECT, [[0, 0], [0, 9]])
    scoring.keyboard.press("q")
    expect(reason(scoring)).to_have_value("¶1 “The ferry” ")
    scoring.evaluate(SELECT, [[0, 0], [1, 6]])
    scoring.get_by_role("button", name="Quote").click()
    expect(reason(scoring)).to_have_value(re.compile(r"^¶1 “The ferry” ¶1–2 “The ferry .+… ?”? $|“.*” $"))
    assert "¶1–2" in reason(scoring).input_value()
    expect(scoring.locator("[data-quoted]")).to_have_text("Quoted: ¶1–2")


def test_q_without_a_selection_does_nothing(scoring):
    scoring.keyboard.press("q")
    expect(reason(scoring)).to_have_value("")
    expect(scoring.get_by_role("button", name="Quote")).to_be_hidden()


def test_u_takes_back_every_change_one_by_one(scoring):
    scoring.keyboard.press("1")
    scoring.keyboard.press("3")
    reason(scoring).press_sequentially("Well.")
    scoring.keyboard.press("Escape")
    for value, words in (("3", ""), ("1", ""), (None, "")):
        scoring.keyboard.press("u")
        assert chosen(scoring) == ([value] if value else [])
        expect(reason(scoring)).to_have_value(words)
    scoring.keyboard.press("u")
    expect(scoring.get_by_role("button", name="Undo", exact=True)).to_be_hidden()


def test_the_full_rubric_opens_over_the_page_and_the_place_is_kept(scoring):
    scoring.evaluate("window.scrollTo(0, 400)")
    place = scoring.evaluate("scrollY")
    assert place > 0
    # As a mouse does; the click of the test would first scroll the button away from the edge.
    scoring.get_by_role("button", name="Full rubric").evaluate("button => button.click()")
    dialog = scoring.get_by_role("dialog", name="Full rubric")
    expect(dialog.get_by_text("en description 3")).to_be_visible()
    expect(dialog.get_by_text("en voice 1")).to_be_visible()
    scoring.keyboard.press("2")  # not heard in a dialog
    scoring.keyboard.press("Escape")
    assert chosen(scoring) == []
    assert scoring.evaluate("scrollY") == place
    scoring.get_by_role("button", name="Full rubric").click()
    assert axe(scoring) == []


def test_size_and_type_of_the_text_are_chosen_on_the_page(scoring):
    reason(scoring).fill(REASON)
    scoring.get_by_role("button", name="Account, language and theme").click()
    with scoring.expect_request("**/reading/"):
        scoring.get_by_role("button", name="Large").click()
    expect(scoring.locator("html")).to_have_attribute("data-text-size", "l")
    expect(reason(scoring)).to_have_value(REASON)
    assert axe(scoring) == []
    scoring.reload()
    expect(scoring.locator("html")).to_have_attribute("data-text-size", "l")


def test_the_prompt_is_open_on_its_first_item_and_closed_later(scoring):
    expect(scoring.locator("#prompt")).to_have_attribute("open", "")
    scoring.keyboard.press("2")
    scoring.get_by_role("button", name="Submit and next").click()
    expect(scoring).to_have_title(re.compile("^Item 2 of 3 "))
    expect(scoring.locator("#prompt")).not_to_have_attribute("open", "")


# --- Looks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("width", "zoom"), [(1440, 1), (1440, 2), (390, 1), (320, 1)])
def test_a_long_text_never_scrolls_sideways(project, annotator, page_of, language, width, zoom):
    """200 % zoom is half as many CSS pixels at twice the density."""
    make_response(make_prompt(project, language=language), text=LONG[language])
    lease = assignments.claim(annotator, make_round(project), now=NOW)
    page = page_of(annotator)
    page.set_viewport_size({"width": width // zoom, "height": 900 // zoom})
    page.goto(reverse("score", args=[lease.token]))
    assert page.evaluate("document.documentElement.scrollWidth") <= width // zoom
    assert page.locator("[data-chosen]").count() == 1


@pytest.mark.parametrize("width", [390, 320])
def test_on_a_phone_no_state_scrolls_sideways_or_hides_submit(scoring, complaints, width):
    complaints.allow("ERR_FAILED")
    scoring.set_viewport_size({"width": width, "height": 844})
    scoring.route("**/draft/**", lambda route: route.abort())
    scoring.locator(".level").nth(2).click()
    expect(scoring.get_by_text("You are offline.")).to_be_visible()
    assert scoring.evaluate("document.documentElement.scrollWidth") == width
    assert axe(scoring) == []
    expect(scoring.get_by_role("button", name="Submit and next")).to_be_in_viewport()
    scoring.get_by_role("button", name="Rubric, reason").click()
    scoring.get_by_role("button", name="Full rubric").click()
    expect(scoring.get_by_role("dialog", name="Full rubric")).to_be_visible()
    assert scoring.evaluate("document.documentElement.scrollWidth") == width
    assert axe(scoring) == []


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_my_work_breaks_no_rule_and_leads_to_editing(scoring, lease, width, theme):
    scores.submit(lease, value=2, justification=REASON, active=0, now=NOW)
    scoring.set_viewport_size({"width": width, "height": 844})
    scoring.emulate_media(color_scheme=theme)
    scoring.goto(reverse("own_work"))
    assert scoring.evaluate("document.documentElement.scrollWidth") == width
    assert axe(scoring) == []
    scoring.get_by_role("link", name=re.compile("^Edit")).click()
    scoring.locator(".level").first.click()
    scoring.get_by_role("button", name="Save the change").click()
    expect(scoring.get_by_role("heading", name="My work")).to_be_visible()
    expect(scoring.get_by_text("2 revisions")).to_be_visible()
    assert list(Score.objects.order_by("pk").values_list("value", flat=True)) == [2, 0]


def test_the_page_weighs_at_most_50_kilobytes(scoring, live_server):
    """All that a first visit transfers, packed as the server packs it, and nothing from anywhere else."""
    addresses = scoring.evaluate("performance.getEntriesByType('resource').map(each => each.name)")
    assert all(each.startswith(live_server.url) for each in addresses)
    own = [each for each in addresses if each.startswith(live_server.url) and "/static/" in each]
    script = """async all => {
      let total = 0;
      for (const each of all) {
        const body = (await fetch(each)).body.pipeThrough(new CompressionStream('gzip'));
        total += (await new Response(body).arrayBuffer()).byteLength;
      }
      return total;
    }"""
    assert len(own) >= 8
    assert scoring.evaluate(script, [*own, scoring.url]) <= 50_000
