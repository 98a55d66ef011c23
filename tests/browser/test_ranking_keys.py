"""The keys of the ranking page and the list that names them agree, however many texts a set has."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser.ranking import make_long_set, shows
from tests.factories import make_response
from tests.ranking_rounds import hand_out, make_ranking_round


@pytest.fixture
def ranking(page_of, annotator, project):
    """Opens the page of a set of so many texts."""

    def opened(texts: int) -> Page:
        prompt = make_long_set(project, texts=1)
        for number in range(2, texts + 1):
            make_response(prompt, text=f"{number}. A short one.")
        page = page_of(annotator)
        page.goto(reverse("rank", args=[hand_out(annotator, make_ranking_round(project)).token]))
        return page

    return opened


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def listed(page: Page) -> dict[str, str]:
    """What the list says of each key."""
    press(page, "?")
    lines = page.get_by_role("dialog", name="Keys").locator("dl").inner_text().split("\n")
    press(page, "Escape")
    return dict(zip(lines[::2], lines[1::2], strict=True))


def test_every_one_of_six_texts_is_opened_and_placed_by_keys(ranking):
    page = ranking(6)
    press(page, "e", "6")
    shows(page, "E")
    press(page, "]", "1")
    shows(page, "F > E")
    expect(page.get_by_role("tabpanel")).to_have_attribute("id", "text-F")


def test_f_flags_where_there_is_a_text_f_as_anywhere(ranking):
    page = ranking(6)
    press(page, "a", "1")
    with page.expect_navigation(url="**/flag/**"):
        press(page, "f")
    page.go_back()
    shows(page, "A")


@pytest.mark.parametrize(
    ("texts", "letters", "places", "turning"),
    [
        (4, "A–D", "1–4", "Open the previous or next text"),
        (5, "A–E", "1–5", "Open the previous or next text"),
        (6, "A–E", "1–6", "Open the previous or next text; text F has no letter key"),
        (11, "A–E", "1–9", "Open the previous or next text; texts from F on have no letter key"),
    ],
)
def test_the_list_says_which_texts_and_places_have_a_key(ranking, texts, letters, places, turning):
    keys = listed(ranking(texts))
    assert keys[letters] == "Open that text"
    assert keys[places] == "Give the open text that place"
    assert keys["[ ]"] == turning
