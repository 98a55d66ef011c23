"""Rounds of votes on categories and of pairs, as they are once they are open."""

from collections.abc import Iterable

from annotation.models import Assignment, Lease, Membership, Project, Prompt, Response, Round
from annotation.services import assignments, slots
from tests.factories import NOW


def make_open_round(project: Project, kind: str, name: str = "Votes", **columns: object) -> Round:
    values = {
        "purpose": Round.Purpose.LIVE,
        "state": Round.State.OPEN,
        "rubric": project.rubrics.get(),
        "annotators_per_response": 3,
        "created_at": NOW,
        "opened_at": NOW,
        **columns,
    }
    return Round.objects.create(project=project, name=name, kind=kind, **values)


def make_category_round(
    project: Project, prompts: Iterable[Prompt], voters: int = 3, **columns: object
) -> Round:
    work = make_open_round(project, Round.Kind.CATEGORIES, **{"annotators_per_response": voters, **columns})
    Assignment.objects.bulk_create(
        slots.of_prompt(work, prompt.pk, number) for prompt in prompts for number in range(1, voters + 1)
    )
    return work


def make_pair_round(
    project: Project, pairs: Iterable[tuple[Response, Response]], voters: int = 3, **columns: object
) -> Round:
    work = make_open_round(project, Round.Kind.PAIRS, **{"annotators_per_response": voters, **columns})
    Assignment.objects.bulk_create(
        slots.of_pair(work, (one.pk, other.pk), one.prompt_id, number)
        for one, other in pairs
        for number in range(1, voters + 1)
    )
    return work


def hand_out(member: Membership, work: Round) -> Lease:
    lease = assignments.claim(member, work, now=NOW)
    assert lease is not None, f"nothing left for {member.pk} in {work.name}"
    return Lease.objects.select_related(
        "annotator__user", "assignment__round__project", "assignment__round__rubric"
    ).get(pk=lease.pk)
