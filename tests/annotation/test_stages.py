"""Where annotators stand: one transition each, written down, and what follows for the work."""

import threading

import pytest
from django.db import DatabaseError, connection, transaction

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import JournalEntry, Passage, Preparation, Qualification
from annotation.queries import rounds as round_queries
from annotation.services import assignments, membership, scoring, screening, stages
from tests.factories import (
    NOW,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    make_user,
)


@pytest.fixture
def held(annotator):
    return annotator.qualifications.get()


@pytest.fixture
def candidate(project):
    """Somebody in the screening, in English."""
    member = membership.add(
        project, make_user(), role="annotator", languages=["en"], stage="screening", by=None, now=NOW
    )
    return member.qualifications.get()


def at(held, stage):
    Qualification.objects.filter(pk=held.pk).update(stage=stage)
    held.refresh_from_db()
    return held


def code_of(refused, call, *args, **options):
    with pytest.raises(refused) as caught:
        call(*args, **options)
    return caught.value.code


# --- Passing -------------------------------------------------------------------------------------


def test_who_is_added_by_hand_is_active_in_each_of_their_languages(project):
    member = membership.add(project, make_user(), role="annotator", languages=["zh", "en"], by=None, now=NOW)
    assert sorted(member.qualifications.values_list("language", "stage")) == [
        ("en", "active"),
        ("zh", "active"),
    ]


def test_every_passing_is_written_down_with_who_when_and_why(candidate, lead):
    stages.move(candidate, to="training", by=lead.user, reason="Knows the field", now=NOW)
    first, last = candidate.passages.order_by("pk")
    assert (first.from_stage, first.to_stage) == ("", "screening")
    assert (last.from_stage, last.to_stage, last.by, last.reason, last.at) == (
        "screening",
        "training",
        lead.user,
        "Knows the field",
        NOW,
    )
    assert JournalEntry.objects.filter(action="stage.passed").count() == 2


def test_a_passing_cannot_be_changed_or_removed(candidate):
    row = candidate.passages.get()
    for attempt in (lambda: Passage.objects.filter(pk=row.pk).update(reason="no"), row.delete):
        with pytest.raises(DatabaseError), transaction.atomic():
            attempt()


def test_a_stage_is_passed_once(candidate):
    stale = Qualification.objects.get(pk=candidate.pk)
    stages.advance(candidate, expected="screening", now=NOW)
    assert code_of(DomainError, stages.advance, stale, expected="screening", now=NOW) == "stage_changed"
    candidate.refresh_from_db()
    assert (candidate.stage, candidate.passages.count()) == ("exam", 2)


def test_nobody_skips_a_stage(candidate):
    for later in ("exam", "training", "calibration"):
        assert code_of(DomainError, stages.advance, candidate, expected=later, now=NOW) == "stage_changed"


def test_a_stage_that_the_project_does_not_use_is_left_out(candidate, project):
    Preparation.objects.create(project=project, uses_exam=False, uses_training=False)
    assert stages.advance(candidate, expected="screening", now=NOW).stage == "calibration"


@pytest.mark.django_db(transaction=True)
def test_of_several_who_advance_somebody_at_once_one_does():
    project = make_project()
    member = membership.add(
        project, make_user(), role="annotator", languages=["en"], stage="screening", by=None, now=NOW
    )
    pk, outcomes, gate = member.qualifications.get().pk, [], threading.Barrier(8)

    def advance():
        mine = Qualification.objects.select_related("project").get(pk=pk)
        gate.wait()
        try:
            stages.advance(mine, expected="screening", now=NOW)
            outcomes.append("advanced")
        except DomainError as refusal:
            outcomes.append(refusal.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=advance) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["advanced"] + ["stage_changed"] * 7
    assert Passage.objects.filter(qualification=pk).count() == 2


# --- A lead moves somebody -----------------------------------------------------------------------


