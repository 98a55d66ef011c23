"""Freezing a run: its checks, what would change, and what the release is to be, on one page."""

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.services.refusals import FieldsRefused
from curation import access, tasks
from curation.domain import manifest
from curation.domain import release_checks as checks
from curation.forms.releases import FreezeForm
from curation.models import Release, Run
from curation.queries import audits as audit_queries
from curation.queries import freeze_page
from curation.queries.freeze_facts import Plan
from curation.services import freezing, release_differences
from curation.services.freezing import Facts
from curation.views.figure_files import download


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = access.run(request.user, slug, pk)
    if not freezing.is_freezable(run):
        return redirect("run", slug=slug, pk=pk)
    if request.method != "POST":
        return _empty(request, run)
    draft = FreezeForm(request.POST)
    if draft.is_valid() and freezing.twin(run, draft.asked(), by=request.user):
        return redirect("run", slug=slug, pk=pk)  # sent twice
    facts = _facts(run, draft.asked().plan)
    form = _form(request.POST, facts)
    if request.POST.get("act") != "freeze":
        form.forget_all_but_the_plan()
        return _page(request, run, facts, form)
    release = _requested(request, run, facts, form)
    if release is None:
        return _page(request, run, facts, form)
    tasks.freeze_release.delay_on_commit(release.pk)
    return redirect("run", slug=slug, pk=pk)


@require_safe
def audit_state(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Whether the audit is done, which the page asks for while one is on; what was typed stays where it is."""
    run = access.run(request.user, slug, pk)
    if not request.htmx:
        return redirect("freeze", slug=slug, pk=pk)
    state = audit_queries.state(run, now=timezone.now())
    context = {"project": run.project, "run": run, "state": state, "polled": True}
    return render(request, "curation/_freeze_audit.html", context)


@require_safe
def difference_file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Every pair that would change, with the reasons."""
    run = access.run(request.user, slug, pk)
    base = freeze_page.base_of(run.project, _name(request))
    if run.state != Run.State.DONE or base is None:
        raise Http404
    found = release_differences.between(base.release.run, run)
    changes = release_differences.all_with_reasons(found, base.release.run, run)
    against = f"{base.release.name}-{base.release.version}"
    return download(
        freeze_page.table(changes).csv().encode(), "csv", name=f"{slug}-run-{pk}-against-{against}"
    )


def _empty(request: HttpRequest, run: Run) -> HttpResponse:
    name = _name(request) or freeze_page.name_to_suggest(run.project)
    facts = _facts(run, Plan(name, checks.Lines()))
    form = _form(
        None,
        facts,
        initial={"name": name, "version": facts.next_version, "heldout": "", **facts.stated.as_dict()},
    )
    return _page(request, run, facts, form)


def _facts(run: Run, plan: Plan) -> Facts:
    return freezing.facts(run, plan, now=timezone.now())


def _form(data: QueryDict | None, facts: Facts, **options: object) -> FreezeForm:
    return FreezeForm(
        data, failing=facts.failing, needs_reason=facts.needs_reason, follows=facts.follows, **options
    )


def _requested(request: HttpRequest, run: Run, facts: Facts, form: FreezeForm) -> Release | None:
    """None where the form now says why not."""
    wrong = form.wrong()
    asked = form.asked()
    try:
        return freezing.request(run, asked, facts, wrong=wrong, by=request.user, now=timezone.now())
    except FieldsRefused as refusal:
        twin = freezing.twin(run, asked, by=request.user) if refusal.code == "version_taken" else None
        if twin is None:
            form.refuse(refusal)
        return twin


def _page(request: HttpRequest, run: Run, facts: Facts, form: FreezeForm) -> HttpResponse:
    context = {
        "project": run.project,
        "run": run,
        "state": facts.state,
        "form": form,
        "checks": [
            (line, form.reason_field() if line.key == checks.AUDIT else form.waiver_of(line.key))
            for line in freeze_page.lines(run, facts.checked, facts.record)
        ],
        "plan": facts.plan,
        "base": facts.base,
        "suggested": facts.next_version,
    }
    if facts.base is not None and facts.difference is not None:
        page = freeze_page.page_of(facts.difference, _asked(request))
        changes = release_differences.with_reasons(list(page.object_list), facts.base.release.run, run)
        context |= {
            "difference": facts.difference,
            "counts": freeze_page.count_lines(facts.difference.counts()),
            "demands": freeze_page.BUMPS[facts.difference.bump],
            "changes": freeze_page.change_lines(changes),
            "page": page,
        }
    return render(
        request, "curation/freeze.html", context, status=422 if form.is_bound and form.errors else 200
    )


def _name(request: HttpRequest) -> str:
    """The name that the address asks for, if a release can bear it."""
    name = request.GET.get("name", "")
    return name if manifest.NAME.fullmatch(name) else ""


def _asked(request: HttpRequest) -> str:
    """The page of changes: kept in the form, so that looking at another loses nothing that was typed."""
    given = request.POST if request.method == "POST" else request.GET
    return given.get("page") or given.get("page_now") or "1"
