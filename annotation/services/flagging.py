"""Flags of annotators on what is in their hands, and giving it back unanswered because of one."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid, NotAllowed
from annotation.models import Assigning, Assignment, Flag, Lease, Membership, Prompt, Response, Skip
from annotation.queries import claims, flagging
from annotation.queries.triage import BY_ANNOTATOR
from annotation.services import conflicts, filling, journal, seats
from annotation.services.triage import UNDER_WAY, refuse_unknown


@transaction.atomic
def raise_flag(
    lease: Lease, *, kind: str, note: str, subject: str = "", skip: bool = False, now: datetime
) -> Flag:
    """A doubt of the annotator's about something that was handed to them; `subject` is its letter on their page.

    It stays theirs to judge, unless they skip it.
    """
    refuse_unknown(kind)
    _refuse_unless_at_work(lease)
    doubted = flagging.subjects_of(lease).get(subject)
    if doubted is None:
        raise Invalid("not_a_subject", _("Choose which text you mean."))
    if isinstance(doubted, Response):
        _refuse_removed(doubted)
    about = {"prompt" if isinstance(doubted, Prompt) else "response": doubted}
    try:
        with transaction.atomic():
            flag = Flag.objects.create(
                project=lease.assignment.round.project,
                **about,
                check_key=BY_ANNOTATOR,
                raised_by=lease.annotator,
                kind=kind,
                note=note,
                raised_at=now,
            )
    except IntegrityError as error:
        raise DomainError(
            "flagged_already",
            _("You have flagged this text already. A lead will look at what you wrote first."),
        ) from error
    journal.record(
        "flag.raised",
        by=lease.annotator.user,
        at=now,
        project=flag.project,
        kind=kind,
        **{name: one.pk for name, one in about.items()},
    )
    if skip:
        give_back(lease, now=now)
    return flag


@transaction.atomic
def give_back(lease: Lease, *, now: datetime) -> None:
    """Skip what was handed out: it is for somebody else, and not given to this annotator again.

    On a panel, where one person has all texts of a prompt, the seat goes with it; what they scored there stays.
    Skipped twice it is skipped once.
    """
    conflicts.refuse_unless_unanswered(lease)
    filling.refuse_unless_at_work(lease, now=now)
    try:
        with transaction.atomic():
            Skip.objects.create(lease=lease, annotator=lease.annotator, at=now)
    except IntegrityError:
        return
    slot, work = lease.assignment, lease.assignment.round
    held = Assignment.objects.filter(pk=slot.pk, annotator=lease.annotator, state=Assignment.State.LEASED)
    # What is mixed in was made for this annotator alone, so nobody else can have it.
    after = Assignment.State.VOID if work.mixed_into_id else Assignment.State.OPEN
    held.update(state=after, annotator=None, leased_until=None)
    if work.assigning == Assigning.PANEL:
        seats.vacate(work, lease.annotator, [slot.prompt_id])
    journal.record(
        "item.skipped",
        by=lease.annotator.user,
        at=now,
        project=work.project,
        round=work.pk,
        member=lease.annotator_id,
    )


def _refuse_removed(response: Response) -> None:
    # Holds the response's row, so that no removal comes between the look and the flag.
    standing = Response.objects.select_for_update(no_key=True).get(pk=response.pk)
    if standing.state != Response.State.ACTIVE:
        raise DomainError(
            "not_active", _("This text is no longer asked about, so it needs no flag. Go on to the next one.")
        )


def _refuse_unless_at_work(lease: Lease) -> None:
    standing = claims.standing(lease.annotator, lease.assignment.round)
    if standing is None or standing.member != Membership.State.ACTIVE:
        raise NotAllowed(
            "not_an_active_annotator",
            _("You no longer take part in this project, so the flag was not stored."),
        )
    if standing.round not in UNDER_WAY:
        raise DomainError(
            "round_not_open", _("This round has been closed, so the flag was not stored. Tell a lead.")
        )