def test_a_move_needs_a_reason_and_a_stage_to_go_to(candidate, lead):
    ways = {
        ("training", " "): "no_reason",
        ("invited", "why"): "unknown_stage",
        ("boss", "why"): "unknown_stage",
    }
    for (to, reason), code in ways.items():
        assert code_of(Invalid, stages.move, candidate, to=to, reason=reason, by=lead.user, now=NOW) == code
    code = code_of(DomainError, stages.move, candidate, to="screening", reason="x", by=lead.user, now=NOW)
    assert code == "already_there"


@pytest.mark.parametrize("role", ["instructor", "adjudicator", "annotator"])
def test_only_a_lead_moves_somebody(candidate, project, role):
    other = make_member(project, role)
    code = code_of(NotAllowed, stages.move, candidate, to="active", reason="x", by=other.user, now=NOW)
    assert code == "not_a_lead"


def test_nobody_moves_themselves(candidate):
    by = candidate.annotator.user
    assert code_of(NotAllowed, stages.move, candidate, to="active", reason="x", by=by, now=NOW) == "own_stage"


def test_a_lead_of_another_project_moves_nobody_here(candidate):
    other = make_member(make_project(), "lead")
    code = code_of(NotAllowed, stages.move, candidate, to="active", reason="x", by=other.user, now=NOW)
    assert code == "not_a_lead"


# --- Languages -----------------------------------------------------------------------------------


def test_a_language_taken_off_pauses_and_put_on_again_goes_on(annotator, project):
    def noted(*languages):
        membership.set_languages(project, annotator.user, languages=languages, by=None, now=NOW)
        return dict(annotator.qualifications.order_by("language").values_list("language", "stage"))

    assert noted("en") == {"": "paused", "en": "active"}
    assert noted("zh", "en") == {"": "paused", "en": "active", "zh": "active"}
    assert noted("zh") == {"": "paused", "en": "paused", "zh": "active"}
    assert noted("en", "zh") == {"": "paused", "en": "active", "zh": "active"}


def test_a_new_language_begins_at_the_beginning_where_the_project_prepares_people(project):
    member = membership.add(project, make_user(), role="annotator", languages=["en"], by=None, now=NOW)
    Preparation.objects.create(project=project)
    membership.set_languages(project, member.user, languages=["en", "zh"], by=None, now=NOW)
    assert dict(member.qualifications.values_list("language", "stage")) == {
        "en": "active",
        "zh": "screening",
    }


# --- What follows for the work -------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["screening", "exam", "training", "calibration", "paused", "declined"])
def test_only_who_is_active_is_given_texts_of_a_live_round(held, project, stage):
    make_response(make_prompt(project))
    work = make_round(project)
    at(held, stage)
    code = code_of(NotAllowed, assignments.claim, held.annotator, work, now=NOW)
    assert code == "not_at_this_stage"
    at(held, "active")
    assert assignments.claim(held.annotator, work, now=NOW)


def test_who_is_paused_with_a_text_in_hand_is_told_that_it_is_not_taken(held, project):
    make_response(make_prompt(project))
    work = make_round(project)
    lease = assignments.claim(held.annotator, work, now=NOW)
    at(held, "paused")
    code = code_of(NotAllowed, scoring.submit, lease, value=2, justification="", now=NOW)
    assert code == "not_at_this_stage"
    at(held, "active")
    assert scoring.submit(lease, value=2, justification="", now=NOW).value == 2


def test_texts_come_in_the_languages_in_which_somebody_is_active(project):
    member = membership.add(project, make_user(), role="annotator", languages=["en", "zh"], by=None, now=NOW)
    english = make_response(make_prompt(project, language="en"))
    make_response(make_prompt(project, language="zh", text="写一座桥。"))
    work = make_round(project)
    at(member.qualifications.get(language="zh"), "calibration")
    lease = assignments.claim(member, work, now=NOW)
    assert lease.assignment.response == english
    scoring.submit(lease, value=1, justification="", now=NOW)
    assert assignments.claim(member, work, now=NOW) is None


