"""Stored recipes of a project. A recipe is never edited: other rules or parameters are a new version of it."""

import re
from collections.abc import Mapping
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.errors import DomainError, Invalid
from annotation.models import Project, User
from annotation.services import journal
from curation.domain.recipes import RECIPES, AnyRecipe, RecipeError, WritingPreference
from curation.models import Recipe

SHIPPED = WritingPreference.name  # the one that a project begins with
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")


class Newer(DomainError):
    """Somebody else saved a version meanwhile; `version` is the newest."""

    def __init__(self, version: int) -> None:
        message = _(
            "Version %(version)s of this recipe was saved meanwhile, by somebody else or in another window. Yours is "
            "not saved yet; it stands below. Save it again to make it the version after that."
        )
        super().__init__("recipe_changed", message % {"version": version})
        self.version = version


def save(
    project: Project,
    *,
    parameters: Mapping[str, object],
    name: str = SHIPPED,
    after: int | None = None,
    by: User | None,
    now: datetime,
) -> Recipe:
    """The project's recipe of that name with these parameters; its newest version if they are its own.

    `after` is the version that was changed, where somebody looked at one: Newer where it is not the newest any more.
    """
    complete = _complete(parameters)
    newest = newest_of(project, name)
    if after is not None and newest is not None and newest.version != after:
        raise Newer(newest.version)
    if newest is not None and newest.parameters == complete:
        return newest
    version = newest.version + 1 if newest else 1
    try:
        return _store(project, name, version, complete, by=by, now=now)
    except IntegrityError as error:
        raise Newer(version) from error


def copy(
    project: Project, *, name: str, parameters: Mapping[str, object], by: User | None, now: datetime
) -> Recipe:
    """The first version of a recipe under a name that the project has not used."""
    if not NAME.fullmatch(name):
        message = _(
            "This name will not do: use up to 60 small letters, digits, dots, hyphens and underscores, starting with "
            "a letter or a digit."
        )
        raise Invalid("bad_name", message)
    taken = _(
        "There is a recipe of this name already. Choose another name, or make a new version of that one."
    )
    if name in RECIPES or newest_of(project, name) is not None:
        raise Invalid("name_taken", taken)
    try:
        return _store(project, name, 1, _complete(parameters), by=by, now=now)
    except IntegrityError as error:
        raise Invalid("name_taken", taken) from error


def take(project: Project, given: AnyRecipe, *, name: str, by: User | None, now: datetime) -> Recipe:
    """A recipe of a file: the next version where the project has one of that name, else the first."""
    if not isinstance(given, WritingPreference):
        message = _(
            "A project makes runs with recipes of scores alone; this one is %(kind)s. The command curate applies it."
        )
        raise Invalid("not_of_scores", message % {"kind": given.name})
    if name == SHIPPED or newest_of(project, name) is not None:
        return save(project, parameters=given.parameters(), name=name, by=by, now=now)
    return copy(project, name=name, parameters=given.parameters(), by=by, now=now)


def current(project: Project, *, by: User | None, now: datetime) -> Recipe:
    """The newest version of the recipe that a project begins with; as shipped where it has none yet."""
    return newest_of(project, SHIPPED) or save(project, parameters={}, by=by, now=now)


def named(project: Project, name: str, *, by: User | None, now: datetime) -> Recipe:
    """The newest version of the project's recipe of that name; DomainError where there is none."""
    found = current(project, by=by, now=now) if name == SHIPPED else newest_of(project, name)
    if found is None:
        known = (
            Recipe.objects.filter(project=project).order_by("name").values_list("name", flat=True).distinct()
        )
        message = _("There is no recipe %(name)s in this project. Known: %(names)s")
        names = ", ".join(sorted({SHIPPED, *known}))
        raise DomainError("no_such_recipe", message % {"name": name, "names": names})
    return found


def newest_of(project: Project, name: str) -> Recipe | None:
    return Recipe.objects.filter(project=project, name=name).order_by("-version").first()


def _complete(parameters: Mapping[str, object]) -> dict[str, object]:
    try:
        return WritingPreference.from_parameters(parameters).parameters()
    except RecipeError as error:
        raise Invalid(error.code, str(error)) from error


@transaction.atomic
def _store(
    project: Project,
    name: str,
    version: int,
    parameters: Mapping[str, object],
    *,
    by: User | None,
    now: datetime,
) -> Recipe:
    recipe = Recipe.objects.create(
        project=project, name=name, version=version, parameters=parameters, created_at=now
    )
    journal.record(
        "recipe.saved", by=by, at=now, project=project, recipe=recipe.pk, name=name, version=version
    )
    return recipe
