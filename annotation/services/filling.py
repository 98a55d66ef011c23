"""Filling a slot with a judgement of whichever kind. Who calls stores the judgement in the same transaction."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.errors import DomainError, NotAllowed
from annotation.models import Assignment, Lease, Membership, Round
from annotation.models.prepared import Parameter, prepared, prepared_update
from annotation.queries import claims, exams, scoring_page
from annotation.queries import slots as queries
from annotation.queries.claims import Standing
from annotation.services import drafts, quotas


def refuse_unless_at_work(lease: Lease, *, now: datetime) -> Standing:
    """Refuse what comes from somebody, or for something, that is not at work any more."""
    closed = scoring_page.why_closed(lease)
    if closed == "withdrawn":
        raise drafts.Gone(
            "withdrawn",
            _("This text has been withdrawn, so this was not stored. Copy your text if you need it."),
        )
    if closed == "given_back":
        raise drafts.Gone(
            "given_back",
            _(
                "You gave this back for others to judge, so this was not stored. Copy your text if you need it."
            ),
        )
    standing = claims.standing(lease.annotator, lease.assignment.round)
    if standing is None or standing.member != Membership.State.ACTIVE:
        raise NotAllowed(
            "not_an_active_annotator",
            _("You no longer take part in this project, so this was not stored."),
        )
    if not queries.may_have(lease.annotator, lease.assignment, standing.reach):
        raise NotAllowed(
            "not_at_this_stage",
            _(
                "Where you stand in this project now, nothing of this round is taken from you, so this was not "
                "stored. Copy your text if you need it."
            ),
        )
    work = lease.assignment.round
    if work.purpose == Round.Purpose.EXAM and not exams.running(lease.annotator, work, now=now):
        raise DomainError(
            "exam_over",
            _("This exam is over, so this was not stored. Copy your text if you need it."),
        )
    # A pause stops the handing out, not what is in somebody's hands.
    if standing.round not in (Round.State.OPEN, Round.State.PAUSED):
        raise DomainError(
            "round_not_open",
            _("This round has been closed, so this was not stored. Copy your text if you need it."),
        )
    return standing


def fill(lease: Lease, standing: Standing, *, now: datetime) -> Assignment | None:
    """The slot that this judgement fills: the one that was handed out, else one that is free; None if none is.

    None says that the judgement is surplus: it is kept, and not counted.
    """
    asked, annotator = lease.assignment, lease.annotator_id
    text = {"prompt": asked.prompt_id, "response": asked.response_id, "other": asked.other_id}
    same = {name: key for name, key in text.items() if key is not None}
    same |= {"annotator": annotator, "work": asked.round_id, "now": now}
    slot = _filled(asked, same)
    if slot is not None and standing.has_quotas:
        quotas.note(slot, now=now)
    return slot


def _filled(asked: Assignment, same: dict[str, Any]) -> Assignment | None:
    if _fill(**same, slot=asked.pk) == 1:
        return asked
    others = sorted(_open_to(**same), key=lambda slot: (slot.annotator_id != same["annotator"], slot.slot))
    return next((slot for slot in others if _fill(**same, slot=slot.pk) == 1), None)


@prepared
def _open_to(**same: Parameter) -> QuerySet[Assignment]:
    return queries.fillable(**same)


@prepared_update
def _fill(*, slot: Parameter, **same: Parameter) -> tuple[QuerySet[Assignment], dict[str, object]]:
    """The condition is read again by the update itself."""
    done = {"state": Assignment.State.DONE, "annotator": same["annotator"], "leased_until": None}
    return queries.fillable(**same).filter(pk=slot), done
