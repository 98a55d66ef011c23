"""The course of a language: a round of purpose training, whose items are agreed texts. Its slots are made by
services/training.py, for each trainee when they begin."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.errors import DomainError
from annotation.models import ConsensusItem, Project, Round, User
from annotation.queries import consensus
from annotation.queries import courses as queries
from annotation.services import journal, seals

State = Round.State


@transaction.atomic
def draft(project: Project, *, language: str, by: User | None, now: datetime) -> Round:
    """A course without items. There is one draft at most in each language: the one that is there comes back."""
    # Whoever else makes a round of the project now waits, so that a draft and a name are made once.
    Project.objects.select_for_update().get(pk=project.pk)
    there = queries.drafts(project).filter(language=language).first()
    if there is not None:
        return there
    rubric = project.rubrics.order_by("-version").first()
    if rubric is None:
        raise DomainError("no_rubric", _("This project has no rubric. Write one before a course is made."))
    made = Round.objects.create(
        project=project,
        name=_free_name(project, language),
        purpose=Round.Purpose.TRAINING,
        language=language,
        rubric=rubric,
        annotators_per_response=1,
        created_at=now,
    )
    _record("course.drafted", made, by=by, now=now)
    return made


def _free_name(project: Project, language: str) -> str:
    taken = set(project.rounds.values_list("name", flat=True))
    name = _("Training course (%(language)s)") % {"language": language} if language else _("Training course")
    numbered = (f"{name} {number}" for number in range(2, len(taken) + 3))
    return next(each for each in [name, *numbered] if each not in taken)


@transaction.atomic
def open_course(work: Round, *, by: User | None, now: datetime) -> None:
    """From now on trainees work on it, under the newest rubric; its items stay as they are."""
    # No text of it gets into another round meanwhile.
    seals.hold(work.project)
    for obstacle in obstacles(work):
        raise DomainError("course_not_ready", obstacle)
    rubric = work.project.rubrics.order_by("-version").first()
    try:
        with transaction.atomic():
            _move(work, {State.DRAFT}, state=State.OPEN, opened_at=now, rubric=rubric)
    except IntegrityError as error:
        raise DomainError(
            "course_open",
            _("Another course of this language is open. Retire it first, and open this one then."),
        ) from error
    _record("course.opened", work, by=by, now=now, items=work.consensus_items.count())


@transaction.atomic
def retire(work: Round, *, by: User | None, now: datetime) -> None:
    """End the course. What trainees did stays, and they can still read it."""
    _move(work, {State.OPEN, State.PAUSED}, state=State.LOCKED, locked_at=now)
    _record("course.retired", work, by=by, now=now)


def obstacles(work: Round) -> list[str]:
    """What stands in the way of opening it, in the words of the page."""
    kinds = queries.kinds(work)
    found = []
    if not kinds[ConsensusItem.Kind.PRACTICE]:
        found.append(_("There is no practice item yet."))
    if not kinds[ConsensusItem.Kind.CHECK]:
        found.append(_("There is no check item yet."))
    without = work.consensus_items.filter(rationale="").count()
    if without:
        found.append(
            ngettext(
                "%(count)d item has no rationale. Trainees learn from it.",
                "%(count)d items have no rationale. Trainees learn from it.",
                without,
            )
            % {"count": without}
        )
    if unfit := consensus.unfit_in_words(work):
        found.append(unfit)
    return found


def _move(work: Round, states: set[str], **columns: object) -> None:
    if Round.objects.filter(pk=work.pk, state__in=states).update(**columns) != 1:
        raise DomainError(
            "course_changed", _("Somebody else was first: open the page again to see how the course stands.")
        )
    work.refresh_from_db()


def _record(action: str, work: Round, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(action, by=by, at=now, project=work.project, round=work.pk, **data)
