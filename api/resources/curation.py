"""Recipes, runs with their pairs, and the releases that are asked of them."""

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.errors import DomainError, Invalid
from annotation.models import Project
from annotation.queries.imports import said_of
from annotation.queries.jobs import error_of
from api.base import View
from api.resources import bodies, doors, freezing, rows
from api.resources.lists import Filter, Filtered, address
from api.resources.rows import Row
from curation import tasks
from curation.domain import recipe_json
from curation.domain import recipes as domain
from curation.domain.recipe_values import RecipeError
from curation.models import Recipe, Release, Run
from curation.queries import audits, recipe_page
from curation.services import recipes, runs

# --- Recipes ---------------------------------------------------------------------------------------------


class Recipes(Filtered):
    """Every version of every recipe."""

    filters = {"name": Filter("name")}
    orders = {"created": "pk", "name": "name"}

    def get(self, request: Request, slug: str) -> Response:
        found = Recipe.objects.filter(project=doors.led(self, slug))
        return self.page(found, lambda each: _recipe(request, slug, each), order="created")

    def post(self, request: Request, slug: str) -> Response:
        """The next version of the recipe of that name, or its first; the newest where it says the same."""
        project = doors.led(self, slug)
        given = bodies.taken(request, bodies.NewRecipe)
        now = timezone.now()
        taken = recipes.take(
            project, _recipe_of(given["recipe"]), name=given["name"], by=request.user, now=now
        )
        told = _recipe(request, slug, taken)
        return Response(told, status=201, headers={"Location": told["url"]})


class OneRecipe(View):
    """A version of a recipe, with its parameters."""

    def get(self, request: Request, slug: str, name: str, number: int) -> Response:
        return Response(_recipe(request, slug, doors.recipe(doors.led(self, slug), name, number)))


class RecipeFile(View):
    """The recipe as a file, as its page gives it."""

    def get(self, request: Request, slug: str, name: str, number: int) -> HttpResponse:
        found = doors.recipe(doors.led(self, slug), name, number)
        headers = {"Content-Disposition": f'attachment; filename="{name}-{number}.json"'}
        written = recipe_json.written(recipe_page.of(found))
        return HttpResponse(written, content_type="application/json", headers=headers)


def _recipe_of(given: object) -> domain.AnyRecipe:
    try:
        return domain.from_dict(given)
    except RecipeError as error:
        place = f"{error.place}: " if error.place else ""
        raise Invalid(error.code, f"{place}{said_of(error.reason)}") from error


def _recipe(request: Request, slug: str, found: Recipe) -> Row:
    place = (slug, found.name, found.version)
    return {
        "name": found.name,
        "version": found.version,
        "parameters": found.parameters,
        "created_at": found.created_at,
        "url": address(request, "api_recipe", *place),
        "file": address(request, "api_recipe_file", *place),
    }


# --- Runs ------------------------------------------------------------------------------------------------


class Runs(Filtered):
    """Runs of recipes over what was judged."""

    filters = {"state": Filter("state", tuple(Run.State.values)), "recipe": Filter("recipe__name")}
    orders = {"queued": "pk"}

    def get(self, request: Request, slug: str) -> Response:
        found = _runs(doors.led(self, slug))
        return self.page(found, lambda each: _run(request, slug, each), order="queued")

    def post(self, request: Request, slug: str) -> Response:
        """Asks a worker to apply a recipe to the judgements of this moment."""
        project = doors.led(self, slug)
        given = bodies.taken(request, bodies.NewRun)
        with transaction.atomic():
            chosen = _chosen(project, given, by=request.user)
            made = runs.request(project, recipe=chosen, by=request.user, now=timezone.now())
            tasks.run_curation.delay_on_commit(made.pk)
        told = _whole(request, slug, made)
        return Response(told, status=202, headers={"Location": told["url"]})


class OneRun(View):
    """A run with its funnel and its agreement, once it is done."""

    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(_whole(request, slug, doors.run(self, slug, pk)))


class CancelRun(View):
    """Ends a run without a result."""

    def post(self, request: Request, slug: str, pk: int) -> Response:
        found = doors.run(self, slug, pk)
        if request.data:
            bodies.taken(request, bodies.Nothing)
        runs.cancel(found, by=request.user, now=timezone.now())
        found.refresh_from_db()
        return Response(_whole(request, slug, found))


