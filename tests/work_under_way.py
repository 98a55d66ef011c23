"""A project in the midst of its work: a panel round of which a part is scored, over some weeks, by people at a pace."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import uuid4

from annotation.models import (
    ActiveTime,
    Assigning,
    Assignment,
    Flag,
    Lease,
    Membership,
    Project,
    Round,
    Score,
)
from curation.models import Report
from curation.services import recipes, report_work, reports, runs
from tests.factories import make_member, make_prompt, make_response, make_round

PEOPLE = ("Ada Lovelace", "Mei Lin", "Otto Brandt", "王小明", "Ines", "Noor Haddad", "Paul")
SECONDS = (210, 260, 305, 410, 480, 655)


def make_people(project: Project, names: Sequence[str], *, now: datetime) -> list[Membership]:
    """Who joined eight weeks ago, and can be written to."""
    members = []
    for number, name in enumerate(names, 1):
        member = make_member(project, "annotator", f"person-{number}")
        member.user.first_name, member.user.email = name, f"person-{number}@example.org"
        member.user.save()
        members.append(member)
    project.memberships.update(joined_at=now - timedelta(weeks=8))
    return members


def make_material(project: Project, prompts: int) -> None:
    genres = list(project.genres.order_by("position"))
    for number in range(prompts):
        prompt = make_prompt(
            project,
            f"p{number:03d}",
            genre=genres[number % 2],
            language=("en", "zh")[number % 3 == 0],
        )
        for side in "abc":
            make_response(prompt, f"p{number:03d}-{side}")


def score_for(
    work: Round,
    members: Sequence[Membership],
    *,
    done: int,
    now: datetime,
    weeks: int = 6,
    hours_apart: int = 30,
    timed: bool = True,
) -> None:
    """The first `done` slots, prompt by prompt, each person's spread evenly over the weeks.

    The last of several members has done nothing, and each but the first stopped `hours_apart` before the one before.
    """
    slots = list(work.assignments.select_related("response").order_by("prompt", "response", "slot"))[:done]
    at_work = members[:-1]
    seats: list[list[Assignment]] = [[] for _ in at_work]
    for slot in slots:
        seats[(slot.prompt_id + slot.slot) % len(at_work)].append(slot)
    given = []
    for seat, (member, own) in enumerate(zip(at_work, seats, strict=True)):
        latest = now - timedelta(hours=2 + hours_apart * seat)
        begun = latest - timedelta(weeks=weeks)
        for number, slot in enumerate(own, 1):
            slot.state, slot.annotator, slot.reserved_for = Assignment.State.DONE, member, member
            given.append((slot, begun + (latest - begun) * (number / len(own))))
    Assignment.objects.bulk_update(slots, ["state", "annotator", "reserved_for"])
    Score.objects.bulk_create(_score(work, slot, number, at) for number, (slot, at) in enumerate(given))
    Lease.objects.bulk_create(
        Lease(token=uuid4().hex, assignment=slot, annotator=slot.annotator, leased_at=at)
        for slot, at in given
    )
    ActiveTime.objects.bulk_create(
        _time(slot.annotator, SECONDS[number % len(SECONDS)], at)
        for number, (slot, at) in enumerate(given if timed else [])
    )


def _score(work: Round, slot: Assignment, number: int, at: datetime) -> Score:
    good = {"a": 3, "b": 2, "c": 0}[slot.response.external_id[-1]]
    value = min(3, max(0, good - (number % 7 == 0)))
    return Score(
        round=work,
        response=slot.response,
        annotator=slot.annotator,
        assignment=slot,
        rubric=work.rubric,
        value=value,
        at=at,
        recorded_at=at,
    )


def _time(member: Membership, seconds: int, at: datetime) -> ActiveTime:
    return ActiveTime(
        user=member.user,
        project=member.project,
        activity=ActiveTime.Activity.SCORING,
        load=uuid4(),
        seconds=seconds,
        started_at=at,
        updated_at=at,
    )


def make_flags(project: Project, members: Sequence[Membership], *, now: datetime) -> None:
    for number, response in enumerate(project.responses.order_by("pk")[:4]):
        Flag.objects.create(
            project=project,
            response=response,
            check_key="annotator",
            raised_by=members[number % 2],
            raised_at=now - timedelta(days=number),
        )


def reserve(work: Round, members: Sequence[Membership]) -> None:
    """Seats of what is not scored yet, so that texts wait for people."""
    free = list(work.assignments.filter(state=Assignment.State.OPEN))
    for slot in free:
        slot.reserved_for = members[(slot.prompt_id + slot.slot) % len(members)]
    Assignment.objects.bulk_update(free, ["reserved_for"])


def make_under_way(
    project: Project, *, now: datetime, names: Sequence[str] = PEOPLE, prompts: int = 40, done: int = 260
) -> list[Membership]:
    members = make_people(project, names, now=now)
    make_material(project, prompts)
    work = make_round(project, "Main round")
    Round.objects.filter(pk=work.pk).update(assigning=Assigning.PANEL)
    score_for(work, members, done=done, now=now)
    reserve(work, members)
    make_flags(project, members, now=now)
    return members


def run_recipe(project: Project, *, now: datetime) -> None:
    recipe = recipes.save(project, parameters={"length_symmetry": "off"}, by=None, now=now)
    run = runs.request(project, recipe=recipe, by=None, now=now)
    runs.execute(run.pk, clock=lambda: now)
    run.refresh_from_db()
    assert run.state == "done", run.error


def compute(project: Project, *, now: datetime) -> Report:
    report = reports.request(project, choice=report_work.Choice(), by=None, now=now)
    report_work.execute(report.pk, clock=lambda: now)
    report.refresh_from_db()
    assert report.state == "done", report.error
    return report
