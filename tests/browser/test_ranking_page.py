"""The ranking page as annotators use it: keys, taps, mouse, no script, large and small screens."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import RankedResponse, Ranking, Round
from tests.browser.keyboard import next_page, press, tab_to
from tests.browser.ranking import REASON, drag, is_stored, make_long_set, read_all, shows, stored
from tests.browser.waiting import until
from tests.factories import PASSWORD
from tests.ranking_rounds import hand_out, make_ranking_round

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def work(project, annotator):
    make_long_set(project)
    return make_ranking_round(project)


@pytest.fixture
def lease(work, annotator):
    return hand_out(annotator, work)


@pytest.fixture
def ranking(page_of, annotator, lease) -> Page:
    page = page_of(annotator)
    page.goto(reverse("rank", args=[lease.token]))
    return page


def keys(page: Page, *pressed: str) -> None:
    for key in pressed:
        page.keyboard.press(key)


# --- By keys alone -------------------------------------------------------------------------------


def test_a_set_is_ranked_by_keys_alone(ranking):
    shows(ranking, "Nothing is ranked yet")
    keys(ranking, "a", "1", "b", "2", "c", "2", "d", "1")
    shows(ranking, "D > A > C > B")
    keys(ranking, "b", "=", "a", "Alt+ArrowUp", "Alt+ArrowUp")
    shows(ranking, "A > D > B = C")
    keys(ranking, "u", "u", "u")
    shows(ranking, "D > A > C > B")
    keys(ranking, "w")
    ranking.keyboard.type(REASON)
    keys(ranking, "Control+Enter")
    dialog = ranking.get_by_role("dialog", name="Not read to the end")
    expect(dialog).to_contain_text("You have not reached the end of A, B, C, and D.")
    tab_to(ranking, "Submit anyway")
    keys(ranking, "Enter")
    is_stored(ranking, "D > A > C > B")
    assert Ranking.objects.get().justification == REASON
    assert not RankedResponse.objects.filter(was_read=True).exists()
    expect(ranking.get_by_role("button", name="Next")).to_be_focused()
    with next_page(ranking):
        keys(ranking, "Control+Enter")
    assert "/finished/" in ranking.url


def test_a_set_is_ranked_by_tab_and_enter_alone(ranking):
    read_all(ranking)
    for name, order in (
        ("Place text C 1st", "C"),
        ("Place text A last", "C > A"),
        ("Place text D 2nd", "C > D > A"),
    ):
        tab_to(ranking, name)
        keys(ranking, "Enter")
        shows(ranking, order)
    tab_to(ranking, "Place text B last")
    keys(ranking, "Enter")
    expect(ranking.get_by_role("button", name="Move text B up")).to_be_focused()
    keys(ranking, "Enter")
    shows(ranking, "C > D > A = B")
    expect(ranking.locator("[data-said]")).to_have_text("Text B is tied at 3rd")
    press(ranking, "^Submit")
    is_stored(ranking, "C > D > A = B")


def test_no_key_ranks_while_somebody_writes_or_composes(ranking):
    keys(ranking, "w")
    ranking.keyboard.type("1 b = u")
    ranking.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '1', isComposing: true, bubbles: true}))"
    )
    keys(ranking, "Escape")
    expect(ranking.get_by_label("What decided it?")).to_have_value("1 b = u")
    expect(ranking.get_by_label("What decided it?")).not_to_be_focused()
    shows(ranking, "Nothing is ranked yet")
    keys(ranking, "?")
    ranking.get_by_label("Use the single-key shortcuts").uncheck()
    keys(ranking, "Escape", "1", "Alt+ArrowUp")
    shows(ranking, "Nothing is ranked yet")


def test_the_tabs_are_walked_by_arrows(ranking):
    tab = ranking.get_by_role("tab", name="Text A")
    tab.focus()
    keys(ranking, "ArrowRight", "ArrowRight")
    expect(ranking.get_by_role("tab", name="Text C")).to_be_focused()
    expect(ranking.get_by_role("tabpanel")).to_have_attribute("id", "text-C")
    keys(ranking, "[")
    expect(ranking.get_by_role("tabpanel")).to_have_attribute("id", "text-B")


# --- Taps and drags ------------------------------------------------------------------------------


def test_a_set_is_ranked_by_taps_alone_in_the_dock_of_a_phone(browser, live_server, annotator, lease):
    with browser.new_context(
        base_url=live_server.url, viewport=PHONE, has_touch=True, is_mobile=True, locale="en-US"
    ) as context:
        page = context.new_page()
        sign_in(page, annotator)
        page.goto(reverse("rank", args=[lease.token]))
        read_all(page)

        def tap(name):
            page.get_by_role("button", name=name, exact=True).tap()

        expect(page.locator("[data-dock-line]")).to_have_text("Text A: place it")
        tap("1st")
        expect(page.locator("[data-dock-line]")).to_have_text("Text A is 1st. Move it:")
        page.get_by_role("tab", name="Text B").tap()
        tap("Last")
        page.get_by_role("tab", name="Text C").tap()
        tap("2nd")
        page.get_by_role("tab", name="Text D").tap()
        tap("Last")
        shows(page, "A > C > B > D")
        tap("Higher")
        shows(page, "A > C > B = D")
        heights = page.locator("[data-dock]:visible").evaluate_all("all => all.map(e => e.offsetHeight)")
        assert min(heights) >= 54
        tap("Ranking")
        sheet = page.locator("ranking-panel").bounding_box()
        assert sheet["height"] <= 0.86 * PHONE["height"] + 1
        page.get_by_label("What decided it?").fill(REASON)
        tap("Close")
        page.get_by_role("button", name="Submit").tap()
        is_stored(page, "A > C > B = D")
        expect(page.get_by_role("button", name="Next")).to_be_in_viewport()
        page.goto("about:blank")


def sign_in(page, annotator):
    page.goto("/")
    page.get_by_label("User name").fill(annotator.user.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_a_text_is_dragged_by_its_grip_between_rows_onto_a_row_and_out(ranking):
    keys(ranking, "a", "1", "b", "2")
    drag(ranking, "C", ".gap:nth-child(3) ul")
    shows(ranking, "A > C > B")
    drag(ranking, "D", '[data-drop=row][data-index="1"]', by=0.8)
    shows(ranking, "A > C = D > B")
    drag(ranking, "B", ".gap:first-child ul")
    shows(ranking, "B > A > C = D")
    drag(ranking, "A", "[data-pool]")
    shows(ranking, "B > C = D")
    keys(ranking, "u")
    shows(ranking, "B > A > C = D")


def test_nothing_is_dragged_onto_a_row_where_the_round_takes_no_ties(ranking, work):
    Round.objects.filter(pk=work.pk).update(ties_allowed=False)
    ranking.reload()
    keys(ranking, "a", "1", "b", "2")
    drag(ranking, "C", '[data-drop=row][data-index="0"]', by=0.5)
    dropped = ranking.locator("[data-order]").text_content().split(" > ")
    assert sorted(dropped) == ["A", "B", "C"]  # beside a row at most
    keys(ranking, dropped[2].lower(), "=", "Alt+ArrowUp")
    shows(ranking, " > ".join([dropped[0], dropped[2], dropped[1]]))


def test_scrolling_over_the_cards_of_a_phone_ranks_nothing(ranking):
    actions = "all => [...new Set(all.map(e => getComputedStyle(e).touchAction))]"
    assert ranking.locator(".grip").evaluate_all(actions) == ["none"]
    assert "none" not in ranking.locator(".text-card, .text-card .opening, .tiers").evaluate_all(actions)


# --- Without a script ----------------------------------------------------------------------------


def test_a_set_is_ranked_without_javascript(browser, live_server, annotator, lease):
    with browser.new_context(
        base_url=live_server.url, java_script_enabled=False, locale="en-US", viewport=PHONE
    ) as context:
        page = context.new_page()
        sign_in(page, annotator)
        page.goto(reverse("rank", args=[lease.token]))
        assert page.locator("article.text:visible").count() == 4
        for letter, rank in (("A", "2"), ("B", "1"), ("C", "2")):
            page.get_by_role("combobox", name=f"Text {letter}").select_option(rank)
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("alert")).to_contain_text("Place text D.")
        page.get_by_role("combobox", name="Text D").select_option("4")
        page.get_by_role("button", name="Submit").click()
        is_stored(page, "B > A = C > D")
        page.get_by_role("link", name="Edit").click()
        page.get_by_role("combobox", name="Text D").select_option("1")
        page.get_by_role("button", name="Save the change").click()
        is_stored(page, "B = D > A = C")


# --- Reading -------------------------------------------------------------------------------------


def at_work(page: Page, seconds: int) -> None:
    """Let the page believe that somebody reads for so long, giving a sign every minute."""
    page.evaluate(
        """seconds => {
          const texts = document.querySelector("ranking-texts");
          for (let second = 0; second < seconds; second++) {
            if (second % 60 === 0) texts.still = 0;
            texts.tick();
          }
        }""",
        seconds,
    )


def test_a_text_is_read_once_its_end_was_seen_and_a_quarter_of_the_time_has_passed(ranking):
    tab = ranking.get_by_role("tab", name="Text A")
    expect(tab).to_have_accessible_name("Text A not read")
    usual = int(ranking.locator("#text-A").get_attribute("data-seconds"))
    assert usual > 300
    at_work(ranking, usual // 4 + 1)
    expect(tab).to_have_accessible_name("Text A not read")
    ranking.locator("#text-A .end-mark").scroll_into_view_if_needed()
    expect(tab).to_have_accessible_name("Text A read")
    ranking.locator("[data-tab=B]").click()
    ranking.locator("#text-B .end-mark").scroll_into_view_if_needed()
    at_work(ranking, usual // 8)
    expect(ranking.get_by_role("tab", name="Text B")).to_have_accessible_name("Text B not read")
    keys(ranking, "a", "1", "b", "2", "c", "3", "d", "4", "Control+Enter")
    dialog = ranking.get_by_role("dialog", name="Not read to the end")
    expect(dialog).to_contain_text("You have not reached the end of B, C, and D.")
    dialog.get_by_role("button", name="Open B").click()
    expect(ranking.get_by_role("tab", name="Text B")).to_be_focused()
    keys(ranking, "Control+Enter")
    dialog.get_by_role("button", name="Submit anyway").click()
    is_stored(ranking, "A > B > C > D")
    assert list(RankedResponse.objects.filter(was_read=True).values_list("shown", flat=True)) == [1]


def test_time_in_which_nobody_is_there_is_no_reading(ranking):
    counted = ranking.evaluate(
        """() => {
          const texts = document.querySelector("ranking-texts");
          const before = texts.seconds.get("A");
          texts.still = 0;
          for (let second = 0; second < 900; second++) texts.tick();
          return texts.seconds.get("A") - before;
        }"""
    )
    assert counted == 120  # two minutes after the last sign


def test_each_text_keeps_its_place(ranking):
    def place():
        return ranking.evaluate("Math.round(scrollY)")

    ranking.mouse.move(300, 500)
    ranking.mouse.wheel(0, 1400)
    until(ranking, "scrollY > 1300")
    first = place()
    keys(ranking, "b")
    top = ranking.locator("#text-B").bounding_box()["y"]
    assert 0 < top < 300  # a text that was not begun begins at its beginning
    ranking.mouse.wheel(0, 300)
    ranking.wait_for_timeout(200)
    second = place()
    keys(ranking, "a")
    assert abs(place() - first) <= 3
    keys(ranking, "b")
    assert abs(place() - second) <= 3


def test_two_texts_are_compared_each_with_its_own_scrolling(ranking):
    ranking.get_by_role("button", name="Compare two").click()
    left, right = ranking.locator("#text-A"), ranking.locator("#text-B")
    expect(left).to_be_in_viewport()
    expect(right).to_be_in_viewport()
    right.hover()
    ranking.mouse.wheel(0, 600)
    until(ranking, "document.getElementById('text-B').scrollTop > 500")
    assert left.evaluate("pane => pane.scrollTop") == 0
    assert ranking.evaluate("scrollY") == 0
    ranking.get_by_role("button", name="Show text D here").and_(ranking.locator(":visible")).click()
    expect(ranking.locator("#text-D")).to_be_visible()
    expect(right).to_be_hidden()
    keys(ranking, "d")
    expect(ranking.locator("#text-A[data-right]")).to_be_visible()
    assert ranking.locator("#text-D").bounding_box()["x"] < ranking.locator("#text-A").bounding_box()["x"]
    ranking.set_viewport_size({"width": 1200, "height": 900})
    expect(ranking.get_by_role("button", name="Compare two")).to_be_hidden()
    expect(ranking.get_by_role("tabpanel")).to_have_count(1)


# --- Drafts, changes, what is missing ------------------------------------------------------------


def test_what_was_begun_is_there_again_after_a_reload(ranking, lease):
    keys(ranking, "c", "1", "a", "2", "w")
    ranking.keyboard.type("C is")
    expect(ranking.locator("[data-save-words]")).to_contain_text("Draft saved")
    lease.draft.refresh_from_db()
    ranking.reload()
    shows(ranking, "C > A")
    expect(ranking.get_by_label("What decided it?")).to_have_value("C is")
    expect(ranking.locator("[data-left]")).to_have_text("2 left")


def test_an_unfinished_set_says_what_is_missing_and_goes_there(ranking, project):
    project.justification_minimum = 3
    project.save(update_fields=["justification_minimum"])
    ranking.reload()
    keys(ranking, "a", "1", "b", "2", "Control+Enter")
    summary = ranking.locator("#summary")
    expect(summary).to_contain_text("2 things to finish:")
    expect(summary).to_contain_text("Place C and D.")
    expect(summary).to_contain_text("Write at least 3 words about what decided the order.")
    expect(ranking.get_by_role("button", name="Place text C 1st")).to_be_focused()
    keys(ranking, "c", "3", "d", "4")
    expect(summary).to_contain_text("1 thing to finish:")
    summary.get_by_role("link").click()
    ranking.keyboard.type(REASON)
    expect(summary).to_be_hidden()
    assert stored() == []


def test_a_double_click_stores_one_ranking(ranking):
    read_all(ranking)
    keys(ranking, "a", "1", "b", "2", "c", "3", "d", "4")
    ranking.get_by_role("button", name="Submit").dblclick()
    is_stored(ranking, "A > B > C > D")
    assert Ranking.objects.count() == 1


def test_going_back_shows_what_is_stored_and_it_can_be_changed(ranking):
    read_all(ranking)
    keys(ranking, "a", "1", "b", "2", "c", "3", "d", "4", "Control+Enter")
    is_stored(ranking, "A > B > C > D")
    ranking.get_by_role("button", name="Next").click()
    ranking.wait_for_url("**/finished/")
    ranking.go_back()
    is_stored(ranking, "A > B > C > D")
    ranking.get_by_role("link", name="Edit").click()
    shows(ranking, "A > B > C > D")
    keys(ranking, "d", "1", "Control+Enter")
    is_stored(ranking, "D > A > B > C")
    assert stored() == ["A > B > C > D", "D > A > B > C"]


def test_ticks_of_the_checklist_are_counted_on_the_cards_and_kept(page_of, annotator, project):
    prompt = make_long_set(project, texts=2)
    for number, text in enumerate(("Name a river.", "End with a question.", "Use the past tense."), start=1):
        prompt.requirements.create(position=number, text=text)
    lease = hand_out(annotator, make_ranking_round(project, instruction="requirements"))
    page = page_of(annotator)
    page.goto(reverse("rank", args=[lease.token]))
    page.get_by_role("group", name="Your checklist for text A").get_by_label("Name a river.").check()
    expect(page.locator("[data-card=A] [data-ticked]")).to_have_text("1/3")
    keys(page, "b")
    expect(page.get_by_role("group", name="Your checklist for text A")).to_be_hidden()
    page.get_by_role("group", name="Your checklist for text B").get_by_label("Use the past tense.").check()
    expect(page.locator("[data-save-words]")).to_contain_text("Draft saved")
    page.reload()
    expect(page.locator("[data-card=B] [data-ticked]")).to_have_text("1/3")
