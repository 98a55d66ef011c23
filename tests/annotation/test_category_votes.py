"""Votes on categories as services store them: once, revised until the lock, late ones kept aside."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import CategoryVote, JournalEntry, Membership
from annotation.services import category_votes, rounds
from tests.factories import NOW, make_member, make_prompt
from tests.rounds_of_votes import hand_out, make_category_round

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=3)


@pytest.fixture
def work(project):
    return make_category_round(project, [make_prompt(project)])


@pytest.fixture
def lease(work, annotator):
    return hand_out(annotator, work)


def vote(lease, category="fiction", justification="", now=NOW):
    return category_votes.submit(lease, category=category, justification=justification, now=now)


def test_a_vote_fills_the_slot_and_stands_in_the_journal(lease):
    stored = vote(lease, "poetry", "It asks for a sonnet.")
    assert (stored.category.key, stored.justification, stored.revision) == (
        "poetry",
        "It asks for a sonnet.",
        1,
    )
    assert (stored.standing, stored.at, stored.prompt) == ("counted", NOW, lease.assignment.prompt)
    lease.assignment.refresh_from_db()
    assert (lease.assignment.state, lease.assignment.annotator) == ("done", lease.annotator)
    assert JournalEntry.objects.get(action="category_vote.submitted").data["category_vote"] == stored.pk


def test_sent_twice_it_is_one_vote_and_with_another_content_it_is_refused(lease):
    assert vote(lease) == vote(lease)
    with pytest.raises(DomainError) as refusal:
        vote(lease, "poetry")
    assert refusal.value.code == "already_voted"
    assert CategoryVote.objects.get().category.key == "fiction"


@pytest.mark.parametrize("category", ["", "no-such", "sonnet", "of-another-project"])
def test_only_a_macro_category_of_the_project_can_be_voted_for(project, lease, category):
    macro = project.genres.get(key="poetry")
    project.genres.create(parent=macro, key="sonnet", name_en="Sonnet", position=9)
    with pytest.raises(Invalid) as refusal:
        vote(lease, category)
    assert refusal.value.code == "not_a_category"


def test_three_vote_and_a_fourth_who_comes_late_is_kept_aside(project, work, lease):
    for _ in range(2):
        vote(hand_out(make_member(project), work))
    work.assignments.filter(pk=lease.assignment_id).update(leased_until=NOW)
    vote(hand_out(make_member(project), work))
    late = vote(lease, "poetry", now=LATER)
    assert late.standing == "surplus"
    assert CategoryVote.objects.filter(standing="counted").count() == 3


def test_a_change_of_mind_is_a_new_revision_and_the_earlier_one_stays(lease):
    vote(lease)
    changed = category_votes.revise(lease, category="poetry", justification="", based_on=1, now=LATER)
    assert (changed.revision, changed.category.key, changed.standing) == (2, "poetry", "counted")
    assert [one.category.key for one in CategoryVote.objects.order_by("revision")] == ["fiction", "poetry"]
    again = category_votes.revise(lease, category="poetry", justification="", based_on=1, now=LATER)
    assert again == changed
    assert JournalEntry.objects.filter(action="category_vote.revised").count() == 1


def test_a_change_made_in_another_window_is_not_written_over(lease):
    vote(lease)
    category_votes.revise(lease, category="poetry", justification="", based_on=1, now=LATER)
    with pytest.raises(DomainError) as refusal:
        category_votes.revise(lease, category="fiction", justification="", based_on=1, now=LATER)
    assert refusal.value.code == "changed_elsewhere"


def test_what_was_never_submitted_cannot_be_changed(lease):
    with pytest.raises(DomainError) as refusal:
        category_votes.revise(lease, category="poetry", justification="", based_on=1, now=NOW)
    assert refusal.value.code == "nothing_to_change"


def test_nothing_is_taken_once_the_round_is_locked(work, lease, annotator):
    vote(lease)
    rounds.lock(work, by=None, now=NOW)
    with pytest.raises(DomainError) as refusal:
        category_votes.revise(lease, category="poetry", justification="", based_on=1, now=NOW)
    assert refusal.value.code == "round_not_open"


def test_nothing_is_taken_from_whoever_has_left(lease, annotator):
    Membership.objects.filter(pk=annotator.pk).update(state="left")
    with pytest.raises(NotAllowed) as refusal:
        vote(lease)
    assert refusal.value.code == "not_an_active_annotator"


def test_a_vote_is_never_changed_or_removed(lease):
    stored = vote(lease)
    for act in (
        lambda: CategoryVote.objects.filter(pk=stored.pk).update(justification="Other."),
        lambda: CategoryVote.objects.filter(pk=stored.pk).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
