"""Forms of the exam: rounds of purpose exam, whose items are the bank. Slots are made by services/exams.py."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import Project, Round, User
from annotation.queries import consensus
from annotation.queries import exam_forms as queries
from annotation.services import journal, seals

State = Round.State


@transaction.atomic
def draft_form(project: Project, *, language: str, name: str, by: User | None, now: datetime) -> Round:
    """A form without items."""
    rubric = project.rubrics.order_by("-version").first()
    if rubric is None:
        raise DomainError("no_rubric", _("This project has no rubric. Write one before a form is made."))
    try:
        with transaction.atomic():
            made = Round.objects.create(
                project=project,
                name=name,
                purpose=Round.Purpose.EXAM,
                language=language,
                rubric=rubric,
                annotators_per_response=1,
                created_at=now,
            )
    except IntegrityError as error:
        raise Invalid(
            "round_exists", _("There is a round %(name)s already. Choose another name.") % {"name": name}
        ) from error
    _record("exam.form_made", made, by=by, now=now)
    return made


@transaction.atomic
def publish(form: Round, *, by: User | None, now: datetime) -> None:
    """From now on it is drawn for candidates, under the newest rubric; its items stay as they are."""
    # One form at a time: no text gets into two that are published.
    seals.hold(form.project)
    form.refresh_from_db()
    for obstacle in queries.obstacles(form):
        raise DomainError(obstacle.code, obstacle.message)
    if unfit := consensus.unfit_in_words(form):
        raise DomainError("unfit_items", unfit)
    rubric = form.project.rubrics.order_by("-version").first()
    _move(form, {State.DRAFT}, state=State.OPEN, opened_at=now, rubric=rubric)
    _record("exam.form_published", form, by=by, now=now, items=form.consensus_items.count())


@transaction.atomic
def retire(form: Round, *, by: User | None, now: datetime) -> None:
    """Draw it for nobody any more. Refused while somebody sits it: they would lose their exam."""
    _move(form, {State.OPEN, State.PAUSED}, state=State.LOCKED, locked_at=now)
    sitting = queries.sitting(form, now=now)
    if sitting:
        raise DomainError(
            "form_in_use",
            _("This form is being taken by %(count)d at the moment. Retire it once they have finished.")
            % {"count": sitting},
        )
    _record("exam.form_retired", form, by=by, now=now)


@transaction.atomic
def delete(form: Round, *, by: User | None, now: datetime) -> None:
    """Remove a draft with its items; nobody has seen it."""
    _move(form, {State.DRAFT}, state=State.DRAFT)
    _record("exam.form_deleted", form, by=by, now=now, name=form.name)
    form.consensus_items.all().delete()
    Round.objects.filter(pk=form.pk).delete()


def _move(form: Round, states: set[str], **columns: object) -> None:
    if Round.objects.filter(pk=form.pk, state__in=states).update(**columns) != 1:
        raise DomainError(
            "form_changed", _("Somebody else was first: open the page again to see how the form stands.")
        )
    form.refresh_from_db()


def _record(action: str, form: Round, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(action, by=by, at=now, project=form.project, round=form.pk, language=form.language, **data)
