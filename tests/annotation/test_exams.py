"""Sitting the exam: who may begin when, what ends an attempt, and that nothing happens twice."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import (
    Assignment,
    Attempt,
    CritiqueGrade,
    JournalEntry,
    Membership,
    Passage,
    Project,
    Qualification,
    Response,
    Round,
    Score,
)
from annotation.queries import exam_records
from annotation.queries import exams as queries
from annotation.services import assignments, consensus, critiques, exam_forms, exams, scoring, stages
from tests.factories import NOW, make_member, make_project, make_prompt, make_response, make_slot
from tests.sittings import (
    CRITIQUE,
    TEXTS,
    always_off,
    answer,
    ask,
    candidate,
    grade_all,
    instructor_of,
    later,
    make_form,
    points,
    sat,
)

State = Attempt.State


@pytest.fixture
def form(project: Project) -> Round:
    ask(project)
    return make_form(project)


@pytest.fixture
def held(form: Round, annotator: Membership) -> Qualification:
    return candidate(annotator)


@pytest.fixture
def grader(project: Project) -> Membership:
    return instructor_of(project)


# --- beginning -------------------------------------------------------------------------------------------


def test_beginning_reserves_every_text_for_the_candidate(held: Qualification, form: Round) -> None:
    attempt = exams.start(held, now=NOW)
    assert (attempt.round, attempt.number, attempt.state) == (form, 1, State.OPEN)
    assert attempt.due_at == NOW + timedelta(days=14)
    slots = form.assignments.all()
    assert slots.count() == TEXTS
    assert {slot.reserved_for for slot in slots} == {held.annotator}


def test_beginning_twice_gives_the_same_attempt(held: Qualification, form: Round) -> None:
    assert exams.start(held, now=NOW) == exams.start(held, now=later(1))
    assert Attempt.objects.count() == 1
    assert form.assignments.count() == TEXTS


@pytest.mark.parametrize("stage", ["screening", "training", "calibration", "active", "paused", "declined"])
def test_the_exam_is_open_at_its_stage_alone(held: Qualification, stage: str) -> None:
    Qualification.objects.filter(pk=held.pk).update(stage=stage)
    with pytest.raises(NotAllowed) as refusal:
        exams.start(held, now=NOW)
    assert refusal.value.code == "not_at_exam"
    assert not Attempt.objects.exists()


def test_two_candidates_take_one_form_next_to_each_other(
    project: Project, held: Qualification, form: Round
) -> None:
    other = candidate(make_member(project, "annotator", "bob"))
    exams.start(held, now=NOW)
    attempt = exams.start(other, now=NOW)
    assert set(form.assignments.values_list("slot", flat=True)) == {1, 2}
    assert answer(attempt) == TEXTS
    assert queries.to_do(held.attempts.get()).count() == TEXTS


def test_without_a_published_form_nothing_begins(project: Project, annotator: Membership) -> None:
    ask(project)
    make_form(project, publish=False)
    with pytest.raises(DomainError) as refusal:
        exams.start(candidate(annotator), now=NOW)
    assert refusal.value.code == "no_form"


def test_a_form_of_another_language_is_not_drawn(project: Project, annotator: Membership) -> None:
    ask(project)
    make_form(project, "Chinese", language="zh")
    with pytest.raises(DomainError) as refusal:
        exams.start(candidate(annotator, language="en"), now=NOW)
    assert refusal.value.code == "no_form"
    anywhere = make_form(project, "Any", language="")
    assert exams.start(candidate(annotator, language="en"), now=NOW).round == anywhere


def test_pass_marks_are_those_of_the_start(project: Project, held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    project.preparation.exam_exact_percent = 99
    project.preparation.save()
    assert queries.current(held).marks["exact_percent"] == 50
    assert attempt.marks["kappa"] == "0.55"


# --- answering -------------------------------------------------------------------------------------------


def test_a_text_of_the_exam_is_given_to_who_sits_it_alone(
    project: Project, held: Qualification, form: Round
) -> None:
    other = candidate(make_member(project, "annotator", "bob"))
    exams.start(held, now=NOW)
    with pytest.raises(DomainError) as refusal:
        assignments.claim(other.annotator, form, now=NOW)
    assert refusal.value.code == "exam_over"


def test_the_critique_says_something_though_the_project_asks_for_nothing(held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    lease = assignments.claim(held.annotator, attempt.round, now=NOW)
    for short in ("", "Too short."):
        with pytest.raises(Invalid) as refusal:
            scoring.submit(lease, value=1, justification=short, now=NOW)
        assert refusal.value.code == "justification_too_short"
    scoring.submit(lease, value=1, justification=CRITIQUE, now=NOW)


def test_a_chinese_critique_is_counted_in_characters(project: Project, annotator: Membership) -> None:
    ask(project)
    make_form(project, language="zh")
    attempt = exams.start(candidate(annotator, language="zh"), now=NOW)
    lease = assignments.claim(annotator, attempt.round, now=NOW)
    with pytest.raises(Invalid, match="20 characters"):
        scoring.submit(lease, value=1, justification="太短了。", now=NOW)
    scoring.submit(
        lease, value=1, justification="第二段把桥写成了一个人，结尾那句话收得住，前后照应得很好。", now=NOW
    )


def test_a_double_submit_is_one_score(held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    lease = assignments.claim(held.annotator, attempt.round, now=NOW)
    first = scoring.submit(lease, value=1, justification=CRITIQUE, now=NOW)
    assert scoring.submit(lease, value=1, justification=CRITIQUE, now=NOW) == first
    with pytest.raises(DomainError) as refusal:
        scoring.submit(lease, value=2, justification=CRITIQUE, now=NOW)
    assert refusal.value.code == "already_scored"
    assert Score.objects.count() == 1


def test_pausing_loses_nothing(held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    answer(attempt, texts=3)
    assert exams.settle(attempt, now=later(200)).state == State.OPEN
    assert answer(attempt, now=later(200)) == TEXTS - 3
    assert exams.settle(attempt, now=later(200)).state == State.FINISHED


# --- finishing -------------------------------------------------------------------------------------------


def test_the_last_text_finishes_the_exam(held: Qualification) -> None:
    attempt = sat(held)
    assert (attempt.state, attempt.finished_at, attempt.decided_at) == (State.FINISHED, NOW, None)
    assert len(attempt.result["critiques"]) == 2
    held.refresh_from_db()
    assert held.stage == "exam"


def test_looking_twice_changes_nothing(held: Qualification) -> None:
    attempt = sat(held)
    before = JournalEntry.objects.count(), attempt.result
    stale = Attempt.objects.get(pk=attempt.pk)
    stale.state = State.OPEN  # as another tab read it earlier
    exams.settle(stale, now=later(1))
    exams.settle(attempt, now=later(500))
    attempt.refresh_from_db()
    assert (JournalEntry.objects.count(), attempt.result) == before
    assert (attempt.state, attempt.finished_at) == (State.FINISHED, NOW)


def test_the_critiques_are_the_same_for_whoever_grades(held: Qualification) -> None:
    attempt = sat(held)
    assert sorted(queries.graded(attempt)) == attempt.result["critiques"]
    assert set(attempt.result["critiques"]) <= set(queries.answers(attempt))


def test_without_critiques_to_grade_the_numbers_decide_at_once(
    project: Project, annotator: Membership
) -> None:
    ask(project, critiques_graded=0)
    make_form(project)
    held = candidate(annotator)
    assert sat(held).state == State.PASSED
    held.refresh_from_db()
    assert held.stage == "training"


def test_a_text_that_was_removed_meanwhile_is_not_waited_for(held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    answer(attempt, texts=TEXTS - 1)
    left = queries.to_do(attempt).get().response_id
    Response.objects.filter(pk=left).update(state="removed", removed_at=NOW)
    assert exams.settle(attempt, now=NOW).state == State.FINISHED
    assert queries.results(attempt)["*"].n == TEXTS - 1


# --- time ------------------------------------------------------------------------------------------------


def test_what_is_not_finished_in_time_has_failed(held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    answer(attempt, texts=5)
    exams.settle(attempt, now=attempt.due_at - timedelta(seconds=1))
    assert attempt.state == State.OPEN
    exams.settle(attempt, now=attempt.due_at + timedelta(days=30))
    assert (attempt.state, attempt.finished_at, attempt.decided_at) == (
        State.FAILED,
        attempt.due_at,
        attempt.due_at,
    )
    assert attempt.result["missed"][0]["values"] == {"done": 5, "of": TEXTS}
    assert queries.results(attempt)["*"].n == 5


def test_nothing_is_taken_or_given_after_the_deadline(held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    lease = assignments.claim(held.annotator, attempt.round, now=NOW)
    for look in (False, True):
        if look:
            exams.settle(attempt, now=attempt.due_at)
        with pytest.raises(DomainError) as refusal:
            scoring.submit(lease, value=1, justification=CRITIQUE, now=attempt.due_at)
        assert refusal.value.code == "exam_over"
        with pytest.raises(DomainError) as refusal:
            assignments.claim(held.annotator, attempt.round, now=attempt.due_at)
        assert refusal.value.code == "exam_over"
    assert not Score.objects.exists()
    assert set(attempt.round.assignments.values_list("state", flat=True)) == {Assignment.State.VOID}


def test_who_finished_in_time_is_not_late_because_somebody_looks_late(held: Qualification) -> None:
    attempt = exams.start(held, now=NOW)
    answer(attempt)
    assert exams.settle(attempt, now=attempt.due_at + timedelta(days=1)).state == State.FINISHED
    assert attempt.finished_at == NOW


# --- deciding --------------------------------------------------------------------------------------------


def test_numbers_and_critiques_pass_and_the_annotator_goes_on(
    held: Qualification, grader: Membership
) -> None:
    attempt = sat(held, grader=grader.user)
    assert (attempt.state, attempt.decided_by, attempt.result["missed"]) == (State.PASSED, None, [])
    assert queries.critique_points(attempt).percent == 100
    held.refresh_from_db()
    assert held.stage == "training"
    assert Passage.objects.filter(
        qualification=held, from_stage="exam", to_stage="training", by=None
    ).exists()


def test_poor_numbers_fail_and_the_annotator_stays(held: Qualification, grader: Membership) -> None:
    attempt = sat(held, scores=always_off, grader=grader.user)
    assert attempt.state == State.FAILED
    assert len(attempt.result["missed"]) == 3
    held.refresh_from_db()
    assert held.stage == "exam"


def test_poor_critiques_fail(held: Qualification, grader: Membership) -> None:
    attempt = sat(held, grader=grader.user, each=1)
    assert attempt.state == State.FAILED
    assert attempt.result["points"] == [6, 12]
    assert len(attempt.result["missed"]) == 1


def test_it_waits_for_the_last_critique(held: Qualification, grader: Membership) -> None:
    attempt = sat(held)
    first, last = attempt.result["critiques"]
    critiques.grade(attempt, first, by=grader.user, points=points(2), comment="", now=NOW)
    assert Attempt.objects.get().state == State.FINISHED
    critiques.grade(attempt, last, by=grader.user, points=points(2), comment="", now=NOW)
    assert Attempt.objects.get().state == State.PASSED


def test_who_was_moved_meanwhile_stays_where_the_lead_put_them(
    held: Qualification, grader: Membership, lead: Membership
) -> None:
    attempt = sat(held)
    stages.move(held, to="paused", by=lead.user, reason="On leave", now=NOW)
    grade_all(attempt, grader.user)
    held.refresh_from_db()
    assert (Attempt.objects.get().state, held.stage) == (State.PASSED, "paused")


# --- grading ---------------------------------------------------------------------------------------------


@pytest.fixture
def finished(held: Qualification) -> Attempt:
    return sat(held)


def give(attempt: Attempt, person: Membership, each: int = 2, response: int = 0) -> CritiqueGrade:
    response = response or attempt.result["critiques"][0]
    return critiques.grade(attempt, response, by=person.user, points=points(each), comment="Good", now=NOW)


def test_nobody_grades_themselves_or_another_annotator(project: Project, finished: Attempt) -> None:
    colleague = make_member(project, "annotator", "bob")
    for person in (finished.qualification.annotator, colleague):
        with pytest.raises(NotAllowed) as refusal:
            give(finished, person)
        assert refusal.value.code == "not_a_grader"


def test_an_annotator_who_instructs_as_well_does_not_grade(project: Project, finished: Attempt) -> None:
    annotator = finished.qualification.annotator
    both = Membership.objects.create(project=project, user=annotator.user, role="instructor", joined_at=NOW)
    with pytest.raises(NotAllowed) as refusal:
        give(finished, both)
    assert refusal.value.code == "not_a_grader"


def test_instructors_of_other_projects_and_adjudicators_do_not_grade(
    project: Project, finished: Attempt
) -> None:
    stranger = instructor_of(make_project("other"), "otto")
    for person in (stranger, make_member(project, "adjudicator", "adi")):
        with pytest.raises(NotAllowed):
            give(finished, person)
    assert not CritiqueGrade.objects.exists()


def test_a_critique_is_graded_once_by_a_grader(finished: Attempt, grader: Membership) -> None:
    assert give(finished, grader) == give(finished, grader)
    with pytest.raises(DomainError) as refusal:
        give(finished, grader, each=1)
    assert refusal.value.code == "graded_by_you"
    assert CritiqueGrade.objects.count() == 1


def test_the_second_of_one_grader_comes_too_late(
    project: Project, finished: Attempt, grader: Membership
) -> None:
    give(finished, grader)
    with pytest.raises(DomainError) as refusal:
        give(finished, instructor_of(project, "ivan"))
    assert refusal.value.code == "graded_already"


def test_two_graders_both_count(project: Project, annotator: Membership, grader: Membership) -> None:
    ask(project, graders=2)
    make_form(project)
    attempt = sat(candidate(annotator))
    grade_all(attempt, grader.user, each=2)
    assert Attempt.objects.get().state == State.FINISHED
    grade_all(attempt, instructor_of(project, "ivan").user, each=1)
    attempt.refresh_from_db()
    assert (attempt.state, attempt.result["points"]) == (State.PASSED, [18, 24])


def test_only_the_critiques_that_were_drawn_are_graded(finished: Attempt, grader: Membership) -> None:
    other = next(pk for pk in queries.answers(finished) if pk not in finished.result["critiques"])
    with pytest.raises(Invalid):
        give(finished, grader, response=other)


def test_nothing_is_graded_before_the_end(held: Qualification, grader: Membership) -> None:
    attempt = exams.start(held, now=NOW)
    answer(attempt, texts=1)
    with pytest.raises(DomainError) as refusal:
        give(attempt, grader, response=queries.scores(attempt).get().response_id)
    assert refusal.value.code == "not_to_grade"


@pytest.mark.parametrize("sent", [{}, {**points(1), "more": 1}, {**points(1), "level": 3}, points(-1)])
def test_points_are_0_to_2_for_each_question(finished: Attempt, grader: Membership, sent: dict) -> None:
    with pytest.raises(Invalid) as refusal:
        critiques.grade(
            finished, finished.result["critiques"][0], by=grader.user, points=sent, comment="", now=NOW
        )
    assert refusal.value.code == "not_points"


def test_grades_are_never_changed(finished: Attempt, grader: Membership) -> None:
    give(finished, grader)
    with pytest.raises(DatabaseError), transaction.atomic():
        CritiqueGrade.objects.update(comment="Better")
    with pytest.raises(DatabaseError), transaction.atomic():
        CritiqueGrade.objects.all().delete()


# --- retakes ---------------------------------------------------------------------------------------------


def test_a_retake_draws_another_form_after_the_delay(
    project: Project, held: Qualification, form: Round, grader: Membership
) -> None:
    sat(held, scores=always_off, grader=grader.user)
    with pytest.raises(DomainError) as refusal:
        exams.start(held, now=later(47))
    assert refusal.value.code == "too_early"
    with pytest.raises(DomainError) as refusal:
        exams.start(held, now=later(48))
    assert refusal.value.code == "no_form"
    other = make_form(project, "Form B")
    second = exams.start(held, now=later(48))
    assert (second.number, second.round) == (2, other)


def test_a_form_taken_in_another_language_is_not_taken_again(
    project: Project, annotator: Membership, grader: Membership
) -> None:
    ask(project)
    make_form(project, language="")
    held = candidate(annotator)
    sat(held, grader=grader.user)
    other = stages.enter(annotator, languages=["zh"], stage="exam", by=None, now=NOW)[0]
    with pytest.raises(DomainError) as refusal:
        exams.start(other, now=NOW)
    assert refusal.value.code == "no_form"


def test_after_two_retakes_a_lead_decides(
    project: Project, held: Qualification, grader: Membership, lead: Membership
) -> None:
    for name in ("Form B", "Form C", "Form D"):
        make_form(project, name)
    for attempt in range(3):
        sat(held, scores=always_off, grader=grader.user, now=later(48 * attempt))
    with pytest.raises(DomainError) as refusal:
        exams.start(held, now=later(500))
    assert refusal.value.code == "no_attempts_left"
    exams.grant_attempt(held, by=lead.user, reason="Was ill", now=later(97))
    # What a lead grants begins at once.
    assert exams.start(held, now=later(97)).number == 4


def test_an_attempt_is_granted_by_a_lead_with_a_reason_to_who_has_none(
    project: Project, held: Qualification, grader: Membership, lead: Membership
) -> None:
    with pytest.raises(DomainError) as refusal:
        exams.grant_attempt(held, by=lead.user, reason="Why not", now=NOW)
    assert refusal.value.code == "attempts_left"
    for by, reason, code in [
        (grader.user, "Nice person", "not_a_lead"),
        (held.annotator.user, "I want to", "own_exam"),
        (lead.user, "  ", "no_reason"),
    ]:
        with pytest.raises(DomainError) as refusal:
            exams.grant_attempt(held, by=by, reason=reason, now=NOW)
        assert refusal.value.code == code


# --- a lead decides --------------------------------------------------------------------------------------


def test_a_lead_passes_a_failed_exam_by_hand(
    held: Qualification, grader: Membership, lead: Membership
) -> None:
    attempt = sat(held, scores=always_off, grader=grader.user)
    exams.decide(attempt, passed=True, by=lead.user, reason="The form was faulty", now=NOW)
    held.refresh_from_db()
    assert (attempt.state, attempt.decided_by, held.stage) == (State.PASSED, lead.user, "training")
    assert Passage.objects.get(qualification=held, to_stage="training").reason == "The form was faulty"


def test_a_lead_fails_an_exam_that_is_under_way(held: Qualification, lead: Membership) -> None:
    attempt = exams.start(held, now=NOW)
    answer(attempt, texts=2)
    exams.decide(attempt, passed=False, by=lead.user, reason="Somebody else sat it", now=NOW)
    assert (attempt.state, attempt.reason) == (State.FAILED, "Somebody else sat it")
    with pytest.raises(DomainError):
        assignments.claim(held.annotator, attempt.round, now=NOW)


def test_what_is_decided_is_decided_once(held: Qualification, grader: Membership, lead: Membership) -> None:
    attempt = sat(held, grader=grader.user)
    for passed in (True, False):
        with pytest.raises(DomainError) as refusal:
            exams.decide(attempt, passed=passed, by=lead.user, reason="Again", now=NOW)
        assert refusal.value.code == "exam_decided"


@pytest.mark.parametrize("who", ["grader", "self"])
def test_only_leads_decide(held: Qualification, grader: Membership, who: str) -> None:
    attempt = sat(held)
    by = grader.user if who == "grader" else held.annotator.user
    with pytest.raises(NotAllowed):
        exams.decide(attempt, passed=True, by=by, reason="Please", now=NOW)
    assert Attempt.objects.get().state == State.FINISHED


# --- forms -----------------------------------------------------------------------------------------------


def test_a_form_needs_enough_texts(project: Project) -> None:
    ask(project)
    form = make_form(project, texts=TEXTS - 1, publish=False)
    with pytest.raises(DomainError, match="needs 8 texts; this one has 7") as refusal:
        exam_forms.publish(form, by=None, now=NOW)
    assert refusal.value.code == "too_few_items"


def test_a_text_of_another_published_form_is_refused(project: Project, form: Round) -> None:
    second = make_form(project, "Form B", publish=False)
    item = second.consensus_items.first()
    type(item).objects.filter(pk=item.pk).update(response=form.consensus_items.first().response)
    with pytest.raises(DomainError) as refusal:
        exam_forms.publish(second, by=None, now=NOW)
    assert refusal.value.code == "item_in_another_form"


def test_a_form_that_somebody_sits_is_not_retired(held: Qualification, form: Round) -> None:
    attempt = exams.start(held, now=NOW)
    with pytest.raises(DomainError) as refusal:
        exam_forms.retire(form, by=None, now=NOW)
    assert refusal.value.code == "form_in_use"
    form.refresh_from_db()
    assert form.state == Round.State.OPEN
    answer(attempt)
    exams.settle(attempt, now=NOW)
    exam_forms.retire(form, by=None, now=NOW)
    assert not queries.forms_to_take(candidate(make_member(form.project, "annotator", "bob"))).exists()


def test_nobody_sits_a_form_with_a_text_that_they_have_scored_before(
    held: Qualification, form: Round, annotator: Membership
) -> None:
    other = make_form(form.project, "Form B")
    assert set(queries.forms_to_take(held)) == {form, other}
    before = Round.objects.create(
        project=form.project, name="Before", purpose="live", rubric=form.rubric, created_at=NOW
    )
    response = form.consensus_items.first().response
    done = make_slot(before, response, annotator=annotator, state="done")
    before.scores.create(
        response=response, annotator=annotator, assignment=done, rubric=form.rubric, value=2, recorded_at=NOW
    )
    assert set(queries.forms_to_take(held)) == {other}
    bob = candidate(make_member(form.project, "annotator", "bob"))
    assert set(queries.forms_to_take(bob)) == {form, other}


def test_an_instructor_who_becomes_a_candidate_sits_no_form_of_their_own(
    form: Round, held: Qualification, annotator: Membership
) -> None:
    own = make_form(form.project, "Form B", publish=False)
    response = make_response(make_prompt(form.project))
    consensus.add(own, response, kind="exam", value=1, by=annotator.user, now=NOW)
    exam_forms.publish(own, by=None, now=NOW)
    assert set(queries.forms_to_take(held)) == {form}


def test_a_published_form_is_neither_published_again_nor_removed(form: Round) -> None:
    for service in (exam_forms.publish, exam_forms.delete):
        with pytest.raises(DomainError):
            service(form, by=None, now=NOW)
    draft = make_form(form.project, "Draft", publish=False)
    exam_forms.delete(draft, by=None, now=NOW)
    assert not Round.objects.filter(pk=draft.pk).exists()


def test_two_forms_do_not_share_a_name(project: Project, form: Round) -> None:
    with pytest.raises(Invalid) as refusal:
        exam_forms.draft_form(project, language="en", name=form.name, by=None, now=NOW)
    assert refusal.value.code == "round_exists"


def test_texts_of_one_level_alone_are_no_form(project: Project) -> None:
    ask(project, exam_items_minimum=1)
    form = make_form(project, texts=1, publish=False)
    with pytest.raises(DomainError) as refusal:
        exam_forms.publish(form, by=None, now=NOW)
    assert refusal.value.code == "one_level"


def test_no_exam_score_is_curation_data(project: Project, held: Qualification, grader: Membership) -> None:
    sat(held, grader=grader.user)
    assert not Score.objects.filter(round__purpose=Round.Purpose.LIVE).exists()
    assert make_response(make_prompt(project)).scores.count() == 0


# --- anew ------------------------------------------------------------------------------------------------


def moved(held: Qualification, lead: Membership, *stages_: str) -> Qualification:
    """A lead moves the annotator on, an hour at a time."""
    for hours, stage in enumerate(stages_, start=1):
        stages.move(held, to=stage, by=lead.user, reason="Once more", now=later(hours))
    return held


def test_who_passed_and_was_moved_back_begins_anew(
    project: Project, held: Qualification, grader: Membership, lead: Membership
) -> None:
    make_form(project, "Form B")
    first = sat(held, grader=grader.user)
    held.refresh_from_db()
    again = exams.start(moved(held, lead, "exam"), now=later(1))
    assert (first.state, again.number, again.state) == (State.PASSED, 2, State.OPEN)
    assert again.round != first.round


def test_attempts_of_an_earlier_stay_use_none_up_and_are_not_waited_for(
    project: Project, held: Qualification, grader: Membership, lead: Membership
) -> None:
    project.preparation.retakes = 0
    project.preparation.save()
    make_form(project, "Form B")
    failed = sat(held, scores=always_off, grader=grader.user)
    with pytest.raises(DomainError) as refusal:
        exams.start(held, now=later(100))
    assert refusal.value.code == "no_attempts_left"
    assert exam_records.record(failed, now=later(100)).may_grant
    moved(held, lead, "training", "exam")
    assert not exam_records.record(Attempt.objects.get(), now=later(100)).may_grant
    assert exams.start(held, now=later(2)).number == 2


def test_an_attempt_that_goes_on_into_another_stay_counts_in_it(
    held: Qualification, lead: Membership
) -> None:
    attempt = exams.start(held, now=NOW)
    moved(held, lead, "paused", "exam")
    assert exams.start(held, now=later(3)) == attempt
    exams.settle(attempt, now=attempt.due_at)
    assert queries.allowance(held, now=attempt.due_at).used == 1


def test_a_round_without_items_is_no_form(project: Project, annotator: Membership) -> None:
    ask(project)
    legacy = make_form(project, "Of old", publish=False, texts=0)
    Round.objects.filter(pk=legacy.pk).update(state="open", opened_at=NOW)
    with pytest.raises(DomainError) as refusal:
        exams.start(candidate(annotator), now=NOW)
    assert refusal.value.code == "no_form"
