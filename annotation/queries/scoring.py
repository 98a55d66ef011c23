"""What may be given to whom, what is done, and how somebody's rounds stand.

What an annotator's page needs comes as a frozen dataclass that can hold no more: no field of these types carries
a source, another's score, a gold value or an id of the material.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from annotation.domain import exams, text
from annotation.domain.stages import PREPARATORY
from annotation.models import (
    Lease,
    Membership,
    Round,
    Score,
    User,
)
from annotation.models.prepared import Parameter, prepared
from annotation.queries import slots


@dataclass(frozen=True)
class RoundCard:
    """A round on the annotator's home page."""

    token: str
    project_name: str
    round_name: str
    is_open: bool
    is_paused: bool
    has_work: bool  # for this annotator, now
    done: int
    total: int  # texts that may be given to this annotator, however many of them others leave


def latest(lease: Lease, work: int | None = None) -> Score | None:
    """The annotator's own score of the text they were handed, as it stands in that round or in another by its key."""
    text = {"response": lease.assignment.response_id, "annotator": lease.annotator_id}
    return next(iter(_latest(work=work or lease.assignment.round_id, **text)), None)


@prepared
def _latest(*, work: Parameter, response: Parameter, annotator: Parameter) -> QuerySet[Score]:
    given = Score.objects.filter(round=work, response=response, annotator=annotator)
    return given.order_by("-revision")[:1]


def marks_of(score: Score) -> dict[tuple[str, str], int]:
    """By (genre key, criterion key), in the order in which they were sent."""
    return {(mark.genre_key, mark.criterion_key): mark.value for mark in score.marks.order_by("pk")}


def justification_minimum(work: Round, unit: text.Unit) -> int:
    """How much has to be written, in that unit: in an exam a critique, in a second round why it was kept or not."""
    least = {"words": exams.LEAST_WORDS, "characters": exams.LEAST_CHARACTERS}[unit]
    needed = least if work.purpose == Round.Purpose.EXAM else int(work.follows_id is not None)
    return max(work.project.justification_minimum, needed)


def size_for(annotator: Membership, work: Round) -> int:
    """Texts of the round that are meant for this annotator, with what was mixed in so far.

    Says nothing about how far the others are.
    """
    host = work.mixed_into or work
    return slots.size(annotator, host) + _judged(annotator, host, mixed_in=True)


def done_by(annotator: Membership, work: Round) -> int:
    """What the annotator has judged in the round, with what was mixed in."""
    host = work.mixed_into or work
    return _judged(annotator, host, mixed_in=False) + _judged(annotator, host, mixed_in=True)


def place_of(lease: Lease, *, is_done: bool) -> tuple[int, int]:
    """(number, total) of a hand-out among all those of its annotator in the round, as every page of work says them.

    Where no place was kept with the hand-out, it comes behind what is done.
    """
    host = lease.assignment.round.mixed_into or lease.assignment.round
    number = lease.position or done_by(lease.annotator, host) + (0 if is_done else 1)
    return number, max(slots.size_lately(lease.annotator, host), number)


def _judged(annotator: Membership, host: Round, *, mixed_in: bool) -> int:
    if mixed_in and not host.gold_percent and not host.repeat_percent:
        return 0
    given = slots.JUDGEMENTS[host.kind].objects.filter(annotator=annotator, revision=1)
    return given.filter(**{"round__mixed_into" if mixed_in else "round": host}).count()


def round_cards(user: User, *, now: datetime) -> list[RoundCard]:
    """The rounds of work in which a person annotates: open ones first, then paused ones, then those they worked in.

    Exams, courses and calibrations stand on the page that says where the person is on the way.
    """
    members = Membership.objects.filter(
        user=user, role=Membership.Role.ANNOTATOR, state=Membership.State.ACTIVE
    ).select_related("project")
    cards = [
        _card(member, work, now=now)
        for member in members
        for work in member.project.rounds.exclude(state=Round.State.DRAFT)
        .filter(mixed_into=None)
        .select_related("project")
        .order_by("pk")
        if work.purpose not in PREPARATORY
    ]
    shown = [card for card in cards if card.done or ((card.is_open or card.is_paused) and card.total)]
    return sorted(shown, key=lambda card: (not card.is_open, not card.is_paused))


def _card(annotator: Membership, work: Round, *, now: datetime) -> RoundCard:
    done, is_open = done_by(annotator, work), work.state == Round.State.OPEN
    return RoundCard(
        token=work.token,
        project_name=annotator.project.name,
        round_name=work.name,
        is_open=is_open,
        is_paused=work.state == Round.State.PAUSED,
        has_work=is_open and slots.has_work(annotator, work, now=now),
        done=done,
        total=max(size_for(annotator, work), done),
    )
