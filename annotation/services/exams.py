"""Sitting the exam: beginning, and what becomes of an attempt.

An attempt moves on by what the rows say, whenever something is sent: `settle` reads whether the last score is in, time
has run out or the last critique is graded. Doing so twice changes nothing. Pages read what has run out without it
(queries/exams.py, `as_of`), and the sweep writes it down. `by=None` is a result that decided.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation import access
from annotation.domain import exams, sentences
from annotation.domain.exams import PassMarks
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import (
    Assignment,
    Attempt,
    ExtraAttempt,
    Lease,
    Project,
    Qualification,
    Round,
    Stage,
    User,
)
from annotation.queries import exams as queries
from annotation.queries.stages import settings_of
from annotation.services import journal, slots, stages

State = Attempt.State
ROWS_AT_A_TIME = 1000


# --- Beginning -----------------------------------------------------------------------------------


@transaction.atomic
def start(held: Qualification, *, now: datetime) -> Attempt:
    """The attempt that is open, or a new one on a form that the annotator has not seen.

    Its texts are reserved for the annotator: one slot each, next to those of others who took the form.
    """
    _hold_at_exam(held)
    last = queries.current(held)
    if last is not None and last.state in queries.UNDER_WAY:
        last = settle(last, now=now)
    if last is not None and last.state == State.OPEN:
        return last
    _refuse_unless_due(held, last, now=now)
    number = last.number + 1 if last else 1
    form = _form(held, number=number)
    asked = settings_of(held.project)
    made = Attempt.objects.create(
        qualification=held,
        round=form,
        number=number,
        marks=queries.marks_of(asked).as_dict(),
        started_at=now,
        due_at=now + timedelta(days=asked.exam_days),
    )
    slots = _reserve(made)
    _record("exam.started", made, by=held.annotator.user, now=now, round=form.pk, texts=slots)
    return made


def _hold_at_exam(held: Qualification) -> None:
    """Other tabs wait until this transaction ends."""
    if Qualification.objects.filter(pk=held.pk, stage=Stage.EXAM).update(stage=Stage.EXAM) != 1:
        raise NotAllowed("not_at_exam", _("The exam is not open to you at this stage."))


def _refuse_unless_due(held: Qualification, last: Attempt | None, *, now: datetime) -> None:
    if last is not None and last.state == State.FINISHED:
        raise DomainError("exam_waiting", _("Your exam waits for its critiques to be graded."))
    if last is not None and last.state == State.PASSED and queries.is_of_this_stay(last):
        raise DomainError("exam_passed", _("You have passed this exam."))
    allowance = queries.allowance(held, now=now)
    if not allowance.left:
        raise DomainError("no_attempts_left", _("You have no attempts left. A lead decides how it goes on."))
    if allowance.retake_from is not None and now < allowance.retake_from:
        raise DomainError("too_early", _("It is too early for another attempt. The page says from when."))


def _form(held: Qualification, *, number: int) -> Round:
    """A published form, held until the transaction ends so that it is not retired meanwhile."""
    found = list(queries.forms_to_take(held))
    while found:
        form = queries.draw(held, found, number=number)
        if Round.objects.filter(pk=form.pk, state=Round.State.OPEN).update(state=Round.State.OPEN) == 1:
            return form
        found.remove(form)
    raise DomainError(
        "no_form", _("There is no exam for you to take at the moment. The leads see that one is missing.")
    )


def _reserve(attempt: Attempt) -> int:
    """A slot of each text of the form; gives how many."""
    form, annotator = attempt.round, attempt.qualification.annotator_id
    last = dict(form.assignments.values_list("response").annotate(last=Max("slot")))
    made = Assignment.objects.bulk_create(
        (
            slots.of_response(form, response, prompt, last.get(response, 0) + 1, reserved_for_id=annotator)
            for response, prompt in queries.items(form).values_list("pk", "prompt")
        ),
        batch_size=ROWS_AT_A_TIME,
    )
    return len(made)


@transaction.atomic
def grant_attempt(held: Qualification, *, by: User | None, reason: str, now: datetime) -> ExtraAttempt:
    """Let somebody who has no attempts left sit the exam once more, at once."""
    _hold_at_exam(held)
    reason = _reason_of(held, by, reason)
    last = queries.current(held)
    if last is None or last.state != State.FAILED or queries.allowance(held, now=now).left:
        raise DomainError(
            "attempts_left", _("This annotator can still take the exam without another attempt.")
        )
    made = ExtraAttempt.objects.create(qualification=held, by=by, reason=reason, at=now)
    _record("exam.attempt_granted", last, by=by, now=now, reason=reason)
    return made


# --- What becomes of it --------------------------------------------------------------------------


def settle_all(project: Project, *, now: datetime) -> None:
    """Before something is decided about attempts of the project."""
    for attempt in queries.under_way().filter(qualification__project=project):
        settle(attempt, now=now)


def settle_overtaken(*, now: datetime) -> None:
    """Write down what time has ended in any project, so that the record has it though nobody sends anything."""
    for attempt in queries.overtaken(now=now):
        settle(attempt, now=now)


def settle_after(lease: Lease, *, now: datetime) -> bool:
    """A text of the exam was scored. The last one ends the attempt, whether or not anybody looks; did it?"""
    mine = lease.assignment.round.attempts.filter(qualification__annotator=lease.annotator_id)
    there = mine.filter(state=State.OPEN).select_related("round", "qualification__project").first()
    return there is None or settle(there, now=now).state != State.OPEN


def settle(attempt: Attempt, *, now: datetime) -> Attempt:
    """Move the attempt on as far as the rows allow."""
    if _has_moved(attempt, now=now):
        _settle(attempt, now=now)
        attempt.refresh_from_db()
    return attempt


def _has_moved(attempt: Attempt, *, now: datetime) -> bool:
    if attempt.state == State.OPEN:
        return now >= attempt.due_at or not queries.to_do(attempt).exists()
    return attempt.state == State.FINISHED and queries.all_graded(attempt)


@transaction.atomic
def _settle(attempt: Attempt, *, now: datetime) -> None:
    if not hold(attempt):
        return
    if attempt.state == State.OPEN:
        if not queries.to_do(attempt).exists():
            _finish(attempt, now=now)
        elif now >= attempt.due_at:
            _run_out(attempt, now=now)
            return
    if attempt.state == State.FINISHED and queries.all_graded(attempt):
        _decide(attempt, now=now)


def hold(attempt: Attempt) -> bool:
    """Keep others from the attempt until the transaction ends; whether it is still under way."""
    _hold_standing(attempt.qualification)
    attempt.refresh_from_db()
    return attempt.state in queries.UNDER_WAY


def _hold_standing(held: Qualification) -> None:
    """Whatever changes attempts holds this row first, so that nobody waits for each other in a circle."""
    Qualification.objects.select_for_update(no_key=True).get(pk=held.pk)


def _finish(attempt: Attempt, *, now: datetime) -> None:
    """Every text is scored: what is left is to grade the critiques, which are drawn here."""
    answers = queries.answers(attempt)
    marks = PassMarks.from_dict(attempt.marks)
    drawn = exams.drawn(list(answers), marks.critiques_graded, seed=str(attempt.pk))
    result = {"tables": queries.tables(attempt), "critiques": drawn}
    ended = queries.last_score_at(attempt) or now
    _move(attempt, {State.OPEN}, state=State.FINISHED, finished_at=ended, result=result)
    _record("exam.finished", attempt, by=None, now=now, texts=len(answers), critiques=len(drawn))


def _run_out(attempt: Attempt, *, now: datetime) -> None:
    """Time is up: what was scored stays, and the texts that were not are nobody's."""
    _give_back(attempt)
    _move(
        attempt,
        {State.OPEN},
        state=State.FAILED,
        finished_at=attempt.due_at,
        # Not when somebody looked: the next attempt is due a while after this.
        decided_at=attempt.due_at,
        result=queries.out_of_time(attempt),
    )
    _record("exam.failed", attempt, by=None, now=now, late=True)


