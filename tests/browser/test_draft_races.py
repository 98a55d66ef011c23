"""A draft on its way while the form is sent, on every page of work: nobody is told of another tab that there is not."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from annotation.models import CategoryVote, Draft, Preference, Ranking, Score
from annotation.services import assignments, drafts
from tests.browser.keyboard import next_page
from tests.browser.ranking import make_long_set, read_all
from tests.factories import NOW, make_round
from tests.ranking_rounds import make_ranking_round
from tests.rounds_of_votes import make_category_round, make_pair_round

PAGES = ["score", "rank", "vote", "choose"]
MODELS = {"score": Score, "rank": Ranking, "vote": CategoryVote, "choose": Preference}
# Has a form go that the page's own script would stop, so that it is the server that refuses it.
UNCHECKED = {
    "score": "document.querySelector('score-panel').problems = () => []",
    "rank": "document.querySelector('ranking-panel').problems = () => []",
    "vote": "Object.defineProperty(document.querySelector('choice-panel'), 'chosen', {value: 'none'})",
    "choose": "Object.defineProperty(document.querySelector('choice-panel'), 'chosen', {value: 'none'})",
}
CHOICE = {"score": ["2"], "rank": ["a", "1", "b", "2"], "vote": ["1"], "choose": ["a"]}


@pytest.fixture
def lease_of(project, annotator):
    """Of the first item of a round of a kind."""

    def made(kind: str):
        prompt = make_long_set(project, texts=2)
        work = {
            "score": lambda: make_round(project),
            "rank": lambda: make_ranking_round(project),
            "vote": lambda: make_category_round(project, [prompt]),
            "choose": lambda: make_pair_round(project, [tuple(prompt.responses.all())]),
        }[kind]()
        return assignments.claim(annotator, work, now=NOW)

    return made


@pytest.fixture
def page_at(lease_of, page_of, annotator):
    def opened(kind: str) -> Page:
        page = page_of(annotator)
        page.goto(reverse(kind, args=[lease_of(kind).token]))
        page.wait_for_load_state()
        return page

    return opened


class Courier:
    """Brings drafts to the server, and keeps the answer to the first until it is asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.kept: list[tuple[Route, object]] = []
        self.forms: list[str] = []
        page.route("**/draft/**", self.bring)
        page.on("request", self.note)

    def bring(self, route: Route) -> None:
        if self.kept:
            route.continue_()
            return
        self.kept.append((route, route.fetch()))
        self.page.evaluate("document.body.dataset.kept = ''")

    def note(self, request) -> None:
        if request.method == "POST" and re.search(r"/(score|rank|vote|choose)/", request.url):
            self.forms.append(request.url)

    def wait(self) -> None:
        """Until the server has the draft."""
        expect(self.page.locator("body[data-kept]")).to_be_attached()

    def answer(self) -> None:
        [(route, response)] = self.kept
        route.fulfill(response=response)

    def lose(self) -> None:
        [(route, _)] = self.kept
        route.abort()


def reason(page: Page):
    return page.locator("#justification")


def send(page: Page) -> None:
    page.locator("button.submit").click()


@contextmanager
def saving(page: Page, text: str) -> Iterator[None]:
    """Within it, a draft with this justification is sent and kept, and nobody is asked anything."""
    with page.expect_response(
        lambda answer: "/draft/" in answer.url and answer.ok and f'"{text}"' in answer.request.post_data
    ):
        yield
    expect(page.locator("[data-save-state=saved]")).to_be_attached()
    expect(page.locator("#draft-conflict")).to_be_hidden()
    expect(reason(page)).to_have_value(text)
    assert Draft.objects.get().content["justification"] == text


@pytest.mark.parametrize("kind", PAGES)
def test_a_form_waits_for_the_draft_under_way_and_a_refused_page_saves_on(kind, page_at, project, complaints):
    complaints.allow("status of 422")
    project.justification_minimum = 5
    project.save(update_fields=["justification_minimum"])
    page = page_at(kind)
    read_all(page) if kind == "rank" else None
    courier = Courier(page)
    reason(page).fill("One")
    courier.wait()
    reason(page).fill("One two")
    page.evaluate(UNCHECKED[kind])
    send(page)
    expect(page.locator("form[aria-busy=true]")).to_be_attached()
    assert courier.forms == []
    with page.expect_response(lambda response: response.status == 422):
        courier.answer()
    expect(page.get_by_role("alert")).to_be_visible()
    with saving(page, "One two three"):
        reason(page).fill("One two three")
    assert len(courier.forms) == 1
    assert MODELS[kind].objects.count() == 0


@pytest.mark.parametrize("kind", PAGES)
def test_a_draft_that_is_never_answered_does_not_keep_the_form(kind, page_at):
    page = page_at(kind)
    read_all(page) if kind == "rank" else None
    courier = Courier(page)
    for key in CHOICE[kind]:
        page.keyboard.press(key)
    courier.wait()
    send(page)
    expect(page.locator("form[aria-busy=true]")).to_be_attached()
    assert courier.forms == []
    page.wait_for_event("load")
    assert MODELS[kind].objects.count() == 1
    assert len(courier.forms) == 1


def test_a_draft_whose_answer_was_lost_is_known_again(page_at, complaints):
    complaints.allow("ERR_FAILED|status of 409")
    page = page_at("score")
    courier = Courier(page)
    reason(page).fill("One")
    courier.wait()
    courier.lose()
    expect(page.get_by_text("You are offline.")).to_be_visible()
    with saving(page, "One two"):
        reason(page).fill("One two")


def test_a_draft_whose_answer_the_page_did_not_live_to_hear_is_known_again(page_at):
    page = page_at("score")
    page.on("dialog", lambda dialog: dialog.accept())
    courier = Courier(page)
    reason(page).fill("One")
    courier.wait()
    reason(page).fill("One two")
    with saving(page, "One two"):
        page.reload()


def test_a_form_does_not_go_over_what_another_tab_has_saved(page_at, complaints):
    complaints.allow("status of 409")
    page = page_at("score")
    with saving(page, "Mine."):
        reason(page).fill("Mine.")
    kept = Draft.objects.get()
    drafts.save(kept.lease, version=1, content={**kept.content, "justification": "Theirs."}, now=NOW)
    courier = Courier(page)
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    courier.wait()
    send(page)
    expect(page.locator("form[aria-busy=true]")).to_be_attached()
    courier.answer()
    dialog = page.get_by_role("dialog", name="This item is open elsewhere")
    dialog.get_by_role("button", name="Use that version").click()
    expect(reason(page)).to_have_value("Theirs.")
    assert courier.forms == []
    page.keyboard.press("2")
    with next_page(page):
        send(page)
    assert Score.objects.get().justification == "Theirs."
