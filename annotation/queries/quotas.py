"""Strata of a round, how far they are, and what they need."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.next_up import Stratum
from annotation.models import Assignment, Genre, Quota, Round
from annotation.queries.people import language_name
from annotation.queries.rubrics import name_of
from annotation.queries.slots import in_stratum

LEFT = Q(state__in=[Assignment.State.OPEN, Assignment.State.LEASED])


@dataclass(frozen=True, slots=True)
class StratumLine:
    """A stratum on the page where a lead sets quotas."""

    key: str  # of its field
    stratum: Stratum
    language: str
    genre: str  # "" for prompts of no genre
    responses: int
    finished: int
    wanted: int | None
    is_reached: bool


def of_slot(slot: Assignment) -> QuerySet[Quota]:
    """The quota of the stratum of a slot, if it has one that is not reached; in at most one query."""
    genre = slot.prompt.genre
    macro = genre and (genre.parent_id or genre.pk)
    return Quota.objects.filter(
        round=slot.round_id, language=slot.prompt.language, genre=macro, reached_at=None
    ).select_related("round")


def finished(quota: Quota) -> int:
    """Responses of the stratum of which every slot is filled."""
    of = quota.round.assignments.filter(in_stratum(quota.language, quota.genre_id))
    return len(_finished(of))


def _finished(slots: QuerySet[Assignment]) -> set[tuple[int, int | None, int | None]]:
    """What is asked about and has no slot left to fill, nor none at all."""
    counted = (
        slots.exclude(state=Assignment.State.VOID)
        .values_list("prompt", "response", "other")
        .annotate(left=Count("pk", filter=LEFT))
    )
    return {tuple(key) for *key, left in counted if not left}


def lines(work: Round, *, language: str) -> list[StratumLine]:
    """The strata that the round asks about, genres in the reader's `language` ('en' or 'zh')."""
    slots = work.assignments.exclude(state=Assignment.State.VOID)
    done = _finished(slots)
    rows = slots.values_list(
        "prompt", "response", "other", "prompt__language", "prompt__genre", "prompt__genre__parent"
    ).distinct()
    asked: dict[Stratum, list[bool]] = {}
    for prompt, response, other, tongue, genre, parent in rows:
        asked.setdefault(Stratum(tongue, parent or genre), []).append((prompt, response, other) in done)
    genres = {genre.pk: genre for genre in Genre.objects.filter(project=work.project_id)}
    quotas = {Stratum(each.language, each.genre_id): each for each in work.quotas.all()}
    found = [
        StratumLine(
            key=f"{tongue_and_genre.language or 'none'}-{tongue_and_genre.genre or 0}",
            stratum=tongue_and_genre,
            language=language_name(tongue_and_genre.language) or _("Unknown language"),
            genre=name_of(genres[tongue_and_genre.genre], language) if tongue_and_genre.genre else "",
            responses=len(each),
            finished=sum(each),
            wanted=quotas[tongue_and_genre].wanted if tongue_and_genre in quotas else None,
            is_reached=tongue_and_genre in quotas and quotas[tongue_and_genre].reached_at is not None,
        )
        for tongue_and_genre, each in asked.items()
    ]
    return sorted(found, key=lambda line: (line.language, line.genre))
