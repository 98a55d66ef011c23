"""Handing out slots. A slot is one row, so three annotators a text is a shape of the data, not a count."""

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.domain import next_up
from annotation.domain.next_up import Given
from annotation.domain.reach import Reach
from annotation.errors import DomainError, NotAllowed
from annotation.models import Assigning, Assignment, Lease, Membership, Response, Round
from annotation.models.prepared import Parameter, prepared_update
from annotation.queries import claims as queries
from annotation.queries import exams, slots, training
from annotation.queries.claims import Slot, Standing, Wish
from annotation.queries.slots import Search
from annotation.services import leases, mixing, seats
from annotation.services.leases import LEASE

ATTEMPTS = 20


def claim(annotator: Membership, work: Round, *, now: datetime) -> Lease | None:
    """The annotator's lease in this round: the one they hold, else on a free slot; None when nothing is left.

    What is mixed into the round is given out in between, and whoever works cannot tell the difference.
    """
    standing = queries.standing(annotator, work)
    _refuse_unless_at_work(annotator, work, standing, now=now)
    in_hand = _let_go(annotator, work, standing.reach) if standing.holds else None
    closed = slots.closed_strata(work) if standing.has_closed else ()
    asked = slots.search(work, standing.reach, closed=closed, has_skipped=standing.has_skipped)
    course = training.order_of(work)
    for _attempt in range(ATTEMPTS):
        held = in_hand and Lease.objects.filter(assignment=in_hand, annotator=annotator).first()
        if held and leases.renew(held, now=now):
            return held
        given = queries.history(annotator, work)
        position = given[0].position + 1 if given else 1
        slot = (
            _by_course(course, annotator, work, now=now)
            if course
            else _next(asked, given, annotator, work, position, now=now)
        )
        if slot is None:
            return None
        _refuse_over_cap(annotator, work, now=now)
        taken = mixing.take(annotator, work, position=position, now=now) or _take(
            slot, annotator, work, position=position, now=now
        )
        if taken is not None:
            return taken
        in_hand = next(iter(queries.in_hand(annotator, work)), None)
    raise DomainError("busy", _("Many people are asking for work at once. Try again in a moment."))


def _refuse_unless_at_work(
    annotator: Membership, work: Round, standing: Standing | None, *, now: datetime
) -> None:
    if standing is None:
        raise NotAllowed("other_project", _("This round belongs to another project."))
    if annotator.role != Membership.Role.ANNOTATOR or standing.member != Membership.State.ACTIVE:
        raise NotAllowed(
            "not_an_active_annotator", _("Only active annotators of the project are given work.")
        )
    if standing.round == Round.State.PAUSED:
        raise DomainError(
            "round_paused",
            _("The round %(name)s is paused. New texts are given out once it goes on.") % {"name": work.name},
        )
    if standing.round != Round.State.OPEN:
        raise DomainError("round_not_open", _("The round %(name)s is not open.") % {"name": work.name})
    if not standing.reach:
        raise NotAllowed(
            "not_at_this_stage",
            _("Where you stand in this project, no texts of this round are given to you."),
        )
    if work.purpose == Round.Purpose.EXAM and not exams.running(annotator, work, now=now):
        raise DomainError("exam_over", _("This exam is over, or was not begun."))


def _refuse_over_cap(annotator: Membership, work: Round, *, now: datetime) -> None:
    if work.daily_cap is not None and queries.given_today(annotator, work, now=now) >= work.daily_cap:
        raise DomainError(
            "cap_reached",
            _("You have had all that is given out in one day in this round. It goes on tomorrow."),
        )


def _let_go(annotator: Membership, work: Round, reach: Reach) -> int | None:
    """Give back what is in the annotator's hands and cannot stay there; the slot that does stay, if one does.

    A text that was removed is not worked on further, and its slot is nobody's: a row of theirs would keep a late
    score from another slot of the text. A text that they may not have any more, since they stand elsewhere in its
    language, is for others.
    """
    kept, held = None, queries.in_hand(annotator, work)
    texts_of = Assignment.objects.select_related("round", "prompt", "response", "other")
    for slot in texts_of.filter(pk__in=held) if held else ():
        texts = [text for text in (slot.response, slot.other) if text is not None]
        if any(text.state == Response.State.REMOVED for text in texts):
            state = Assignment.State.VOID
        elif not slots.may_have(annotator, slot, reach):
            state = Assignment.State.OPEN
        else:
            kept = slot.pk
            continue
        still = Assignment.objects.filter(pk=slot.pk, annotator=annotator, state=Assignment.State.LEASED)
        still.update(state=state, annotator=None, leased_until=None)
    return kept


# --- Which slot ----------------------------------------------------------------------------------


def _by_course(
    course: Mapping[int, tuple[int, int]], annotator: Membership, work: Round, *, now: datetime
) -> Slot | None:
    free = slots.free_slots(annotator, work, now=now)
    first = min(free, key=lambda slot: course.get(slot.response_id, (0, 0)), default=None)
    if first is None:
        return None
    before = first.leases.filter(annotator=annotator).values_list("pk", flat=True).first()
    return Slot(first.pk, first.prompt_id, first.slot, first.reserved_for_id, before)


def _next(
    asked: Search, given: list[Given], annotator: Membership, work: Round, position: int, *, now: datetime
) -> Slot | None:
    """From a place of the circle that is the annotator's own for this hand-out."""
    wish = Wish(
        start=next_up.start(work.pk, annotator.pk, position),
        block=next_up.block(work.pk, annotator.pk, given),
        last=given[0].stratum if given else None,
        near=next_up.too_near(given),
    )
    return queries.next_slot(asked, annotator, work, wish, now=now)


def _take(slot: Slot, annotator: Membership, work: Round, *, position: int, now: datetime) -> Lease | None:
    """None where another was first."""
    try:
        with transaction.atomic():
            if _lease(slot=slot.pk, annotator=annotator.pk, until=now + LEASE, now=now) != 1:
                return None
            if work.assigning == Assigning.PANEL and slot.reserved_for is None:
                # One person scores all responses of the prompt in that seat.
                seats.seat(work, slot.prompt, slot.number, annotator)
            return leases.make(slot.pk, annotator, position=position, now=now, before=slot.lease)
    except IntegrityError:
        # The same annotator in another tab holds a lease by now, or somebody else the seat; the next attempt sees it.
        return None


@prepared_update
def _lease(
    *, slot: Parameter, annotator: Parameter, until: Parameter, now: Parameter
) -> tuple[QuerySet[Assignment], dict[str, object]]:
    """The condition is read again by the update itself."""
    leased = {"state": Assignment.State.LEASED, "annotator": annotator, "leased_until": until}
    return slots.free(Assignment.objects.filter(pk=slot), now=now), leased
