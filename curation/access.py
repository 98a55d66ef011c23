"""The doors of curation: a lead enters for the projects they lead, a reader of releases where they are sighted."""

from django.db.models import QuerySet
from django.http import Http404

from annotation import access
from annotation.models import User
from curation.models import Release, ReleaseFile, Run


def run(user: User, slug: str, pk: int) -> Run:
    project = access.led_project(user, slug)
    found = Run.objects.select_related("project", "recipe", "snapshot").filter(project=project, pk=pk).first()
    if found is None:
        raise Http404
    return found


def releases(user: User) -> QuerySet[Release]:
    """Frozen releases of projects whose scores the person may see."""
    return Release.objects.select_related("run__recipe", "project").filter(
        state=Release.State.DONE, project__in=access.sighted_projects(user)
    )


def release(user: User, name: str, version: str) -> Release:
    found = releases(user).filter(name=name, version=version).first()
    if found is None:
        raise Http404
    return found


def release_file(user: User, name: str, version: str, path: str) -> ReleaseFile:
    """A file is found by the release's own list; a path that is not on it does not exist."""
    found = release(user, name, version).files.select_related("release").filter(path=path).first()
    if found is None:
        raise Http404
    return found
