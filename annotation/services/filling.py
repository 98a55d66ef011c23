"""Filling a slot with a judgement of whichever kind. Who calls stores the judgement in the same transaction."""

from datetime import datetime

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from annotation.errors import DomainError, NotAllowed
from annotation.models import Assignment, Lease, Membership, Quota, Round
from annotation.queries import exams, scoring_page
from annotation.queries import slots as queries
from annotation.services import drafts, quotas


def refuse_unless_at_work(lease: Lease, *, now: datetime) -> None:
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
    standing = queries.standing(lease.annotator, lease.assignment.round)
    if standing is None or standing.member != Membership.State.ACTIVE:
        raise NotAllowed(
            "not_an_active_annotator",
            _("You no longer take part in this project, so this was not stored."),
        )
    if not queries.may_have(lease.annotator, lease.assignment):
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


def fill(lease: Lease, *, now: datetime) -> Assignment | None:
    """The slot that this judgement fills: the annotator's own, else one that is free; None if none is.

    None says that the judgement is surplus: it is kept, and not counted.
    """
    open_to = queries.slots_for(lease, now=now)
    counted = Quota.objects.filter(round=OuterRef("round"), reached_at=None)
    own_first = sorted(
        open_to.annotate(has_quotas=Exists(counted)),
        key=lambda slot: (slot.annotator_id != lease.annotator_id, slot.slot),
    )
    for slot in own_first:
        done = {"state": Assignment.State.DONE, "annotator": lease.annotator, "leased_until": None}
        if open_to.filter(pk=slot.pk).update(**done) == 1:
            if slot.has_quotas:
                quotas.note(slot, now=now)
            return slot
    return None
