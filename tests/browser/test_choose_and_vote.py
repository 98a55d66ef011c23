"""Votes and choices as annotators give them: keys alone, a phone, no script; and no rule of axe is broken."""

import re
from itertools import pairwise

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import CategoryVote, Preference
from tests.browser.axe import axe
from tests.browser.keyboard import next_page, tab_to
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks
from tests.browser.texts import CHINESE, ENGLISH
from tests.factories import make_member, make_prompt, make_response, make_round, score_all
from tests.rounds_of_votes import hand_out, make_category_round, make_pair_round

PHONE = {"width": 390, "height": 844}
PROMPTS = {
    "en": "Write a letter from one side of a bridge to the other.\n\nLet nobody cross it.",
    "zh": "请写一封从桥的这一头寄到那一头的信。\n\n不要让任何人过桥。",
}


@pytest.fixture
def vote(project, annotator, page_of):
    """Opens the page of a vote on a prompt in a language."""
    project.genres.create(key="essay", name_en="Argumentative essay", name_zh="议论文", position=2)

    def opened(language: str = "en") -> Page:
        prompts = [make_prompt(project, language=language, text=PROMPTS[language]) for _ in range(2)]
        lease = hand_out(annotator, make_category_round(project, prompts))
        page = page_of(annotator)
        page.goto(reverse("vote", args=[lease.token]))
        return page

    return opened


@pytest.fixture
def choose(project, annotator, page_of):
    """Opens the page of a pair of texts in a language."""

    def opened(language: str = "en", *, pairs: int = 2, **columns: object) -> Page:
        texts = {"en": ENGLISH, "zh": CHINESE}
        prompt = make_prompt(project, language=language, text=PROMPTS[language], genre=project.genres.first())
        responses = [
            make_response(prompt, text=text)
            for text in (texts[language], texts[language][200:], texts[language][400:])
        ]
        asked = list(pairwise(responses))[:pairs]
        lease = hand_out(
            annotator, make_pair_round(project, asked, name="Pairs", **{"ties_allowed": True, **columns})
        )
        page = page_of(annotator)
        page.goto(reverse("choose", args=[lease.token]))
        return page

    return opened


def preferred() -> list[str]:
    return list(Preference.objects.order_by("pk").values_list("preferred", flat=True))


def is_at(page: Page, number: int) -> None:
    expect(page.locator("#place")).to_have_text(re.compile(f"Item {number} of"))
    page.wait_for_load_state()  # its keys are heard by then


# --- Keys ----------------------------------------------------------------------------------------


def test_a_vote_is_given_by_keys_alone(vote):
    page = vote()
    page.keyboard.press("3")
    expect(page.get_by_role("radio", name="Argumentative essay")).to_be_checked()
    page.keyboard.press("e")
    page.keyboard.type("It asks for 1 letter.")
    page.keyboard.press("Control+Enter")
    is_at(page, 2)
    given = CategoryVote.objects.get()
    assert (given.category.key, given.justification) == ("essay", "It asks for 1 letter.")


def test_a_choice_is_given_by_keys_alone(choose):
    page = choose()
    page.keyboard.press("b")
    expect(page.get_by_role("radio", name="B is better")).to_be_checked()
    page.keyboard.press("=")
    expect(page.get_by_role("radio", name="Neither is better")).to_be_checked()
    page.keyboard.press("a")
    page.keyboard.press("Control+Enter")
    is_at(page, 2)
    page.keyboard.press("=")
    page.keyboard.press("e")
    page.keyboard.type("a b =")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile("/finished/"))
    assert preferred() == ["a", "tie"]
    assert Preference.objects.last().justification == "a b ="


def test_a_choice_is_given_by_tab_and_arrows(choose):
    page = choose()
    while page.evaluate("document.activeElement.type") != "radio":
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    tab_to(page, "Submit and next")
    page.keyboard.press("Enter")
    is_at(page, 2)
    assert preferred() == ["a"]


def test_the_keys_that_lead_to_a_text_let_the_arrows_scroll_it(choose):
    page = choose()
    page.keyboard.press("]")
    page.keyboard.press("PageDown")
    expect(page.locator("#text-b .text p").first).not_to_be_in_viewport()
    expect(page.locator("#text-a .text p").first).to_be_in_viewport()


