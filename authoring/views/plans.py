"""Plans of a project: what models are asked, what it costs, and whether it goes on. For leads alone."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access as doors
from annotation.errors import DomainError
from annotation.models import Project
from authoring import access, tasks
from authoring.domain.dropout import LEAST
from authoring.forms.plans import PlanForm, PromptsForm
from authoring.models import Plan
from authoring.queries import expansions, plan_prompts
from authoring.queries import plans as queries
from authoring.services import answers
from authoring.services import plans as services


@require_safe
def plans(request: HttpRequest, slug: str) -> HttpResponse:
    project = doors.led_project(request.user, slug)
    single = request.GET.get("kind") == "single"
    context = {
        "project": project,
        "single": single,
        "singles": queries.singles(project),
        "page": queries.plans(project, single=single, page=request.GET.get("page")),
        "spent": queries.spent(project),
    }
    return render(request, "authoring/plans.html", context)


# --- Making one ----------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def new_plan(request: HttpRequest, slug: str) -> HttpResponse:
    project = doors.led_project(request.user, slug)
    offered = list(expansions.endpoints())
    sent = request.POST if request.method == "POST" else None
    choosing = PromptsForm(sent, offered=plan_prompts.offered(project))
    form = PlanForm(sent, offered=offered)
    if sent is None:
        return _new_page(request, project, choosing, form)
    if request.htmx or "look" in sent:
        return _new_page(request, project, choosing, PlanForm(offered=offered, initial=form.as_sent()))
    if not (choosing.is_valid() and form.is_valid()):
        return _new_page(request, project, choosing, form, status=422)
    try:
        made = services.make(
            project,
            **form.cleaned_data,
            prompts=plan_prompts.asked(project, choosing.wanted()),
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.refuse(refusal)
        return _new_page(request, project, choosing, form, status=refusal.status)
    return redirect("plan", slug=slug, pk=made.pk)


def _new_page(
    request: HttpRequest, project: Project, choosing: PromptsForm, form: PlanForm, status: int = 200
) -> HttpResponse:
    wanted = choosing.wanted()
    context = {
        "project": project,
        "choosing": choosing,
        "least": LEAST,
        "form": form,
        "selection": plan_prompts.selection(project, wanted) if wanted else None,
    }
    template = "authoring/_plan_selection.html" if request.htmx else "authoring/plan_new.html"
    return render(request, template, context, status=status)


# --- One plan ------------------------------------------------------------------------------------


@require_safe
def plan(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, access.plan(request.user, slug, pk))


@require_POST
def start(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A draft begins once somebody has said that they saw what it costs."""
    found = access.plan(request.user, slug, pk)
    if "seen" not in request.POST:
        return _page(request, found, unseen=True, status=422)
    services.start(found, by=request.user, now=timezone.now())
    tasks.work_on_plan.delay_on_commit(found.pk)
    return redirect("plan", slug=slug, pk=pk)


@require_POST
def pause(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    services.pause(access.plan(request.user, slug, pk), by=request.user, now=timezone.now())
    return redirect("plan", slug=slug, pk=pk)


@require_POST
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.plan(request.user, slug, pk)
    services.resume(found, by=request.user, now=timezone.now())
    tasks.work_on_plan.delay_on_commit(found.pk)
    return redirect("plan", slug=slug, pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.plan(request.user, slug, pk)
    if request.method == "POST":
        services.cancel(found, by=request.user, now=timezone.now())
        return redirect("plan", slug=slug, pk=pk)
    context = {"project": found.project, "plan": queries.plan_page(found, now=timezone.now())}
    return render(request, "authoring/plan_cancel.html", context)


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    services.remove(access.plan(request.user, slug, pk), by=request.user, now=timezone.now())
    return redirect("plans", slug=slug)


@require_POST
def again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Failed requests wait once more."""
    found = access.plan(request.user, slug, pk)
    services.try_again(found, by=request.user, now=timezone.now())
    tasks.work_on_plan.delay_on_commit(found.pk)
    return redirect("plan", slug=slug, pk=pk)


@require_POST
def to_triage(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Failed requests become empty responses, for people to decide on."""
    found = access.plan(request.user, slug, pk)
    answers.hand_to_triage(found, by=request.user, now=timezone.now())
    return redirect("plan", slug=slug, pk=pk)


def _page(request: HttpRequest, found: Plan, *, unseen: bool = False, status: int = 200) -> HttpResponse:
    page = queries.plan_page(found, now=timezone.now())
    context = {
        "project": found.project,
        "plan": page,
        "facts": found,
        "estimate": services.estimate(found) if page.is_draft else None,
        "unseen": unseen,
    }
    template = "authoring/_plan.html" if request.htmx else "authoring/plan.html"
    return render(request, template, context, status=status)
