"""Saying of a frozen release that nobody should use it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.errors import DomainError
from curation import access
from curation.forms.releases import YankForm
from curation.queries import release_page
from curation.services import releases


@require_http_methods(["GET", "HEAD", "POST"])
def yank(request: HttpRequest, name: str, version: str) -> HttpResponse:
    found = access.led_release(request.user, name, version)
    if release_page.yank_of(found) is not None:
        return redirect("release", name=name, version=version)  # sent twice, or somebody else was first
    form = YankForm(request.POST if request.method == "POST" else None, release=f"{name}-{version}")
    if form.is_valid():
        try:
            releases.yank(found, reason=form.cleaned_data["reason"], by=request.user, now=timezone.now())
        except DomainError as refusal:
            form.add_error(None if refusal.code == "yanked_already" else "reason", refusal.message)
        else:
            return redirect("release", name=name, version=version)
    context = {"project": found.project, "release": found, "form": form}
    return render(request, "curation/yank.html", context, status=422 if form.errors else 200)
