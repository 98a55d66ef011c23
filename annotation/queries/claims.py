"""What a claim asks: how things stand, what is in the annotator's hands, what they were given, which slot is next.

Somebody claims after every judgement, so each question is a prepared statement. Each looks at a piece of an index,
whatever the size of the round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from annotation.domain.next_up import LONGEST_BLOCK, Given, Stratum
from annotation.domain.reach import Reach
from annotation.models import Assignment, Lease, Membership, Quota, Round, Skip
from annotation.models.prepared import Parameter, prepared
from annotation.queries import slots, stages
from annotation.queries.slots import Search

REMEMBERED = LONGEST_BLOCK + 1  # hand-outs that decide about the next
LATELY = 3 * REMEMBERED  # hand-outs among which those of one round are found first
IN, OUT = "in", "out"  # of a stratum


@dataclass(frozen=True, slots=True)
class Standing:
    """How membership and round stand now, whatever was read earlier."""

    member: str
    round: str
    has_closed: bool  # some stratum of the round is given out no more
    has_quotas: bool  # some stratum of the round will be given out no more
    has_skipped: bool  # the annotator gave something back unanswered, in this round or another
    holds: bool  # something is in the annotator's hands, of this round or another
    reach: Reach  # in which texts of the round may be given to them


def standing(annotator: Membership, work: Round) -> Standing | None:
    """None where the round belongs to another project."""
    rows = _standing(annotator=annotator.pk, work=work.pk)
    if not rows:
        return None
    held = [(annotator.pk, *row[-3:]) for row in rows if row[-2] is not None]
    return Standing(*rows[0][:-3], stages.reach_of(work, held))


@prepared
def _standing(*, annotator: Parameter, work: Parameter) -> QuerySet:
    """All in one, for every judgement asks it twice; a row for each genre of each qualification."""
    quotas = Quota.objects.filter(round=work)
    row = Membership.objects.filter(pk=annotator, project__rounds=work)
    return row.values_list(
        "state",
        "project__rounds__state",
        Exists(quotas.filter(reached_at__isnull=False)),
        Exists(quotas.filter(reached_at=None)),
        Exists(Skip.objects.filter(annotator=annotator)),
        Exists(Assignment.objects.filter(annotator=annotator, state=Assignment.State.LEASED)),
        "qualifications__language",
        "qualifications__stage",
        "qualifications__genres",
    )


# --- What was given so far -----------------------------------------------------------------------


def in_hand(annotator: Membership, work: Round) -> list[int]:
    """Keys of the slots of the round, and of what is mixed into it, that the annotator holds."""
    return _in_hand(annotator=annotator.pk, work=work.pk)


@prepared
def _in_hand(*, annotator: Parameter, work: Parameter) -> QuerySet:
    held = Assignment.objects.filter(annotator=annotator, state=Assignment.State.LEASED)
    return held.filter(Q(round=work) | Q(round__mixed_into=work)).values_list("pk", flat=True)


def history(annotator: Membership, work: Round) -> list[Given]:
    """What the annotator was given last in the round, newest first; enough to decide about the next."""
    who = {"annotator": annotator.pk, "work": work.pk}
    rows = _history(LATELY, **who)
    if len(rows) < REMEMBERED:  # the first texts of the round, or much of another round in between
        rows = _history(None, **who)
    return [
        Given(position or 0, prompt, Stratum(language, parent or genre))
        for position, prompt, language, genre, parent in rows
    ]


def _family(work: int | Parameter) -> Q:
    """Hand-outs of a round, and of what is mixed into it."""
    return Q(assignment__round=work) | Q(assignment__round__mixed_into=work)


@prepared
def _history(lately: int | None, *, annotator: Parameter, work: Parameter) -> QuerySet:
    """Of so many of the annotator's last hand-outs in any round, or of all: PostgreSQL may look at each of them."""
    leases = Lease.objects.filter(_family(work), annotator=annotator).order_by("-pk")
    if lately is not None:
        last = Lease.objects.filter(annotator=annotator).order_by("-pk").values("pk")[:lately]
        leases = leases.filter(pk__in=last)
    return leases.values_list(
        "position",
        "assignment__prompt",
        "assignment__prompt__language",
        "assignment__prompt__genre",
        "assignment__prompt__genre__parent",
    )[:REMEMBERED]