class RunChecks(View):
    """What stands for and against a release of a run that is done, and which version would be next."""

    known_parameters = ("name",)

    def get(self, request: Request, slug: str, pk: int) -> Response:
        found = doors.run(self, slug, pk)
        if found.state != Run.State.DONE:
            raise DomainError("run_not_done", "This run has no result to freeze.")
        name = request.query_params.get("name", "")
        return Response(freezing.facts(found, {"name": name or freezing.name_of(found)}).as_dict())


class Pairs(Filtered):
    """The pairs that the run accepted."""

    filters = {
        "prompt": Filter("chosen__prompt__external_id"),
        "genre": Filter("chosen__prompt__genre__key"),
        "language": Filter("chosen__prompt__language"),
    }
    orders = {"created": "pk", "id": "key"}

    def get(self, request: Request, slug: str, pk: int) -> Response:
        return self.page(rows.pairs(doors.run(self, slug, pk)), rows.pair, order="created")


def _chosen(project: Project, given: Row, *, by: object) -> Recipe:
    name, version = given.get("recipe") or recipes.SHIPPED, given.get("version")
    if version is None:
        return recipes.named(project, name, by=by, now=timezone.now())
    found = Recipe.objects.filter(project=project, name=name, version=version).first()
    if found is None:
        raise Invalid("no_such_recipe", f"There is no version {version} of a recipe {name} in this project.")
    return found


def _runs(project: Project) -> QuerySet[Run]:
    found = Run.objects.filter(project=project).select_related("recipe", "snapshot", "rubric")
    return found.defer("snapshot__content")


def _run(request: Request, slug: str, found: Run) -> Row:
    return {
        "id": found.pk,
        "state": found.state,
        "recipe": found.recipe.name,
        "recipe_version": found.recipe.version,
        "error": error_of(found),
        "code_version": found.code_version,
        "rubric": found.rubric.version if found.rubric else None,
        "snapshot": found.snapshot.digest if found.snapshot else None,
        "accepted": found.funnel["accepted"] if found.funnel else None,
        "queued_at": found.queued_at,
        "finished_at": found.finished_at,
        "url": address(request, "api_run", slug, found.pk),
    }


def _whole(request: Request, slug: str, found: Run) -> Row:
    audit = audits.audit_of(found)
    return {
        **_run(request, slug, found),
        "funnel": found.funnel,
        "agreement": found.agreement,
        "symmetry": found.symmetry,
        "audit": audit.state if audit else None,
        "pairs": address(request, "api_pairs", slug, found.pk),
        "checks": address(request, "api_run_checks", slug, found.pk),
    }


# --- Releases --------------------------------------------------------------------------------------------


class ProjectReleases(Filtered):
    """Releases of the project, frozen or on the way there."""

    filters = {"name": Filter("name"), "state": Filter("state", tuple(Release.State.values))}
    orders = {"queued": "pk"}

    def get(self, request: Request, slug: str) -> Response:
        found = Release.objects.filter(project=doors.led(self, slug))
        return self.page(found, lambda each: _release(request, slug, each), order="queued")

    def post(self, request: Request, slug: str) -> Response:
        """Asks a worker to freeze a run that is done."""
        doors.led(self, slug)
        given = bodies.taken(request, bodies.NewRelease)
        found = doors.run(self, slug, given.pop("run"))
        with transaction.atomic():
            made = freezing.request(found, given, by=request.user)
            tasks.freeze_release.delay_on_commit(made.pk)
        told = _release(request, slug, made)
        return Response(told, status=202, headers={"Location": told["url"]})


class OneProjectRelease(View):
    """A release of the project, and where it stands."""

    def get(self, request: Request, slug: str, name: str, version: str) -> Response:
        found = doors.release(doors.led(self, slug), name, version)
        return Response(_release(request, slug, found))


def _release(request: Request, slug: str, found: Release) -> Row:
    is_done = found.state == Release.State.DONE
    return {
        "name": found.name,
        "version": found.version,
        "run": found.run_id,
        "state": found.state,
        "error": error_of(found),
        "manifest_sha256": found.manifest_sha256,
        "queued_at": found.queued_at,
        "finished_at": found.finished_at,
        "url": address(request, "api_project_release", slug, found.name, found.version),
        "frozen": address(request, "api_release", found.name, found.version) if is_done else None,
    }
