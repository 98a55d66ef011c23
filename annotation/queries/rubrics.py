"""Rubrics and guidelines as pages show them: what a version says, to leads and to those who score."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.core.cache import caches
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.domain import markdown, rubrics
from annotation.domain.rubrics import LANGUAGES, CriterionContent, LevelContent, RubricContent
from annotation.models import Criterion, Genre, Level, Project, Rubric
from annotation.queries.projects import genre_tree

Kept = TypeVar("Kept")

# What a page declares a text of the language to be.
TAGS = {"en": "en", "zh": "zh-Hans"}


def reader_language() -> str:
    """The one of LANGUAGES in which the interface speaks to whoever asks."""
    return "zh" if (get_language() or "").startswith("zh") else "en"


def current(project: Project) -> Rubric | None:
    return project.rubrics.select_related("created_by").order_by("-version").first()


def guideline_html(body: str, *, top: int = 3) -> SafeString:
    """The one place where text of a person is marked as safe: what `markdown.render` let through.

    A table that is wider than the page scrolls by itself, with the keys as well.
    """
    box = format_html('<div class="table-scroll" tabindex="0" role="group" aria-label="{}">', _("Table"))
    tables = markdown.render(body, top=top).replace("<table>", f"{box}<table>")
    return SafeString(tables.replace("</table>", "</table></div>"))


# --- What a version says -------------------------------------------------------------------------


def content(rubric: Rubric) -> RubricContent:
    levels: dict[int, list[Level]] = {value: [] for value in rubrics.VALUES}
    for level in rubric.levels.all():
        levels[level.value].append(level)
    criteria: dict[tuple[str, str], list[Criterion]] = {}
    for criterion in rubric.criteria.select_related("genre").order_by("position", "pk"):
        criteria.setdefault((_key(criterion.genre), criterion.key), []).append(criterion)
    return RubricContent(
        levels=tuple(
            LevelContent(
                value,
                {level.language: level.name for level in found},
                {level.language: level.description for level in found},
                {level.language: level.comparison for level in found},
            )
            for value, found in levels.items()
        ),
        criteria=tuple(
            CriterionContent(
                genre,
                key,
                {criterion.language: criterion.name for criterion in found},
                {criterion.language: criterion.question for criterion in found},
            )
            for (genre, key), found in criteria.items()
        ),
        guideline={guideline.language: guideline.body for guideline in rubric.guidelines.all()},
    )


def _key(genre: Genre | None) -> str:
    return genre.key if genre else ""


@dataclass(frozen=True, slots=True)
class CriteriaGroup:
    """The criteria of one genre, "" for those of every genre."""

    genre: str
    name: str
    criteria: tuple[CriterionContent, ...]


@dataclass(frozen=True, slots=True)
class GenreName:
    key: str
    name: str
    is_type: bool


def genre_names(project: Project, language: str) -> list[GenreName]:
    """Each macro-category, then its types, by name in the reader's language."""
    return [
        GenreName(genre.key, name_of(genre, language), genre.parent_id is not None)
        for row in genre_tree(project)
        for genre in (row.genre, *(each.genre for each in row.types))
    ]


def name_of(genre: Genre, language: str) -> str:
    """The Chinese name may be missing; the English one stands for it then."""
    return (genre.name_zh if language == "zh" else "") or genre.name_en


def groups(found: RubricContent, genres: Iterable[GenreName]) -> list[CriteriaGroup]:
    """Universal criteria, then those of each genre that has some."""
    headings = [("", ""), *((genre.key, genre.name) for genre in genres)]
    by_genre = [
        CriteriaGroup(key, name, tuple(each for each in found.criteria if each.genre == key))
        for key, name in headings
    ]
    return [group for group in by_genre if group.criteria]


@dataclass(frozen=True, slots=True)
class GuidelineText:
    language: str
    tag: str
    html: SafeString


@dataclass(frozen=True, slots=True)
class VersionPage:
    """One version in all languages in which something of it is written."""

    rubric: Rubric
    levels: tuple[LevelContent, ...]
    groups: tuple[CriteriaGroup, ...]
    languages: tuple[tuple[str, str], ...]  # (language, tag)
    guidelines: tuple[GuidelineText, ...]


def version_page(rubric: Rubric, *, language: str) -> VersionPage:
    found = content(rubric)
    return VersionPage(
        rubric=rubric,
        levels=found.levels,
        groups=tuple(groups(found, genre_names(rubric.project, language))),
        languages=tuple((each, TAGS[each]) for each in languages_of(found)),
        guidelines=tuple(
            GuidelineText(each, TAGS[each], guideline_html(found.guideline[each]))
            for each in LANGUAGES
            if found.guideline.get(each)
        ),
    )


