"""Requirements of the prompts in the material: the list, the editor of one prompt's, and the order they give."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.errors import DomainError, Invalid
from annotation.models import Prompt
from annotation.queries.rubrics import reader_language
from annotation.queries.texts import language_tag
from authoring import access
from authoring.forms.requirements import RequirementsForm, initial_of, n_rows, rearranged
from authoring.queries import expansions, golden_orders, requirement_proposals
from authoring.queries import prompts as genres_of
from authoring.queries import requirements as queries
from authoring.services import requirements
from authoring.tasks import work_on_plan
from authoring.views.prompts import where


@require_safe
def requirement_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.writing_project(request.user, slug)
    reader = reader_language()
    genres = genres_of.genres(project, reader)
    wanted = queries.read_filter(request.GET, genres=dict(genres))
    context = {
        **where(request, project),
        "wanted": wanted,
        "genres": genres,
        "page": queries.page(project, wanted, request.GET.get("page", ""), language=reader),
    }
    return render(request, "authoring/requirements.html", context)


# --- The editor ----------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The editor; `do` other than save changes its rows alone and stores nothing."""
    prompt = access.written_prompt(request.user, slug, pk)
    if request.method != "POST":
        rows = queries.rows_of(prompt)
        return _editor(request, prompt, _form(initial_of(rows, requirements.mark(rows))))
    action = request.POST.get("do", "save")
    if action != "save":
        found = requirement_proposals.proposed(prompt) if action == "proposals" else None
        values = rearranged(request.POST, action, found.proposals if found else ())
        return _editor(request, prompt, _form(values), is_changed=True)
    form = RequirementsForm(request.POST, n_rows=n_rows(request.POST))
    if not form.is_valid():
        return _editor(request, prompt, form, status=422)
    try:
        _save(request, prompt, form)
    except DomainError as refusal:
        form.refuse(refusal)
        return _editor(request, prompt, form, status=refusal.status)
    return redirect(f"{reverse('requirements_edit', args=[slug, pk])}?saved=1")


def _form(values: dict[str, object]) -> RequirementsForm:
    return RequirementsForm(n_rows=int(str(values["rows"])), initial=values)


def _save(request: HttpRequest, prompt: Prompt, form: RequirementsForm) -> None:
    seen = form.cleaned_data["seen"]
    requirements.put(prompt, form.requirements(), seen=seen, by=request.user, now=timezone.now())


def _editor(
    request: HttpRequest,
    prompt: Prompt,
    form: RequirementsForm,
    *,
    is_changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    """The page; for htmx, which asks for other rows, the rows alone."""
    context = {**_of_prompt(request, prompt), "form": form, "is_changed": is_changed}
    if request.htmx and is_changed:
        return render(request, "authoring/_requirement_rows.html", context)
    context |= {
        "rows": queries.rows_of(prompt),
        "in_use": queries.in_use(prompt),
        "models": expansions.endpoints(),
        "proposed": requirement_proposals.proposed(prompt),
        "has_order": queries.with_order([prompt]).exists(),
        "is_saved": request.GET.get("saved") == "1" and request.method != "POST",
    }
    return render(request, "authoring/requirements_edit.html", context, status=status)


def _of_prompt(request: HttpRequest, prompt: Prompt) -> dict[str, object]:
    return {
        **where(request, prompt.project),
        "prompt": prompt,
        "tag": language_tag(prompt.language, counts_characters=False),
    }


# --- A model proposes ----------------------------------------------------------------------------


@require_POST
def propose(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    prompt = access.written_prompt(request.user, slug, pk)
    endpoint = expansions.endpoints().filter(name=request.POST.get("model", "")).first()
    if endpoint is None:
        raise Invalid("no_endpoints", _("No model is chosen. Choose one that is offered."))
    plan = requirements.propose(prompt, endpoint, by=request.user, now=timezone.now())
    work_on_plan.delay_on_commit(plan.pk)
    return redirect(f"{reverse('requirements_edit', args=[slug, pk])}#model")


@require_safe
def proposal(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """How far the model is: the part of the editor that looks for itself while it waits."""
    prompt = access.written_prompt(request.user, slug, pk)
    context = {**_of_prompt(request, prompt), "proposed": requirement_proposals.proposed(prompt)}
    return render(request, "authoring/_requirements_proposed.html", context)


# --- The order -----------------------------------------------------------------------------------


@require_safe
def golden(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Responses of a dropout, best first. `order` in the address chooses among plans, models and samples."""
    prompt = access.written_prompt(request.user, slug, pk)
    choices = golden_orders.choices(prompt)
    by_key = {choice.key: choice for choice in choices}
    chosen = by_key.get(request.GET.get("order", ""), choices[0] if choices else None)
    context = {
        **_of_prompt(request, prompt),
        "choices": choices,
        "order": golden_orders.order(prompt, chosen) if chosen else None,
    }
    return render(request, "authoring/requirements_golden.html", context)
