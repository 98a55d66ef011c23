"""Votes on pairs as services store them: with the sides as shown, once, revised until the lock."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from annotation.errors import DomainError, Invalid
from annotation.models import JournalEntry, Preference
from annotation.queries import preferences as queries
from annotation.services import preferences, rounds
from tests.factories import NOW, make_member, make_prompt, make_response
from tests.rounds_of_votes import hand_out, make_pair_round

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=3)


@pytest.fixture
def pair(project):
    prompt = make_prompt(project)
    return make_response(prompt, "r1"), make_response(prompt, "r2")


@pytest.fixture
def work(project, pair):
    return make_pair_round(project, [pair], ties_allowed=True)


@pytest.fixture
def lease(work, annotator):
    return hand_out(annotator, work)


def choose(lease, preferred="a", justification="", now=NOW):
    return preferences.submit(lease, preferred=preferred, justification=justification, now=now)


def test_a_choice_keeps_the_sides_as_they_were_shown(lease, pair):
    stored = choose(lease, "b", "It ends where it should.")
    assert (stored.response_a, stored.response_b) == queries.sides(lease)
    assert {stored.response_a, stored.response_b} == set(pair)
    assert (stored.preferred, stored.revision, stored.standing) == ("b", 1, "counted")
    lease.assignment.refresh_from_db()
    assert lease.assignment.state == "done"
    assert JournalEntry.objects.get(action="preference.submitted").data["preference"] == stored.pk


def test_which_text_is_shown_first_differs_between_annotators_and_not_between_looks(project, work, pair):
    work.annotators_per_response = 40
    readers = [make_member(project) for _ in range(40)]
    first = [queries.in_order(work, reader, pair)[0] for reader in readers]
    assert first == [queries.in_order(work, reader, pair[::-1])[0] for reader in readers]
    assert 8 < first.count(pair[0]) < 32


def test_any_number_of_people_may_judge_a_pair(project, pair):
    wide = make_pair_round(project, [pair], voters=13)
    for _ in range(13):
        choose(hand_out(make_member(project), wide))
    assert wide.preferences.filter(standing="counted").count() == 13
    assert wide.preferences.values("annotator").distinct().count() == 13


def test_sent_twice_it_is_one_choice_and_with_another_content_it_is_refused(lease):
    assert choose(lease) == choose(lease)
    with pytest.raises(DomainError) as refusal:
        choose(lease, "b")
    assert refusal.value.code == "already_chosen"
    assert Preference.objects.get().preferred == "a"


@pytest.mark.parametrize("preferred", ["", "c", "A"])
def test_what_is_no_side_is_refused(lease, preferred):
    with pytest.raises(Invalid) as refusal:
        choose(lease, preferred)
    assert refusal.value.code == "not_a_choice"


def test_a_tie_is_taken_only_where_the_round_allows_it(project, pair, lease):
    assert choose(lease, "tie").preferred == "tie"
    strict = make_pair_round(project, [pair], name="Strict")
    with pytest.raises(Invalid) as refusal:
        choose(hand_out(make_member(project), strict), "tie")
    assert refusal.value.code == "no_ties"


def test_a_reason_is_asked_for_where_the_project_asks_for_one(project, lease):
    project.justification_minimum = 3
    project.save(update_fields=["justification_minimum"])
    lease.assignment.round.project.refresh_from_db()
    with pytest.raises(Invalid) as refusal:
        choose(lease, "a", "Too short.")
    assert refusal.value.code == "justification_too_short"
    assert choose(lease, "a", "Long enough now.").preferred == "a"


def test_a_late_choice_is_kept_aside(project, work, lease):
    for _ in range(2):
        choose(hand_out(make_member(project), work))
    work.assignments.filter(pk=lease.assignment_id).update(leased_until=NOW)
    choose(hand_out(make_member(project), work))
    assert choose(lease, now=LATER).standing == "surplus"


def test_a_change_of_mind_is_a_new_revision_with_the_same_sides(lease):
    first = choose(lease)
    changed = preferences.revise(lease, preferred="tie", justification="", based_on=1, now=LATER)
    assert (changed.revision, changed.preferred) == (2, "tie")
    assert (changed.response_a, changed.response_b) == (first.response_a, first.response_b)
    again = preferences.revise(lease, preferred="tie", justification="", based_on=1, now=LATER)
    assert again == changed
    with pytest.raises(DomainError) as refusal:
        preferences.revise(lease, preferred="b", justification="", based_on=1, now=LATER)
    assert refusal.value.code == "changed_elsewhere"


def test_nothing_is_taken_once_the_round_is_locked(work, lease):
    choose(lease)
    rounds.lock(work, by=None, now=NOW)
    with pytest.raises(DomainError) as refusal:
        preferences.revise(lease, preferred="b", justification="", based_on=1, now=NOW)
    assert refusal.value.code == "round_not_open"


def test_a_choice_is_never_changed_or_removed(lease):
    stored = choose(lease)
    for act in (
        lambda: Preference.objects.filter(pk=stored.pk).update(preferred="b"),
        lambda: Preference.objects.filter(pk=stored.pk).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
