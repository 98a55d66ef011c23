import contextlib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.errors import DomainError, Invalid
from curation import access, tasks
from curation.domain.audit.record import Record
from curation.forms import FreezeForm
from curation.models import Run
from curation.queries import audits as audit_queries
from curation.queries import run_checks, runs
from curation.queries.audits import AuditState
from curation.services import audits, releases
from curation.services import runs as run_service

# What a refusal is said beside.
FIELDS = {
    "name_taken": "name",
    "version_taken": "version",
    **dict.fromkeys(audits.REASON_CODES, "reason"),
}


@require_safe
def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, access.run(request.user, slug, pk))


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.run(request.user, slug, pk)
    if request.method == "POST":
        # One that has ended by itself meanwhile is shown as it is.
        with contextlib.suppress(DomainError):
            run_service.cancel(found, by=request.user, now=timezone.now())
    return redirect("run", slug=slug, pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.run(request.user, slug, pk)
    if request.method != "POST":
        # The address in the bar after a refused form, opened anew.
        return redirect("run", slug=slug, pk=pk)
    _state, audited = _audited(found)
    form = FreezeForm(request.POST, needs_reason=not audited.is_within)
    if not form.is_valid():
        return _page(request, found, form=form)
    try:
        release = releases.request(found, **form.cleaned_data, by=request.user, now=timezone.now())
    except Invalid as refusal:
        field = FIELDS.get(refusal.code)
        form.add_error(field if field in form.fields else None, refusal.message)
        return _page(request, found, form=form)
    tasks.freeze_release.delay_on_commit(release.pk)
    return redirect("run", slug=slug, pk=pk)


@require_safe
def checks(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What to look at before a release is frozen, which the page of the run asks for again while an audit is on."""
    found = access.run(request.user, slug, pk)
    if found.state != Run.State.DONE or not request.htmx:
        return redirect("run", slug=slug, pk=pk)
    state, audited = _audited(found)
    context = {
        "project": found.project,
        "run": found,
        "state": state,
        "checks": run_checks.checks(found, audited, state),
    }
    return render(request, "curation/_run_checks.html", context)


def _page(request: HttpRequest, found: Run, form: FreezeForm | None = None) -> HttpResponse:
    context = {"project": found.project, "run": runs.run_page(found, now=timezone.now())}
    if found.state == Run.State.DONE:
        state, audited = _audited(found)
        context |= {
            "state": state,
            "checks": run_checks.checks(found, audited, state),
            "form": form or FreezeForm(initial=runs.next_release(found), needs_reason=not audited.is_within),
        }
    template = "curation/_run.html" if request.htmx else "curation/run.html"
    return render(request, template, context, status=422 if form else 200)


def _audited(run: Run) -> tuple[AuditState, Record]:
    state = audit_queries.state(run, now=timezone.now())
    return state, audit_queries.record_of(run, audit=state.audit)
