"""Figures as readers meet them: in both themes and languages, on a large and a small screen, by pointer and keys."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import axe
from tests.browser.figure_page import drawn
from tests.browser.looks import LOOKS, OPPOSITE_LOOKS, in_looks

FITS = """cell => {
  const note = cell.querySelector(".note").getBoundingClientRect();
  const box = cell.closest(".table-scroll");
  const around = box.getBoundingClientRect();
  return note.top >= around.top - 1 && note.bottom <= around.bottom + 1 && box.scrollHeight <= box.clientHeight + 1;
}"""

pytestmark = pytest.mark.urls("tests.browser.figure_page")


@pytest.fixture(scope="module", autouse=True)
def _pictures_are_there() -> None:
    """Drawn before a browser waits for them."""
    for language in ("en", "zh-hans"):
        drawn(language)


@in_looks(OPPOSITE_LOOKS)
def test_figures_break_no_rule_of_axe_and_none_scrolls_sideways(look):
    look.goto("/figures/")
    assert axe(look) == []
    for summary in look.locator("summary").all():
        summary.click()
    assert axe(look) == []
    assert look.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_looks(LOOKS)
def test_the_size_that_fits_is_the_one_that_is_seen(look):
    look.goto("/figures/")
    is_wide = look.viewport_size["width"] > 1000
    figure = look.locator(".figure").first
    expect(figure.locator(".figure-wide")).to_be_visible(visible=is_wide)
    expect(figure.locator(".figure-narrow")).to_be_visible(visible=not is_wide)
    # Type of 12.5 pixels is never drawn smaller than 11.
    drawn_at = figure.locator("svg:visible").evaluate(
        "svg => svg.getBoundingClientRect().width / svg.width.baseVal.value"
    )
    assert drawn_at > 0.88


def test_the_picture_follows_the_theme(page):
    colours = []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.goto("/figures/")
        dot = page.locator('.figure-wide path[fill="var(--accent)"]').first
        colours.append(dot.evaluate("path => getComputedStyle(path).fill"))
    assert colours == ["rgb(11, 85, 96)", "rgb(134, 208, 220)"]


def test_the_numbers_are_a_table_beneath(page):
    page.goto("/figures/")
    figure = page.get_by_role("figure", name="Agreement by genre", exact=True)
    expect(figure.get_by_role("img")).to_have_accessible_name(
        "Business e-mail agrees best, 0.74; short stories least, 0.49, on too few."
    )
    figure.get_by_text("Show the numbers").click()
    row = figure.get_by_role("row", name="Short story")
    expect(row).to_contain_text("0.49")
    expect(row).to_contain_text("too few")
    assert [link.inner_text().split()[0] for link in figure.get_by_role("link").all()] == [
        "CSV",
        "SVG",
        "PNG",
    ]


def test_a_heat_map_is_one_stop_of_the_tab_key_and_tells_what_a_cell_rests_on(page):
    page.goto("/figures/")
    figure = page.get_by_role("figure", name="Agreement between annotators", exact=True)
    figure.get_by_role("region").first.focus()
    page.keyboard.press("Tab")
    first = figure.locator("tbody tr").first.locator("td").nth(1)
    expect(first).to_be_focused()
    expect(first.locator(".note")).to_be_visible()
    expect(first.locator(".note")).to_have_text("both gave one score only")
    page.keyboard.press("ArrowRight")
    expect(figure.locator("td:focus .note")).to_have_text("n = 12 · too few")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")  # over the person with themselves
    expect(figure.locator("td:focus .note")).to_have_text("n = 62")
    page.keyboard.press("Tab")
    expect(figure.locator("summary")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(figure.locator("td:focus .note")).to_have_text("n = 62")


def test_what_a_cell_rests_on_lies_within_the_table(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/figures/")
    for cell in page.locator(".heat-map td:has(.note)").all():
        cell.focus()
        assert cell.evaluate(FITS), cell.inner_text()
