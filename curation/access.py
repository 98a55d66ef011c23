"""The doors of curation: a lead enters for the projects they lead, a reader of releases where they are sighted."""

from django.db.models import QuerySet
from django.http import Http404

from annotation import access
from annotation.models import Membership, Response, User
from curation.models import (
    Audit,
    AuditFigure,
    Figure,
    Recipe,
    Release,
    ReleaseFile,
    Report,
    Run,
    WhatIf,
    WhatIfBar,
    WhatIfFigure,
)


def run(user: User, slug: str, pk: int) -> Run:
    project = access.led_project(user, slug)
    found = Run.objects.select_related("project", "recipe", "snapshot").filter(project=project, pk=pk).first()
    if found is None:
        raise Http404
    return found


def recipe(user: User, slug: str, pk: int) -> Recipe:
    project = access.led_project(user, slug)
    found = Recipe.objects.select_related("project").filter(project=project, pk=pk).first()
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


def judged_response(user: User, slug: str, pk: int) -> Response:
    project = access.led_project(user, slug)
    found = project.responses.select_related("project", "prompt__genre").filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def figure(user: User, slug: str, report: int, key: str, *, language: str) -> Figure:
    """Of a report that is done; the page's language, else whichever there is."""
    project = access.led_project(user, slug)
    found = Figure.objects.select_related("report").filter(
        report__project=project, report__pk=report, report__state=Report.State.DONE, key=key
    )
    chosen = found.filter(language=language).first() or found.first()
    if chosen is None:
        raise Http404
    return chosen


def audit_figure(user: User, slug: str, run: int, key: str, *, language: str) -> AuditFigure:
    """Of an audit that is done; the page's language, else whichever there is."""
    project = access.led_project(user, slug)
    found = AuditFigure.objects.select_related("audit").filter(
        audit__run__project=project, audit__run__pk=run, audit__state=Audit.State.DONE, key=key
    )
    chosen = found.filter(language=language).first() or found.first()
    if chosen is None:
        raise Http404
    return chosen


def what_if(user: User, slug: str, pk: int) -> WhatIf:
    project = access.led_project(user, slug)
    rows = WhatIf.objects.select_related("project", "snapshot").defer("snapshot__content")
    found = rows.filter(project=project, pk=pk).first()
    if found is None:
        raise Http404
    return found


def what_if_bar(user: User, slug: str, pk: int, key: str) -> WhatIfBar:
    project = access.led_project(user, slug)
    found = (
        WhatIfBar.objects.select_related("what_if__project")
        .filter(what_if__project=project, what_if=pk, key=key)
        .first()
    )
    if found is None:
        raise Http404
    return found


def what_if_figure(user: User, slug: str, pk: int, key: str, *, language: str) -> WhatIfFigure:
    """In the page's language, else whichever there is."""
    project = access.led_project(user, slug)
    found = WhatIfFigure.objects.filter(what_if__project=project, what_if=pk, key=key)
    chosen = found.filter(language=language).first() or found.first()
    if chosen is None:
        raise Http404
    return chosen


def annotator(user: User, slug: str, pk: int) -> Membership:
    """Somebody who annotates, or did, in a project that the person leads."""
    project = access.led_project(user, slug)
    found = (
        project.memberships.select_related("project", "user")
        .filter(role=Membership.Role.ANNOTATOR, pk=pk)
        .first()
    )
    if found is None:
        raise Http404
    return found
