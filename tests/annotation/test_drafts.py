"""Drafts on the server: kept by version, of nobody else, and of nothing that is over."""

import json

import pytest
from django.urls import reverse

from annotation.errors import DomainError
from annotation.models import Assignment, Draft, Response
from annotation.services import assignments, drafts, leases, rounds, scoring
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db
BEGUN = {"value": "2", "justification": "The first line is earned.", "based_on": "0"}


@pytest.fixture
def work(project):
    make_response(make_prompt(project))
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    return assignments.claim(annotator, work, now=NOW)


@pytest.fixture
def address(lease):
    return reverse("draft", args=[lease.token])


@pytest.fixture
def send(browser_of, address):
    def sent(person, version=0, content=BEGUN):
        body = json.dumps({"version": version, "content": content})
        return browser_of(person).post(address, body, content_type="application/json")

    return sent


def test_each_save_has_the_next_version_and_says_when(send, annotator):
    first = send(annotator)
    assert (first.status_code, first.json()["version"]) == (200, 1)
    assert first.json()["saved_at"]
    second = send(annotator, 1, {**BEGUN, "value": "3"})
    assert second.json()["version"] == 2
    assert Draft.objects.get().content["value"] == "3"


def test_another_tab_that_saved_meanwhile_is_not_written_over(send, annotator):
    send(annotator)
    send(annotator, 1, {**BEGUN, "value": "3"})
    stale = send(annotator, 1, {**BEGUN, "value": "0"})
    assert stale.status_code == 409
    assert stale.json() == {"version": 2, "content": {**BEGUN, "value": "3"}}
    assert Draft.objects.get().content["value"] == "3"
    assert send(annotator, 2, {**BEGUN, "value": "0"}).json()["version"] == 3


def test_a_second_tab_that_knows_of_no_draft_is_stale_too(send, annotator):
    send(annotator)
    assert send(annotator, 0, {**BEGUN, "value": "0"}).status_code == 409


def test_the_same_draft_sent_again_is_no_conflict(send, annotator):
    send(annotator)
    again = send(annotator)
    assert (again.status_code, again.json()["version"]) == (200, 1)


def test_the_guard_is_the_version(lease, monkeypatch):
    """The negative control: without it, the older tab wins."""
    drafts.save(lease, version=0, content=BEGUN, now=NOW)
    drafts.save(lease, version=1, content={**BEGUN, "value": "3"}, now=NOW)
    monkeypatch.setattr(
        Draft.objects, "filter", lambda version=None, **given: Draft.objects.all().filter(**given)
    )
    drafts.save(lease, version=1, content={**BEGUN, "value": "0"}, now=NOW)
    monkeypatch.undo()
    assert Draft.objects.get().content["value"] == "0"


def test_it_is_nobody_elses(send, project, lead, stranger, client, address):
    for person in (make_member(project), lead, stranger):
        assert send(person).status_code == 404
    signed_out = client.post(address, "{}", content_type="application/json")
    assert (signed_out.status_code, signed_out.json()["code"]) == (401, "signed_out")
    assert not Draft.objects.exists()


def test_it_needs_a_post(browser_of, annotator, address):
    assert browser_of(annotator).get(address).status_code == 405


def test_after_the_submit_there_is_none_and_none_is_taken(send, annotator, lease):
    send(annotator)
    scoring.submit(lease, value=2, justification="", now=NOW)
    assert not Draft.objects.exists()
    late = send(annotator, 1)
    assert (late.status_code, late.json()["code"]) == (410, "submitted")
    assert not Draft.objects.exists()


def test_of_a_revision_of_what_was_submitted_one_is_taken(send, annotator, lease):
    scoring.submit(lease, value=2, justification="", now=NOW)
    assert send(annotator, 0, {**BEGUN, "based_on": "1"}).status_code == 200


def test_one_that_came_in_behind_the_submit_is_in_nobodys_way(send, annotator, lease):
    scoring.submit(lease, value=2, justification="", now=NOW)
    Draft.objects.create(lease=lease, content=BEGUN, saved_at=NOW)
    revision = {**BEGUN, "based_on": "1", "value": "3"}
    assert send(annotator, 0, revision).status_code == 200
    assert Draft.objects.get().content == revision


def test_of_a_text_that_was_withdrawn_none_is_taken(send, annotator, lease):
    Response.objects.filter(pk=lease.assignment.response_id).update(
        state=Response.State.REMOVED, removed_at=NOW
    )
    gone = send(annotator)
    assert (gone.status_code, gone.json()["code"]) == (410, "withdrawn")
    assert gone.json()["message"]


def test_of_a_round_that_is_closed_none_is_taken_and_a_pause_stops_none(send, annotator, work):
    rounds.pause(work, by=None, now=NOW)
    assert send(annotator).status_code == 200
    rounds.resume(work, by=None, now=NOW)
    rounds.lock(work, by=None, now=NOW)
    assert send(annotator, 1, {**BEGUN, "value": "0"}).status_code == 423


@pytest.mark.parametrize("length", [20_000, 200_000])
def test_only_what_is_far_too_long_is_refused(send, annotator, length):
    expected = 200 if length == 20_000 else 413
    assert send(annotator, 0, {**BEGUN, "justification": "字" * length}).status_code == expected


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no JSON",
        "[]",
        '{"version": "1", "content": {}}',
        '{"version": true, "content": {}}',
        '{"version": -1, "content": {}}',
        '{"version": 99999999999, "content": {}}',
        '{"version": 0, "content": []}',
        '{"version": 0, "content": {"value": 2}}',
        '{"version": 0, "content": {"value": [2]}}',
        '{"version": 0}',
        "[" * 100_000,
    ],
)
def test_what_is_no_draft_is_refused(browser_of, annotator, address, body):
    assert browser_of(annotator).post(address, body, content_type="application/json").status_code == 422


def test_what_no_database_can_hold_is_left_out(send, annotator):
    assert send(annotator, 0, {**BEGUN, "justification": "a\0b\ud800c"}).status_code == 200
    assert Draft.objects.get().content["justification"] == "ab?c"


def test_several_values_of_a_name_are_kept(send, annotator):
    assert send(annotator, 0, {"tick": ["1", "3"]}).status_code == 200
    assert Draft.objects.get().content == {"tick": ["1", "3"]}


def test_whoever_writes_keeps_the_text(lease):
    later = NOW + leases.LEASE / 2
    drafts.save(lease, version=0, content=BEGUN, now=later)
    assert Assignment.objects.get(pk=lease.assignment_id).leased_until == later + leases.LEASE


def test_the_text_of_another_is_not_taken_back_by_writing(lease, project, work):
    Assignment.objects.filter(pk=lease.assignment_id).update(annotator=make_member(project))
    drafts.save(lease, version=0, content=BEGUN, now=NOW + leases.LEASE / 2)
    assert Assignment.objects.get(pk=lease.assignment_id).leased_until == NOW + leases.LEASE


def test_a_refusal_loses_nothing_of_what_is_kept(lease):
    drafts.save(lease, version=0, content=BEGUN, now=NOW)
    with pytest.raises(DomainError):
        drafts.save(lease, version=1, content={"justification": "x" * 500_000}, now=NOW)
    assert Draft.objects.get().content == BEGUN
