"""A trainee's way through the course. Slots are reserved for them one by one; the first attempt counts."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.domain import stages
from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import (
    Assignment,
    ConsensusItem,
    Lease,
    Membership,
    Qualification,
    Reflection,
    Response,
    Round,
    User,
)
from annotation.queries import agreed_texts, courses
from annotation.queries import training as queries
from annotation.services import assignments, journal, slots
from annotation.services import stages as way

LONGEST_REFLECTION = 4000
ASSIGNED = (ConsensusItem.Kind.PRACTICE, ConsensusItem.Kind.CHECK)


@transaction.atomic
def begin(held: Qualification, *, now: datetime) -> Round:
    """Reserve the practice and check items for the trainee; those that are reserved already stay."""
    _refuse_unless_training(held)
    work = courses.course_of(held)
    if work is None or work.state != Round.State.OPEN:
        raise DomainError(
            "no_course", _("No course is open in this language. An instructor opens one; ask them when.")
        )
    items = work.consensus_items.filter(kind__in=ASSIGNED, response__state=Response.State.ACTIVE)
    if _reserve(work, held.annotator, items.values_list("response", flat=True)):
        journal.record("training.begun", by=held.annotator.user, at=now, project=held.project, round=work.pk)
    return work


def next_item(held: Qualification, *, now: datetime) -> Lease | None:
    """The item in hand, else the next one in the order of the course; None when all are done.

    Between practice and check items stand unseen extra ones, one at a time while a genre is weak.
    """
    work = begin(held, now=now)
    _reserve_extra(held, work)
    return assignments.claim(held.annotator, work, now=now)


@transaction.atomic
def _reserve_extra(held: Qualification, work: Round) -> None:
    extra = queries.extra_item(held, work)
    if extra is not None:
        _reserve(work, held.annotator, [extra])


def _reserve(work: Round, annotator: Membership, responses: object) -> int:
    """A slot of its own for each response that the annotator has none of; gives how many were made."""
    # Two who begin at once would take the same numbers of slots.
    Round.objects.select_for_update().get(pk=work.pk)
    theirs = set(work.assignments.filter(reserved_for=annotator).values_list("response", flat=True))
    missing = [response for response in responses if response not in theirs]
    prompts = slots.prompts_of(missing)
    last = dict(
        work.assignments.filter(response__in=missing).values_list("response").annotate(last=Max("slot"))
    )
    Assignment.objects.bulk_create(
        slots.of_response(
            work, response, prompts[response], last.get(response, 0) + 1, reserved_for=annotator
        )
        for response in missing
    )
    return len(missing)


def finish(held: Qualification, *, by: User, now: datetime) -> Qualification:
    """The trainee has done all that the course asks, and goes on to the next stage."""
    _refuse_unless_training(held)
    found = queries.progress(held)
    if not found.is_finished:
        raise DomainError(
            "course_not_finished",
            _("The course is not finished yet: %(missing)s") % {"missing": " ".join(found.missing)},
        )
    return way.advance(held, expected=stages.TRAINING, by=by, now=now)


@transaction.atomic
def reflect(lease: Lease, text: str, *, now: datetime) -> Reflection:
    """Keep what the trainee will do differently, after their score alone. The same again is kept once."""
    text = text.strip()
    if not text:
        raise Invalid("nothing_written", _("Write a sentence, or go on without one."))
    if len(text) > LONGEST_REFLECTION:
        raise Invalid("too_long", _("This is too long. Keep to what matters."))
    work, response = lease.assignment.round, lease.assignment.response
    if not agreed_texts.has_locked(lease):
        raise NotAllowed(
            "not_locked", _("Score this text first. What others think of it is shown after that.")
        )
    Membership.objects.select_for_update().get(pk=lease.annotator_id)
    last = agreed_texts.reflections(lease).first()
    if last is not None and last.text == text:
        return last
    return Reflection.objects.create(
        round=work, response=response, annotator=lease.annotator, text=text, at=now
    )


def _refuse_unless_training(held: Qualification) -> None:
    stage = Qualification.objects.values_list("stage", flat=True).get(pk=held.pk)
    if held.annotator is None or stage != stages.TRAINING:
        raise NotAllowed(
            "not_in_training", _("The training course is open to you while you are at that stage.")
        )