def _give_back(attempt: Attempt) -> None:
    left = queries.slots(attempt).filter(state__in=[Assignment.State.OPEN, Assignment.State.LEASED])
    left.update(state=Assignment.State.VOID, annotator=None, leased_until=None)


def _decide(attempt: Attempt, *, now: datetime) -> None:
    """By the numbers and the critiques."""
    marks = PassMarks.from_dict(attempt.marks)
    grades = list(attempt.grades.values_list("points", flat=True))
    points = exams.points(grades) if grades else None
    verdict = exams.judge(queries.results(attempt)["*"], marks, critiques=points)
    result = {**attempt.result, "missed": [sentences.as_dict(each) for each in verdict.missed]}
    if points is not None:
        result["points"] = [points.count, points.n]
    state = State.PASSED if verdict.passed else State.FAILED
    _move(attempt, {State.FINISHED}, state=state, decided_at=now, result=result)
    _record("exam.passed" if verdict.passed else "exam.failed", attempt, by=None, now=now)
    held = attempt.qualification
    # Somebody whom a lead has moved meanwhile stays where the lead put them.
    if verdict.passed and Qualification.objects.filter(pk=held.pk, stage=Stage.EXAM).exists():
        held.refresh_from_db()
        stages.advance(held, expected=Stage.EXAM, now=now)


