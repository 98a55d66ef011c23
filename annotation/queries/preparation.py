"""The people of a project on their way, as a lead sees them: how many stand where, and what is known of each."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain import stages as way
from annotation.models import Attempt, CalibrationResult, Project, Qualification, Stage
from annotation.queries import stages, work_time
from annotation.queries.calibration_results import OwnResult, own_result
from annotation.queries.next_steps import Next, next_step
from annotation.queries.people import language_name, person_name
from annotation.queries.rounds import shown_name
from annotation.queries.rubrics import name_of
from annotation.queries.standing import shown_reason

PEOPLE_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class StageCount:
    key: str
    name: str
    people: int
    is_used: bool  # by the project; a stage that is left out may still have people


@dataclass(frozen=True, slots=True)
class PersonLine:
    """Somebody in one language."""

    pk: int
    name: str
    pseudonym: str
    language: str
    stage: str
    stage_name: str
    since: datetime
    next: Next
    hours: str


@dataclass(frozen=True, slots=True)
class AttemptLine:
    number: int
    form: str
    state: str
    started_at: datetime
    decided_at: datetime | None
    pk: int


@dataclass(frozen=True, slots=True)
class CalibrationLine:
    round: int
    name: str
    at: datetime
    result: OwnResult | None


@dataclass(frozen=True, slots=True)
class PassageLine:
    before: str
    after: str
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of an annotator in one language, up to now."""

    line: PersonLine
    genres: tuple[str, ...]  # () for all
    passages: tuple[PassageLine, ...]
    attempts: tuple[AttemptLine, ...]
    calibrations: tuple[CalibrationLine, ...]
    time: str


def funnel(project: Project) -> list[StageCount]:
    """How many qualifications stand at each stage, in the order of the way."""
    found = Counter(project.qualifications.values_list("stage", flat=True))
    used = {Stage.INVITED, Stage.ACTIVE, Stage.PAUSED, Stage.DECLINED, *stages.uses(project)}
    return [
        StageCount(stage.value, str(stage.label), found[stage.value], stage in used)
        for stage in Stage
        if stage in used or found[stage.value]
    ]


def people(project: Project, *, stage: str, search: str, page: str, now: datetime) -> Page:
    """Lines, those who have waited longest first within each stage."""
    found = _known(project)
    if stage in Stage.values:
        found = found.filter(stage=stage)
    if search:
        named = ("user__username", "user__first_name", "pseudonym")
        of_annotator = Q()
        for column in named:
            of_annotator |= Q(**{f"annotator__{column}__icontains": search})
        found = found.filter(
            of_annotator | Q(invitation__email__icontains=search) | Q(invitation__full_name__icontains=search)
        )
    order = {key: place for place, key in enumerate((*way.WAY, way.PAUSED, way.DECLINED))}
    ordered = sorted(found, key=lambda each: (order[each.stage], each.since, each.pk))
    shown = Paginator(ordered, PEOPLE_A_PAGE).get_page(page)
    spent = work_time.of_project(project)
    shown.object_list = [_line(each, spent, now=now) for each in shown.object_list]
    return shown


def record(held: Qualification, *, language: str, now: datetime) -> Record:
    """The record of one annotator in one language; genres are named in the reader's `language`."""
    spent = work_time.of_project(held.project)
    genres = tuple(name_of(genre, language) for genre in held.genres.order_by("position", "pk"))
    member = held.annotator
    results = CalibrationResult.objects.select_related("round").filter(annotator=member) if member else []
    in_language = [each for each in results if each.round.language in ("", held.language)]
    return Record(
        line=_line(held, spent, now=now),
        genres=genres,
        passages=tuple(
            PassageLine(
                before=each.get_from_stage_display() if each.from_stage else "",
                after=each.get_to_stage_display(),
                by=person_name(each.by) if each.by else "",
                reason=shown_reason(each.reason),
                at=each.at,
            )
            for each in held.passages.select_related("by").order_by("-pk")
        ),
        attempts=tuple(
            AttemptLine(
                each.number,
                shown_name(each.round.name),
                each.get_state_display(),
                each.started_at,
                each.decided_at,
                each.pk,
            )
            for each in Attempt.objects.filter(qualification=held).select_related("round").order_by("number")
        ),
        calibrations=tuple(
            CalibrationLine(each.round_id, each.round.name, each.at, own_result(member, each.round))
            for each in sorted(in_language, key=lambda each: each.pk)
        ),
        time=_time(held, spent),
    )


def _known(project: Project) -> QuerySet[Qualification]:
    return project.qualifications.select_related("annotator__user", "invitation", "project")


def _line(held: Qualification, spent: dict[int, work_time.Spent], *, now: datetime) -> PersonLine:
    member = held.annotator
    return PersonLine(
        pk=held.pk,
        name=person_name(member.user) if member else (held.invitation.full_name or held.invitation.email),
        pseudonym=member.pseudonym if member else "",
        language=language_name(held.language) if held.language else _("Any"),
        stage=held.stage,
        stage_name=held.get_stage_display(),
        since=held.since,
        next=next_step(held, now=now),
        hours=_time(held, spent),
    )


def _time(held: Qualification, spent: dict[int, work_time.Spent]) -> str:
    """Active time on the way, in all languages together; "" where none was kept."""
    found = spent.get(held.annotator.user_id) if held.annotator else None
    return work_time.in_words(found.total) if found and found.total else ""
