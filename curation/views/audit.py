"""The audit of a run as a lead sees it, and the limits that a project sets."""

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access as doors
from annotation.errors import DomainError
from annotation.models import Project
from curation import access, tasks
from curation.forms import LimitsForm, limits_initial
from curation.models import Audit, Run
from curation.queries import audit_page, audits
from curation.queries.audit_page import Pages
from curation.services import audits as services
from curation.services import figures
from curation.views.figure_files import FILES, as_file

MINUTES = 10  # that the figures of an audit are kept in a process


@require_safe
def audit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = access.run(request.user, slug, pk)
    state = audits.state(run, now=timezone.now())
    context = {"project": run.project, "run": run, "state": state, "here": request.path}
    if request.htmx:
        return render(request, "curation/_audit_state.html", context)
    found = audits.record_of(run, audit=state.audit)
    context |= {
        "record": found,
        "limits": audit_page.limit_lines(found),
        "changed": audits.limits_row(run.project),
    }
    if state.is_done:
        pages = Pages(**{name: request.GET.get(name, "") for name in ("copies", "earlier", "leaks")})
        sighted = access.releases(request.user)
        context |= {
            "page": audit_page.audit_page(state.audit, sighted=sighted, pages=pages),
            "figures": _figures(run, state.audit, language=str(get_language())),
        }
    return render(request, "curation/audit.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def compute(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for the audit of a run, or for another one of it."""
    run = access.run(request.user, slug, pk)
    if request.method == "POST":
        asked = services.request(run, by=request.user, now=timezone.now())
        tasks.audit_run.delay_on_commit(asked.pk)
    return redirect("audit", slug=slug, pk=pk)


@require_safe
def figure(request: HttpRequest, slug: str, pk: int, key: str, kind: str) -> HttpResponse:
    """The numbers or the picture of a figure as a file."""
    found = access.audit_figure(request.user, slug, pk, key, language=str(get_language()))
    return as_file(found, kind, name=f"{slug}-run-{pk}-{key}")


@require_http_methods(["GET", "HEAD", "POST"])
def limits(request: HttpRequest, slug: str) -> HttpResponse:
    project = doors.led_project(request.user, slug)
    if request.method != "POST":
        stored = audits.limits_of(project)
        initial = {**limits_initial(stored), "version": services.version(stored)}
        return _limits_page(request, project, LimitsForm(initial=initial))
    form = LimitsForm(request.POST)
    if not form.is_valid():
        return _limits_page(request, project, form, status=422)
    try:
        services.set_limits(
            project,
            form.limits(),
            version=form.cleaned_data["version"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.refuse(refusal)
        return _limits_page(request, project, form, status=refusal.status)
    return redirect(reverse("audit_limits", args=[slug]) + "?saved")


def _limits_page(request: HttpRequest, project: Project, form: LimitsForm, status: int = 200) -> HttpResponse:
    context = {"project": project, "form": form, "changed": audits.limits_row(project)}
    return render(request, "curation/audit_limits.html", context, status=status)


def _figures(run: Run, audit: Audit, *, language: str) -> str:
    """As the page prints them. An audit that is done changes only when it is computed anew, at another moment."""
    cache, key = caches["process"], f"audit:{audit.pk}:{audit.finished_at.isoformat()}:{language}"
    found = cache.get(key)
    if found is None:
        shown = [
            {**figures.shown(each), "files": _files(run, each["key"])}
            for each in audit_page.figures(audit, language=language)
        ]
        by_genre = [each for each in shown if each["key"].startswith("genres-")]
        parts = {each["key"]: each for each in shown if each not in by_genre}
        found = render_to_string("curation/_audit_figures.html", {"by_genre": by_genre, **parts})
        cache.set(key, found, timeout=MINUTES * 60)
    return found


def _files(run: Run, key: str) -> list[dict[str, str]]:
    return [
        {"kind": kind.upper(), "url": reverse("audit_figure", args=[run.project.slug, run.pk, key, kind])}
        for kind in FILES
    ]
