"""Seats on panels while the work is on: who leaves makes room for one successor in all texts of a prompt."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.domain.reach import covers, languages_of
from annotation.domain.stages import WORK
from annotation.errors import DomainError, Invalid
from annotation.models import Assigning, Assignment, Membership, PanelSeat, Round, User
from annotation.queries import rounds as queries
from annotation.queries import slots, stages
from annotation.services import journal


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What became of somebody's unfinished seats."""

    taken: int  # by the successor
    vacant: int  # left to whoever is given a text of the prompt next


def leave(member: Membership, *, by: User | None, now: datetime) -> None:
    """Empty every unfinished seat of somebody who takes no part any more. What they finished stays theirs."""
    for work in Round.objects.filter(
        project=member.project_id,
        purpose__in=WORK,
        assigning=Assigning.PANEL,
        state__in=[Round.State.OPEN, Round.State.PAUSED],
    ):
        prompts = _unfinished(work, member)
        if prompts:
            vacate(work, member, prompts)
            _record(work, member, by=by, now=now, seats=len(prompts))


def vacate(work: Round, member: Membership, prompts: Collection[int]) -> None:
    """Take somebody off the panels of these prompts; their finished slots keep their number and their name.

    Those of texts that were removed go with the seat too: the text may come back.
    """
    left = _unfinished_slots(work, member, prompts)
    left.filter(state=Assignment.State.LEASED).update(
        state=Assignment.State.OPEN, annotator=None, leased_until=None
    )
    left.update(reserved_for=None)
    work.seats.filter(annotator=member, prompt__in=prompts).delete()


@transaction.atomic
def hand_over(
    work: Round, member: Membership, successor: Membership | None, *, by: User | None, now: datetime
) -> HandedOver:
    """Give all unfinished seats of somebody to a successor, or to whoever comes next.

    Where the successor cannot sit, since they sit there already, gave it back, read other languages or genres, or
    have a conflict of interest, the seat is left vacant.
    """
    if work.assigning != Assigning.PANEL:
        raise DomainError("not_a_panel", _("This round is a pool, so it has no panels."))
    if work.state not in (Round.State.OPEN, Round.State.PAUSED):
        raise DomainError("round_not_open", _("The round %(name)s is not open.") % {"name": work.name})
    if successor is not None and not queries.annotators(work.project).filter(pk=successor.pk).exists():
        raise Invalid("not_an_active_annotator", _("Only active annotators of the project can hold a seat."))
    if successor == member:
        raise Invalid("same_annotator", _("Choose somebody else."))
    prompts = _unfinished(work, member)
    if not prompts:
        raise DomainError("no_seats", _("This annotator has no unfinished seat in the round."))
    fit = _fit(work, successor, prompts) if successor else []
    seats = {seat.prompt_id: seat.seat for seat in work.seats.filter(annotator=member, prompt__in=prompts)}
    vacate(work, member, prompts)
    for prompt in fit:
        seat(work, prompt, seats[prompt], successor)
    done = HandedOver(taken=len(fit), vacant=len(prompts) - len(fit))
    _record(
        work,
        member,
        by=by,
        now=now,
        seats=len(prompts),
        taken=done.taken,
        successor=successor.pk if successor else None,
    )
    return done


def seat(work: Round, prompt: int, number: int, annotator: Membership) -> None:
    """Somebody takes an empty seat, with every text of it that is not finished.

    Raises IntegrityError where it is not empty, or where they sit on that panel already.
    """
    PanelSeat.objects.create(round=work, prompt_id=prompt, seat=number, annotator=annotator)
    rest = work.assignments.filter(prompt=prompt, slot=number, reserved_for=None)
    rest.exclude(state=Assignment.State.DONE).update(reserved_for=annotator)


def _unfinished(work: Round, member: Membership) -> list[int]:
    """Prompts on whose panel the member has something left to do."""
    return list(
        _unfinished_slots(work, member).order_by("prompt").values_list("prompt", flat=True).distinct()
    )


def _unfinished_slots(
    work: Round, member: Membership, prompts: Collection[int] | None = None
) -> QuerySet[Assignment]:
    found = work.assignments.filter(reserved_for=member).exclude(state=Assignment.State.DONE)
    return found if prompts is None else found.filter(prompt__in=prompts)


def _fit(work: Round, successor: Membership, prompts: Collection[int]) -> list[int]:
    """Of these prompts, those on whose panel the successor can sit."""
    reach = stages.reach(successor, work)
    sits = set(work.seats.filter(annotator=successor, prompt__in=prompts).values_list("prompt", flat=True))
    held = work.assignments.filter(annotator=successor, prompt__in=prompts)
    barred = sits | set(held.values_list("prompt", flat=True))
    barred |= set(successor.conflicts.filter(prompt__in=prompts).values_list("prompt", flat=True))
    skipped = successor.skips.filter(lease__assignment__round=work)
    barred |= set(skipped.values_list("lease__assignment__prompt", flat=True))
    if len(languages_of(work.language)) > 1:
        barred |= set(slots.elsewhere(successor.pk, work.pk).values_list("pk", flat=True))
    rows = work.project.prompts.filter(pk__in=prompts).values_list("pk", "language", "genre", "genre__parent")
    return [
        prompt
        for prompt, language, genre, parent in rows
        if prompt not in barred and covers(reach, language, parent or genre)
    ]


def _record(work: Round, member: Membership, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(
        "round.seats_vacated", by=by, at=now, project=work.project, round=work.pk, member=member.pk, **data
    )
