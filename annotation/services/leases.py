"""Leases: that a slot is in somebody's hands, under which address, and until when."""

import secrets
from datetime import datetime, timedelta

from annotation.models import Assignment, Lease, Membership
from annotation.models.prepared import insert

LEASE = timedelta(hours=2)


def make(
    slot: int, annotator: Membership, *, position: int, now: datetime, before: int | None = None
) -> Lease:
    """The address of a slot that was just taken; the one from `before` where the annotator had it once already.

    Raises IntegrityError where they have one that was not named.
    """
    if before is not None:
        return Lease.objects.get(pk=before)
    token = secrets.token_urlsafe(18)
    return insert(
        Lease(assignment_id=slot, annotator=annotator, token=token, leased_at=now, position=position)
    )


def renew(lease: Lease, *, now: datetime) -> bool:
    """Whoever is seen at work keeps the text; False where the slot is not in their hands any more."""
    held = Assignment.objects.filter(
        pk=lease.assignment_id, annotator=lease.annotator_id, state=Assignment.State.LEASED
    )
    return held.update(leased_until=now + LEASE) == 1
