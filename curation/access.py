"""The doors of curation: a lead enters for the projects they lead, a reader of releases where they are sighted."""

from django.db.models import Q, QuerySet
from django.http import Http404

from annotation import access
from annotation.models import Membership, Response, User
from curation.domain.release.splits import is_withheld
from curation.models import (
    Audit,
    AuditFigure,
    Figure,
    Recipe,
    Release,
    ReleaseFile,
    ReleaseReader,
    Report,
    Run,
    Submission,
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
    """Frozen releases of projects whose scores the person may see, and those whose readers they are among."""
    annotated = Membership.objects.filter(user_id=user.pk, role=Membership.Role.ANNOTATOR).values("project")
    let_in = ReleaseReader.objects.filter(user_id=user.pk).exclude(release__project__in=annotated)
    theirs = Q(project__in=access.sighted_projects(user)) | Q(pk__in=let_in.values("release"))
    return Release.objects.select_related("run__recipe", "project").filter(theirs, state=Release.State.DONE)


def release(user: User, name: str, version: str) -> Release:
    found = releases(user).filter(name=name, version=version).first()
    if found is None:
        raise Http404
    return found


def led_release(user: User, name: str, version: str) -> Release:
    """A frozen release of a project that the person leads. 403 for others who may see it, 404 for everybody else."""
    found = release(user, name, version)
    access.led_project(user, found.project.slug)
    return found


def release_file(user: User, name: str, version: str, path: str) -> ReleaseFile:
    """A file is found by the release's own list; a path that is not on it does not exist, nor does one of what is kept
    back for whoever may not take that."""
    of = release(user, name, version)
    found = of.files.select_related("release").filter(path=path).first()
    if found is None or (is_withheld(path) and not may_take_withheld(user, of)):
        raise Http404
    return found


def may_take_withheld(user: User, release: Release) -> bool:
    """Whoever leads the project, and the readers that they named."""
    is_reader = ReleaseReader.objects.filter(release=release, user_id=user.pk).exists()
    return is_reader or access.led_projects(user).filter(pk=release.project_id).exists()


def submissions(user: User, release: Release) -> QuerySet[Submission]:
    """To a release that the person reads: their own and those that are published; all of them for its leads."""
    found = Submission.objects.filter(release=release)
    if access.led_projects(user).filter(pk=release.project_id).exists():
        return found
    return found.filter(Q(queued_by_id=user.pk) | Q(publication__isnull=False))


def submission(user: User, name: str, version: str, pk: int) -> Submission:
    of = release(user, name, version)
    rows = (
        submissions(user, of).select_related("release__project", "queued_by", "publication").defer("content")
    )
    found = rows.filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def led_submission(user: User, name: str, version: str, pk: int) -> Submission:
    """403 for others who may see it, 404 for everybody else."""
    found = submission(user, name, version, pk)
    access.led_project(user, found.release.project.slug)
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
