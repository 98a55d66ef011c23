"""Conflicts of interest: an annotator who is too near to a prompt judges nothing of it any more."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain.stages import WORK
from annotation.errors import DomainError
from annotation.models import Assigning, Assignment, Conflict, Lease
from annotation.queries import slots
from annotation.services import journal, seats


@transaction.atomic
def declare(lease: Lease, *, note: str = "", now: datetime) -> None:
    """The text goes back, with every other of its prompt; on a panel somebody else takes the seat.

    Declared twice it is one conflict. What the annotator judged of the prompt before stays.
    """
    work, prompt = lease.assignment.round, lease.assignment.prompt_id
    refuse_unless_unanswered(lease)
    try:
        with transaction.atomic():
            made = Conflict.objects.create(
                annotator=lease.annotator, prompt_id=prompt, note=note.strip(), at=now
            )
    except IntegrityError:
        return  # it is known
    held = Assignment.objects.filter(prompt=prompt, annotator=lease.annotator, state=Assignment.State.LEASED)
    held.update(state=Assignment.State.OPEN, annotator=None, leased_until=None)
    for each in lease.annotator.project.rounds.filter(assigning=Assigning.PANEL, purpose__in=WORK):
        seats.vacate(each, lease.annotator, [prompt])
    journal.record(
        "conflict.declared",
        by=lease.annotator.user,
        at=now,
        project=work.project,
        round=work.pk,
        member=lease.annotator_id,
        conflict=made.pk,
    )


def refuse_unless_unanswered(lease: Lease) -> None:
    """Only work that is not done yet goes back."""
    if lease.assignment.round.purpose not in WORK:
        raise DomainError(
            "not_in_preparation", _("This belongs to the preparation. Tell a lead if you cannot judge it.")
        )
    if slots.is_judged(lease):
        raise DomainError("already_judged", _("You have submitted this already. Tell a lead about it."))
