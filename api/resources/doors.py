"""Whose things are: the doors of the pages, within the limits of the token.

A project comes first, so that whoever may not enter it hears the same of what is in it and what is not.
"""

from django.db.models import QuerySet
from django.http import Http404

from annotation import access
from annotation.models import Genre, Membership, Project, Prompt, Response, Round, Rubric, User
from api.base import View
from api.resources import rows
from authoring import access as authoring
from authoring.models import AuthoredPrompt, Plan
from curation import access as curation
from curation.models import Recipe, Release, Run


def led(view: View, slug: str) -> Project:
    view.project(slug)
    return access.led_project(view.request.user, slug)


def member(view: View, slug: str) -> Project:
    view.project(slug)
    return access.member_project(view.request.user, slug)


def projects(view: View) -> QuerySet[Project]:
    """Those in which the token's owner takes part, as member_project has it."""
    active = Membership.objects.filter(user=view.request.user, state=Membership.State.ACTIVE)
    return view.within(Project.objects.filter(pk__in=active.values("project")), to="pk")


def roles(user: User, project: Project) -> list[str]:
    held = project.memberships.filter(user=user, state=Membership.State.ACTIVE)
    return sorted(held.values_list("role", flat=True))


def genre(project: Project, key: str) -> Genre:
    return _one(project.genres.select_related("project", "parent").filter(key=key))


def rubric(project: Project, number: int) -> Rubric:
    return access.rubric_version(project, number)


def prompt(project: Project, name: str) -> Prompt:
    return _one(rows.prompts(project).filter(external_id=name))


def response(view: View, slug: str, name: str) -> Response:
    """Whoever may see where texts come from may see one, as in triage."""
    view.project(slug)
    project = access.triaged_project(view.request.user, slug)
    return _one(rows.responses(project).filter(external_id=name))


def person(project: Project, username: str) -> User:
    return _one(User.objects.filter(username=username, memberships__project=project).distinct())


def round_of_work(project: Project, name: str) -> Round:
    return _one(rows.rounds(project).select_related("project").filter(name=name))


def recipe(project: Project, name: str, version: int) -> Recipe:
    found = Recipe.objects.select_related("project").filter(project=project)
    return _one(found.filter(name=name, version=version))


def run(view: View, slug: str, pk: int) -> Run:
    view.project(slug)
    return curation.run(view.request.user, slug, pk)


def release(project: Project, name: str, version: str) -> Release:
    """Frozen or not."""
    found = Release.objects.select_related("run", "project").filter(project=project)
    return _one(found.filter(name=name, version=version))


def written(view: View, slug: str) -> Project:
    """Whose prompts the token's owner writes, as lead or instructor."""
    view.project(slug)
    return authoring.writing_project(view.request.user, slug)


def authored(view: View, slug: str, key: str) -> AuthoredPrompt:
    found = written(view, slug).authored_prompts.select_related("genre", "author__user", "parallel_to")
    return _one(found.filter(key=key))


def plan(project: Project, pk: int) -> Plan:
    return _one(project.plans.filter(pk=pk))


def _one(found: QuerySet) -> object:
    one = found.first()
    if one is None:
        raise Http404
    return one
