"""Handing out slots: three annotators a response is a shape of the data."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from annotation.domain.prompt_selection import Filters
from annotation.errors import DomainError, NotAllowed
from annotation.models import Assignment, Lease
from annotation.services import assignments, membership, rounds, scoring
from tests.factories import (
    NOW,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    make_user,
    reads_only,
)

pytestmark = pytest.mark.django_db
LATER = NOW + assignments.LEASE + timedelta(seconds=1)


@pytest.fixture
def work(project):
    prompt = make_prompt(project)
    for _ in range(2):
        make_response(prompt)
    return make_round(project)


def test_opening_a_round_makes_three_slots_for_every_active_response(work):
    assert sorted(work.assignments.values_list("slot", flat=True)) == [1, 1, 2, 2, 3, 3]


def test_it_hands_out_a_free_slot_under_an_address_nobody_can_guess(work, annotator):
    lease = assignments.claim(annotator, work, now=NOW)
    slot = Assignment.objects.get(pk=lease.assignment_id)
    assert (slot.state, slot.annotator, slot.leased_until) == ("leased", annotator, NOW + assignments.LEASE)
    assert len(lease.token) == 24


def test_asking_again_gives_the_same_text(work, annotator):
    first = assignments.claim(annotator, work, now=NOW)
    assert assignments.claim(annotator, work, now=NOW) == first
    assert work.assignments.filter(state="leased").count() == 1


def test_asking_again_after_the_lease_ran_out_gives_the_same_text_while_it_is_free(work, annotator):
    first = assignments.claim(annotator, work, now=NOW)
    assert assignments.claim(annotator, work, now=LATER) == first


def test_an_annotator_scores_each_response_once_and_then_is_done(work, annotator):
    seen = set()
    while lease := assignments.claim(annotator, work, now=NOW):
        scoring.submit(lease, value=2, justification="", now=NOW)
        seen.add(lease.assignment.response_id)
    assert seen == set(work.assignments.values_list("response", flat=True))


def test_a_fourth_annotator_gets_nothing(work, project, annotator):
    others = [make_member(project) for _ in range(3)]
    for each in (annotator, *others[:2]):
        while lease := assignments.claim(each, work, now=NOW):
            scoring.submit(lease, value=1, justification="", now=NOW)
    assert assignments.claim(others[2], work, now=NOW) is None
    assert not work.assignments.exclude(state="done").exists()


def test_an_expired_lease_is_free_for_another(work, project, annotator):
    first = assignments.claim(annotator, work, now=NOW)
    work.assignments.exclude(pk=first.assignment_id).update(state="void")
    other = make_member(project)
    assert assignments.claim(other, work, now=NOW) is None
    taken = assignments.claim(other, work, now=LATER)
    assert taken.assignment_id == first.assignment_id
    assert taken.token != first.token


def test_a_removed_response_is_not_handed_out(work, annotator):
    for slot in work.assignments.all():
        slot.response.state, slot.response.removed_at = "removed", NOW
        slot.response.save(update_fields=["state", "removed_at"])
    assert assignments.claim(annotator, work, now=NOW) is None


def test_a_text_removed_while_in_hand_makes_way_for_another(work, annotator):
    first = assignments.claim(annotator, work, now=NOW)
    removed = first.assignment.response
    removed.state, removed.removed_at = "removed", NOW
    removed.save(update_fields=["state", "removed_at"])
    second = assignments.claim(annotator, work, now=NOW)
    assert second.assignment.response != removed
    assert work.assignments.get(pk=first.assignment_id).state == "void"


def test_the_order_differs_between_annotators_and_is_the_same_each_time(project):
    prompt = make_prompt(project)
    for number in range(12):
        make_response(prompt, f"r{number}")
    work = make_round(project)

    def order(member):
        seen = []
        while lease := assignments.claim(member, work, now=NOW):
            scoring.submit(lease, value=1, justification="", now=NOW)
            seen.append(lease.assignment.response_id)
        return seen

    one, other = order(make_member(project)), order(make_member(project))
    assert sorted(one) == sorted(other)
    assert one != other


@pytest.mark.parametrize("state", ["paused", "left", "withdrawn"])
def test_it_refuses_who_does_not_work_now(work, annotator, state):
    annotator.state = state
    annotator.save(update_fields=["state"])
    with pytest.raises(NotAllowed) as refusal:
        assignments.claim(annotator, work, now=NOW)
    assert refusal.value.code == "not_an_active_annotator"


def test_it_refuses_a_lead_and_an_annotator_of_another_project(work, lead):
    with pytest.raises(NotAllowed):
        assignments.claim(lead, work, now=NOW)
    with pytest.raises(NotAllowed) as refusal:
        assignments.claim(make_member(make_project()), work, now=NOW)
    assert refusal.value.code == "other_project"


def test_it_refuses_a_locked_round(work, annotator):
    rounds.lock(work, by=None, now=NOW)  # after the row was read
    with pytest.raises(DomainError) as refusal:
        assignments.claim(annotator, work, now=NOW)
    assert refusal.value.code == "round_not_open"


def test_the_database_refuses_a_second_lease_and_a_slot_without_its_annotator(work, annotator):
    lease = assignments.claim(annotator, work, now=NOW)
    others = work.assignments.exclude(response=lease.assignment.response)
    for columns in (
        {"state": "leased", "annotator": annotator, "leased_until": NOW},
        {"state": "done", "annotator": None},
        {"state": "open", "annotator": annotator},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Assignment.objects.filter(pk=others.first().pk).update(**columns)


def test_the_database_refuses_two_slots_of_one_response_for_one_annotator(work, annotator):
    lease = assignments.claim(annotator, work, now=NOW)
    same = work.assignments.filter(response=lease.assignment.response).exclude(pk=lease.assignment_id)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.filter(pk=same.first().pk).update(state="done", annotator=annotator)


def test_leases_are_never_changed(work, annotator):
    lease = assignments.claim(annotator, work, now=NOW)
    with pytest.raises(Exception, match="never changed"), transaction.atomic():
        Lease.objects.filter(pk=lease.pk).update(token="guessable")


def test_lead_and_annotator_of_one_project_exclude_each_other(project, lead):
    with pytest.raises(DomainError) as refusal:
        membership.add(project, lead.user, role="annotator", by=None, now=NOW)
    assert refusal.value.code == "roles_exclude_each_other"
    membership.add(project, lead.user, role="instructor", by=None, now=NOW)


def test_a_pseudonym_that_an_import_has_used_is_passed_over(project):
    first = make_member(project)
    make_user(f"{project.slug}.annotator-02")
    assert [first.pseudonym, make_member(project).pseudonym] == ["annotator-01", "annotator-03"]
    assert make_member(project).pseudonym == "annotator-04"


# --- Seats on panels -----------------------------------------------------------------------------


@pytest.fixture
def panel(project):
    """A round of four responses with a panel of two of the three annotators; who sits there, and who does not."""
    prompt = make_prompt(project)
    for _ in range(4):
        make_response(prompt)
    members = [make_member(project) for _ in range(3)]
    project.annotators_per_response = 2
    project.save(update_fields=["annotators_per_response"])
    work = rounds.draft(project, "Panels", purpose="live", filters=Filters(), by=None, now=NOW)
    rounds.seat(work, {prompt.pk: {1: members[0].pk, 2: members[1].pk}}, by=None, now=NOW)
    rounds.open_draft(work, by=None, now=NOW)
    work.refresh_from_db()
    return work, members[:2], members[2]


def score_all_given(member, work):
    given = []
    while lease := assignments.claim(member, work, now=NOW):
        scoring.submit(lease, value=2, justification="", now=NOW)
        given.append(lease.assignment)
    return given


def test_a_panel_gives_everybody_the_slots_of_their_own_seat(panel):
    work, seated, outsider = panel
    assert assignments.claim(outsider, work, now=NOW) is None
    for seat, member in enumerate(seated, start=1):
        given = score_all_given(member, work)
        assert [slot.slot for slot in given] == [seat] * 4
        assert {slot.reserved_for_id for slot in given} == {member.pk}
    assert not work.assignments.exclude(state="done").exists()


def test_without_the_reservation_anybody_would_be_given_the_slots(panel):
    """The negative control."""
    work, _seated, outsider = panel
    work.assignments.update(reserved_for=None)
    work.seats.all().delete()
    assert len(score_all_given(outsider, work)) == 4


def test_a_reserved_slot_whose_lease_ran_out_waits_for_its_holder(panel):
    work, seated, outsider = panel
    lease = assignments.claim(seated[0], work, now=NOW)
    assert assignments.claim(outsider, work, now=LATER) is None
    assert assignments.claim(seated[1], work, now=LATER).assignment.slot == 2
    assert assignments.claim(seated[0], work, now=LATER) == lease


def test_a_late_score_never_fills_the_slot_of_anothers_seat(panel):
    work, seated, _outsider = panel
    lease = assignments.claim(seated[0], work, now=NOW)
    work.assignments.filter(pk=lease.assignment_id).update(state="void", leased_until=None)
    late = scoring.submit(lease, value=3, justification="", now=LATER)
    assert late.standing == "surplus"
    other = work.assignments.get(response=lease.assignment.response_id, slot=2)
    assert (other.state, other.annotator) == ("open", None)


def test_a_pool_gives_nobody_a_text_in_a_language_they_do_not_read(project):
    english = make_response(make_prompt(project, language="en-GB"))
    chinese = make_response(make_prompt(project, language="zh-Hans", text="写一座桥。"), text="桥很长。")
    unknown = make_response(make_prompt(project, language=""))
    member, reader_of_all = make_member(project), make_member(project)
    reads_only(member, ["zh"])
    work = make_round(project)
    assert {slot.response for slot in score_all_given(member, work)} == {chinese, unknown}
    assert {slot.response for slot in score_all_given(reader_of_all, work)} == {english, chinese, unknown}


def test_a_seat_that_was_given_by_hand_is_served_whatever_language_its_holder_reads(panel):
    work, seated, _outsider = panel
    reads_only(seated[0], ["zh"])
    assert len(score_all_given(seated[0], work)) == 4
