"""Who may take what a release withholds, and who took what."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from curation import access
from curation.forms.releases import ReaderForm
from curation.models import Release
from curation.queries import release_page
from curation.services import releases


@require_http_methods(["GET", "HEAD", "POST"])
def readers(request: HttpRequest, name: str, version: str) -> HttpResponse:
    found = access.led_release(request.user, name, version)
    form = ReaderForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        user = form.account()
        if user is not None:
            releases.add_reader(found, user, by=request.user, now=timezone.now())
            return redirect("release_readers", name=name, version=version)
    return _page(request, found, form)


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, name: str, version: str, pk: int) -> HttpResponse:
    """Of whom is on the list; a second time, nothing happens."""
    found = access.led_release(request.user, name, version)
    if request.method == "POST":
        reader = found.readers.select_related("user").filter(pk=pk).first()
        if reader is not None:
            releases.remove_reader(found, reader.user, by=request.user, now=timezone.now())
    return redirect("release_readers", name=name, version=version)


def _page(request: HttpRequest, found: Release, form: ReaderForm) -> HttpResponse:
    context = {
        "project": found.project,
        "release": found,
        "form": form,
        "terms": release_page.terms_of(found),
        "readers": release_page.readers(found),
        "page": release_page.downloads(found, request.GET.get("page", "1")),
    }
    return render(request, "curation/release_readers.html", context, status=422 if form.errors else 200)
