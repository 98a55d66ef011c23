"""Batch files of a plan: requests taken out, results taken in."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from annotation.queries.imports import said_of
from authoring import access
from authoring.forms.batches import PartForm, ResultsForm
from authoring.models import Plan, PlanSource
from authoring.queries import batches as queries
from authoring.queries import plans
from authoring.services import batches as services
from authoring.services.batches import MOST_BYTES, Outcome

FAULTS_SHOWN = 200


@require_safe
def batches(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    return _page(request, access.plan(request.user, slug, pk), ResultsForm())


@require_POST
def take_out(request: HttpRequest, slug: str, pk: int, source_pk: int) -> HttpResponse:
    source = access.plan_source(request.user, slug, pk, source_pk)
    plan = source.plan
    part = PartForm(request.POST).number()
    lines = services.take_out(source, part, by=request.user, now=timezone.now())
    name = slugify(f"{plan.name} {source.public_name} {part}") or f"plan-{plan.pk}-{source.pk}-{part}"
    return StreamingHttpResponse(
        lines,
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{name}.jsonl"'},
    )


@require_POST
def take_in(request: HttpRequest, slug: str, pk: int, source_pk: int) -> HttpResponse:
    """What came of the file is said by the answer itself; sent again, it does nothing twice."""
    source = access.plan_source(request.user, slug, pk, source_pk)
    plan = source.plan
    form = ResultsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, plan, form, source=source, status=422)
    outcome = services.take_in(source, form.cleaned_data["file"], by=request.user, now=timezone.now())
    return _page(request, access.plan(request.user, slug, pk), ResultsForm(), source=source, outcome=outcome)


def _page(
    request: HttpRequest,
    plan: Plan,
    form: ResultsForm,
    *,
    source: PlanSource | None = None,
    outcome: Outcome | None = None,
    status: int = 200,
) -> HttpResponse:
    """`source` is the one of which a file was sent."""
    context = {
        "project": plan.project,
        "plan": plans.plan_page(plan, now=timezone.now()),
        "sources": queries.sources(plan),
        "form": form,
        "sent": source.pk if source else None,
        "sent_name": source.public_name if source else "",
        "outcome": outcome,
        "faults": [(fault.number, said_of(fault.reason)) for fault in outcome.faults[:FAULTS_SHOWN]]
        if outcome
        else [],
        "most_bytes": MOST_BYTES,
    }
    return render(request, "authoring/plan_batches.html", context, status=status)