def languages_of(found: RubricContent) -> tuple[str, ...]:
    texts = [
        *(texts for level in found.levels for texts in (level.name, level.description)),
        *(texts for criterion in found.criteria for texts in (criterion.name, criterion.question)),
        found.guideline,
    ]
    return tuple(language for language in LANGUAGES if any(each.get(language) for each in texts))


def previews(values: Mapping[str, str]) -> list[GuidelineText]:
    """What a form has as guideline-LANGUAGE, as readers would see it."""
    bodies = ((language, values.get(f"guideline-{language}", "")) for language in LANGUAGES)
    return [
        GuidelineText(language, TAGS[language], guideline_html(body))
        for language, body in bodies
        if body.strip()
    ]


# --- For those who score -------------------------------------------------------------------------


@dataclass(frozen=True)
class LevelText:
    value: int
    name: str
    description: str
    comparison: str
    tag: str  # of the language that it is in


@dataclass(frozen=True)
class CriterionText:
    name: str
    question: str
    tag: str


@dataclass(frozen=True)
class GenreCriteria:
    name: str
    criteria: tuple[CriterionText, ...]


@dataclass(frozen=True)
class GuidelinePage:
    """Guideline and rubric in the reader's language, or in the other where they are not written in it."""

    guideline: GuidelineText | None
    levels: tuple[LevelText, ...]  # 3 first
    universal: tuple[CriterionText, ...]
    genres: tuple[GenreCriteria, ...]


def kept(rubric: Rubric, what: str, read: Callable[[], Kept]) -> Kept:
    """A version of a rubric never changes, so each process reads it once."""
    cache, key = caches["process"], f"{what}:{rubric.pk}:{rubric.created_at.isoformat()}"
    found = cache.get(key)
    if found is None:
        found = read()
        cache.set(key, found, timeout=None)
    return found


def criterion_rows(rubric: Rubric) -> list[tuple[int | None, str, str, str, str]]:
    """(genre, key, language, name, question) of every genre and language, in their order."""
    return kept(rubric, "criteria", lambda: _criterion_rows(rubric))


def _criterion_rows(rubric: Rubric) -> list[tuple[int | None, str, str, str, str]]:
    rows = rubric.criteria.order_by("position", "pk")
    return list(rows.values_list("genre", "key", "language", "name", "question"))


def level_texts(rubric: Rubric, language: str) -> tuple[LevelText, ...]:
    """From 3 down to 0, each in the language, else in the other."""
    return kept(rubric, f"levels:{language}", lambda: _level_texts(rubric, language))


def _level_texts(rubric: Rubric, language: str) -> tuple[LevelText, ...]:
    found: dict[int, Level] = {}
    for level in rubric.levels.all():
        if level.value not in found or level.language == language:
            found[level.value] = level
    return tuple(
        LevelText(level.value, level.name, level.description, level.comparison, TAGS[level.language])
        for level in found.values()
    )


def criterion_texts(
    rubric: Rubric, language: str, genres: Collection[Genre | None]
) -> tuple[CriterionText, ...]:
    """Criteria of these genres (None: universal), genre by genre, each in the language, else in the other."""
    texts: list[CriterionText] = []
    for genre in genres:
        found: dict[str, Criterion] = {}
        for criterion in rubric.criteria.filter(genre=genre).order_by("position", "pk"):
            if criterion.key not in found or criterion.language == language:
                found[criterion.key] = criterion
        texts += [
            CriterionText(criterion.name, criterion.question, TAGS[criterion.language])
            for criterion in found.values()
        ]
    return tuple(texts)


def has_guideline(rubric: Rubric) -> bool:
    return kept(rubric, "guideline", lambda: rubric.guidelines.exclude(body="").exists())


def guideline_page(rubric: Rubric, *, language: str) -> GuidelinePage:
    genres = [
        genre
        for row in genre_tree(rubric.project)
        for genre in (row.genre, *(each.genre for each in row.types))
    ]
    by_genre = [
        GenreCriteria(name_of(genre, language), criterion_texts(rubric, language, [genre]))
        for genre in _with_criteria(rubric, genres)
    ]
    bodies = {guideline.language: guideline.body for guideline in rubric.guidelines.all()}
    written_in, body = rubrics.in_language(bodies, language)
    return GuidelinePage(
        guideline=GuidelineText(written_in, TAGS[written_in], guideline_html(body, top=2)) if body else None,
        levels=level_texts(rubric, language),
        universal=criterion_texts(rubric, language, [None]),
        genres=tuple(by_genre),
    )


def _with_criteria(rubric: Rubric, genres: Iterable[Genre]) -> list[Genre]:
    having = set(rubric.criteria.values_list("genre", flat=True))
    return [genre for genre in genres if genre.pk in having]
