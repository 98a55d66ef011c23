"""A calibration from draft to close, the second round, and the gate: what each step does and what it refuses."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from annotation.domain.sentences import from_text
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Assignment, CalibrationResult, JournalEntry, Passage, Qualification, Round
from annotation.queries import calibration as queries
from annotation.services import assignments, calibration, calibration_gate, filling, scoring, stages
from annotation.services.calibration import Results
from tests.calibrations import (
    STANDING,
    begun,
    close,
    drafted,
    make_texts,
    measured,
    score_texts,
    stage_of,
    take_part,
)
from tests.factories import NOW, make_project, make_prompt, make_response, make_slot

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(days=3)


@pytest.fixture
def people(project):
    return take_part(project, "ann", "ben", "cat")


@pytest.fixture
def texts(project):
    return make_texts(project)


# --- Drafts --------------------------------------------------------------------------------------


def test_a_draft_holds_a_slot_of_each_text_for_each_participant_and_asks_nobody(project, people, texts, lead):
    work = drafted(project, people, texts, by=lead.user)
    assert (work.state, work.purpose, work.language) == ("draft", "calibration", "en")
    slots = work.assignments.values_list("reserved_for", "response")
    assert sorted(slots) == sorted((member.pk, text.pk) for member in people for text in texts)
    with pytest.raises(DomainError) as refusal:
        assignments.claim(people[0], work, now=NOW)
    assert refusal.value.code == "round_not_open"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"participants": []}, "too_few"),
        ({"responses": []}, "no_texts"),
        ({"closes_at": NOW}, "deadline_passed"),
        ({"language": "zh"}, "not_ready_for_calibration"),
    ],
)
def test_a_draft_that_cannot_be_is_refused(project, people, texts, lead, change, code):
    given = {
        "language": "en",
        "name": "First",
        "responses": [text.pk for text in texts],
        "participants": [member.pk for member in people],
        "closes_at": None,
        **change,
    }
    with pytest.raises(Invalid) as refusal:
        calibration.draft(project, **given, by=lead.user, now=NOW)
    assert refusal.value.code == code
    assert not project.rounds.exists()


@pytest.mark.parametrize("stage", ["invited", "screening", "exam", "training", "paused", "declined"])
def test_nobody_calibrates_before_the_training_is_passed(project, people, texts, lead, stage):
    Qualification.objects.filter(annotator=people[0]).update(stage=stage)
    with pytest.raises(Invalid) as refusal:
        drafted(project, people, texts, by=lead.user)
    assert refusal.value.code == "not_ready_for_calibration"


def test_texts_of_another_project_are_refused(project, people, lead):
    with pytest.raises(Invalid) as refusal:
        drafted(project, people, make_texts(make_project()), by=lead.user)
    assert refusal.value.code == "unfit_texts"


def test_a_text_of_an_exam_or_a_course_is_refused(project, people, texts, lead):
    exam = Round.objects.create(
        project=project, name="Exam", purpose="exam", rubric=project.rubrics.get(), created_at=NOW
    )
    exam.consensus_items.create(response=texts[0], kind="exam", position=1, value=2, created_at=NOW)
    with pytest.raises(Invalid) as refusal:
        drafted(project, people, texts, by=lead.user)
    assert refusal.value.code == "unfit_texts"
    assert texts[0] not in queries.candidates(project, language="en", genres=(), also_worked_on=True)


def test_a_text_whose_twin_belongs_to_an_exam_is_refused(project, people, texts, lead):
    exam = Round.objects.create(
        project=project, name="Exam", purpose="exam", rubric=project.rubrics.get(), created_at=NOW
    )
    twin = make_response(make_prompt(project), text=texts[0].text)
    exam.consensus_items.create(response=twin, kind="exam", position=1, value=2, created_at=NOW)
    assert set(queries.unseen(project)) == set(texts[1:])


@pytest.mark.parametrize("purpose", ["live", "repeat", "gold", "validation", "adjudication"])
def test_a_text_that_is_being_judged_is_refused_until_the_round_is_over(
    project, people, texts, lead, purpose
):
    live = Round.objects.create(
        project=project,
        name="Live",
        purpose=purpose,
        state="open",
        rubric=project.rubrics.get(),
        created_at=NOW,
        opened_at=NOW,
    )
    make_slot(live, texts[0])
    with pytest.raises(Invalid) as refusal:
        drafted(project, people, texts, by=lead.user)
    assert refusal.value.code == "unfit_texts"
    Round.objects.filter(pk=live.pk).update(state="locked", locked_at=NOW)
    assert drafted(project, people, texts, by=lead.user).assignments.count() == 9


def test_a_text_that_a_participant_scored_before_is_refused(project, people, texts, lead):
    before = begun(project, people, texts[:1], by=lead.user)
    score_texts(before, people[:1], lambda *_: 1)
    with pytest.raises(Invalid) as refusal:
        drafted(project, people, texts, name="Second", by=lead.user)
    assert refusal.value.code == "scored_before"


def test_a_draft_can_be_deleted_and_an_open_round_cannot(project, people, texts, lead):
    work = drafted(project, people, texts, by=lead.user)
    calibration.delete(work, by=lead.user, now=NOW)
    assert not Assignment.objects.exists()
    opened = begun(project, people, texts, by=lead.user)
    with pytest.raises(DomainError) as refusal:
        calibration.delete(opened, by=lead.user, now=NOW)
    assert refusal.value.code == "not_a_draft"


# --- Open ----------------------------------------------------------------------------------------


def test_each_participant_is_given_every_text_once(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    given = work.scores.values_list("annotator", "response")
    assert sorted(given) == sorted((member.pk, text.pk) for member in people for text in texts)
    assert set(work.scores.values_list("standing", flat=True)) == {"counted"}


def test_somebody_who_does_not_take_part_is_given_nothing(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    outsider = take_part(project, "dan")[0]
    assert assignments.claim(outsider, work, now=NOW) is None


def test_a_round_opens_once_under_two_tabs(project, people, texts, lead):
    work = drafted(project, people, texts, by=lead.user)
    stale = Round.objects.get(pk=work.pk)
    calibration.open_draft(work, by=lead.user, now=NOW)
    with pytest.raises(DomainError) as refusal:
        calibration.open_draft(stale, by=lead.user, now=NOW)
    assert refusal.value.code == "not_a_draft"
    assert JournalEntry.objects.filter(action="calibration.opened").count() == 1


def test_a_draft_whose_deadline_has_passed_or_whose_people_have_left_does_not_open(
    project, people, texts, lead
):
    work = drafted(project, people, texts, closes_at=LATER, by=lead.user)
    with pytest.raises(Invalid) as refusal:
        calibration.open_draft(work, by=lead.user, now=LATER)
    assert refusal.value.code == "deadline_passed"
    Qualification.objects.filter(annotator=people[0]).update(stage="training")
    with pytest.raises(Invalid) as refusal:
        calibration.open_draft(work, by=lead.user, now=NOW)
    assert refusal.value.code == "not_ready_for_calibration"
    work.refresh_from_db()
    assert work.state == "draft"


def test_somebody_can_join_while_the_round_is_open_and_only_then(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    late = take_part(project, "dan")[0]
    calibration.add_participant(work, late, by=lead.user, now=NOW)
    score_texts(work, [late], lambda *_: 1)
    assert work.scores.filter(annotator=late).count() == len(texts)
    with pytest.raises(DomainError) as refusal:
        calibration.add_participant(work, late, by=lead.user, now=NOW)
    assert refusal.value.code == "takes_part_already"
    close(work, reason="enough", by=lead.user)
    with pytest.raises(DomainError) as refusal:
        calibration.add_participant(work, take_part(project, "eve")[0], by=lead.user, now=NOW)
    assert refusal.value.code == "already_closed"


# --- Re-calibration ------------------------------------------------------------------------------


def test_active_annotators_keep_working_or_stop_until_they_have_passed(project, people, texts, lead):
    for stop in (False, True):
        ann = people[0]
        Qualification.objects.filter(annotator=ann).update(stage="active")
        live = Round.objects.create(
            project=project,
            name=f"Live {stop}",
            state="open",
            rubric=project.rubrics.get(),
            created_at=NOW,
            opened_at=NOW,
        )
        make_slot(live, make_texts(project, 1, "live")[0])
        work = drafted(project, people, make_texts(project, 2), name=f"Again {stop}", by=lead.user)
        calibration.open_draft(work, stop_work=stop, by=lead.user, now=NOW)
        assert assignments.claim(ann, work, now=NOW) is not None
        if not stop:
            assert stage_of(ann) == "active"
            assert assignments.claim(ann, live, now=NOW) is not None
            continue
        assert stage_of(ann) == "calibration"
        passage = Passage.objects.filter(qualification__annotator=ann).latest("pk")
        assert from_text(passage.reason) == f"Re-calibration: Again {stop}"
        with pytest.raises(NotAllowed) as refusal:
            assignments.claim(ann, live, now=NOW)
        assert refusal.value.code == "not_at_this_stage"


# --- Close ---------------------------------------------------------------------------------------


def test_a_round_closes_once_all_are_in(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    assert queries.progress(work).all_in
    calibration.close(work, measured, by=lead.user, now=NOW)
    work.refresh_from_db()
    assert (work.state, work.locked_at) == ("locked", NOW)
    assert work.calibration_results.count() == 1 + len(people)


def test_before_all_are_in_it_closes_at_the_deadline_or_with_a_reason(project, people, texts, lead):
    for name, options in (("Due", {"closes_at": LATER}), ("Early", {})):
        work = begun(project, people, make_texts(project, 2), name=name, by=lead.user, **options)
        with pytest.raises(Invalid) as refusal:
            calibration.close(work, measured, reason=" ", by=lead.user, now=NOW)
        assert refusal.value.code == "no_reason"
        work.refresh_from_db()
        assert work.state == "open"
        reason, at = ("", LATER) if options else ("Ben is ill.", NOW)
        calibration.close(work, measured, reason=reason, by=lead.user, now=at)
    entry = JournalEntry.objects.filter(action="calibration.closed").latest("pk")
    assert (entry.data["early"], entry.data["reason"]) == (True, "Ben is ill.")


def test_nobody_is_waited_for_who_cannot_score_any_more(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people[:2], lambda *_: 1)
    assert not queries.progress(work).all_in
    stages.move(
        Qualification.objects.get(annotator=people[2]), to="training", by=lead.user, reason="Again.", now=NOW
    )
    assert queries.progress(work).all_in
    assert (queries.progress(work).submitted, queries.progress(work).total) == (2, 3)


def test_of_two_who_close_at_once_one_is_refused_and_nothing_is_measured_twice(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    stale = Round.objects.get(pk=work.pk)
    calibration.close(work, measured, by=lead.user, now=NOW)
    with pytest.raises(DomainError) as refusal:
        calibration.close(stale, measured, by=lead.user, now=NOW)
    assert refusal.value.code == "already_closed"
    assert CalibrationResult.objects.filter(round=work).count() == 1 + len(people)
    assert JournalEntry.objects.filter(action="calibration.closed").count() == 1


def test_a_close_that_cannot_be_measured_leaves_the_round_open(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)

    def fails(_round: Round) -> Results:
        raise RuntimeError("no numbers today")

    with pytest.raises(RuntimeError):
        calibration.close(work, fails, reason="now", by=lead.user, now=NOW)
    assert Round.objects.get(pk=work.pk).state == "open"
    assert assignments.claim(people[0], work, now=NOW) is not None


def test_after_the_close_no_text_is_given_and_no_score_taken(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    lease = assignments.claim(people[0], work, now=NOW)
    close(work, reason="enough", by=lead.user)
    with pytest.raises(DomainError) as refusal:
        scoring.submit(lease, value=1, justification="late", now=NOW)
    assert refusal.value.code == "round_not_open"
    with pytest.raises(DomainError):
        assignments.claim(people[1], work, now=NOW)
    assert not work.scores.exists()


def test_a_score_that_slips_in_behind_the_close_finds_no_slot(project, people, texts, lead, monkeypatch):
    """The state was read before the close: what the race of two transactions comes to."""
    work = begun(project, people, texts, by=lead.user)
    lease = assignments.claim(people[0], work, now=NOW)
    close(work, reason="enough", by=lead.user)
    monkeypatch.setattr(filling, "refuse_unless_at_work", lambda *_args, **_options: None)
    late = scoring.submit(lease, value=1, justification="late", now=NOW)
    assert late.standing == "surplus"


def test_results_are_never_changed_or_removed(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    close(work, reason="enough", by=lead.user)
    for act in (lambda rows: rows.update(numbers={}), lambda rows: rows.delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            act(CalibrationResult.objects.filter(round=work))


@pytest.mark.parametrize("annotator", [False, True])
def test_there_is_one_result_of_the_group_and_one_of_each_annotator(project, people, texts, lead, annotator):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people[:1], lambda *_: 1)
    close(work, reason="enough", by=lead.user)
    member = people[0] if annotator else None
    assert CalibrationResult.objects.filter(round=work, annotator=member).exists()
    with pytest.raises(DatabaseError), transaction.atomic():
        CalibrationResult.objects.create(round=work, annotator=member, numbers={}, at=NOW)


# --- The second round ----------------------------------------------------------------------------


def test_a_second_round_asks_the_same_people_about_the_same_texts(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    close(work, by=lead.user)
    second = calibration.second_round(work, by=lead.user, now=NOW)
    assert (second.state, second.follows, second.language) == ("open", work, "en")
    slots = second.assignments.values_list("reserved_for", "response")
    assert sorted(slots) == sorted((member.pk, text.pk) for member in people for text in texts)
    score_texts(second, people, lambda *_: 2)
    assert work.scores.filter(value=1).count() == second.scores.filter(value=2).count() == 9


def test_no_second_round_before_the_first_is_closed_and_never_two(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    with pytest.raises(DomainError) as refusal:
        calibration.second_round(work, by=lead.user, now=NOW)
    assert refusal.value.code == "not_closed"
    close(work, by=lead.user)
    second = calibration.second_round(work, by=lead.user, now=NOW)
    with pytest.raises(DomainError) as refusal:
        calibration.second_round(work, by=lead.user, now=NOW)
    assert refusal.value.code == "second_round_exists"
    with pytest.raises(DomainError) as refusal:
        calibration.second_round(second, by=lead.user, now=NOW)
    assert refusal.value.code == "second_round"
    with pytest.raises(DomainError) as refusal:
        calibration.add_participant(second, take_part(project, "dan")[0], by=lead.user, now=NOW)
    assert refusal.value.code == "second_round"


def test_whoever_did_not_take_part_in_the_first_round_is_not_in_the_second(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people[:2], lambda *_: 1)
    close(work, reason="Cat is ill.", by=lead.user)
    second = calibration.second_round(work, by=lead.user, now=NOW)
    assert set(queries.participants(second)) == set(people[:2])


def test_a_second_score_wants_a_reason_though_the_project_asks_for_none(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    close(work, by=lead.user)
    second = calibration.second_round(work, by=lead.user, now=NOW)
    lease = assignments.claim(people[0], second, now=NOW)
    with pytest.raises(Invalid) as refusal:
        scoring.submit(lease, value=1, justification="  ", now=NOW)
    assert refusal.value.code == "justification_too_short"
    assert scoring.submit(lease, value=1, justification="Kept.", now=NOW)


def test_letters_stay_the_same_from_round_to_round(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people[:2], lambda *_: 1)
    close(work, reason="Cat is ill.", by=lead.user)
    second = calibration.second_round(work, by=lead.user, now=NOW)
    assert queries.letters(work) == queries.letters(second)
    assert set(queries.letters(work).values()) == {"A", "B", "C"}


# --- The gate ------------------------------------------------------------------------------------


def closed(project, people, texts, lead, met):
    """Closed with numbers by hand: those of `met` meet the gate."""
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    names = {member.pk: member.user.username for member in people}

    def by_hand(_round: Round) -> Results:
        found = measured(work)
        numbers = {
            pk: {**STANDING, "gate": {**STANDING["gate"], "met": names[pk] in met}} for pk in found.people
        }
        return Results(found.group, numbers)

    calibration.close(work, by_hand, by=lead.user, now=NOW)
    return work


def test_those_who_meet_the_gate_become_active_at_once(project, people, texts, lead):
    work = closed(project, people, texts, lead, met={"ann", "cat"})
    assert calibration_gate.pass_those_who_meet(work, by=lead.user, now=NOW) == 2
    assert [stage_of(member) for member in people] == ["active", "calibration", "active"]
    passage = Passage.objects.filter(qualification__annotator=people[0]).latest("pk")
    assert (passage.from_stage, passage.to_stage, passage.by) == ("calibration", "active", lead.user)
    assert "0.40" in passage.reason
    with pytest.raises(DomainError) as refusal:
        calibration_gate.pass_those_who_meet(work, by=lead.user, now=NOW)
    assert refusal.value.code == "nobody_to_pass"
    assert Passage.objects.filter(from_stage="calibration", to_stage="active").count() == 2


def test_those_who_meet_the_gate_become_active_all_together_or_not_at_all(
    project, people, texts, lead, monkeypatch
):
    work = closed(project, people, texts, lead, met={"ann", "cat"})
    advance = stages.advance

    def second_fails(held, **options):
        if held.annotator == people[2]:
            raise DomainError("stage_changed", "somebody was first")
        return advance(held, **options)

    monkeypatch.setattr(stages, "advance", second_fails)
    with pytest.raises(DomainError):
        calibration_gate.pass_those_who_meet(work, by=lead.user, now=NOW)
    assert [stage_of(member) for member in people] == ["calibration"] * 3


def test_a_lead_passes_one_or_sends_them_back_only_with_a_reason(project, people, texts, lead):
    work = closed(project, people, texts, lead, met=set())
    with pytest.raises(Invalid) as refusal:
        calibration_gate.decide(work, people[0], to="active", reason=" ", by=lead.user, now=NOW)
    assert refusal.value.code == "no_reason"
    calibration_gate.decide(work, people[0], to="active", reason="Few texts.", by=lead.user, now=NOW)
    calibration_gate.decide(work, people[1], to="training", reason="Too severe.", by=lead.user, now=NOW)
    assert [stage_of(member) for member in people] == ["active", "training", "calibration"]
    with pytest.raises(DomainError) as refusal:
        calibration_gate.decide(work, people[0], to="training", reason="No.", by=lead.user, now=NOW)
    assert refusal.value.code == "not_in_calibration"
    with pytest.raises(Invalid) as refusal:
        calibration_gate.decide(work, people[2], to="exam", reason="No.", by=lead.user, now=NOW)
    assert refusal.value.code == "unknown_stage"


def test_nobody_decides_before_the_close_nor_past_a_second_round(project, people, texts, lead):
    work = begun(project, people, texts, by=lead.user)
    score_texts(work, people, lambda *_: 1)
    with pytest.raises(DomainError) as refusal:
        calibration_gate.decide(work, people[0], to="active", reason="Now.", by=lead.user, now=NOW)
    assert refusal.value.code == "not_closed"
    close(work, by=lead.user)
    calibration.second_round(work, by=lead.user, now=NOW)
    for act in (
        lambda: calibration_gate.decide(work, people[0], to="active", reason="Now.", by=lead.user, now=NOW),
        lambda: calibration_gate.pass_those_who_meet(work, by=lead.user, now=NOW),
    ):
        with pytest.raises(DomainError) as refusal:
            act()
        assert refusal.value.code == "second_round_decides"


def test_an_earlier_calibration_does_not_decide_about_who_is_calibrated_again(project, people, texts, lead):
    work = closed(project, people, texts, lead, met={"ann", "ben"})
    calibration_gate.pass_those_who_meet(work, by=lead.user, now=NOW)
    again = drafted(project, people[:2], make_texts(project, 2), name="Again", by=lead.user)
    calibration.open_draft(again, stop_work=True, by=lead.user, now=LATER)
    with pytest.raises(DomainError) as refusal:
        calibration_gate.pass_those_who_meet(work, by=lead.user, now=LATER)
    assert refusal.value.code == "nobody_to_pass"
    with pytest.raises(DomainError) as refusal:
        calibration_gate.decide(work, people[0], to="active", reason="Then.", by=lead.user, now=LATER)
    assert refusal.value.code == "asked_again"
    assert [stage_of(member) for member in people] == ["calibration"] * 3


def test_nobody_but_a_lead_decides(project, people, texts, lead):
    work = closed(project, people, texts, lead, met={"ann"})
    with pytest.raises(NotAllowed) as refusal:
        calibration_gate.pass_those_who_meet(work, by=people[0].user, now=NOW)
    assert refusal.value.code == "not_a_lead"
    with pytest.raises(NotAllowed):
        calibration_gate.decide(work, people[0], to="active", reason="Me.", by=people[0].user, now=NOW)


def test_who_came_back_to_the_stage_after_the_close_passes_by_a_decision_with_a_reason_alone(
    project, people, texts, lead
):
    work = closed(project, people, texts, lead, met={"ann"})
    held = Qualification.objects.get(annotator=people[0])
    for stage in ("training", "calibration"):
        stages.move(held, to=stage, by=lead.user, reason="Too severe of late.", now=LATER)
    with pytest.raises(DomainError) as refusal:
        calibration_gate.pass_those_who_meet(work, by=lead.user, now=LATER)
    assert refusal.value.code == "nobody_to_pass"
    calibration_gate.decide(work, people[0], to="active", reason="Looked again.", by=lead.user, now=LATER)
    assert stage_of(people[0]) == "active"
