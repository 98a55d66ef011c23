"""The demo project's preparation: an exam, a course, a calibration, and people at every stage.

All of it is made by the services, as in the application, at moments that lie before `now`. What is there is left as
it is, so that a load that was broken off is taken up where it stopped. The calibration is closed in between, by
curation, which measures it: `load`, the close, `conclude`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from annotation import access
from annotation.domain.shipped_preparation import CALIBRATION_TEXTS, Form, Item, Post, preparation
from annotation.models import Membership, Preparation, Project, Round, Stage, User
from annotation.queries import calibration as queries
from annotation.services import (
    calibration,
    calibration_gate,
    consensus,
    courses,
    demo_people,
    exam_forms,
    intake_files,
    lessons,
    threads,
)
from annotation.services import preparation as settings

# Before now.
MADE = timedelta(days=42)  # the first form and the course
DISCUSSED = timedelta(days=4)
SECOND_FORM = timedelta(days=4)
CALIBRATED = timedelta(days=10)
CLOSED = timedelta(days=7)
DECIDED = timedelta(days=5)
HOUR = timedelta(hours=1)


def load(project: Project, *, now: datetime) -> Round | None:
    """The calibration: closed where an earlier load came that far, else scored by all and open.

    None where nothing is to be loaded: nobody leads the project, a lead has set up a preparation of their own, or
    somebody else has one of the names.
    """
    found = _calibration(project)
    if found is not None and found.state == Round.State.LOCKED:
        return found
    leading = access.active_leads(project).order_by("pk").first()
    if leading is None or not (_is_begun(project) or _is_free(project)):
        return None
    lead = leading.user
    _make_material(project, lead=lead, now=now)
    grader = User.objects.get(username=preparation().instructor.username)
    for person in preparation().people:
        demo_people.walk(project, person, lead=lead, grader=grader, now=now)
    # Later than the rest sat the exam: they all took the first form.
    for form in preparation().forms[1:]:
        _publish(project, form, by=grader, at=now - SECOND_FORM)
    _discuss_course(project, now=now)
    return _calibrate(project, lead=lead, now=now)


@transaction.atomic
def conclude(work: Round, *, by: User, now: datetime) -> None:
    """What is said after the close of the calibration, and whom the lead passed."""
    if work.comments.exists():
        return
    texts = {text.external_id: text for text in queries.responses(work)}
    for number, post in enumerate(preparation().calibration.posts):
        at = work.locked_at + HOUR * (number + 1)
        threads.post(work, texts[post.text], by=_user(post), body=post.body, paragraph=post.paragraph, now=at)
    for person in preparation().people:
        member = demo_people.member(work.project, person.username)
        if person.passed and member is not None:
            calibration_gate.decide(
                work, member, to=Stage.ACTIVE, reason=person.passed, by=by, now=now - DECIDED
            )


def _is_begun(project: Project) -> bool:
    return project.rounds.filter(name=preparation().forms[0].name, purpose=Round.Purpose.EXAM).exists()


def _is_free(project: Project) -> bool:
    found = preparation()
    people = (found.instructor, found.invited, *found.people)
    names = Q(username__in=[each.username for each in people]) | Q(email__in=[each.email for each in people])
    return not (Preparation.objects.filter(project=project).exists() or User.objects.filter(names).exists())


# --- Exam and course -----------------------------------------------------------------------------


@transaction.atomic
def _make_material(project: Project, *, lead: User, now: datetime) -> None:
    """Settings, instructor, the first form and the course: what has to be there before anybody comes."""
    if _is_begun(project):
        return
    made = now - MADE
    settings.change(project, preparation().settings, by=lead, now=made)
    instructor = demo_people.come(
        project, preparation().instructor, role=Membership.Role.INSTRUCTOR, lead=lead, now=now
    )
    _publish(project, preparation().forms[0], by=instructor.user, at=made)
    _open_course(project, by=instructor.user, at=made)
    demo_people.invite(project, preparation().invited, lead=lead, now=now)


@transaction.atomic
def _publish(project: Project, form: Form, *, by: User, at: datetime) -> None:
    if project.rounds.filter(name=form.name).exists():
        return
    work = exam_forms.draft_form(project, language=preparation().language, name=form.name, by=by, now=at)
    _fill(work, form.items, by=by, at=at)
    exam_forms.publish(work, by=by, now=at)


def _open_course(project: Project, *, by: User, at: datetime) -> None:
    for lesson in lessons.add_starters(project, language=preparation().language, by=by, now=at):
        lessons.publish(lesson, by=by, now=at)
    work = courses.draft(project, language=preparation().language, by=by, now=at)
    _fill(work, preparation().course, by=by, at=at)
    courses.open_course(work, by=by, now=at)


def _fill(work: Round, items: Sequence[Item], *, by: User, at: datetime) -> None:
    genres = {genre.key: genre for genre in work.project.genres.filter(parent=None)}
    for item in items:
        consensus.author(
            work,
            language=preparation().language,
            genre=genres[item.genre],
            prompt_text=item.prompt,
            response_text=item.response,
            kind=item.kind,
            value=item.value,
            split=item.split,
            rationale=item.rationale,
            by=by,
            now=at,
        )


@transaction.atomic
def _discuss_course(project: Project, *, now: datetime) -> None:
    work = project.rounds.get(purpose=Round.Purpose.TRAINING, state=Round.State.OPEN)
    if work.comments.exists():
        return
    thread = preparation().thread
    response = work.consensus_items.order_by("position")[thread.item - 1].response
    for number, post in enumerate(thread.posts):
        at = now - DISCUSSED + HOUR * number
        made = threads.post(
            work,
            response,
            by=_user(post),
            body=post.body,
            paragraph=post.paragraph,
            criterion=post.criterion,
            now=at,
        )
        if post.ruling:
            threads.rule(made, by=_user(post), now=at)


def _user(post: Post) -> User:
    return User.objects.get(username=post.by)


# --- Calibration ---------------------------------------------------------------------------------


def _calibration(project: Project) -> Round | None:
    return project.rounds.filter(
        name=preparation().calibration.name, purpose=Round.Purpose.CALIBRATION
    ).first()


def _calibrate(project: Project, *, lead: User, now: datetime) -> Round:
    work = _calibration(project) or _open_calibration(project, lead=lead, now=now)
    began = now - CALIBRATED
    for number, person in enumerate(each for each in preparation().people if each.calibration):
        annotator = demo_people.member(project, person.username)
        if annotator is not None:
            demo_people.score_calibration(work, annotator, person, at=began + HOUR * (5 * number + 2))
    return work


@transaction.atomic
def _open_calibration(project: Project, *, lead: User, now: datetime) -> Round:
    """Its texts come in a file of their own, and are set aside at once: a run never meets them."""
    at = now - CALIBRATED
    intake_files.import_material(project, CALIBRATION_TEXTS, by=lead, now=at)
    names = preparation().calibration.texts
    takers = [person.username for person in preparation().people if person.calibration]
    work = calibration.draft(
        project,
        language=preparation().language,
        name=preparation().calibration.name,
        responses=project.responses.filter(external_id__in=names).values_list("pk", flat=True),
        participants=project.memberships.filter(user__username__in=takers).values_list("pk", flat=True),
        closes_at=now - CLOSED,
        by=lead,
        now=at,
    )
    calibration.open_draft(work, by=lead, now=at)
    return work
