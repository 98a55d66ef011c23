"""Handing out slots. A slot is one row, so three annotators a text is a shape of the data, not a count."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.domain import next_up
from annotation.domain.next_up import Given, Stratum
from annotation.domain.reach import Reach
from annotation.errors import DomainError, NotAllowed
from annotation.models import Assigning, Assignment, Lease, Membership, Response, Round
from annotation.queries import exams, stages, training
from annotation.queries import slots as queries
from annotation.queries.slots import Standing
from annotation.services import leases, mixing, seats
from annotation.services.leases import LEASE

ATTEMPTS = 20

Slots = QuerySet[Assignment]


def claim(annotator: Membership, work: Round, *, now: datetime) -> Lease | None:
    """The annotator's lease in this round: the one they hold, else on a free slot; None when nothing is left.

    What is mixed into the round is given out in between, and whoever works cannot tell the difference.
    """
    standing, reach = queries.standing(annotator, work), stages.reach(annotator, work)
    _refuse_unless_at_work(annotator, work, standing, reach, now=now)
    in_hand = _let_go(annotator, work, reach)
    course = training.order_of(work)
    for _attempt in range(ATTEMPTS):
        held = in_hand and Lease.objects.filter(assignment=in_hand, annotator=annotator).first()
        if held and leases.renew(held, now=now):
            return held
        given = queries.history(annotator, work)
        position = given[0].position + 1 if given else 1
        open_to = queries.open_to(
            annotator, work, reach, has_quotas=standing.has_quotas, has_skipped=standing.has_skipped
        )
        pools = _pools(open_to, annotator, work, now=now)
        slot = _by_course(pools, course) if course else _next(pools, given, annotator, work, position)
        if slot is None:
            return None
        _refuse_over_cap(annotator, work, now=now)
        taken = mixing.take(annotator, work, position=position, now=now) or _take(
            slot, annotator, work, position=position, now=now
        )
        if taken is not None:
            return taken
        in_hand = _in_hand(annotator, work).values_list("pk", flat=True).first()
    raise DomainError("busy", _("Many people are asking for work at once. Try again in a moment."))


def _refuse_unless_at_work(
    annotator: Membership, work: Round, standing: Standing | None, reach: Reach, *, now: datetime
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
    if not reach:
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
    held, kept = _in_hand(annotator, work), None
    for slot in held.select_related("round", "prompt", "response", "other"):
        texts = [text for text in (slot.response, slot.other) if text is not None]
        if any(text.state == Response.State.REMOVED for text in texts):
            state = Assignment.State.VOID
        elif not queries.may_have(annotator, slot, reach):
            state = Assignment.State.OPEN
        else:
            kept = slot.pk
            continue
        held.filter(pk=slot.pk).update(state=state, annotator=None, leased_until=None)
    return kept


def _in_hand(annotator: Membership, work: Round) -> Slots:
    return Assignment.objects.filter(
        queries.in_family(work), annotator=annotator, state=Assignment.State.LEASED
    )


# --- Which slot ----------------------------------------------------------------------------------


def _pools(open_to: Slots, annotator: Membership, work: Round, *, now: datetime) -> list[Slots]:
    """Where to look, one after another: slots that nobody ever took, then those whose lease has run out.

    Each is a piece of the index of free slots, so that looking costs the same however many there are.
    """
    seats_of = queries.seats(annotator, work)
    never = [open_to.filter(seat, state=Assignment.State.OPEN) for seat in seats_of]
    expired = {"state": Assignment.State.LEASED, "leased_until__lte": now}
    return never + [open_to.filter(seat, **expired) for seat in seats_of]


def _by_course(pools: list[Slots], course: Mapping[int, tuple[int, int]]) -> Assignment | None:
    free = (slot for pool in pools for slot in pool)
    return min(free, key=lambda slot: course.get(slot.response_id, (0, 0)), default=None)


def _next(
    pools: list[Slots], given: list[Given], annotator: Membership, work: Round, position: int
) -> Assignment | None:
    """The first that fits, from a place of the circle that is the annotator's own for this hand-out.

    First of the block that goes on, then of another, then of any; and only where there is nothing else, of a prompt
    that came a short while ago.
    """
    start = next_up.start(work.pk, annotator.pk, position)
    near, last = next_up.too_near(given), given[0].stratum if given else None
    block = next_up.block(work.pk, annotator.pk, given)
    apart = [pool.exclude(prompt__in=near) if near else pool for pool in pools]
    found = (_from(start, wish) for pool in apart for wish in _wishes(pool, block, last))
    slot = next((slot for slot in found if slot is not None), None)
    if slot is not None:
        return slot
    again = (_from(start, pool.filter(prompt=prompt)) for prompt in near for pool in pools)
    return next((slot for slot in again if slot is not None), None)


def _wishes(pool: Slots, block: Stratum | None, last: Stratum | None) -> Iterator[Slots]:
    if block is not None:
        yield pool.filter(queries.in_stratum(block))
    elif last is not None:
        yield pool.exclude(queries.in_stratum(last))
    yield pool


def _from(start: int, slots: Slots) -> Assignment | None:
    """The next on the circle; past its end it goes on at its beginning."""
    circle = slots.order_by("place")
    return circle.filter(place__gte=start).first() or circle.filter(place__lt=start).first()


def _take(
    slot: Assignment, annotator: Membership, work: Round, *, position: int, now: datetime
) -> Lease | None:
    """None where another was first: the condition is read again by the update itself."""
    try:
        with transaction.atomic():
            taken = queries.free(Assignment.objects.filter(pk=slot.pk), now=now).update(
                state=Assignment.State.LEASED, annotator=annotator, leased_until=now + LEASE
            )
            if taken != 1:
                return None
            if work.assigning == Assigning.PANEL and slot.reserved_for_id is None:
                # One person scores all responses of the prompt in that seat.
                seats.seat(work, slot.prompt_id, slot.slot, annotator)
            return leases.make(slot.pk, annotator, position=position, now=now)
    except IntegrityError:
        # The same annotator in another tab holds a lease by now, or somebody else the seat; the next attempt sees it.
        return None
