"""A fault at any statement of an act on the workbench leaves what was before it, or all of it: never a half."""

from contextlib import suppress

import pytest
from django.db import OperationalError, connection

from annotation.domain.prompt_selection import Filters
from annotation.models import Assignment, Conflict, Draft, Flag, JournalEntry, Lease, PanelSeat, Score, Skip
from annotation.services import assignments, conflicts, drafts, flagging, revising, rounds, scoring, seats
from tests.factories import NOW, make_member, make_project, make_prompt, make_response

pytestmark = pytest.mark.django_db(transaction=True)
TABLES = {
    Assignment: ("state", "annotator", "reserved_for", "leased_until"),
    Conflict: ("annotator", "prompt"),
    Draft: ("lease", "version", "content"),
    Flag: ("response", "raised_by", "state"),
    JournalEntry: ("action",),
    Lease: ("assignment", "annotator"),
    PanelSeat: ("prompt", "seat", "annotator"),
    Score: ("response", "annotator", "value", "revision", "standing"),
    Skip: ("lease",),
}


class Faulty:
    """Lets so many statements pass and fails the next; what takes back is never kept from it."""

    def __init__(self, after: int | None) -> None:
        self.after = after
        self.seen = 0

    def __call__(self, execute, sql, params, many, context):
        if not sql.startswith("ROLLBACK"):
            self.seen += 1
            if self.seen - 1 == self.after:
                raise OperationalError("the server is gone")
        return execute(sql, params, many, context)


@pytest.fixture
def members():
    project = make_project()
    prompt = make_prompt(project)
    for _ in range(2):
        make_response(prompt)
    return [make_member(project) for _ in range(4)]


@pytest.fixture
def work(members):
    """A panel of three for two texts of one prompt; a fourth could follow."""
    project = members[0].project
    made = rounds.draft(project, "Panel", purpose="live", filters=Filters(), by=None, now=NOW)
    panel = {seat: member.pk for seat, member in enumerate(members[:3], start=1)}
    rounds.seat(made, {project.prompts.get().pk: panel}, by=None, now=NOW)
    rounds.open_draft(made, by=None, now=NOW)
    made.refresh_from_db()
    return made


def stored():
    return {
        model.__name__: sorted(map(str, model.objects.values_list(*columns)))
        for model, columns in TABLES.items()
    }


def submit(lease):
    scoring.submit(lease, value=2, justification="Why.", now=NOW)


ACTS = {
    "take": lambda work, members, lease: assignments.claim(members[1], work, now=NOW),
    "draft": lambda work, members, lease: drafts.save(lease, version=0, content={"value": "2"}, now=NOW),
    "submit": lambda work, members, lease: submit(lease),
    "skip": lambda work, members, lease: flagging.raise_flag(
        lease, kind="grammar", note="", skip=True, now=NOW
    ),
    "step aside": lambda work, members, lease: conflicts.declare(lease, now=NOW),
    "hand over": lambda work, members, lease: seats.hand_over(work, members[0], members[3], by=None, now=NOW),
    "lock": lambda work, members, lease: rounds.lock(work, by=None, now=NOW),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_fault_at_any_statement_leaves_nothing_half_done(act, work, members):
    lease, number = assignments.claim(members[0], work, now=NOW), 0
    before = stored()
    while True:
        fault = Faulty(number)
        with connection.execute_wrapper(fault), suppress(OperationalError):
            ACTS[act](work, members, Lease.objects.get(pk=lease.pk))
        if fault.seen <= number:
            break  # it came to its end without meeting the fault
        assert stored() == before, f"after statement {number}"
        number += 1
    assert number > 3
    assert stored() != before


def test_a_fault_while_a_score_is_revised_leaves_the_first(work, members):
    lease = assignments.claim(members[0], work, now=NOW)
    submit(lease)
    before, number = stored(), 0
    while True:
        fault = Faulty(number)
        with connection.execute_wrapper(fault), suppress(OperationalError):
            revising.revise(lease, value=3, justification="Why.", based_on=1, now=NOW)
        if fault.seen <= number:
            break
        assert stored() == before, f"after statement {number}"
        number += 1
    assert sorted(Score.objects.values_list("revision", "value")) == [(1, 2), (2, 3)]
