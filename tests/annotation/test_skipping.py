"""An annotator gives something back unanswered: others get it, and they do not get it again."""

import pytest
from django.urls import reverse

from annotation.domain.prompt_selection import Filters
from annotation.errors import DomainError
from annotation.models import Flag, JournalEntry, Score, Skip
from annotation.services import assignments, consensus, drafts, flagging, mixing, rounds, scoring, seats
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def prompt(project):
    prompt = make_prompt(project)
    for _ in range(3):
        make_response(prompt)
    return prompt


@pytest.fixture
def work(project, prompt):
    """A pool of three texts of one prompt."""
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    return assignments.claim(annotator, work, now=NOW)


def score_all(member, work):
    given = []
    while lease := assignments.claim(member, work, now=NOW):
        scoring.submit(lease, value=2, justification="", now=NOW)
        given.append(lease.assignment)
    return given


def sent(lease, client, **fields):
    return client.post(reverse("flag", args=[lease.token]), {"kind": "grammar", "note": "", **fields})


# --- In a pool -----------------------------------------------------------------------------------


def test_what_was_skipped_is_given_to_others_and_not_again_to_whoever_skipped_it(lease, annotator, work):
    flagging.give_back(lease, now=NOW)
    slot = work.assignments.get(pk=lease.assignment_id)
    assert (slot.state, slot.annotator, slot.leased_until) == ("open", None, None)
    rest = score_all(annotator, work)
    assert len(rest) == 2
    assert lease.assignment.response_id not in {each.response_id for each in rest}
    others = [score_all(make_member(work.project), work) for _ in range(3)]
    assert sorted(len(each) for each in others) == [1, 3, 3]
    assert set(work.assignments.values_list("state", flat=True)) == {"done"}


def test_skipped_twice_it_is_skipped_once_and_stands_in_the_journal(lease):
    for _ in range(2):
        flagging.give_back(lease, now=NOW)
    assert Skip.objects.count() == 1
    assert JournalEntry.objects.filter(action="item.skipped").count() == 1


def test_what_was_submitted_cannot_be_skipped(lease):
    scoring.submit(lease, value=2, justification="", now=NOW)
    with pytest.raises(DomainError, match="submitted this already"):
        flagging.give_back(lease, now=NOW)
    assert not Skip.objects.exists()


def test_after_it_nothing_is_taken_under_that_address(lease, annotator, browser_of):
    flagging.give_back(lease, now=NOW)
    lease.refresh_from_db()
    with pytest.raises(DomainError, match="You gave this back"):
        scoring.submit(lease, value=2, justification="Words.", now=NOW)
    with pytest.raises(DomainError, match="You gave this back"):
        drafts.save(lease, version=0, content={"justification": "Words."}, now=NOW)
    page = browser_of(annotator).get(reverse("score", args=[lease.token]))
    assert page.status_code == 200
    assert "You gave this back for others to judge." in page.content.decode()
    refused = browser_of(annotator).post(reverse("score", args=[lease.token]), {"value": "2"})
    assert refused.status_code == 410
    assert not Score.objects.exists()


def test_a_closed_round_has_nothing_to_give_back(lease, work):
    rounds.lock(work, by=None, now=NOW)
    lease.refresh_from_db()
    with pytest.raises(DomainError, match="has been closed"):
        flagging.give_back(lease, now=NOW)


# --- On a panel ----------------------------------------------------------------------------------


@pytest.fixture
def panel(project, prompt):
    members = [make_member(project) for _ in range(4)]
    work = rounds.draft(project, "Panel", purpose="live", filters=Filters(), by=None, now=NOW)
    seats_of = {seat: member.pk for seat, member in enumerate(members[:3], start=1)}
    rounds.seat(work, {prompt.pk: seats_of}, by=None, now=NOW)
    rounds.open_draft(work, by=None, now=NOW)
    work.refresh_from_db()
    return work, members


def test_on_a_panel_the_seat_goes_with_it_and_one_other_takes_the_rest(panel):
    work, members = panel
    first = assignments.claim(members[0], work, now=NOW)
    scoring.submit(first, value=2, justification="", now=NOW)
    flagging.give_back(assignments.claim(members[0], work, now=NOW), now=NOW)
    assert assignments.claim(members[0], work, now=NOW) is None
    taken = score_all(members[3], work)
    assert {slot.slot for slot in taken} == {first.assignment.slot}
    assert len(taken) == 2
    assert members[0].scores.count() == 1


def test_a_lead_cannot_seat_them_there_again(panel, lead):
    work, members = panel
    flagging.give_back(assignments.claim(members[0], work, now=NOW), now=NOW)
    done = seats.hand_over(work, members[1], members[0], by=lead.user, now=NOW)
    assert (done.taken, done.vacant) == (0, 1)


# --- What is mixed in ----------------------------------------------------------------------------


def test_a_gold_item_that_was_skipped_does_not_come_again(project, annotator):
    for _ in range(30):
        make_response(make_prompt(project))
    work = make_round(project)
    mixing.set_rates(work, gold=50, repeat=0, by=None, now=NOW)
    work.refresh_from_db()
    gold = work.mixed_in.get(purpose="gold")
    consensus.add(gold, make_response(make_prompt(project)), kind="gold", value=2, by=None, now=NOW)
    mixing.open_gold(gold, by=None, now=NOW)
    seen = 0
    while lease := assignments.claim(annotator, work, now=NOW):
        if lease.assignment.round == gold:
            flagging.give_back(lease, now=NOW)
            seen += 1
        else:
            scoring.submit(lease, value=2, justification="", now=NOW)
    assert seen == 1
    assert gold.assignments.get().state == "void"


# --- The page ------------------------------------------------------------------------------------


def test_flagged_and_skipped_in_one_go_the_next_text_comes(lease, annotator, browser_of):
    answer = sent(lease, browser_of(annotator), skip="on")
    assert answer.status_code == 302
    assert answer.url.startswith("/score/")
    assert lease.token not in answer.url
    assert Flag.objects.get().raised_by == annotator
    assert Skip.objects.get().lease == lease


def test_without_the_tick_the_text_stays(lease, annotator, browser_of):
    assert sent(lease, browser_of(annotator)).url == reverse("score", args=[lease.token])
    assert not Skip.objects.exists()


def test_what_was_flagged_before_can_be_skipped_later(lease, annotator, browser_of):
    client = browser_of(annotator)
    sent(lease, client)
    assert "Skip this item" in client.get(reverse("flag", args=[lease.token])).content.decode()
    assert client.post(reverse("skip", args=[lease.token])).url.startswith("/score/")
    assert Skip.objects.count() == 1


def test_one_that_is_scored_offers_no_skipping(lease, annotator, browser_of):
    client, page = browser_of(annotator), reverse("flag", args=[lease.token])
    assert "Skip this item" in client.get(page).content.decode()
    scoring.submit(lease, value=2, justification="", now=NOW)
    assert "Skip this item" not in client.get(page).content.decode()


def test_nobody_skips_for_somebody_else(lease, browser_of, lead, stranger, project):
    for other in (make_member(project), lead, stranger):
        assert browser_of(other).post(reverse("skip", args=[lease.token])).status_code == 404
        assert sent(lease, browser_of(other), skip="on").status_code == 404
    assert not Skip.objects.exists()
    assert not Flag.objects.exists()