def test_single_keys_can_be_switched_off(choose):
    page = choose()
    page.keyboard.press("?")
    page.get_by_label("Use the single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(page.get_by_role("radio", name="A is better")).not_to_be_checked()


def test_without_ties_there_is_no_key_for_one(choose):
    page = choose(ties_allowed=False)
    page.keyboard.press("=")
    expect(page.get_by_role("radio")).to_have_count(2)
    expect(page.locator(".options input:checked")).to_have_count(0)


# --- Refusals and repeats ------------------------------------------------------------------------


def test_nothing_chosen_is_said_at_the_foot_and_goes_away_with_the_choice(choose):
    page = choose()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose the better text.")
    expect(page.get_by_role("radio", name="A is better")).to_be_focused()
    assert axe(page) == []
    page.keyboard.press("b")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_a_double_click_submits_once(choose):
    page = choose()
    page.keyboard.press("b")
    page.get_by_role("button", name="Submit and next").dblclick()
    is_at(page, 2)
    assert preferred() == ["b"]


def test_an_answer_can_be_changed_on_its_own_page(choose):
    page = choose()
    address = page.url
    page.keyboard.press("b")
    page.keyboard.press("Control+Enter")
    is_at(page, 2)
    page.goto(address)
    expect(page.get_by_text("B is better").first).to_be_visible()
    expect(page.get_by_role("radio")).to_have_count(0)
    page.get_by_role("link", name="Change it").click()
    page.wait_for_url("**?edit")  # and loaded: its keys are heard by then
    page.keyboard.press("a")
    page.get_by_role("button", name="Save the change").click()
    expect(page.get_by_role("radio")).to_have_count(0)
    assert preferred() == ["b", "a"]


def test_both_pages_work_without_a_script(choose, browser, live_server, context):
    page = choose()
    plain = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, storage_state=context.storage_state()
    )
    try:
        still = plain.new_page()
        still.goto(page.url)
        expect(still.locator("#text-a")).to_be_visible()
        expect(still.locator("#text-b")).to_be_visible()
        still.get_by_role("radio", name="B is better").check(force=True)
        still.get_by_role("button", name="Submit and next").click()
        expect(still.locator("#place")).to_have_text(re.compile("Item 2 of"))
    finally:
        plain.close()
    assert preferred() == ["b"]


# --- Small screens -------------------------------------------------------------------------------


def test_a_phone_shows_one_text_after_the_other_and_keeps_the_place_in_each(choose):
    page = choose()
    page.set_viewport_size(PHONE)
    expect(page.locator("#text-b")).to_be_hidden()
    page.evaluate("window.scrollTo(0, 500)")
    page.get_by_role("button", name="Text B").click()
    expect(page.locator("#text-a")).to_be_hidden()
    expect(page.locator("#text-b")).to_be_visible()
    assert page.evaluate("window.scrollY") == 0
    page.get_by_role("button", name="Text A").click()
    assert page.evaluate("window.scrollY") == 500
    expect(page.get_by_role("button", name="Text A")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1440, 1024, 720, 390, 320])
def test_nothing_scrolls_sideways(choose, language, width):
    page = choose(language)
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("[...document.querySelectorAll('.side')].every(s => s.scrollWidth <= s.clientWidth)")


def test_a_wide_screen_shows_both_texts_whole_beside_each_other(choose):
    page = choose()
    first, second = (page.locator(f"#text-{side}").bounding_box() for side in "ab")
    assert first["y"] == second["y"]
    assert abs(first["width"] - second["width"]) <= 1
    assert page.evaluate("document.documentElement.scrollHeight") == 900
    expect(page.get_by_role("button", name="Submit and next")).to_be_in_viewport()


# --- Axe -----------------------------------------------------------------------------------------


@in_looks(LOOKS)
def test_the_page_of_a_vote(look, vote, complaints):
    vote("zh" if look.viewport_size["width"] == PHONE["width"] else "en")
    assert axe(look) == []
    address = look.url
    look.keyboard.press("2")
    with next_page(look):
        look.keyboard.press("Control+Enter")
    look.goto(address)
    assert axe(look) == []
    look.locator("a[href='?edit']").click()
    assert axe(look) == []


@in_looks(LOOKS)
def test_the_page_of_a_pair(look, choose):
    choose()
    assert axe(look) == []
    look.keyboard.press("?")
    assert axe(look) == []
    look.keyboard.press("Escape")
    look.keyboard.press("a")
    assert axe(look) == []
    address = look.url
    with next_page(look):
        look.keyboard.press("Control+Enter")
    look.goto(address)
    assert axe(look) == []


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_on_which_leads_draw(look, project, lead, page_of):
    names = [make_member(project).user.username for _ in range(2)]
    for language in ("en", "zh"):
        prompt = make_prompt(project, language=language, text=PROMPTS[language])
        for side in "ab":
            make_response(prompt, f"{language}-{side}")
    values = {(f"{language}-{side}", name): 2 for language in ("en", "zh") for side in "ab" for name in names}
    score_all(make_round(project), values)
    make_member(project)
    page_of(lead)
    drawn = "?languages=en&languages=zh&sample=2&annotators=1"
    for address in (
        reverse("rounds", args=[project.slug]),
        reverse("new_pairs", args=[project.slug]),
        reverse("new_validation", args=[project.slug]) + drawn,
    ):
        look.goto(address)
        assert axe(look) == []
        assert look.evaluate("document.documentElement.scrollWidth") == look.viewport_size["width"]
