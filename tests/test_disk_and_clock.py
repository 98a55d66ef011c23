"""A disk that is full and a clock that steps take nothing from anybody and double nothing."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from annotation.models import Assignment, Draft, JournalEntry, Lease, Score
from annotation.services import assignments, scoring
from annotation.services.leases import LEASE
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_round

LONG = "The last line earns what it promised. " * 500
HOUR = timedelta(hours=1)
# Around which a clock may step: in the middle of a year, when Europe changes its clocks, and on a leap day.
MOMENTS = [
    NOW,
    datetime(2026, 3, 29, 1, 0, tzinfo=UTC),
    datetime(2026, 10, 25, 1, 0, tzinfo=UTC),
    datetime(2028, 2, 29, 23, 59, tzinfo=UTC),
]


@pytest.fixture
def work():
    project = make_project(time_zone="Europe/Berlin")
    prompt = make_prompt(project)
    for _ in range(2):
        make_response(prompt)
    return make_round(project)


def pages(setting):
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {setting}")
        return cursor.fetchone()[0]


@pytest.fixture
def full_disk():
    """SQLite may not take another page; the tests' PostgreSQL has no disk of its own to fill."""
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite can be told how large it may grow")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    before = pages("max_page_count")
    pages(f"max_page_count = {pages('page_count')}")
    yield lambda: pages(f"max_page_count = {before}")
    pages(f"max_page_count = {before}")


def everything():
    slots = Assignment.objects.order_by("pk").values_list("state", "annotator", "leased_until")
    return list(slots), Score.objects.count(), Draft.objects.count(), JournalEntry.objects.count()


@pytest.mark.django_db(transaction=True)
def test_a_full_disk_stores_no_half_and_takes_the_same_score_once_there_is_room(work, browser_of, request):
    annotator = make_member(work.project)
    lease = assignments.claim(annotator, work, now=NOW)
    browser = browser_of(annotator)
    browser.get("/")
    browser.raise_request_exception = False
    make_room = request.getfixturevalue("full_disk")
    before, address = everything(), f"/score/{lease.token}/"
    refused = browser.post(address, {"value": "2", "justification": LONG})
    assert refused.status_code == 500
    assert "Something went wrong on our side" in refused.content.decode()
    assert everything() == before
    make_room()
    assert browser.post(address, {"value": "2", "justification": LONG}).status_code == 302
    assert Score.objects.get().justification == LONG.strip()


@pytest.mark.django_db
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("step", [-HOUR, HOUR, -3 * HOUR])
def test_a_step_of_the_clock_loses_and_doubles_no_text(work, moment, step):
    annotator, other = make_member(work.project), make_member(work.project)
    lease = assignments.claim(annotator, work, now=moment)
    assert assignments.claim(annotator, work, now=moment + step) == lease
    assert assignments.claim(other, work, now=moment + step).assignment_id != lease.assignment_id
    scoring.submit(lease, value=2, justification="", active=30, now=moment + step)
    assert Score.objects.get().standing == "counted"
    entry = JournalEntry.objects.get(action="score.submitted")
    assert 0 <= entry.data["active"] <= 30
    assert assignments.claim(annotator, work, now=moment) != lease


@pytest.mark.django_db
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_clock_that_ran_ahead_gives_a_text_to_another_and_both_scores_stay(work, moment):
    work.assignments.filter(slot__gt=1).delete()
    annotator, other = make_member(work.project), make_member(work.project)
    lease = assignments.claim(annotator, work, now=moment)
    work.assignments.exclude(pk=lease.assignment_id).delete()
    taken = assignments.claim(other, work, now=moment + LEASE + HOUR)
    assert taken.assignment_id == lease.assignment_id
    scoring.submit(lease, value=1, justification="", now=moment)
    scoring.submit(taken, value=2, justification="", now=moment)
    standings = dict(Score.objects.values_list("annotator", "standing"))
    assert standings == {annotator.pk: "surplus", other.pk: "counted"}
    assert Lease.objects.count() == 2
