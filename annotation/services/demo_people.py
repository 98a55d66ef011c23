"""Simulated people on their way into the demo project, who do with the services what a person does with the pages."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from django.db import transaction

from annotation.domain import order
from annotation.domain.exams import CRITIQUE_QUESTIONS
from annotation.domain.shipped_preparation import Exam, Person, Screening, preparation
from annotation.models import (
    ActiveTime,
    Assignment,
    ConsensusItem,
    Lease,
    Membership,
    Project,
    Qualification,
    Round,
    Score,
    User,
)
from annotation.queries import consent, screening
from annotation.queries.stages import settings_of
from annotation.queries.training import published
from annotation.services import (
    critiques,
    exams,
    invitations,
    journal,
    lessons,
    stages,
    training,
    work_time,
)
from annotation.services import screening as answers

# After the invitation.
ACCEPTED = timedelta(hours=6)
ANSWERED = timedelta(hours=7)
EXAM = timedelta(hours=30)
GRADED = timedelta(hours=45)
COURSE = timedelta(hours=72)
MOVED = timedelta(hours=50)

PACE = timedelta(minutes=9)  # of a text
LESSON = timedelta(minutes=25)

Activity = ActiveTime.Activity
Kind = ConsensusItem.Kind
SCREENED_AS = 2  # how well somebody says they know the kinds of text that they read: well


def member(project: Project, username: str) -> Membership | None:
    return project.memberships.filter(user__username=username).select_related("user", "project").first()


@transaction.atomic
def invite(project: Project, person: Person, *, lead: User, now: datetime) -> None:
    """Somebody who has not answered yet. The link is kept nowhere; a lead renews the invitation for one."""
    invitations.invite(
        project,
        person.email,
        full_name=person.name,
        role=Membership.Role.ANNOTATOR,
        languages=[preparation().language],
        by=lead,
        now=now - timedelta(days=person.days),
    )


@transaction.atomic
def come(project: Project, person: Person, *, role: str, lead: User, now: datetime) -> Membership:
    """Somebody is invited, agrees to what is recorded, and takes part; who is here already is left alone."""
    there = member(project, person.username)
    if there is not None:
        return there
    invited = now - timedelta(days=person.days)
    user = User.objects.create(
        username=person.username, first_name=person.name, email=person.email, date_joined=invited + ACCEPTED
    )
    invitation, _token = invitations.invite(
        project,
        person.email,
        full_name=person.name,
        role=role,
        languages=[preparation().language],
        by=lead,
        now=invited,
    )
    return invitations.accept(
        invitation, user, consents_to=consent.current_version(project), now=invited + ACCEPTED
    )


@transaction.atomic
def walk(project: Project, person: Person, *, lead: User, grader: User, now: datetime) -> None:
    """As far as the person came before the calibration, all or nothing; who is here already is left alone."""
    if member(project, person.username) is not None:
        return
    annotator = come(project, person, role=Membership.Role.ANNOTATOR, lead=lead, now=now)
    held = annotator.qualifications.get(language=preparation().language)
    invited = now - timedelta(days=person.days)
    if person.screening:
        _answer(held, person.screening, at=invited + ANSWERED)
    if person.exam:
        _sit(held, person.exam, grader=grader, at=invited + EXAM)
    if person.course:
        _learn(held, person, at=invited + COURSE)
    if person.moved:
        held.refresh_from_db()
        stages.move(held, to=person.moved.to, by=lead, reason=person.moved.reason, now=invited + MOVED)


@transaction.atomic
def score_calibration(work: Round, annotator: Membership, person: Person, *, at: datetime) -> None:
    """All that is reserved for the person, if they have not scored it yet."""
    texts = dict(
        work.assignments.filter(reserved_for=annotator, state=Assignment.State.OPEN).values_list(
            "response__external_id", "response"
        )
    )
    values = zip(preparation().calibration.texts, person.calibration, strict=True)
    given = {texts[name]: value for name, value in values if name in texts}
    _score(work, annotator, given, at=at)
    _note(annotator, Activity.CALIBRATION, PACE * len(given), at=at)


# --- Screening, exam and course ------------------------------------------------------------------


def _answer(held: Qualification, said: Screening, *, at: datetime) -> None:
    familiarity = {
        genre.key: 0 if genre.key in said.unknown else SCREENED_AS
        for genre in screening.macro_categories(held.project)
    }
    questions = settings_of(held.project).questions
    answers.answer(
        held,
        level=said.level,
        familiarity=familiarity,
        answers=[(question, said.said) for question in questions],
        now=at,
    )


def _sit(held: Qualification, exam: Exam, *, grader: User, at: datetime) -> None:
    held.refresh_from_db()
    attempt = exams.start(held, now=at)
    asked = list(attempt.round.consensus_items.order_by("position").values_list("response", flat=True))
    form = next(each for each in preparation().forms if each.name == attempt.round.name)
    texts = len(asked) - exam.left
    given = dict(zip(asked[:texts], exam.scores, strict=False))
    own = dict(zip(asked, (item.critique for item in form.items), strict=True)) if exam.own_words else {}
    _score(attempt.round, held.annotator, given, at=at, words=own)
    _note(held.annotator, Activity.EXAM, PACE * texts, at=at)
    exams.settle(attempt, now=at + PACE * texts)
    for response in attempt.result.get("critiques", []) if exam.points else []:
        critiques.grade(
            attempt,
            response,
            by=grader,
            points=dict(zip(CRITIQUE_QUESTIONS, exam.points, strict=True)),
            comment="",
            now=at + GRADED - EXAM,
        )


def _learn(held: Qualification, person: Person, *, at: datetime) -> None:
    """The lessons, then items in the order of the course; who goes on to the calibration finishes it."""
    held.refresh_from_db()
    for lesson in published(held):
        lessons.read(lesson, held.annotator, now=at + LESSON)
        _note(held.annotator, Activity.LESSON, LESSON, at=at, number=lesson.pk)
        at += LESSON
    work = training.begin(held, now=at)
    asked = work.consensus_items.filter(kind__in=[Kind.PRACTICE, Kind.CHECK]).order_by("position")
    given = dict(zip(asked.values_list("response", flat=True), person.course, strict=False))
    _score(work, held.annotator, given, at=at)
    spent = PACE * len(given)
    _note(held.annotator, Activity.TRAINING, spent, at=at)
    if person.calibration:
        training.finish(held, by=held.annotator.user, now=at + spent)


# --- What all of them rest on --------------------------------------------------------------------


def _score(
    work: Round,
    annotator: Membership,
    given: Mapping[int, int],
    *,
    at: datetime,
    words: Mapping[int, str] | None = None,
) -> None:
    """Fill the annotator's slots, by response, in that order and at the pace of a person.

    It leaves what assignments.claim and scoring.submit leave, in a few statements: a hundred texts are scored while
    somebody waits for the demo to start.
    """
    slots = {slot.response_id: slot for slot in work.assignments.filter(reserved_for=annotator)}
    done = [slots[response] for response in given]
    leases, scores = [], []
    for number, slot in enumerate(done):
        begun, scored = at + PACE * number, at + PACE * (number + 1)
        slot.state, slot.annotator = Assignment.State.DONE, annotator
        leases.append(
            Lease(assignment=slot, annotator=annotator, token=secrets.token_urlsafe(18), leased_at=begun)
        )
        value = given[slot.response_id]
        scores.append(
            Score(
                round=work,
                response_id=slot.response_id,
                annotator=annotator,
                assignment=slot,
                rubric=work.rubric,
                value=value,
                justification=(words or {}).get(slot.response_id) or _phrase(annotator, slot, value),
                at=scored,
                recorded_at=scored,
            )
        )
    Assignment.objects.bulk_update(done, ["state", "annotator"])
    Lease.objects.bulk_create(leases)
    for score in Score.objects.bulk_create(scores):
        journal.record(
            "score.submitted",
            by=annotator.user,
            at=score.at,
            project=annotator.project,
            score=score.pk,
            standing=score.standing,
        )


def _phrase(annotator: Membership, slot: Assignment, value: int) -> str:
    phrases: Sequence[str] = preparation().phrases[value]
    drawn = order.key("demo", annotator.user.username, str(slot.response_id))
    return phrases[drawn[0] % len(phrases)]


def _note(annotator: Membership, activity: str, spent: timedelta, *, at: datetime, number: int = 0) -> None:
    """A page that was open so long, as the browser reports it: at the opening and at the end."""
    load = uuid5(NAMESPACE_URL, f"demo:{annotator.pk}:{activity}:{number}")
    for seconds in (0, int(spent.total_seconds())):
        work_time.note(
            annotator.user,
            annotator.project,
            activity=activity,
            load=load,
            seconds=seconds,
            now=at + timedelta(seconds=seconds),
        )
