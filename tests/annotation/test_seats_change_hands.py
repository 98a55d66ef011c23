"""Who leaves a panel is replaced for the whole prompt; what they finished stays theirs."""

import pytest

from annotation.domain.prompt_selection import Filters
from annotation.errors import DomainError, Invalid
from annotation.models import Conflict, PanelSeat
from annotation.services import assignments, conflicts, membership, rounds, scoring, seats, triage
from tests.factories import NOW, make_member, make_prompt, make_response

pytestmark = pytest.mark.django_db


@pytest.fixture
def members(project):
    return [make_member(project) for _ in range(4)]


@pytest.fixture
def work(project, members):
    """Two prompts of three responses; three of the four annotators sit on both panels."""
    prompts = [make_prompt(project) for _ in range(2)]
    for prompt in prompts:
        for _ in range(3):
            make_response(prompt)
    made = rounds.draft(project, "Panels", purpose="live", filters=Filters(), by=None, now=NOW)
    panel = {seat: member.pk for seat, member in enumerate(members[:3], start=1)}
    rounds.seat(made, {prompt.pk: panel for prompt in prompts}, by=None, now=NOW)
    rounds.open_draft(made, by=None, now=NOW)
    made.refresh_from_db()
    return made


def score(member, work, times):
    for _ in range(times):
        scoring.submit(assignments.claim(member, work, now=NOW), value=2, justification="", now=NOW)


def score_all(member, work):
    given = []
    while lease := assignments.claim(member, work, now=NOW):
        scoring.submit(lease, value=2, justification="", now=NOW)
        given.append(lease.assignment)
    return given


def test_who_leaves_makes_room_and_one_other_takes_the_rest_of_the_seat(work, members, lead):
    score(members[0], work, 2)
    membership.end(members[0], by=lead.user, now=NOW)
    taken = score_all(members[3], work)
    assert len(taken) == 4
    assert {slot.slot for slot in taken} == {1}
    assert work.seats.filter(annotator=members[3]).count() == 2
    assert not work.seats.filter(annotator=members[0]).exists()
    assert members[0].scores.count() == 2  # and they count
    assert not score_all(members[3], work)


def test_every_response_still_has_three_different_people_in_the_end(work, members, lead):
    score(members[0], work, 2)
    membership.end(members[0], by=lead.user, now=NOW)
    for member in members[1:]:
        score_all(member, work)
    for response in work.scores.values_list("response", flat=True).distinct():
        people = set(work.scores.filter(response=response).values_list("annotator", flat=True))
        assert len(people) == 3


def test_two_who_come_at_once_for_an_empty_seat_do_not_both_sit_down(work, members, lead, project):
    """The second finds no seat on that prompt; each prompt's seat is one person's."""
    membership.end(members[0], by=lead.user, now=NOW)
    newcomer = make_member(project)
    one = assignments.claim(members[3], work, now=NOW)
    other = assignments.claim(newcomer, work, now=NOW)
    assert one.assignment.prompt_id != other.assignment.prompt_id
    assert assignments.claim(make_member(project), work, now=NOW) is None


def test_what_a_leaver_held_goes_back(work, members, lead):
    lease = assignments.claim(members[0], work, now=NOW)
    membership.withdraw_data(members[0], reason="asked for it", by=lead.user, now=NOW)
    slot = work.assignments.get(pk=lease.assignment_id)
    assert (slot.state, slot.annotator, slot.reserved_for) == ("open", None, None)


def test_a_text_that_was_removed_in_somebodys_hands_is_their_successors_once_it_is_back(work, members, lead):
    held = assignments.claim(members[0], work, now=NOW).assignment
    triage.remove(held.response, kind="other", by=lead.user, now=NOW)
    other = assignments.claim(members[0], work, now=NOW)
    while other.assignment.prompt_id != held.prompt_id:
        scoring.submit(other, value=2, justification="", now=NOW)
        other = assignments.claim(members[0], work, now=NOW)
    conflicts.declare(other, now=NOW)
    triage.restore(held.response, by=lead.user, now=NOW)
    assert held.pk in {slot.pk for slot in score_all(members[3], work)}


