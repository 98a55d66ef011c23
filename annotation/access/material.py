"""Genres, rubrics, imports, and texts as those see them who may see their sources."""

from django.http import Http404

from annotation.access.projects import led_project, triaged_project
from annotation.models import Genre, Import, Project, Prompt, Response, Rubric, SavedFieldMap, User


def genre(project: Project, pk: int) -> Genre:
    """A macro-category or type of the project."""
    found = project.genres.select_related("project", "parent").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def rubric_version(project: Project, number: int) -> Rubric:
    found = project.rubrics.select_related("project", "created_by").filter(version=number).first()
    if found is None:
        raise Http404
    return found


def led_import(user: User, slug: str, pk: int) -> Import:
    """An import of a project the person leads; that of another project does not exist."""
    project = led_project(user, slug)
    found = project.imports.select_related("project", "created_by").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def saved_field_map(found: Import, pk: int) -> SavedFieldMap:
    """A mapping kept in the import's project."""
    kept = SavedFieldMap.objects.filter(project=found.project, pk=pk).first()
    if kept is None:
        raise Http404
    return kept


def triaged_response(user: User, slug: str, pk: int) -> Response:
    """A response of such a project, flagged or not."""
    there = triaged_project(user, slug).responses.exclude(state=Response.State.INCOMING)
    found = there.select_related("project", "prompt__genre", "source", "removed_by").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def triaged_prompt(user: User, slug: str, pk: int) -> Prompt:
    """A flagged prompt of such a project."""
    flagged = triaged_project(user, slug).prompts.filter(pk=pk, flags__isnull=False)
    found = flagged.select_related("project", "genre", "source").first()
    if found is None:
        raise Http404
    return found
