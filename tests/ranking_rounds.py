"""Rounds of rankings with their slots, and orders as a page would send them."""

from collections.abc import Sequence
from datetime import datetime

from annotation.models import Lease, Membership, Project, Prompt, Round
from annotation.queries import rankings
from annotation.services import assignments, slots
from tests.factories import NOW, make_prompt, make_response


def make_ranking_round(
    project: Project, name: str = "Ranking", *, slots_each: int = 3, **columns: object
) -> Round:
    """An open round in which every prompt of the project is ranked."""
    values = {"ties_allowed": True, "state": "open", "created_at": NOW, "opened_at": NOW, **columns}
    work = Round.objects.create(
        project=project, name=name, kind=Round.Kind.RANKINGS, rubric=project.rubrics.get(), **values
    )
    for prompt in project.prompts.all():
        for number in range(1, slots_each + 1):
            slots.of_prompt(work, prompt.pk, number).save()
    return work


def make_set(project: Project, texts: int = 3, **columns: object) -> Prompt:
    """A prompt with so many responses."""
    prompt = make_prompt(project, **columns)
    for number in range(texts):
        make_response(prompt, text=f"Text number {number}.\n\nIt crosses bridge {number}.")
    return prompt


def hand_out(member: Membership, work: Round, *, now: datetime = NOW) -> Lease:
    lease = assignments.claim(member, work, now=now)
    assert lease is not None
    return lease


def tiers(order: str) -> tuple[tuple[str, ...], ...]:
    """Of an order as it is stated: 'A > B = C'."""
    return tuple(tuple(tier.split(" = ")) for tier in order.split(" > "))


def form_of(order: Sequence[Sequence[str]], lease: Lease, **fields: str) -> dict[str, str]:
    """What the page's form sends for an order."""
    ranks = {f"rank-{letter}": str(rank) for rank, tier in enumerate(order, start=1) for letter in tier}
    shown = rankings.shown(lease, rankings.texts_of(lease, rankings.current(lease)))
    return {**ranks, "justification": "", "unread": "", "shown": shown, **fields}
