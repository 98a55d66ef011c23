"""Rounds that a lead draws: pairs for a study, and texts in two languages for bilingual validators."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.domain.prompt_selection import select
from annotation.errors import DomainError, Invalid
from annotation.forms.pair_rounds import NameForm, PairsForm, ValidationForm
from annotation.forms.rounds import FilterForm
from annotation.models import Project
from annotation.queries import pair_sources, round_prompts, rubrics
from annotation.services import pair_rounds as services

page_or_post = require_http_methods(["GET", "HEAD", "POST"])
# What belongs to the second form of a page, which makes the round.
OF_THE_ROUND = {"csrfmiddlewaretoken", "name"}


def sent_with(data: QueryDict) -> list[tuple[str, str]]:
    """(name, value) of the first form, for the second to send along."""
    return [(key, value) for key in data if key not in OF_THE_ROUND for value in data.getlist(key)]


# --- Pairs of chosen prompts ---------------------------------------------------------------------


@page_or_post
def new_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    data = request.POST if request.method == "POST" else request.GET
    chosen, form = _filters(project, data), PairsForm(data or None)
    can_be_read = (not chosen.is_bound or chosen.is_valid()) and (not form.is_bound or form.is_valid())
    naming = NameForm(data if request.method == "POST" else None)
    if request.method == "POST" and can_be_read and naming.is_valid():
        try:
            made = services.study(
                project,
                naming.cleaned_data["name"],
                filters=chosen.filters(),
                **form.draw(),
                by=request.user,
                now=timezone.now(),
            )
        except Invalid as refusal:
            naming.add_error("name" if refusal.code == "round_exists" else None, refusal.message)
        else:
            return redirect("project_round", slug=slug, pk=made.pk)
    is_refused = not can_be_read or bool(naming.errors)
    context = {
        "project": project,
        "filter": chosen,
        "form": form,
        "naming": naming,
        "sent": sent_with(data),
        "plan": _plan(project, chosen, form) if can_be_read else None,
    }
    return render(request, "annotation/pairs_new.html", context, status=422 if is_refused else 200)


def _filters(project: Project, data: QueryDict) -> FilterForm:
    prompts = round_prompts.facts(project)
    return FilterForm(
        data,
        languages=round_prompts.language_choices(prompts),
        genres=round_prompts.genre_choices(project, prompts, language=rubrics.reader_language()),
    )


def _plan(project: Project, chosen: FilterForm, form: PairsForm) -> dict[str, int]:
    """What the round would ask, of how many pairs there are."""
    prompts = [prompt.id for prompt in select(round_prompts.facts(project), chosen.filters()).prompts]
    found, draw = pair_sources.of_prompts(project, prompts), form.draw()
    drawn = found.drawn_evenly(draw["sample"], seed=draw["seed"])
    return {
        "prompts": len({found.prompts[pair] for pair in drawn}),
        "found": len(found.names),
        "drawn": len(drawn),
        "votes": len(drawn) * draw["annotators"],
    }


# --- Two languages -------------------------------------------------------------------------------


@page_or_post
def new_validation(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    data = request.POST if request.method == "POST" else request.GET
    languages = pair_sources.languages_of(project)
    form = ValidationForm(data, languages=languages)
    draw, naming = form.draw(), NameForm(data if request.method == "POST" else None)
    if request.method == "POST" and draw and naming.is_valid():
        try:
            made = services.across_languages(
                project, naming.cleaned_data["name"], **draw, by=request.user, now=timezone.now()
            )
        except DomainError as refusal:
            naming.add_error("name" if refusal.code == "round_exists" else None, refusal.message)
        else:
            return redirect("project_round", slug=slug, pk=made.pk)
    context = {
        "project": project,
        "form": form,
        "naming": naming,
        "sent": sent_with(data),
        "has_two_languages": len(languages) > 1,
        "plan": pair_sources.validation(project, **_asked(draw)) if draw else None,
    }
    is_refused = bool(form.errors or naming.errors)
    return render(request, "annotation/validation_new.html", context, status=422 if is_refused else 200)


def _asked(draw: dict[str, object]) -> dict[str, object]:
    return {**{key: draw[key] for key in ("languages", "sample", "seed")}, "each": draw["annotators"]}