def given_today(annotator: Membership, work: Round, *, now: datetime) -> int:
    """Hand-outs since midnight, in the time zone of the project."""
    midnight = now.astimezone(ZoneInfo(work.project.time_zone)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    return Lease.objects.filter(_family(work.pk), annotator=annotator, leased_at__gte=midnight).count()


# --- Which slot is next --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that could be taken."""

    pk: int
    prompt: int
    number: int
    reserved_for: int | None
    lease: int | None  # of this annotator, who had it once already


@dataclass(frozen=True, slots=True)
class Wish:
    """Where on the circle of a round to begin, and what should come next."""

    start: int
    block: Stratum | None  # that goes on
    last: Stratum | None  # of which something came last; a new block is of another
    near: Sequence[int]  # prompts that came a short while ago, the one longest ago first


def next_slot(asked: Search, annotator: Membership, work: Round, wish: Wish, *, now: datetime) -> Slot | None:
    """The first slot that fits, by the circle of the round.

    First of the block that goes on, else of another than the last, then of any; and only where there is nothing
    else, of a prompt that came a short while ago. Slots that nobody holds come before those whose lease has run out.
    """
    who = {"annotator": annotator.pk, "work": work.pk, "start": wish.start}
    pools = [(seat, held) for held in ({}, {"now": now}) for seat in slots.seats(asked)]
    apart = {f"near{number}": prompt for number, prompt in enumerate(wish.near)}
    found = (
        _from(asked, seat, side, **who, **held, **apart, **stratum)
        for seat, held in pools
        for side, stratum in _sides(wish)
    )
    again = (
        _from(asked, seat, "", **who, **held, prompt=prompt) for prompt in wish.near for seat, held in pools
    )
    return next((slot for slot in chain(found, again) if slot is not None), None)


def _sides(wish: Wish) -> list[tuple[str, dict[str, Any]]]:
    """Where to look, one after another: in or out of a stratum, then anywhere."""
    stratum = wish.block or wish.last
    if stratum is None:
        return [("", {})]
    genre = {} if stratum.genre is None else {"genre": stratum.genre}
    return [(IN if wish.block else OUT, {"language": stratum.language, **genre}), ("", {})]


def _from(asked: Search, seat: str, side: str, **values: Any) -> Slot | None:
    """The next on the circle; past its end it goes on at its beginning."""
    found = _free(asked, seat, side, True, **values) or _free(asked, seat, side, False, **values)
    return Slot(*found[0]) if found else None


@prepared
def _free(
    asked: Search,
    seat: str,
    side: str,
    is_beyond: bool,
    *,
    annotator: Parameter,
    work: Parameter,
    start: Parameter,
    now: Parameter | None = None,  # of slots whose lease has run out; else of those that nobody holds
    language: Parameter | None = None,
    genre: Parameter | None = None,
    prompt: Parameter | None = None,
    **near: Parameter,
) -> QuerySet:
    found = slots.open_to(asked, annotator, work).filter(slots.of_seat(seat, annotator, work))
    if now is None:
        found = found.filter(state=Assignment.State.OPEN)
    else:
        found = found.filter(state=Assignment.State.LEASED, leased_until__lte=now)
    if side == IN:
        found = found.filter(slots.in_stratum(language, genre))
    elif side == OUT:
        found = found.exclude(slots.in_stratum(language, genre))
    if prompt is not None:
        found = found.filter(prompt=prompt)
    for each in near.values():
        found = found.exclude(prompt=each)
    found = found.filter(place__gte=start) if is_beyond else found.filter(place__lt=start)
    before = Lease.objects.filter(assignment=OuterRef("pk"), annotator=annotator).values("pk")
    # All are reserved for one, or for none: said for PostgreSQL, which reads the index in order only then.
    return found.order_by("reserved_for_id", "place").values_list(
        "pk", "prompt", "slot", "reserved_for", Subquery(before)
    )[:1]
