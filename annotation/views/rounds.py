"""The rounds of a project: making a draft, what a round asks of whom, and what becomes of it."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.domain.prompt_selection import Selected, select
from annotation.errors import Invalid
from annotation.forms.rounds import PURPOSES, DraftForm, FilterForm, RoundForm
from annotation.models import Project, Round
from annotation.queries import round_plans, round_prompts
from annotation.queries import rounds as queries
from annotation.services import rounds as services

# Where on the page a refusal is shown; the summary of the form shows the others.
FIELD_OF = {"round_exists": "name", "too_few_annotators": "annotators_per_response"}

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@dataclass(frozen=True, slots=True)
class Choosing:
    """The filters of prompts as they were sent, and what passes them; None where they cannot be read."""

    form: FilterForm
    selected: Selected | None


def _choosing(project: Project, data: QueryDict) -> Choosing:
    prompts = round_prompts.facts(project)
    form = FilterForm(
        data,
        languages=round_prompts.language_choices(prompts),
        genres=round_prompts.genre_choices(project, prompts, language=_language()),
    )
    filters = form.filters()
    return Choosing(form, select(prompts, filters) if filters else None)


def _language() -> str:
    return "zh" if get_language().startswith("zh") else "en"


@require_safe
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    context = {"project": project, "rounds": queries.lines(project)}
    return render(request, "annotation/rounds.html", context)


@page_or_post
def new_round(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    if request.method != "POST":
        return _new_page(request, project, _choosing(project, request.GET), RoundForm())
    choosing, form = _choosing(project, request.POST), RoundForm(request.POST)
    if not (choosing.form.is_valid() and form.is_valid()):
        return _new_page(request, project, choosing, form)
    try:
        made = services.draft(
            project,
            **form.cleaned_data,
            filters=choosing.form.filters(),
            by=request.user,
            now=timezone.now(),
        )
    except Invalid as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _new_page(request, project, choosing, form)
    return redirect("project_round", slug=slug, pk=made.pk)


@page_or_post
def round_prompts_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Other prompts for a draft: the same filters once more."""
    work = access.draft_round(request.user, slug, pk)
    if request.method != "POST":
        return _new_page(request, work.project, _choosing(work.project, request.GET), None, work)
    choosing = _choosing(work.project, request.POST)
    if not choosing.form.is_valid():
        return _new_page(request, work.project, choosing, None, work)
    try:
        services.choose(work, choosing.form.filters(), by=request.user, now=timezone.now())
    except Invalid as refusal:
        choosing.form.add_error(None, refusal.message)
        return _new_page(request, work.project, choosing, None, work)
    return redirect("project_round", slug=slug, pk=pk)


def _new_page(
    request: HttpRequest,
    project: Project,
    choosing: Choosing,
    form: RoundForm | None,
    work: Round | None = None,
) -> HttpResponse:
    refused = bool(choosing.form.errors or (form and form.errors))
    context = {
        "project": project,
        "work": work,
        "filter": choosing.form,
        "selected": choosing.selected,
        "names_shown": round_prompts.NAMES_SHOWN,
        "form": form,
    }
    template = "annotation/_round_selection.html" if request.htmx else "annotation/round_new.html"
    return render(request, template, context, status=422 if refused else 200)


# --- One round -----------------------------------------------------------------------------------


@require_safe
def project_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, access.project_round(request.user, slug, pk))


@page_or_post
def change_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    if request.method != "POST":
        # The address in the bar after a refused form, opened anew.
        return redirect("project_round", slug=slug, pk=pk)
    form = DraftForm(request.POST)
    if not form.is_valid():
        return _page(request, work, form)
    try:
        services.change(work, **form.cleaned_data, by=request.user, now=timezone.now())
    except Invalid as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        return _page(request, work, form)
    return redirect("project_round", slug=slug, pk=pk)


def _page(request: HttpRequest, work: Round, form: DraftForm | None = None) -> HttpResponse:
    is_draft = work.state == Round.State.DRAFT
    context = {
        **_numbers(work),
        "obstacles": queries.obstacles(work) if is_draft else [],
        "left_out": queries.left_out(work) if is_draft else [],
        "form": form or (DraftForm(initial=_as_it_is(work)) if is_draft else None),
    }
    return render(request, "annotation/round.html", context, status=422 if form else 200)


def _numbers(work: Round) -> dict[str, object]:
    """What the pages of a round have in common. A locked round asks nothing any more."""
    is_locked = work.state == Round.State.LOCKED
    return {
        "project": work.project,
        "work": work,
        "line": queries.line_of(work),
        "undecided": queries.undecided(work) if work.state == Round.State.DRAFT else 0,
        "purpose_means": PURPOSES[work.purpose],
        "plan": None if is_locked else round_plans.plan_of(work, language=_language()),
        "people": list(round_plans.people_of(work, [], {})) if is_locked else None,
    }


def _as_it_is(work: Round) -> dict[str, object]:
    return {field: getattr(work, field) for field in DraftForm.base_fields}


# --- Transitions ---------------------------------------------------------------------------------

Act = Callable[..., None]  # a service that takes a round, by= and now=


@page_or_post
def open_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.draft_round(request.user, slug, pk)
    return _confirmed(request, work, services.open_draft, "annotation/round_open.html")


@page_or_post
def lock_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    return _confirmed(request, work, services.lock, "annotation/round_lock.html")


@page_or_post
def delete_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.draft_round(request.user, slug, pk)
    response = _confirmed(request, work, services.delete, "annotation/round_delete.html")
    return redirect("rounds", slug=slug) if request.method == "POST" else response


def _confirmed(request: HttpRequest, work: Round, act: Act, template: str) -> HttpResponse:
    """A page with the numbers first; its button does it."""
    if request.method == "POST":
        act(work, by=request.user, now=timezone.now())
        return redirect("project_round", slug=work.project.slug, pk=work.pk)
    context = {**_numbers(work), "obstacles": queries.obstacles(work), "in_hand": queries.in_hand(work)}
    return render(request, template, context)


@page_or_post
def pause_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _at_once(request, access.project_round(request.user, slug, pk), services.pause)


@page_or_post
def resume_round(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _at_once(request, access.project_round(request.user, slug, pk), services.resume)


def _at_once(request: HttpRequest, work: Round, act: Act) -> HttpResponse:
    """What can be undone needs no page of its own; the address in the bar after a refusal leads back."""
    if request.method == "POST":
        act(work, by=request.user, now=timezone.now())
    return redirect("project_round", slug=work.project.slug, pk=work.pk)
