"""Recipes of a project: what they say, and the form by which a lead makes a version or a copy of one."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access as doors
from annotation.errors import DomainError
from annotation.models import Project
from curation import access
from curation.domain import recipe_json
from curation.domain.recipes import RECIPES, AnyRecipe, WritingPreference
from curation.models import Recipe
from curation.queries import recipe_page as queries
from curation.services import recipes
from curation.views.recipe_form import RecipeFileForm, RecipeForm, recipe_initial


@require_http_methods(["GET", "HEAD", "POST"])
def recipe_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The recipes, and a form that takes one as a file."""
    led = doors.led_project(request.user, slug)
    if request.method != "POST":
        return _list_page(request, led, RecipeFileForm())
    form = RecipeFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _list_page(request, led, form, status=422)
    given, name = form.cleaned_data["file"], form.cleaned_data["name"]
    try:
        taken = recipes.take(led, given, name=name, by=request.user, now=timezone.now())
    except DomainError as refusal:
        form.refuse(refusal)
        return _list_page(request, led, form, status=refusal.status)
    return redirect("recipe", slug=slug, pk=taken.pk)


@require_safe
def recipe(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.recipe(request.user, slug, pk)
    context = {
        "project": found.project,
        "recipe": found,
        "content": queries.content(queries.of(found)),
        "versions": queries.versions(found),
    }
    return render(request, "curation/recipe.html", context)


@require_safe
def recipe_file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.recipe(request.user, slug, pk)
    return _file(queries.of(found), name=f"{found.name}-{found.version}")


@require_safe
def shipped_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    doors.led_project(request.user, slug)
    if name not in RECIPES:
        raise Http404
    return _file(RECIPES[name](), name=name)


@require_safe
def shipped(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    led = doors.led_project(request.user, slug)
    line = next((line for line in queries.shipped_lines() if line.name == name), None)
    if line is None:
        raise Http404
    context = {"project": led, "shipped": line, "content": queries.content(RECIPES[name]())}
    return render(request, "curation/recipe_shipped.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A new version, which begins with what the version in the address says."""
    found = access.recipe(request.user, slug, pk)
    if request.method != "POST":
        newest = recipes.newest_of(found.project, found.name)
        initial = {**recipe_initial(queries.of(found)), "after": newest.version if newest else found.version}
        return _form_page(request, found.project, RecipeForm(initial=initial, is_copy=False), of=found)
    form = RecipeForm(request.POST, is_copy=False)
    if not form.is_valid():
        return _form_page(request, found.project, form, of=found, status=422)
    try:
        saved = recipes.save(
            found.project,
            parameters=form.parameters(),
            name=found.name,
            after=form.cleaned_data["after"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.refuse(refusal)
        return _form_page(request, found.project, form, of=found, status=refusal.status)
    return redirect("recipe", slug=slug, pk=saved.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def copy(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.recipe(request.user, slug, pk)
    return _copy(request, found.project, queries.of(found), of=found)


@require_http_methods(["GET", "HEAD", "POST"])
def copy_shipped(request: HttpRequest, slug: str) -> HttpResponse:
    return _copy(request, doors.led_project(request.user, slug), WritingPreference(), of=None)


def _copy(
    request: HttpRequest, project: Project, begun: WritingPreference, *, of: Recipe | None
) -> HttpResponse:
    if request.method != "POST":
        return _form_page(request, project, RecipeForm(initial=recipe_initial(begun), is_copy=True), of=of)
    form = RecipeForm(request.POST, is_copy=True)
    if not form.is_valid():
        return _form_page(request, project, form, of=of, status=422)
    try:
        made = recipes.copy(
            project,
            name=form.cleaned_data["name"],
            parameters=form.parameters(),
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.refuse(refusal)
        return _form_page(request, project, form, of=of, status=refusal.status)
    return redirect("recipe", slug=project.slug, pk=made.pk)


def _form_page(
    request: HttpRequest, project: Project, form: RecipeForm, *, of: Recipe | None, status: int = 200
) -> HttpResponse:
    context = {"project": project, "form": form, "of": of, "is_copy": "name" in form.fields}
    return render(request, "curation/recipe_form.html", context, status=status)


def _list_page(
    request: HttpRequest, project: Project, form: RecipeFileForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "project": project,
        "recipes": queries.lines(project),
        "shipped": queries.shipped_lines(),
        "form": form,
    }
    return render(request, "curation/recipes.html", context, status=status)


def _file(recipe: AnyRecipe, *, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
    return HttpResponse(recipe_json.written(recipe), content_type="application/json", headers=headers)
