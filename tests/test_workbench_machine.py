"""Whatever annotators and leads do in whichever order, no text is judged too often and no judgement is lost."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from annotation.domain.prompt_selection import Filters
from annotation.errors import DomainError
from annotation.models import Assignment, Lease, Score
from annotation.queries import scoring as queries
from annotation.services import (
    assignments,
    conflicts,
    flagging,
    membership,
    revising,
    rounds,
    scoring,
    seats,
    triage,
)
from annotation.services.leases import LEASE
from tests.factories import NOW, make_member, make_project, make_prompt, make_response

pytestmark = pytest.mark.django_db
PEOPLE, TEXTS = 5, 2
people = st.integers(0, PEOPLE - 1)
texts = st.integers(0, TEXTS - 1)
any_lease = st.integers(0, 10_000)  # one of those there are


class Workbench(RuleBasedStateMachine):
    """Two texts of one prompt. What is refused is refused with a reason, and changes nothing."""

    assigning = "pool"

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.now = NOW
        project = make_project()
        prompt = make_prompt(project)
        self.texts = [make_response(prompt) for _ in range(TEXTS)]
        self.members = [make_member(project) for _ in range(PEOPLE)]
        self.work = rounds.draft(project, "Round", purpose="live", filters=Filters(), by=None, now=NOW)
        if self.assigning == "panel":
            panel = {seat: member.pk for seat, member in enumerate(self.members[:3], start=1)}
            prompts = project.prompts.values_list("pk", flat=True)
            rounds.seat(self.work, dict.fromkeys(prompts, panel), by=None, now=NOW)
        else:
            fields = {"name": "Round", "purpose": "live", "annotators_per_response": 3, "assigning": "pool"}
            rounds.change(self.work, **fields, by=None, now=NOW)
        self.work.refresh_from_db()
        rounds.open_draft(self.work, by=None, now=NOW)
        self.work.refresh_from_db()
        self.leases: list[Lease] = []
        self.acknowledged: set[tuple[int, int, int, int]] = set()  # response, annotator, revision, value

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    def lease(self, number: int) -> Lease | None:
        """As somebody's page has it: read anew, like every request does."""
        if not self.leases:
            return None
        return Lease.objects.select_related("assignment__round", "annotator").get(
            pk=self.leases[number % len(self.leases)].pk
        )

    def acknowledge(self, score: Score) -> None:
        self.acknowledged.add((score.response_id, score.annotator_id, score.revision, score.value))

    def take(self, person: int) -> None:
        with suppress(DomainError):
            lease = assignments.claim(self.members[person], self.work, now=self.now)
            if lease is not None:
                self.leases.append(lease)

    def give(self, number: int, value: int) -> None:
        with suppress(DomainError):
            lease = self.lease(number)
            self.acknowledge(scoring.submit(lease, value=value, justification="", now=self.now))

    @rule()
    def everybody_takes(self):
        for person in range(PEOPLE):
            self.take(person)

    @rule(values=st.lists(st.integers(0, 3), min_size=1, max_size=PEOPLE))
    def some_submit_what_they_took_last(self, values):
        for back, value in enumerate(values, start=1):
            if back <= len(self.leases):
                self.give(-back, value)

    @rule(person=people, value=st.integers(0, 3))
    def work_on(self, person, value):
        self.take(person)
        if self.leases:
            self.give(-1, value)

    @rule(number=any_lease, value=st.integers(0, 3))
    def submit(self, number, value):
        if self.leases:
            self.give(number, value)

    @rule(number=any_lease, value=st.integers(0, 3))
    def revise(self, number, value):
        lease = self.lease(number)
        last = lease and queries.latest(lease)
        if last is not None:
            with suppress(DomainError):
                self.acknowledge(
                    revising.revise(
                        lease, value=value, justification="", based_on=last.revision, now=self.now
                    )
                )

    @rule(number=any_lease)
    def skip(self, number):
        lease = self.lease(number)
        if lease is not None:
            with suppress(DomainError):
                flagging.give_back(lease, now=self.now)

    @rule(number=any_lease)
    def step_aside(self, number):
        lease = self.lease(number)
        if lease is not None:
            with suppress(DomainError):
                conflicts.declare(lease, now=self.now)

    @rule()
    def let_leases_run_out_and_others_come(self):
        self.now += LEASE + timedelta(minutes=1)
        self.everybody_takes()

    @rule(minutes=st.sampled_from([-180, -60, 60]))
    def the_clock_steps(self, minutes):
        self.now += timedelta(minutes=minutes)

    @rule(text=texts)
    def withdraw(self, text):
        with suppress(DomainError):
            triage.remove(self.texts[text], kind="other", by=None, now=self.now)

    @rule(text=texts)
    def put_back(self, text):
        with suppress(DomainError):
            triage.restore(self.texts[text], by=None, now=self.now)

    @rule(person=people, successor=people)
    def hand_over(self, person, successor):
        with suppress(DomainError):
            member, other = self.members[person], self.members[successor]
            seats.hand_over(self.work, member, other, by=None, now=self.now)

    @rule(person=st.integers(3, PEOPLE - 1))
    def leave(self, person):
        with suppress(DomainError):
            membership.end(self.members[person], by=None, now=self.now)

    @rule(person=people)
    def pause_for_a_while(self, person):
        rounds.pause(self.work, by=None, now=self.now)
        before = len(self.leases)
        self.take(person)
        assert len(self.leases) == before
        rounds.resume(self.work, by=None, now=self.now)

    @invariant()
    def nothing_acknowledged_is_lost_or_altered(self):
        held = set(Score.objects.values_list("response", "annotator", "revision", "value"))
        assert self.acknowledged == held

    @invariant()
    def no_text_has_more_than_three_and_nobody_counts_twice(self):
        first = Score.objects.filter(revision=1)
        counted = Counter(first.filter(standing="counted").values_list("response", flat=True))
        assert max(counted.values(), default=0) <= 3
        judged = Counter(first.values_list("response", "annotator"))
        assert max(judged.values(), default=0) <= 1

    @invariant()
    def every_finished_slot_has_its_one_counted_score(self):
        done = Assignment.objects.filter(state="done").values_list("pk", "annotator")
        counted = Score.objects.filter(revision=1, standing="counted").values_list("assignment", "annotator")
        assert sorted(done) == sorted(counted)

    @invariant()
    def nobody_holds_two_texts_at_once(self):
        held = Assignment.objects.filter(state="leased", leased_until__gt=self.now)
        assert max(Counter(held.values_list("annotator", flat=True)).values(), default=0) <= 1

    @invariant()
    def on_a_panel_a_seat_is_one_persons(self):
        reserved = Assignment.objects.exclude(reserved_for=None).exclude(state="done")
        seated = set(self.work.seats.values_list("prompt", "seat", "annotator"))
        assert set(reserved.values_list("prompt", "slot", "reserved_for")) <= seated


class Panel(Workbench):
    assigning = "panel"


@pytest.mark.parametrize("machine", [Workbench, Panel])
def test_no_order_of_acts_breaks_what_holds_on_the_workbench(machine):
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=25,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
