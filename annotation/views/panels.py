"""The panels of a round: who sits where, by hand or composed."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.errors import Invalid
from annotation.forms.rounds import SEED, ComposeForm, SeatsForm
from annotation.models import Round
from annotation.queries import round_panels as queries
from annotation.services import rounds as services

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@page_or_post
def panels(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    page = queries.panel_page(work, number=_number(request.GET), only_incomplete="empty" in request.GET)
    if request.method != "POST":
        return _page(request, work, page, SeatsForm(rows=page.rows))
    # The prompts that the page had, which may be others by now.
    form = SeatsForm(request.POST, rows=queries.panel_rows(work, _prompts(request.POST)))
    if not form.is_valid():
        return _page(request, work, page, form)
    try:
        services.seat(work, form.panels(), by=request.user, now=timezone.now())
    except Invalid as refusal:
        form.add_error(None, refusal.message)
        return _page(request, work, page, form)
    return redirect(f"{reverse('panels', args=[slug, pk])}?page={page.number}&saved")


def _prompts(sent: QueryDict) -> list[int]:
    """Of one page; a longer list is no page of ours."""
    keys = sent.getlist("prompt")[: queries.PROMPTS_A_PAGE]
    return [int(key) for key in keys if key.isascii() and key.isdecimal()]


def _number(sent: QueryDict) -> int:
    number = sent.get("page", "1")
    return int(number) if number.isascii() and number.isdecimal() else 1


def _page(request: HttpRequest, work: Round, page: queries.PanelPage, form: SeatsForm) -> HttpResponse:
    context = {
        "project": work.project,
        "work": work,
        "page": page,
        "form": form,
        "seats": range(1, work.annotators_per_response + 1),
        "compose": ComposeForm(initial={"seed": SEED, "keep": True}),
        "only_incomplete": "empty" in request.GET,
        "is_saved": "saved" in request.GET,
    }
    return render(request, "annotation/round_panels.html", context, status=422 if form.errors else 200)


@page_or_post
def compose(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the composer would do; its button does it, by the same seed."""
    work = access.draft_round(request.user, slug, pk)
    form = ComposeForm(request.POST or request.GET or {"seed": SEED, "keep": "on"})
    if request.method != "POST" or not form.is_valid():
        return _preview_page(request, work, form)
    services.compose(work, **form.cleaned_data, by=request.user, now=timezone.now())
    return redirect("project_round", slug=slug, pk=pk)


def _preview_page(request: HttpRequest, work: Round, form: ComposeForm) -> HttpResponse:
    preview = queries.preview(work, **form.cleaned_data) if form.is_valid() else None
    context = {"project": work.project, "work": work, "form": form, "preview": preview}
    return render(request, "annotation/round_compose.html", context, status=200 if preview else 422)