def test_a_text_in_hand_goes_back_where_its_language_is_paused(project):
    member = membership.add(project, make_user(), role="annotator", languages=["en", "zh"], by=None, now=NOW)
    chinese = make_response(make_prompt(project, language="zh", text="写一座桥。"))
    work = make_round(project)
    lease = assignments.claim(member, work, now=NOW)
    assert lease.assignment.response == chinese
    at(member.qualifications.get(language="zh"), "paused")
    code = code_of(NotAllowed, scoring.submit, lease, value=2, justification="", now=NOW)
    assert code == "not_at_this_stage"
    assert assignments.claim(member, work, now=NOW) is None
    other = make_member(project)
    assert assignments.claim(other, work, now=NOW).assignment.response == chinese


def test_where_somebody_stands_in_a_language_decides_there_whatever_holds_for_any(held, project):
    make_response(make_prompt(project, language="en"))
    french = make_response(make_prompt(project, language="fr"))
    stages.enter(held.annotator, languages=["en"], stage="paused", by=None, now=NOW)
    work = make_round(project)
    lease = assignments.claim(held.annotator, work, now=NOW)
    assert lease.assignment.response == french
    scoring.submit(lease, value=1, justification="", now=NOW)
    assert assignments.claim(held.annotator, work, now=NOW) is None


def test_texts_come_in_the_genres_that_somebody_may_score(held, project):
    fiction, poetry = project.genres.order_by("position")
    poem = make_response(make_prompt(project, genre=poetry))
    plain = make_response(make_prompt(project))
    make_response(make_prompt(project, genre=fiction))
    stages.set_genres(held, [poetry], by=None, now=NOW)
    work, given = make_round(project), set()
    while lease := assignments.claim(held.annotator, work, now=NOW):
        given.add(lease.assignment.response)
        scoring.submit(lease, value=1, justification="", now=NOW)
    assert given == {poem, plain}


def test_a_panel_can_be_made_of_those_alone_who_are_active(held, project):
    assert list(round_queries.annotators(project)) == [held.annotator]
    at(held, "training")
    assert not round_queries.annotators(project).exists()


# --- Screening -----------------------------------------------------------------------------------


def answers(held, level="C2", **familiarity):
    known = {"fiction": 2, "poetry": 0, **familiarity}
    return screening.answer(held, level=level, familiarity=known, answers=[("Why?", "Because")], now=NOW)


def test_the_screening_decides_in_which_genres_somebody_scores(candidate):
    assert answers(candidate).passed
    candidate.refresh_from_db()
    assert candidate.stage == "exam"
    assert [genre.key for genre in candidate.genres.all()] == ["fiction"]


def test_who_knows_all_genres_may_score_those_added_later_too(candidate):
    answers(candidate, poetry=3)
    assert not candidate.genres.exists()


def test_who_does_not_meet_the_marks_waits_for_a_lead_and_may_answer_again(candidate):
    assert not answers(candidate, level="B1").passed
    candidate.refresh_from_db()
    assert candidate.stage == "screening"
    assert answers(candidate, level="native").passed
    assert candidate.screening_answers.count() == 2


def test_answers_that_are_not_whole_are_refused_and_nothing_is_kept(candidate):
    wrong = {"level": "C9"}, {"fiction": 4}, {"drama": 1}
    for each in wrong:
        with pytest.raises(Invalid), transaction.atomic():
            answers(candidate, **each)
    assert not candidate.screening_answers.exists()


def test_nobody_answers_twice_past_the_screening(candidate):
    answers(candidate)
    assert code_of(DomainError, answers, candidate) == "stage_changed"
    assert candidate.screening_answers.count() == 1


def test_answers_are_never_changed(candidate):
    answers(candidate)
    with pytest.raises(DatabaseError), transaction.atomic():
        candidate.screening_answers.update(level="B1")
