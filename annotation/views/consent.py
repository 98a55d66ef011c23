"""What a project records of people: the lead writes it, members read and agree."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.errors import DomainError
from annotation.forms.consent import ConsentForm
from annotation.models import Project
from annotation.queries import consent as queries
from annotation.services import consent

FIELD_OF = {"no_text_en": "en", "no_text_zh": "zh", "bad_text_en": "en", "bad_text_zh": "zh"}


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    if request.method != "POST":
        initial = {**queries.bodies(project), "based_on": queries.current_version(project)}
        return _edit_page(request, project, ConsentForm(initial=initial))
    form = ConsentForm(request.POST)
    if not form.is_valid():
        return _edit_page(request, project, form, status=422)
    try:
        consent.save(
            project,
            form.bodies(),
            based_on=form.cleaned_data["based_on"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as refusal:
        form.add_error(FIELD_OF.get(refusal.code), refusal.message)
        if refusal.code == "consent_outdated":
            # Saved again, what stands in the form becomes the next version.
            form.data = form.data.copy()
            form.data["based_on"] = queries.current_version(project)
        return _edit_page(request, project, form, status=refusal.status)
    return redirect(reverse("consent", args=[slug]) + "?saved")


@require_http_methods(["GET", "HEAD", "POST"])
def read(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.member_project(request.user, slug)
    if request.method != "POST":
        return _read_page(request, project)
    version = request.POST.get("agreed", "")
    try:
        consent.agree(
            project,
            request.user,
            version=int(version) if version.isascii() and version.isdecimal() and len(version) < 9 else 0,
            now=timezone.now(),
        )
    except DomainError as refusal:
        return _read_page(request, project, refusal=refusal)
    return redirect(reverse("read_consent", args=[slug]) + "?agreed")


def _edit_page(request: HttpRequest, project: Project, form: ConsentForm, status: int = 200) -> HttpResponse:
    context = {"project": project, "form": form, "versions": queries.versions(project)}
    return render(request, "annotation/consent_edit.html", context, status=status)


def _read_page(request: HttpRequest, project: Project, *, refusal: DomainError | None = None) -> HttpResponse:
    context = {
        "project": project,
        "consent": queries.page(project),
        "agreed": queries.agreed_to(request.user, project),
        "refusal": refusal,
    }
    status = refusal.status if refusal else 200
    return render(request, "annotation/consent_read.html", context, status=status)
