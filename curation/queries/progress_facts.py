"""What a report says of progress: slots, time at work, flags, accepted pairs, and what is ahead. For the worker."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from statistics import median

import numpy as np
from django.db.models import Count, Max, Q, Sum
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from annotation.models import ActiveTime, Assignment, Flag, Membership, Project, Round, Score
from curation.domain import ahead, planner
from curation.domain.columns import Columns, Moments
from curation.domain.planner import Finished
from curation.domain.progress import MOST_SCORES, by_week, coverage, latest_periods, left_so_far
from curation.models import Run

Json = dict[str, object]
Counts = NDArray[np.int64]
Activity = ActiveTime.Activity
IN_USE = ~Q(state=Assignment.State.VOID)
DONE = Q(state=Assignment.State.DONE)
OLD_FLAG = timedelta(days=2)
PERIODS_AHEAD = 26
# The figures that are made of it, by key; the others of a report are of agreement.
FIGURES = ("burn-down", "throughput")


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """Slots of a live round that is open or paused."""

    pk: int
    name: str
    kind: str
    assigning: str
    state: str
    slots: int
    done: int


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """An annotator who takes part. `assigned` counts slots of the open rounds that are theirs, `done` those filled.

    `left_in` are the rounds in which others are not. `seconds` are those at work, `median` is of those on a text to
    score over `openings` of its page, None where there is none.
    """

    pseudonym: str
    state: str
    joined_at: str
    assigned: int
    done: int
    left_in: list[int]
    seconds: int
    openings: int
    median: int | None
    flags: int
    last_at: str | None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The newest run that is done."""

    pk: int
    finished_at: datetime
    by_prompt: Mapping[str, int]  # pairs that it accepted, by id of the prompt


def progress(project: Project, columns: Columns, *, now: datetime) -> Json:
    """All of it, ready for JSON. What is left, and its end, are of rounds of scores."""
    rounds, run, spent = live_rounds(project), newest_run(project), _spent(project)
    scored = [each for each in rounds if each.kind == Round.Kind.SCORES]
    left = sum(each.slots - each.done for each in scored)
    done, days = latest_periods(columns.live.at, now.date())
    openings = sorted(seconds for own in spent.values() for seconds in own)
    judging = _at_other_work(project)
    open_flags, old_flags = flags(project, before=now - OLD_FLAG)
    accepted = _accepted(columns, run)
    per_genre = finished(columns, accepted, each=sum(openings) / max(_scores_given(project, spent), 1))
    return {
        "rounds": [asdict(each) for each in rounds],
        "slots": sum(each.slots for each in scored),
        "done": sum(each.done for each in scored),
        "withdrawn": _withdrawn(scored),
        "weeks": [
            {"monday": each.monday.isoformat(), "scores": each.scores}
            for each in by_week(columns.live.at, now.date())
        ],
        "today": now.date().isoformat(),
        "days_of_period": days,
        "end": planner.forecast(done, left).as_dict(),
        "so_far": left_so_far(_of(columns, scored), left=left, now=int(now.timestamp()), days=days),
        "burn_down": [step.as_dict() for step in planner.burn_down(done, left, PERIODS_AHEAD)],
        "people": [asdict(each) for each in people(project, spent, judging)],
        "coverage": [asdict(each) for each in coverage(columns)],
        "flags": {"open": open_flags, "old": old_flags},
        "seconds": sum(openings) + sum(judging.values()),
        "scoring_seconds": sum(openings),
        "openings": len(openings),
        "median": round(median(openings)) if openings else None,
        "run": _run(run),
        "ahead": _ahead(per_genre, _by_genre(columns, accepted), is_timed=bool(openings)),
    }


