"""The versions of a rubric: where each was used, what differs between two, and which rounds a new one meets."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.domain import rubric_diff
from annotation.models import Assignment, Project, Prompt, Round, Rubric, Score
from annotation.queries.people import person_name
from annotation.queries.projects import UNDER_WAY
from annotation.queries.rounds import shown_name
from annotation.queries.rubrics import TAGS, content, genre_names


@dataclass(frozen=True, slots=True)
class RoundUse:
    name: str
    state: str
    scores: int


@dataclass(frozen=True, slots=True)
class VersionRow:
    version: int
    note: str
    author: str  # "" where a command made it
    at: datetime
    rounds: tuple[RoundUse, ...]  # those that use it, or have scores given under it

    @property
    def scores(self) -> int:
        return sum(use.scores for use in self.rounds)


def versions(project: Project) -> list[VersionRow]:
    """Newest first."""
    given = {
        (rubric, work): scores
        for rubric, work, scores in Score.objects.filter(round__project=project)
        .values_list("rubric", "round")
        .annotate(n=Count("pk"))
    }
    rounds = list(project.rounds.order_by("pk"))
    return [
        VersionRow(
            version=rubric.version,
            note=rubric.note,
            author=_author(rubric),
            at=rubric.created_at,
            rounds=tuple(
                RoundUse(shown_name(work.name), work.get_state_display(), given.get((rubric.pk, work.pk), 0))
                for work in rounds
                if work.rubric_id == rubric.pk or (rubric.pk, work.pk) in given
            ),
        )
        for rubric in project.rubrics.select_related("created_by").order_by("-version")
    ]


def _author(rubric: Rubric) -> str:
    person = rubric.created_by
    return person_name(person) if person else ""


# --- Rounds that a new version meets -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RoundUnderWay:
    pk: int
    name: str
    state: str
    version: int  # of the rubric it uses
    prompts: int
    unbegun: int  # prompts of it that nobody has begun


def rounds_under_way(project: Project) -> list[RoundUnderWay]:
    under_way = project.rounds.filter(state__in=UNDER_WAY).select_related("rubric").order_by("pk")
    return [
        RoundUnderWay(
            pk=work.pk,
            name=shown_name(work.name),
            state=work.get_state_display(),
            version=work.rubric.version,
            prompts=_asked(work).count(),
            unbegun=unbegun_prompts(work).count(),
        )
        for work in under_way
    ]


def _asked(work: Round) -> QuerySet[Prompt]:
    """Prompts of which the round has a slot that is not void."""
    slots = Assignment.objects.filter(round=work, response__prompt=OuterRef("pk"))
    asked = slots.exclude(state=Assignment.State.VOID)
    return Prompt.objects.filter(Exists(asked), project=work.project_id)


def unbegun_prompts(work: Round) -> QuerySet[Prompt]:
    """Prompts of the round of which no text was ever handed out, and none has a score."""
    slots = Assignment.objects.filter(round=work, response__prompt=OuterRef("pk"))
    touched = slots.filter(
        Q(state__in=["leased", "done"]) | Q(annotator__isnull=False) | Q(leases__isnull=False)
    )
    scored = Score.objects.filter(round=work, response__prompt=OuterRef("pk"))
    return _asked(work).exclude(Exists(touched)).exclude(Exists(scored))


# --- What differs between two versions -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CriteriaDifferences:
    """Criteria of one genre that differ; `name` is "" for those of every genre."""

    name: str
    is_reordered: bool
    criteria: tuple[rubric_diff.Difference, ...]


@dataclass(frozen=True, slots=True)
class LanguagePage:
    """What differs in one language."""

    tag: str
    levels: tuple[rubric_diff.Difference, ...]
    groups: tuple[CriteriaDifferences, ...]
    guideline: tuple[rubric_diff.Piece, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.levels or self.groups or self.guideline)


def differences(older: Rubric, newer: Rubric, *, language: str) -> list[LanguagePage]:
    genres = [("", ""), *((genre.key, genre.name) for genre in genre_names(newer.project, language))]
    return [
        LanguagePage(
            tag=TAGS[found.language],
            levels=found.levels,
            groups=tuple(_groups_that_differ(found, genres)),
            guideline=found.guideline,
        )
        for found in rubric_diff.differences(content(older), content(newer))
    ]


def _groups_that_differ(
    found: rubric_diff.LanguageDifferences, genres: Iterable[tuple[str, str]]
) -> Iterator[CriteriaDifferences]:
    for key, name in genres:
        criteria = tuple(each for each in found.criteria if each.genre == key)
        if criteria or key in found.reordered:
            yield CriteriaDifferences(name, key in found.reordered, criteria)