def test_a_lead_hands_unfinished_seats_to_somebody(work, members, lead):
    score(members[0], work, 1)
    done = seats.hand_over(work, members[0], members[3], by=lead.user, now=NOW)
    assert (done.taken, done.vacant) == (2, 0)
    assert work.assignments.filter(reserved_for=members[3]).count() == 5
    assert not assignments.claim(members[0], work, now=NOW)


def test_a_successor_who_sits_there_already_leaves_the_seat_vacant(work, members, lead):
    done = seats.hand_over(work, members[0], members[1], by=lead.user, now=NOW)
    assert (done.taken, done.vacant) == (0, 2)
    assert len(score_all(members[3], work)) == 6


def test_a_successor_with_a_conflict_of_interest_is_not_seated(work, members, lead):
    prompt = work.prompts.first()
    Conflict.objects.create(annotator=members[3], prompt=prompt, at=NOW)
    done = seats.hand_over(work, members[0], members[3], by=lead.user, now=NOW)
    assert (done.taken, done.vacant) == (1, 1)
    assert not work.seats.filter(annotator=members[3], prompt=prompt).exists()


@pytest.mark.parametrize("case", ["stranger", "same", "nothing left", "pool"])
def test_handing_over_is_refused_with_the_reason(work, members, lead, project, case):
    leaver, successor = members[0], members[3]
    if case == "stranger":
        membership.end(successor, by=lead.user, now=NOW)
    if case == "same":
        successor = leaver
    if case == "nothing left":
        score_all(leaver, work)
    if case == "pool":
        work.assigning = "pool"
    before = set(work.seats.values_list("prompt", "seat", "annotator"))
    with pytest.raises((DomainError, Invalid)):
        seats.hand_over(work, leaver, successor, by=lead.user, now=NOW)
    assert set(work.seats.values_list("prompt", "seat", "annotator")) == before


# --- Conflicts of interest -----------------------------------------------------------------------


def test_a_conflict_of_interest_takes_the_whole_prompt_from_the_annotator(work, members):
    lease = assignments.claim(members[0], work, now=NOW)
    prompt = lease.assignment.prompt_id
    conflicts.declare(lease, note="my own text", now=NOW)
    rest = score_all(members[0], work)
    assert {slot.prompt_id for slot in rest} == set(
        work.prompts.exclude(pk=prompt).values_list("pk", flat=True)
    )
    replaced = score_all(members[3], work)
    assert {(slot.prompt_id, slot.slot) for slot in replaced} == {(prompt, 1)}


def test_declared_twice_it_is_one_conflict(work, members):
    lease = assignments.claim(members[0], work, now=NOW)
    for _ in range(2):
        conflicts.declare(lease, now=NOW)
    assert Conflict.objects.count() == 1


def test_after_the_score_it_is_for_a_lead_to_decide(work, members):
    lease = assignments.claim(members[0], work, now=NOW)
    scoring.submit(lease, value=2, justification="", now=NOW)
    with pytest.raises(DomainError, match="submitted this already"):
        conflicts.declare(lease, now=NOW)
    assert not Conflict.objects.exists()


def test_one_click_on_the_page_leads_on_to_the_next_text(work, members, browser_of):
    lease = assignments.claim(members[0], work, now=NOW)
    answer = browser_of(members[0]).post(f"/conflict/{lease.token}/")
    assert answer.status_code == 302
    assert answer.url.startswith("/score/")
    assert lease.token not in answer.url


def test_nobody_declares_a_conflict_for_somebody_else(work, members, browser_of, stranger, lead):
    lease = assignments.claim(members[0], work, now=NOW)
    for other in (members[1], stranger, lead):
        assert browser_of(other).post(f"/conflict/{lease.token}/").status_code == 404
    assert not Conflict.objects.exists()
    assert PanelSeat.objects.filter(annotator=members[0]).count() == 2
