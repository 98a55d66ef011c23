"""The triage queue and its decisions."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.errors import DomainError
from annotation.forms.triage import LONGEST_NOTE, DecisionForm, SeveralForm
from annotation.models import Project, Prompt, Response
from annotation.queries import triage as queries
from annotation.queries import triage_counts, triage_items
from annotation.services import triage as services

page_or_post = require_http_methods(["GET", "HEAD", "POST"])
OUTCOME = ("done", "before", "sealed")  # of a decision on many, as the address of the page after it says


@require_safe
def triage(request: HttpRequest, slug: str) -> HttpResponse:
    return _queue(request, access.triaged_project(request.user, slug))


@page_or_post
def several(request: HttpRequest, slug: str) -> HttpResponse:
    """One decision on the ticked responses of a page."""
    project = access.triaged_project(request.user, slug)
    if request.method != "POST":
        return redirect(_address(request, project))
    form = SeveralForm(request.POST)
    if not form.is_valid():
        return _queue(request, project, form)
    tally = services.decide_several(project, **form.cleaned_data, by=request.user, now=timezone.now())
    outcome = {name: getattr(tally, name) for name in OUTCOME}
    return redirect(_address(request, project, what=form.cleaned_data["decision"], **outcome))


@page_or_post
def response(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One response by itself, and the decision on it."""
    found = access.triaged_response(request.user, slug, pk)
    form = DecisionForm(request.POST)
    if request.method != "POST" or not form.is_valid():
        return _single(request, found, form)
    try:
        services.decide(found, **form.cleaned_data, by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _single(request, access.triaged_response(request.user, slug, pk), refusal=refusal)
    return _onwards(request, found)


@page_or_post
def prompt(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One flagged prompt by itself: it is kept, or all responses to it are removed."""
    found = access.triaged_prompt(request.user, slug, pk)
    form = DecisionForm(request.POST)
    if request.method != "POST" or not form.is_valid():
        return _single(request, found, form)
    try:
        services.decide_prompt(found, **form.cleaned_data, by=request.user, now=timezone.now())
    except DomainError as refusal:
        return _single(request, found, refusal=refusal)
    return _onwards(request, found)


@require_safe
def counts(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.triaged_project(request.user, slug)
    context = {**_frame(request, project), "counts": triage_counts.counts(project)}
    return render(request, "annotation/triage_counts.html", context)


# --- What these pages share ----------------------------------------------------------------------


def _frame(request: HttpRequest, project: Project) -> dict[str, object]:
    """The pages beside triage are for leads alone."""
    return {"project": project, "is_lead": access.is_lead(request.user, project)}


def _address(request: HttpRequest, project: Project, **more: object) -> str:
    """The queue under the filter and from the place that the request names."""
    wanted = queries.read_filter(request.GET, queries.offered(project))
    start = queries.read_place(request.GET.get("from", ""))
    return f"{reverse('triage', args=[project.slug])}?{_query(wanted, start, **more)}"


def _query(wanted: queries.Filter, start: queries.Place | None, **more: object) -> str:
    named = {"from": start, **more}
    parts = [wanted.query, urlencode({name: value for name, value in named.items() if value})]
    return "&".join(part for part in parts if part)


def _onwards(request: HttpRequest, found: Response | Prompt) -> HttpResponse:
    """To the item after the one that was decided on, with a line that says what was decided."""
    kind = "response" if isinstance(found, Response) else "prompt"
    following = queries.read_anchor(request.GET.get("next", ""))
    anchor = request.GET["next"] if following else ""
    address = _address(request, found.project, was=f"{kind}-{found.pk}", next=anchor)
    return redirect(f"{address}#decided")


def _queue(request: HttpRequest, project: Project, several: SeveralForm | None = None) -> HttpResponse:
    offered = queries.offered(project)
    wanted = queries.read_filter(request.GET, offered)
    start = queries.read_place(request.GET.get("from", ""))
    page = queries.page(project, wanted, start)
    if page.previous and not page.places:  # all that stood from there on is decided
        start = page.previous
        page = queries.page(project, wanted, start)
    items = triage_items.items(project, page.places)
    context = {
        **_frame(request, project),
        **_choices(),
        "offered": offered,
        "wanted": wanted,
        "page": page,
        "steps": list(zip(items, _steps(items, page, wanted, start), strict=True)),
        "here": _query(wanted, start),
        "waiting": queries.waiting(project),
        "decided": _decided(request, project),
        "before": request.GET.get("next", ""),
        "outcome": _outcome(request),
        "several": several,
    }
    return render(request, "annotation/triage.html", context, status=422 if several else 200)


def _steps(
    items: Sequence[triage_items.Item],
    page: queries.Page,
    wanted: queries.Filter,
    start: queries.Place | None,
) -> list[str]:
    """For each item what its decision sends along, so that the page after it goes on where this one was."""
    following = [_query(wanted, start, next=item.anchor) for item in items[1:]]
    last = _query(wanted, page.next, next=page.next.anchor) if page.next else _query(wanted, start)
    return [*following, last][: len(items)]


def _choices() -> dict[str, object]:
    return {
        "states": queries.STATES.items(),
        "kinds": Response.RemovalKind.choices,
        "longest": LONGEST_NOTE,
    }


def _decided(request: HttpRequest, project: Project) -> triage_items.Item | None:
    """What the person decided on before this page."""
    was = queries.read_anchor(request.GET.get("was", ""))
    return triage_items.item_at(project, *was) if was else None


def _outcome(request: HttpRequest) -> dict[str, object] | None:
    numbers = {name: request.GET.get(name, "") for name in OUTCOME}
    counted = {
        name: int(number) for name, number in numbers.items() if number.isdecimal() and len(number) < 5
    }
    return {"what": request.GET.get("what", ""), **counted} if counted else None


def _single(
    request: HttpRequest,
    found: Response | Prompt,
    form: DecisionForm | None = None,
    *,
    refusal: DomainError | None = None,
) -> HttpResponse:
    """An item alone, with the whole of its text; a refused decision comes back here."""
    is_refused = form is not None and request.method == "POST"
    item = (
        triage_items.response_item(found) if isinstance(found, Response) else triage_items.prompt_item(found)
    )
    context = {
        **_frame(request, found.project),
        **_choices(),
        "item": item,
        "step": request.GET.urlencode(),
        "back": _address(request, found.project),
        "form": form if is_refused else None,
        "refusal": refusal,
    }
    status = refusal.status if refusal else 422 if is_refused else 200
    return render(request, "annotation/triage_item.html", context, status=status)
