"""Stored recipes. A recipe is never edited: other parameters are a new version of it."""

from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.errors import DomainError, Invalid
from annotation.models import Project, User
from annotation.services import journal
from curation.domain.recipes import RecipeError, WritingPreference
from curation.models import Recipe


@transaction.atomic
def save(project: Project, *, parameters: Mapping[str, object], by: User | None, now: datetime) -> Recipe:
    """The project's writing-preference recipe with these parameters; the newest version if they are its own."""
    try:
        complete = WritingPreference.from_parameters(parameters).parameters()
    except RecipeError as error:
        raise Invalid(error.code, str(error)) from error
    name = WritingPreference.name
    newest = Recipe.objects.filter(project=project, name=name).order_by("-version").first()
    if newest and newest.parameters == complete:
        return newest
    version = newest.version + 1 if newest else 1
    try:
        with transaction.atomic():
            recipe = Recipe.objects.create(
                project=project, name=name, version=version, parameters=complete, created_at=now
            )
    except IntegrityError as error:
        raise DomainError(
            "recipe_changed", "Somebody else changed the recipe just now. Try again."
        ) from error
    journal.record("recipe.saved", by=by, at=now, project=project, recipe=recipe.pk)
    return recipe


def current(project: Project, *, by: User | None, now: datetime) -> Recipe:
    """The project's newest recipe; the shipped one where it has none yet."""
    newest = Recipe.objects.filter(project=project, name=WritingPreference.name).order_by("-version").first()
    return newest or save(project, parameters={}, by=by, now=now)
