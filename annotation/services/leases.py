"""Leases: that a slot is in somebody's hands, under which address, and until when."""

import secrets
from datetime import datetime, timedelta

from annotation.models import Assignment, Lease, Membership

LEASE = timedelta(hours=2)


def make(slot: int, annotator: Membership, *, position: int, now: datetime) -> Lease:
    """The address of a slot that was just taken; the one from before where the annotator had it once already."""
    before = Lease.objects.filter(assignment_id=slot, annotator=annotator).first()
    return before or Lease.objects.create(
        assignment_id=slot,
        annotator=annotator,
        token=secrets.token_urlsafe(18),
        leased_at=now,
        position=position,
    )


def renew(lease: Lease, *, now: datetime) -> bool:
    """Whoever is seen at work keeps the text; False where the slot is not in their hands any more."""
    held = Assignment.objects.filter(
        pk=lease.assignment_id, annotator=lease.annotator_id, state=Assignment.State.LEASED
    )
    return held.update(leased_until=now + LEASE) == 1
