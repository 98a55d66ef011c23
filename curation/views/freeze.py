"""Freezing a run: its checks, what would change, and what the release is to be, on one page."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from annotation.errors import DomainError, Invalid
from curation import access, tasks
from curation.domain import manifest
from curation.domain import release_checks as checks
from curation.domain import release_versions as versions
from curation.domain.audit.record import Record
from curation.domain.release_difference import Difference
from curation.domain.release_versions import Bump
from curation.forms.releases import FreezeForm
from curation.models import Release, Run
from curation.queries import audits as audit_queries
from curation.queries import freeze_facts, freeze_page
from curation.queries.audits import AuditState
from curation.queries.freeze_facts import Checked, Plan
from curation.queries.freeze_page import Base
from curation.services import audits, release_differences, releases
from curation.views.figure_files import download

# What a refusal is said beside.
FIELDS = {
    "bad_name": "name",
    "name_taken": "name",
    "bad_version": "version",
    "version_taken": "version",
    "bad_licence": "licence_other",
    "note_too_long": "note",
    "bad_heldout_percent": "heldout_percent",
    **dict.fromkeys(audits.REASON_CODES, "reason"),
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What the page is about: the state of the world, and nothing of the form."""

    plan: Plan
    state: AuditState
    record: Record
    checked: Checked
    base: Base | None
    difference: Difference | None

    @property
    def failing(self) -> list[str]:
        """Checks that take a reason of their own; that of the audit is the audit's."""
        return [name for name in checks.unwaived(self.checked.checks) if name != checks.AUDIT]

    def form_options(self) -> dict[str, object]:
        return {
            "failing": self.failing,
            "needs_reason": not self.record.is_within,
            "follows": self.base is not None and self.base.last is not None,
        }


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = access.run(request.user, slug, pk)
    if run.state != Run.State.DONE or not run.funnel["accepted"]:
        return redirect("run", slug=slug, pk=pk)
    if request.method != "POST":
        return _empty(request, run)
    draft = FreezeForm(request.POST)
    if draft.is_valid() and _twin(request, run, draft):
        return redirect("run", slug=slug, pk=pk)  # sent twice
    facts = _facts(run, _plan(draft))
    form = FreezeForm(request.POST, **facts.form_options())
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
    version = freeze_page.version_to_suggest(facts.base, facts.difference)
    form = FreezeForm(initial={"name": name, "version": version, "heldout": ""}, **facts.form_options())
    return _page(request, run, facts, form)


def _plan(draft: FreezeForm) -> Plan:
    return Plan(draft.cleaned_data.get("name", ""), draft.lines(), draft.percent())


def _facts(run: Run, plan: Plan) -> Facts:
    state = audit_queries.state(run, now=timezone.now())
    record = audit_queries.record_of(run, audit=state.audit)
    base = freeze_page.base_of(run.project, plan.name)
    return Facts(
        plan=plan,
        state=state,
        record=record,
        checked=freeze_facts.checked(run, plan, found=record, state=state),
        base=base,
        difference=None if base is None else release_differences.between(base.release.run, run),
    )


def _twin(request: HttpRequest, run: Run, form: FreezeForm) -> Release | None:
    return freeze_page.twin(run, form.terms(), by=request.user)


def _requested(request: HttpRequest, run: Run, facts: Facts, form: FreezeForm) -> Release | None:
    """None where the form now says why not."""
    form.is_valid()  # what is wrong in itself; what the world refuses is said along with it
    _check_version(form, facts)
    _check_reason(form, run)
    _check_share(form, facts)
    if form.errors:
        return None
    found = checks.waived(facts.checked.checks, {**form.waivers(), checks.AUDIT: form.given_reason()})
    found += (freeze_page.difference_check(facts.base, facts.difference),)
    try:
        return releases.request(
            run, **form.terms(), reason=form.given_reason(), checks=found, by=request.user, now=timezone.now()
        )
    except Invalid as refusal:
        twin = _twin(request, run, form) if refusal.code == "version_taken" else None
        if twin is None:
            field = FIELDS.get(refusal.code)
            form.add_error(field if field in form.fields else None, refusal.message)
        return twin


def _check_version(form: FreezeForm, facts: Facts) -> None:
    """Whether it comes after the last, and rises as far as the difference demands. One that is taken, or is none, the
    service refuses."""
    version = versions.parse(form.cleaned_data.get("version", ""))
    last = facts.base.last if facts.base is not None else None
    if version is None or last is None or facts.difference is None or version.place == last.place:
        return
    bump = facts.difference.bump
    refusal = versions.refusal(version, last, bump)
    words = {"last": last, "next": versions.raised(last, bump)}
    if refusal == versions.LOWER:
        said = _("The last version of this name is %(last)s. Use %(next)s, or a later one.")
        form.add_error("version", said % words)
    elif refusal == versions.SMALL and bump is Bump.MAJOR:
        said = _(
            "Pairs of %(last)s leave or turn around, so the first number rises: use %(next)s, or a later one."
        )
        form.add_error("version", said % words)
    elif refusal == versions.SMALL:
        said = _(
            "Pairs join those of %(last)s or change, so the second number rises: use %(next)s, or a later one."
        )
        form.add_error("version", said % words)


def _check_reason(form: FreezeForm, run: Run) -> None:
    """Said along with all else, not only once all else is right."""
    if "reason" not in form.fields or "reason" in form.errors:
        return
    try:
        audits.passed(run, reason=form.given_reason())
    except DomainError as refusal:
        form.add_error("reason", refusal.message)


def _check_share(form: FreezeForm, facts: Facts) -> None:
    """A split without a prompt could not be made."""
    splits = next(check.detail for check in facts.checked.checks if check.name == checks.SPLITS)
    if form.percent() and splits["heldout"] in (0, splits["prompts"]):
        said = _("One of the two splits would have no prompt. Hold out another share.")
        form.add_error("heldout_percent", said)


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
        "suggested": freeze_page.version_to_suggest(facts.base, facts.difference),
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