# --- A lead decides ------------------------------------------------------------------------------


@transaction.atomic
def decide(attempt: Attempt, *, passed: bool, by: User, reason: str, now: datetime) -> Attempt:
    """Pass or fail an attempt by hand. To pass takes the annotator to the next stage."""
    held = attempt.qualification
    reason = _reason_of(held, by, reason)
    _hold_standing(held)
    attempt.refresh_from_db()
    settle(attempt, now=now)
    open_to = {*queries.UNDER_WAY, State.FAILED} if passed else set(queries.UNDER_WAY)
    if attempt.state not in open_to or queries.current(held) != attempt:
        raise DomainError("exam_decided", _("This attempt is decided already."))
    _give_back(attempt)
    columns = {"decided_at": now, "decided_by": by, "reason": reason}
    if attempt.state == State.OPEN:
        columns |= {"finished_at": now, "result": {"tables": queries.tables(attempt), "critiques": []}}
    state = State.PASSED if passed else State.FAILED
    _move(attempt, {attempt.state}, state=state, **columns)
    _record("exam.passed" if passed else "exam.failed", attempt, by=by, now=now, reason=reason)
    if passed:
        held.refresh_from_db()
        stages.advance(held, expected=Stage.EXAM, by=by, reason=reason, now=now)
    attempt.refresh_from_db()
    return attempt


def _reason_of(held: Qualification, by: User | None, reason: str) -> str:
    """The reason of somebody who may decide on another's exam. `by=None` is a command."""
    if by is not None:
        if held.annotator.user_id == by.pk:
            raise NotAllowed("own_exam", _("Nobody decides on an exam of their own."))
        if not access.is_lead(by, held.project):
            raise NotAllowed("not_a_lead", _("Only leads of the project decide on exams."))
    if not reason.strip():
        raise Invalid("no_reason", _("Say why; the reason is kept with the record."))
    return reason.strip()


# --- What all of them rest on --------------------------------------------------------------------


def _move(attempt: Attempt, states: Sequence[str] | set[str], **columns: object) -> None:
    """The one transition. The row count tells whether somebody else was first."""
    if Attempt.objects.filter(pk=attempt.pk, state__in=states).update(**columns) != 1:
        raise DomainError(
            "exam_changed", _("Somebody else was first. Open the page again to see how the exam stands.")
        )
    attempt.refresh_from_db()


def _record(action: str, attempt: Attempt, *, by: User | None, now: datetime, **data: object) -> None:
    held = attempt.qualification
    journal.record(
        action,
        by=by,
        at=now,
        project=held.project,
        attempt=attempt.pk,
        user=held.annotator.user_id,
        language=held.language,
        number=attempt.number,
        **data,
    )
