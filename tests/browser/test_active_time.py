"""The clock of active time in a real browser, whose time is the test's own."""

import pytest
from django.templatetags.static import static
from django.urls import reverse
from playwright.sync_api import Page, Request

from annotation.models import ActiveTime
from annotation.services import lessons
from tests.browser.waiting import until
from tests.courses import make_trainee
from tests.factories import NOW

MINUTE = 60_000


@pytest.fixture
def clock_rate() -> int:
    return 1


def given(request: Request) -> dict[str, str]:
    return dict(part.split("=") for part in request.post_data.split("&"))


def reported(page: Page, seconds: int):
    """Waits until the page has reported so many seconds; the server is not asked, for its clock is another."""
    return page.expect_request(
        lambda request: "/active-time/" in request.url and given(request)["seconds"] == str(seconds)
    )


@pytest.fixture
def address(project):
    lesson = lessons.write(project, language="en", genre=None, title="Scale", body="0 to 3", by=None, now=NOW)
    lessons.publish(lesson, by=None, now=NOW)
    return reverse("training_lesson", args=[project.slug, "en", 1])


@pytest.fixture
def reading(page_of, project, address) -> Page:
    page = page_of(make_trainee(project, "tina").annotator)
    page.clock.install(time=NOW)
    return page


def show(page: Page, state: str) -> None:
    page.evaluate(
        """state => {
          Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_it_reports_at_once_and_every_half_minute_and_nothing_else(reading, address):
    with reported(reading, 0) as first:
        reading.goto(address)
    assert given(first.value).keys() == {"project", "activity", "load", "seconds"}
    with reading.expect_request("**/active-time/") as later:
        reading.clock.run_for(MINUTE // 2)
    assert given(later.value)["load"] == given(first.value)["load"]
    assert int(given(later.value)["seconds"]) in (29, 30)


def clock(page: Page, steps: str) -> list[int]:
    """What the clock of the element reads, in seconds, after each of the steps."""
    return page.evaluate(
        """async ([url, steps]) => {
          const {Clock} = await import(url);
          const clock = new Clock(0);
          return steps.split(", ").map((step) => {
            const [what, at] = step.split(" at ");
            if (what !== "read") clock[what](Number(at) * 1000);
            return clock.read(Number(at) * 1000) / 1000;
          });
        }""",
        [static("js/active-time.js"), steps],
    )


def test_the_clock_stops_two_minutes_after_the_last_sign_of_a_person(reading, address):
    reading.goto(address)
    assert clock(reading, "read at 119, read at 121, read at 9000") == [119, 120, 120]
    assert clock(reading, "read at 500, seeSign at 600, read at 660, read at 999") == [120, 120, 180, 240]
    assert clock(reading, "seeSign at 100, seeSign at 200, read at 310, read at 999") == [100, 200, 310, 320]


def test_a_page_that_cannot_be_seen_does_not_count(reading, address):
    reading.goto(address)
    assert clock(reading, "hide at 60, read at 300, show at 300, read at 330") == [60, 60, 60, 90]
    assert clock(reading, "hide at 60, seeSign at 90, hide at 95, read at 99") == [60, 60, 60, 60]
    assert clock(reading, "read at 500, hide at 600, show at 700, read at 760") == [120, 120, 120, 180]


def test_what_was_counted_is_reported_when_the_page_is_hidden(reading, address):
    reading.goto(address)
    until(reading, "!!customElements.get('active-time')")
    reading.clock.run_for(MINUTE // 4)
    with reading.expect_request("**/active-time/") as hidden:
        show(reading, "hidden")
    assert int(given(hidden.value)["seconds"]) in (14, 15, 16)  # the page takes a while to load


def test_each_opening_of_a_page_has_a_number_of_its_own(reading, address):
    loads = []
    for _ in range(2):
        with reported(reading, 0) as request:
            reading.goto(address)
        loads.append(given(request.value)["load"])
    assert loads[0] != loads[1]


def test_the_server_takes_the_report_with_the_token_of_the_cookie(page_of, project, address):
    held = make_trainee(project, "tina")
    page = page_of(held.annotator)
    page.clock.install(time=NOW)  # so that nothing is reported when the page is closed
    page.route("**/active-time/", lambda route: route.continue_())
    with page.expect_response("**/active-time/") as answer:
        page.goto(address)
    assert answer.value.status == 204
    found = ActiveTime.objects.get()
    assert (found.user, found.activity, found.seconds) == (held.annotator.user, "lesson", 0)
