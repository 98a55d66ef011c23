"""A project with its genres and its first rubric."""

from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.domain import shipped
from annotation.errors import DomainError
from annotation.models import Criterion, Genre, Level, Project, Rubric, User
from annotation.models.project import Language
from annotation.services import journal


@transaction.atomic
def create(slug: str, *, name: str, taxonomy: str, by: User | None, now: datetime) -> Project:
    """A project with a shipped taxonomy and version 1 of the shipped rubric."""
    try:
        with transaction.atomic():
            project = Project.objects.create(slug=slug, name=name, created_at=now)
    except IntegrityError as error:
        message = f"There is a project {slug} already. Choose another short name."
        raise DomainError("slug_taken", message) from error
    genres = _add_genres(project, shipped.taxonomy(taxonomy))
    _add_rubric(project, genres, shipped.rubric(), by=by, now=now)
    journal.record("project.created", by=by, at=now, project=project, taxonomy=taxonomy)
    return project


def _add_genres(project: Project, taxonomy: shipped.Taxonomy) -> dict[str, Genre]:
    genres: dict[str, Genre] = {}
    for position, macro in enumerate(taxonomy.genres):
        parent = genres[macro.key] = Genre.objects.create(
            project=project, key=macro.key, name_en=macro.name.en, name_zh=macro.name.zh, position=position
        )
        Genre.objects.bulk_create(
            Genre(
                project=project,
                parent=parent,
                key=kind.key,
                name_en=kind.name.en,
                name_zh=kind.name.zh,
                position=place,
            )
            for place, kind in enumerate(macro.types)
        )
    return genres


def _add_rubric(
    project: Project, genres: dict[str, Genre], content: shipped.Rubric, *, by: User | None, now: datetime
) -> None:
    """Criteria of genres that the project's taxonomy lacks are left out."""
    rubric = Rubric.objects.create(project=project, version=1, created_by=by, created_at=now)
    Level.objects.bulk_create(
        Level(
            rubric=rubric,
            language=language,
            value=level.value,
            name=level.name.in_language(language),
            description=level.description.in_language(language),
            comparison=level.comparison.in_language(language),
        )
        for level in content.levels
        for language in Language.values
    )
    by_genre = [(None, content.universal)]
    by_genre += [(genres[key], found) for key, found in content.genres.items() if key in genres]
    Criterion.objects.bulk_create(
        Criterion(
            rubric=rubric,
            genre=genre,
            language=language,
            key=criterion.key,
            name=criterion.name.in_language(language),
            question=criterion.question.in_language(language),
            position=position,
        )
        for genre, criteria in by_genre
        for position, criterion in enumerate(criteria)
        for language in Language.values
    )
