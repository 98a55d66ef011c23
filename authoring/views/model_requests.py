"""The requests of a plan, one by one: what was asked, and what came."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from authoring import access
from authoring.forms.plans import RequestFilterForm
from authoring.models import ModelRequest
from authoring.queries import model_requests as queries


@require_safe
def model_requests(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    plan = access.plan(request.user, slug, pk)
    form = RequestFilterForm(
        request.GET,
        states=ModelRequest.State.choices,
        sources=list(plan.sources.order_by("public_name", "pk").values_list("pk", "public_name")),
    )
    chosen = form.chosen()
    context = {
        "project": plan.project,
        "plan": plan,
        "form": form,
        "chosen": chosen,
        "query": f"{urlencode(chosen)}&" if chosen else "",
        "page": queries.requests(plan, chosen, page=request.GET.get("page")),
    }
    return render(request, "authoring/plan_requests.html", context)


@require_safe
def model_request(request: HttpRequest, slug: str, plan_pk: int, pk: int) -> HttpResponse:
    found = access.model_request(request.user, slug, plan_pk, pk)
    context = {"project": found.plan.project, "plan": found.plan, "shown": queries.request_page(found)}
    return render(request, "authoring/plan_request.html", context)
