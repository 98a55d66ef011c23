"""Models that the site may ask: operators list, add, change and retire them."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access as doors
from annotation.errors import DomainError
from authoring import access
from authoring.forms.endpoints import EndpointForm
from authoring.models import Endpoint
from authoring.queries import endpoints as queries
from authoring.services import endpoints as services

BEGIN_WITH = {"parallel": 4, "timeout_seconds": 300}


@require_safe
def endpoints(request: HttpRequest) -> HttpResponse:
    doors.operator(request.user)
    context = {"lines": queries.lines(), "origins": settings.MODEL_ORIGINS}
    return render(request, "authoring/endpoints.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_endpoint(request: HttpRequest) -> HttpResponse:
    operator = doors.operator(request.user)
    if request.method != "POST":
        return _page(request, EndpointForm(initial=BEGIN_WITH))
    form = EndpointForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        made = services.add(form.values(), by=operator, now=timezone.now())
    except DomainError as refusal:
        form.refuse(refusal)
        return _page(request, form, status=refusal.status)
    return redirect(reverse("endpoint", args=[made.name]) + "?added")


@require_http_methods(["GET", "HEAD", "POST"])
def endpoint(request: HttpRequest, name: str) -> HttpResponse:
    found = access.endpoint(request.user, name)
    if request.method != "POST":
        initial = {**services.values(found), "version": services.version(found)}
        return _page(request, EndpointForm(initial=initial), found)
    form = EndpointForm(request.POST)
    if not form.is_valid():
        return _page(request, form, found, status=422)
    try:
        changed = services.change(
            found,
            form.values(),
            version=form.cleaned_data["version"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.refuse(refusal)
        return _page(request, form, found, status=refusal.status)
    return redirect(reverse("endpoint", args=[changed.name]) + "?saved")


@require_POST
def retire(request: HttpRequest, name: str) -> HttpResponse:
    return _moved(request, name, services.retire)


@require_POST
def restore(request: HttpRequest, name: str) -> HttpResponse:
    return _moved(request, name, services.restore)


def _moved(request: HttpRequest, name: str, move: Callable[..., None]) -> HttpResponse:
    move(access.endpoint(request.user, name), by=request.user, now=timezone.now())
    return redirect("endpoint", name=name)


def _page(
    request: HttpRequest, form: EndpointForm, found: Endpoint | None = None, status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "endpoint": queries.line(found) if found else None,
        "origins": settings.MODEL_ORIGINS,
    }
    return render(request, "authoring/endpoint.html", context, status=status)
