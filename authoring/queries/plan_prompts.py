"""The prompts of a project that a plan may ask about, and what filters leave of them."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.prompt_selection import UNKNOWN
from annotation.domain.reach import primary
from annotation.models import Import, Project, Prompt, Requirement, Response
from annotation.queries.imports import name_of
from annotation.queries.people import language_name
from annotation.queries.rubrics import genre_names, reader_language
from annotation.queries.triage import STANDING
from authoring.domain.dropout import LEAST

NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """Nothing chosen: every prompt. What is chosen combines. `genres` are keys of types, or of categories, which stand
    for all their types; UNKNOWN among them or the languages stands for none."""

    languages: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    imported: int | None = None  # the import that brought them
    without_responses: bool = False
    with_requirements: bool = False  # as many as a dropout takes at least
    names: tuple[str, ...] = ()  # ids in the material


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter, and how many prompts it holds."""

    key: str
    name: str
    prompts: int
    is_type: bool = False


@dataclass(frozen=True, slots=True)
class Offered:
    languages: list[Choice]
    genres: list[Choice]
    imports: list[Choice]


@dataclass(frozen=True, slots=True)
class Selection:
    """What filters leave: prompts with a text. `names` are the first of them; `unknown` were named, and are none."""

    prompts: int
    names: tuple[str, ...]
    without_text: int
    unknown: tuple[str, ...]


def standing(project: Project) -> QuerySet[Prompt]:
    """Not those of an import that is being stored or undone."""
    return project.prompts.filter(STANDING)


def offered(project: Project) -> Offered:
    rows = list(standing(project).values_list("language", "genre__key", "genre__parent__key", "source"))
    return Offered(
        _languages(Counter(primary(language) or UNKNOWN for language, *_rest in rows)),
        _genres(project, [(genre, macro) for _language, genre, macro, _source in rows]),
        _imports(project, Counter(source for *_rest, source in rows if source is not None)),
    )


def chosen(project: Project, wanted: Wanted) -> QuerySet[Prompt]:
    """With and without a text."""
    found = standing(project)
    if wanted.languages:
        tags = set(found.values_list("language", flat=True).distinct())
        found = found.filter(
            language__in=[tag for tag in tags if (primary(tag) or UNKNOWN) in wanted.languages]
        )
    if wanted.genres:
        of = Q(genre__key__in=wanted.genres) | Q(genre__parent__key__in=wanted.genres)
        found = found.filter(of | Q(genre=None) if UNKNOWN in wanted.genres else of)
    if wanted.imported is not None:
        found = found.filter(source=wanted.imported)
    if wanted.names:
        found = found.filter(external_id__in=wanted.names)
    if wanted.without_responses:
        there = Response.objects.filter(prompt=OuterRef("pk")).exclude(state=Response.State.REMOVED)
        found = found.filter(~Exists(there))
    if wanted.with_requirements:
        enough = Requirement.objects.order_by().values("prompt").annotate(n=Count("pk")).filter(n__gte=LEAST)
        found = found.filter(pk__in=enough.values("prompt"))
    return found


def asked(project: Project, wanted: Wanted) -> QuerySet[Prompt]:
    """Those of them that say something."""
    return chosen(project, wanted).exclude(text="")


def selection(project: Project, wanted: Wanted) -> Selection:
    with_text = asked(project, wanted)
    n = with_text.count()
    known = set(
        standing(project).filter(external_id__in=wanted.names).values_list("external_id", flat=True)
        if wanted.names
        else ()
    )
    return Selection(
        prompts=n,
        names=tuple(with_text.order_by("external_id").values_list("external_id", flat=True)[:NAMES_SHOWN]),
        without_text=chosen(project, wanted).count() - n,
        unknown=tuple(name for name in wanted.names if name not in known),
    )


def _languages(counted: Counter[str]) -> list[Choice]:
    return [
        Choice(key, _("Not known") if key == UNKNOWN else language_name(key), counted[key])
        for key in sorted(counted, key=lambda key: (key == UNKNOWN, -counted[key], key))
    ]


def _genres(project: Project, rows: list[tuple[str | None, str | None]]) -> list[Choice]:
    counted = Counter(key for genre, macro in rows for key in {genre, macro} if key is not None)
    without = sum(genre is None for genre, _macro in rows)
    choices = [
        Choice(genre.key, genre.name, counted[genre.key], genre.is_type)
        for genre in genre_names(project, reader_language())
        if counted[genre.key]
    ]
    return [*choices, Choice(UNKNOWN, _("Without a genre"), without)] if without else choices


def _imports(project: Project, counted: Counter[int]) -> list[Choice]:
    found = Import.objects.filter(project=project, pk__in=list(counted)).order_by("-pk")
    return [Choice(str(each.pk), name_of(each), counted[each.pk]) for each in found]
