"""Taking a score: nothing lost, nothing doubled, nothing altered."""

from datetime import timedelta

import pytest
from django.db import transaction

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import JournalEntry, Response, Score
from annotation.services import assignments, membership, rounds, scoring
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

pytestmark = pytest.mark.django_db
LATER = NOW + assignments.LEASE + timedelta(seconds=1)


@pytest.fixture
def work(project):
    make_response(make_prompt(project))
    return make_round(project)


@pytest.fixture
def lease(work, annotator):
    return assignments.claim(annotator, work, now=NOW)


def test_it_stores_the_score_with_the_rubric_it_was_given_under(lease, work, annotator):
    score = scoring.submit(lease, value=3, justification="The last line turns.", now=NOW)
    assert (score.value, score.revision, score.standing, score.at) == (3, 1, "counted", NOW)
    assert (score.rubric, score.annotator) == (work.rubric, annotator)
    assert JournalEntry.objects.filter(action="score.submitted", actor=annotator.user).count() == 1
    lease.assignment.refresh_from_db()
    assert lease.assignment.state == "done"


def test_the_same_score_twice_is_one_score(lease):
    first = scoring.submit(lease, value=3, justification="Good.", now=NOW)
    assert scoring.submit(lease, value=3, justification="Good.", now=LATER) == first
    assert Score.objects.count() == 1


@pytest.mark.parametrize(("value", "justification"), [(2, "Good."), (3, "Better.")])
def test_another_score_for_the_same_text_is_refused_and_the_first_stands(lease, value, justification):
    scoring.submit(lease, value=3, justification="Good.", now=NOW)
    with pytest.raises(DomainError) as refusal:
        scoring.submit(lease, value=value, justification=justification, now=NOW)
    assert refusal.value.code == "already_scored"
    assert list(Score.objects.values_list("value", "justification")) == [(3, "Good.")]


@pytest.mark.parametrize("value", [-1, 4, 2.5, None, "2"])
def test_it_refuses_what_is_not_a_score(lease, value):
    with pytest.raises(Invalid) as refusal:
        scoring.submit(lease, value=value, justification="", now=NOW)
    assert refusal.value.code == "not_a_score"
    assert not Score.objects.exists()


def test_it_asks_for_as_much_justification_as_the_project_does(lease, project):
    project.justification_minimum = 3
    project.save(update_fields=["justification_minimum"])
    lease.assignment.round.project.refresh_from_db()
    with pytest.raises(Invalid, match="at least 3 words"):
        scoring.submit(lease, value=1, justification="Too short", now=NOW)
    assert scoring.submit(lease, value=1, justification="Now long enough", now=NOW).pk


def test_it_counts_a_chinese_justification_in_characters(project, annotator):
    make_response(make_prompt(project, language="zh", text="写一座桥。"), text="桥很长，没有人走第二次。")
    project.justification_minimum = 4
    project.save(update_fields=["justification_minimum"])
    lease = assignments.claim(annotator, make_round(project), now=NOW)
    with pytest.raises(Invalid, match="4 characters"):
        scoring.submit(lease, value=1, justification="太短了", now=NOW)
    assert scoring.submit(lease, value=1, justification="结尾有力", now=NOW).pk


def test_a_late_score_counts_while_the_slot_is_free(lease):
    assert scoring.submit(lease, value=2, justification="", now=LATER).standing == "counted"


def test_a_late_score_is_kept_as_surplus_when_another_has_filled_the_slot(lease, work, project):
    work.assignments.exclude(pk=lease.assignment_id).update(state="void")
    other = make_member(project)
    scoring.submit(assignments.claim(other, work, now=LATER), value=1, justification="", now=LATER)
    late = scoring.submit(lease, value=3, justification="Written for an hour.", now=LATER)
    assert (late.standing, late.justification) == ("surplus", "Written for an hour.")
    lease.assignment.refresh_from_db()
    assert lease.assignment.annotator == other


def test_a_late_score_takes_another_free_slot_of_the_text(lease, work, project):
    work.assignments.exclude(pk=lease.assignment_id).update(state="void")
    taken = assignments.claim(make_member(project), work, now=LATER)
    work.assignments.filter(state="void").update(state="open")
    late = scoring.submit(lease, value=3, justification="", now=LATER)
    assert (taken.assignment_id, late.standing) == (lease.assignment_id, "counted")
    assert late.assignment_id != taken.assignment_id
    assert work.assignments.get(pk=taken.assignment_id).annotator == taken.annotator


def test_a_late_score_fills_the_other_slot_the_annotator_got_for_the_same_text(
    lease, work, project, annotator
):
    other = make_member(project)
    work.assignments.exclude(pk=lease.assignment_id).update(state="void")
    assignments.claim(other, work, now=LATER)
    work.assignments.filter(slot=2).update(state="open")
    again = assignments.claim(annotator, work, now=LATER)
    assert again.assignment_id != lease.assignment_id
    late = scoring.submit(lease, value=3, justification="", now=LATER)
    assert (late.standing, late.assignment_id) == ("counted", again.assignment_id)


def test_it_refuses_after_the_round_was_locked(lease, work):
    rounds.lock(work, by=None, now=NOW)  # after the lease's rows were read
    with pytest.raises(DomainError) as refusal:
        scoring.submit(lease, value=2, justification="", now=NOW)
    assert refusal.value.code == "round_not_open"


def test_it_refuses_an_annotator_who_has_left(lease, annotator):
    membership.end(annotator, by=None, now=NOW)  # after the lease's rows were read
    with pytest.raises(NotAllowed):
        scoring.submit(lease, value=2, justification="", now=NOW)


@pytest.mark.parametrize("change", [lambda s: s.update(value=0), lambda s: s.delete()])
def test_the_database_refuses_to_alter_or_remove_a_score(lease, change):
    score = scoring.submit(lease, value=3, justification="", now=NOW)
    with pytest.raises(Exception, match="never changed"), transaction.atomic():
        change(Score.objects.filter(pk=score.pk))
    assert Score.objects.get().value == 3


def test_the_database_refuses_another_text_for_a_response(lease):
    with pytest.raises(Exception, match="never change"), transaction.atomic():
        Response.objects.update(text="Another text.")
