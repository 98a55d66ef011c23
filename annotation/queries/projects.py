"""What a project's settings depend on: how far its work is, and what uses its genres."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from annotation.domain import shipped
from annotation.models import Genre, Project, Prompt, Round, Score

UNDER_WAY = (Round.State.OPEN, Round.State.PAUSED)


@dataclass(frozen=True, slots=True)
class Work:
    """What has begun in a project."""

    rounds: int  # opened ones
    scores: int
    live_under_way: tuple[str, ...]  # names of live rounds that are open or paused
    prompts: Mapping[str, int]  # by language tag; those without a language are left out

    @property
    def has_begun(self) -> bool:
        return bool(self.rounds or self.scores)


def work_of(project: Project) -> Work:
    opened = project.rounds.exclude(state=Round.State.DRAFT)
    live = opened.filter(purpose=Round.Purpose.LIVE, state__in=UNDER_WAY)
    by_language = (
        project.prompts.exclude(language="")
        .values_list("language")
        .annotate(n=Count("pk"))
        .order_by("language")
    )
    return Work(
        rounds=opened.count(),
        scores=Score.objects.filter(round__project=project).count(),
        live_under_way=tuple(live.order_by("pk").values_list("name", flat=True)),
        prompts=dict(by_language),
    )


@dataclass(frozen=True, slots=True)
class GenreUse:
    """What refers to a genre itself; `prompts_below` counts those of its types too."""

    prompts: int
    prompts_below: int
    criteria: int  # of all versions of the rubric
    types: int

    @property
    def is_free(self) -> bool:
        return not (self.prompts or self.criteria or self.types)


@dataclass(frozen=True, slots=True)
class GenreRow:
    genre: Genre
    use: GenreUse
    types: tuple["GenreRow", ...] = ()


def genre_tree(project: Project) -> list[GenreRow]:
    """Macro-categories with their types, in the order in which they are shown."""
    genres = list(project.genres.order_by("position", "pk"))
    prompts = dict(project.prompts.exclude(genre=None).values_list("genre").annotate(n=Count("pk")))
    criteria = dict(
        project.genres.filter(criteria__isnull=False)
        .values_list("pk")
        .annotate(n=Count("criteria__key", distinct=True))
    )
    below: dict[int | None, list[Genre]] = {}
    for genre in genres:
        below.setdefault(genre.parent_id, []).append(genre)

    def row(genre: Genre) -> GenreRow:
        types = tuple(row(each) for each in below.get(genre.pk, ()))
        own = prompts.get(genre.pk, 0)
        use = GenreUse(
            prompts=own,
            prompts_below=own + sum(each.use.prompts_below for each in types),
            criteria=criteria.get(genre.pk, 0),
            types=len(types),
        )
        return GenreRow(genre, use, types)

    return [row(genre) for genre in below.get(None, ())]


def use_of(genre: Genre) -> GenreUse:
    prompts = Prompt.objects.filter(genre=genre).count()
    return GenreUse(
        prompts=prompts,
        prompts_below=prompts + Prompt.objects.filter(genre__parent=genre).count(),
        criteria=genre.criteria.values("key").distinct().count(),
        types=genre.types.count(),
    )


def any_genre_is_used(project: Project) -> bool:
    return (
        project.prompts.exclude(genre=None).exists() or project.genres.filter(criteria__isnull=False).exists()
    )


@dataclass(frozen=True, slots=True)
class Offered:
    """A shipped taxonomy, as the page on which one is chosen shows it."""

    key: str
    name: str
    macros: tuple[str, ...]
    types: int


def offered_taxonomies(language: str) -> list[Offered]:
    taxonomies = [shipped.taxonomy(name) for name in shipped.taxonomy_names()]
    return [
        Offered(
            key=taxonomy.key,
            name=taxonomy.name.in_language(language),
            macros=tuple(genre.name.in_language(language) for genre in taxonomy.genres),
            types=sum(len(genre.types) for genre in taxonomy.genres),
        )
        for taxonomy in taxonomies
    ]