def _ahead(per_genre: Mapping[str, Finished], found: Mapping[str, int], *, is_timed: bool) -> Json:
    """What so many more pairs take, by genre. Where no time was recorded, hours are unknown and not none."""
    no_time = planner.Band(None, reason="no_time")
    return {
        genre: {
            **asdict(known if is_timed or known.hours.value is None else replace(known, hours=no_time)),
            "per_pairs": ahead.PAIRS,
            "prompts": len(per_genre[genre].pairs),
        }
        for genre, known in ahead.known(per_genre, found).items()
    }


def _withdrawn(rounds: Sequence[RoundFacts]) -> int:
    """Slots of these rounds that were filled by people whose data count no more."""
    return Assignment.objects.filter(
        round__in=[each.pk for each in rounds],
        state=Assignment.State.DONE,
        annotator__state=Membership.State.WITHDRAWN,
    ).count()


def _of(columns: Columns, rounds: Sequence[RoundFacts]) -> Moments:
    """When the scores of these rounds were given."""
    chosen = [columns.names.rounds.index(str(each.pk)) for each in rounds]
    return columns.live.at[np.isin(columns.live.round, chosen)]


def _run(run: RunFacts | None) -> Json | None:
    if run is None:
        return None
    return {
        "pk": run.pk,
        "finished_at": run.finished_at.isoformat(),
        "accepted": sum(run.by_prompt.values()),
    }


def _accepted(columns: Columns, run: RunFacts | None) -> Counts:
    """Pairs that the run accepted, by place of the prompt (P,)."""
    by_prompt = run.by_prompt if run else {}
    return np.array([by_prompt.get(name, 0) for name in columns.names.prompts], dtype=np.int64)


def _by_genre(columns: Columns, accepted: Counts) -> dict[str, int]:
    return {
        name: int(accepted[columns.genre_of == code].sum()) for code, name in enumerate(columns.names.genres)
    }


def finished(columns: Columns, accepted: Counts, *, each: float) -> dict[str, Finished]:
    """By genre, the prompts all of whose texts have enough scores, with their accepted pairs.

    Time is not kept by prompt: every score is taken to have cost the same, `each` seconds.
    """
    names, prompts = columns.names, len(columns.names.prompts)
    scores = np.bincount(columns.live.response, minlength=len(names.responses))
    of = columns.prompt_of[columns.is_material]
    responses = np.bincount(of, minlength=prompts)
    short = np.bincount(of, weights=scores[columns.is_material] < MOST_SCORES, minlength=prompts)
    given = np.bincount(columns.prompt_of, weights=scores, minlength=prompts)
    done = (responses > 0) & (short == 0)
    return {
        name: Finished(accepted[chosen], responses[chosen], np.round(given[chosen] * each).astype(np.int64))
        for code, name in enumerate(names.genres)
        if (chosen := np.flatnonzero(done & (columns.genre_of == code))) is not None
        and (columns.genre_of[of] == code).any()
    }


def live_rounds(project: Project) -> list[RoundFacts]:
    under_way = project.rounds.filter(
        purpose=Round.Purpose.LIVE, state__in=[Round.State.OPEN, Round.State.PAUSED]
    )
    slots = {
        row["round"]: row
        for row in Assignment.objects.filter(IN_USE, round__in=under_way.values("pk"))
        .values("round")
        .annotate(n=Count("pk"), done=Count("pk", filter=DONE))
    }
    return [
        RoundFacts(
            pk=work.pk,
            name=work.name,
            kind=work.kind,
            assigning=work.assigning,
            state=work.state,
            slots=slots.get(work.pk, {}).get("n", 0),
            done=slots.get(work.pk, {}).get("done", 0),
        )
        for work in under_way.order_by("pk")
    ]


