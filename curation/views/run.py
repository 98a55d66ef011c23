import contextlib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.errors import DomainError
from curation import access
from curation.queries import runs
from curation.services import runs as run_service


@require_safe
def run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.run(request.user, slug, pk)
    context = {"project": found.project, "run": runs.run_page(found, now=timezone.now())}
    return render(request, "curation/_run.html" if request.htmx else "curation/run.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = access.run(request.user, slug, pk)
    if request.method == "POST":
        # One that has ended by itself meanwhile is shown as it is.
        with contextlib.suppress(DomainError):
            run_service.cancel(found, by=request.user, now=timezone.now())
    return redirect("run", slug=slug, pk=pk)
