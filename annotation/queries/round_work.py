"""A round while the work is on, as a lead steers it."""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.domain.reach import languages_of
from annotation.models import Assigning, Assignment, Round
from annotation.queries import rounds, stages
from annotation.queries.people import person_name

UNFINISHED = Q(state__in=[Assignment.State.OPEN, Assignment.State.LEASED])


@dataclass(frozen=True, slots=True)
class SeatLine:
    """An annotator with seats on panels of the round that are not finished."""

    pk: int
    name: str
    pseudonym: str
    prompts: int
    texts: int


@dataclass(frozen=True, slots=True)
class MixedIn:
    """A round whose texts are mixed into another."""

    pk: int
    purpose: str
    state: str
    items: int  # gold items; 0 for repeats, which are taken from what was scored
    done: int


def seat_lines(work: Round) -> list[SeatLine]:
    """Whoever has most left first. Nobody in a pool, where no text waits for anybody."""
    if work.assigning != Assigning.PANEL:
        return []
    left = (
        work.assignments.filter(UNFINISHED, reserved_for__isnull=False)
        .values_list(
            "reserved_for",
            "reserved_for__user__username",
            "reserved_for__user__first_name",
            "reserved_for__pseudonym",
        )
        .annotate(prompts=Count("prompt", distinct=True), texts=Count("pk"))
        .order_by("-texts", "reserved_for__pseudonym")
    )
    return [
        SeatLine(pk, full or user, pseudonym, prompts, texts)
        for pk, user, full, pseudonym, prompts, texts in left
    ]


def vacant_seats(work: Round) -> int:
    """Seats that go to whoever is given a text of the prompt next."""
    if work.assigning != Assigning.PANEL:
        return 0
    vacant = work.assignments.filter(UNFINISHED, reserved_for=None)
    return vacant.values("prompt", "slot").distinct().count()


def successors(work: Round) -> list[tuple[int, str]]:
    """(primary key, name) of who can be given work now; in a round for several languages, who works in all of them."""
    able = stages.reaches_of(work) if len(languages_of(work.language)) > 1 else None
    return [
        (member.pk, f"{person_name(member.user)} ({member.pseudonym})")
        for member in rounds.annotators(work.project)
        if able is None or member.pk in able
    ]


def mixed_in(work: Round) -> list[MixedIn]:
    return [
        MixedIn(
            each.pk,
            each.purpose,
            each.get_state_display(),
            each.consensus_items.count(),
            each.scores.filter(revision=1).count(),
        )
        for each in work.mixed_in.order_by("purpose")
    ]