def people(
    project: Project, spent: Mapping[int, Sequence[int]], judging: Mapping[int, int]
) -> list[PersonFacts]:
    """Annotators who have an account of their own and take part or are paused, by pseudonym."""
    members = (
        project.memberships.filter(
            role=Membership.Role.ANNOTATOR, state__in=[Membership.State.ACTIVE, Membership.State.PAUSED]
        )
        .select_related("user")
        .order_by("pseudonym")
    )
    slots = _slots_of(project)
    raised = dict(
        Flag.objects.filter(project=project, raised_by__isnull=False)
        .values_list("raised_by")
        .annotate(n=Count("pk"))
    )
    last = dict(
        project.memberships.filter(role=Membership.Role.ANNOTATOR)
        .values_list("pk")
        .annotate(at=Max("leases__leased_at"))
    )
    found = []
    for member in members:
        if member.external_id and not member.user.has_usable_password():
            continue  # only stands for an annotator of a file
        own = slots.get(member.pk, {})
        seconds = spent.get(member.user_id, [])
        at = last.get(member.pk)
        found.append(
            PersonFacts(
                pseudonym=member.pseudonym,
                state=member.state,
                joined_at=member.joined_at.isoformat(),
                assigned=sum(n for n, _done in own.values()),
                done=sum(done for _n, done in own.values()),
                left_in=sorted(pk for pk, (n, done) in own.items() if done < n),
                seconds=sum(seconds) + judging.get(member.user_id, 0),
                openings=len(seconds),
                median=round(median(seconds)) if seconds else None,
                flags=raised.get(member.pk, 0),
                last_at=at.isoformat() if at else None,
            )
        )
    return found


def _slots_of(project: Project) -> dict[int, dict[int, tuple[int, int]]]:
    """By membership and round: slots of open live rounds that are somebody's, and how many of them are done."""
    rows = (
        Assignment.objects.filter(
            IN_USE,
            round__project=project,
            round__purpose=Round.Purpose.LIVE,
            round__state__in=[Round.State.OPEN, Round.State.PAUSED],
        )
        .annotate(whose=Coalesce("annotator", "reserved_for"))
        .filter(whose__isnull=False)
        .values_list("whose", "round")
        .annotate(n=Count("pk"), done=Count("pk", filter=DONE))
    )
    found: dict[int, dict[int, tuple[int, int]]] = {}
    for whose, work, n, done in rows:
        found.setdefault(whose, {})[work] = n, done
    return found


def _scores_given(project: Project, spent: Mapping[int, Sequence[int]]) -> int:
    """By those whose time was recorded: what a file brought took nobody's time here."""
    return Score.objects.filter(
        round__project=project,
        round__purpose=Round.Purpose.LIVE,
        revision=1,
        source=None,
        annotator__user__in=list(spent),
    ).count()


def _at_other_work(project: Project) -> dict[int, int]:
    """Seconds at rankings, votes and cases, by account."""
    rows = ActiveTime.objects.filter(project=project, activity=Activity.JUDGING)
    return dict(rows.values_list("user").annotate(seconds=Sum("seconds")))


def _spent(project: Project) -> dict[int, list[int]]:
    """Seconds of each opening of a page of scoring, by account. Openings without a second of work are no work."""
    found: dict[int, list[int]] = {}
    rows = ActiveTime.objects.filter(project=project, activity=Activity.SCORING, seconds__gt=0)
    for user, seconds in rows.values_list("user", "seconds").iterator():
        found.setdefault(user, []).append(seconds)
    return found


def newest_run(project: Project) -> RunFacts | None:
    run = Run.objects.filter(project=project, state=Run.State.DONE).order_by("-pk").first()
    if run is None:
        return None
    by_prompt = run.pairs.values_list("chosen__prompt__external_id").annotate(n=Count("pk"))
    return RunFacts(run.pk, run.finished_at, dict(by_prompt))


def flags(project: Project, *, before: datetime) -> tuple[int, int]:
    """How many flags wait for a decision, and how many of them were raised before that moment."""
    found = Flag.objects.filter(project=project, state=Flag.State.OPEN).aggregate(
        n=Count("pk"), old=Count("pk", filter=Q(raised_at__lt=before))
    )
    return found["n"], found["old"]
