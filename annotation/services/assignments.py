"""Handing out slots. A slot is one row, so three annotators a response is a shape of the data, not a count."""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.domain import order
from annotation.errors import DomainError, NotAllowed
from annotation.models import Assignment, Lease, Membership, Response, Round
from annotation.queries import exams, stages, training
from annotation.queries import scoring as queries

LEASE = timedelta(hours=2)
ATTEMPTS = 20


def claim(annotator: Membership, work: Round, *, now: datetime) -> Lease | None:
    """The annotator's lease in this round: the one they hold, else on a free slot; None when nothing is left."""
    _refuse_unless_at_work(annotator, work, now=now)
    _drop_removed(annotator, work)
    _give_back(annotator, work)
    given = training.order_of(work)
    for _attempt in range(ATTEMPTS):
        held = _renew(annotator, work, now=now)
        if held is not None:
            return held
        free = list(queries.free_slots(annotator, work, now=now))
        if not free:
            return None
        slot, _response = min(free, key=lambda row: _place(row[1], annotator, work, given))
        taken = _take(slot, annotator, now=now)
        if taken is not None:
            return taken
    raise DomainError("busy", _("Many people are asking for work at once. Try again in a moment."))


def _place(
    response: int, annotator: Membership, work: Round, given: Mapping[int, tuple[int, int]]
) -> tuple[tuple[int, int], bytes]:
    """Sort texts by this: in the order of the course where the round is one, else as they are shuffled for each."""
    shuffled = order.key(str(work.pk), str(annotator.pk), str(response))
    return given.get(response, (0, 0)), shuffled


def _refuse_unless_at_work(annotator: Membership, work: Round, *, now: datetime) -> None:
    member_state, round_state = queries.states(annotator, work)
    if annotator.role != Membership.Role.ANNOTATOR or member_state != Membership.State.ACTIVE:
        raise NotAllowed(
            "not_an_active_annotator", _("Only active annotators of the project are given work.")
        )
    if annotator.project_id != work.project_id:
        raise NotAllowed("other_project", _("This round belongs to another project."))
    if round_state == Round.State.PAUSED:
        raise DomainError(
            "round_paused",
            _("The round %(name)s is paused. New texts are given out once it goes on.") % {"name": work.name},
        )
    if round_state != Round.State.OPEN:
        raise DomainError("round_not_open", _("The round %(name)s is not open.") % {"name": work.name})
    if not stages.reach(annotator, work):
        raise NotAllowed(
            "not_at_this_stage",
            _("Where you stand in this project, no texts of this round are given to you."),
        )
    if work.purpose == Round.Purpose.EXAM and not exams.running(annotator, work, now=now):
        raise DomainError("exam_over", _("This exam is over, or was not begun."))


def _drop_removed(annotator: Membership, work: Round) -> None:
    """A text that was removed while this annotator held it is not worked on further.

    The slot is nobody's after that: a row of theirs would keep a late score from another slot of the text.
    """
    held = work.assignments.filter(annotator=annotator, state=Assignment.State.LEASED)
    held.filter(response__state=Response.State.REMOVED).update(
        state=Assignment.State.VOID, annotator=None, leased_until=None
    )


def _give_back(annotator: Membership, work: Round) -> None:
    """A text that the annotator may not have any more, since they stand elsewhere in its language, is for others."""
    held = work.assignments.filter(annotator=annotator, state=Assignment.State.LEASED)
    for slot in held.select_related("round__project", "response__prompt"):
        if not queries.may_have(annotator, slot):
            held.filter(pk=slot.pk).update(state=Assignment.State.OPEN, annotator=None, leased_until=None)


def _renew(annotator: Membership, work: Round, *, now: datetime) -> Lease | None:
    held = Assignment.objects.filter(round=work, annotator=annotator, state=Assignment.State.LEASED)
    slot = held.values_list("pk", flat=True).first()
    if slot is None or held.filter(pk=slot).update(leased_until=now + LEASE) != 1:
        return None
    return Lease.objects.get(assignment=slot, annotator=annotator)


@transaction.atomic
def _take(slot: int, annotator: Membership, *, now: datetime) -> Lease | None:
    """None where another was first: the condition is read again by the update itself."""
    try:
        with transaction.atomic():
            taken = queries.free(Assignment.objects.filter(pk=slot), now=now).update(
                state=Assignment.State.LEASED, annotator=annotator, leased_until=now + LEASE
            )
    except IntegrityError:
        # The same annotator in another tab holds a lease by now; the next attempt returns it.
        return None
    if taken != 1:
        return None
    lease, _made = Lease.objects.get_or_create(
        assignment_id=slot,
        annotator=annotator,
        defaults={"token": secrets.token_urlsafe(18), "leased_at": now},
    )
    return lease
