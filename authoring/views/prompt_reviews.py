"""A version as it is reviewed: what differs from the one before, remarks, and each person's verdict."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.errors import Invalid
from authoring import access
from authoring.forms.prompts import RemarkForm, ReviewForm
from authoring.models import PromptVersion
from authoring.queries import versions
from authoring.services import reviews
from authoring.views.prompts import of_prompt


@require_http_methods(["GET", "HEAD", "POST"])
def version(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The version; sent back with a verdict, it is reviewed."""
    found = _version(request, slug, key, number)
    if request.method != "POST":
        return _page(request, found)
    form = ReviewForm(request.POST)
    if not form.is_valid():
        return _page(request, found, reviewing=form)
    reviewer = access.seat(request.user, found.authored.project)
    try:
        reviews.review(found, reviewer, **form.cleaned_data, now=timezone.now())
    except Invalid as refusal:
        form.add_error("reason" if refusal.code == "no_reason" else None, refusal.message)
        return _page(request, found, reviewing=form)
    return redirect("authored_version", slug=slug, key=key, number=number)


@require_http_methods(["GET", "HEAD", "POST"])
def remark(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    found = _version(request, slug, key, number)
    if request.method != "POST":
        return redirect("authored_version", slug=slug, key=key, number=number)
    form = RemarkForm(request.POST)
    if not form.is_valid():
        return _page(request, found, remarking=form)
    author = access.seat(request.user, found.authored.project)
    reviews.comment(found, **form.cleaned_data, author=author, now=timezone.now())
    return redirect(
        f"{reverse('authored_version', args=[slug, key, number])}#field-{form.cleaned_data['field']}"
    )


def _version(request: HttpRequest, slug: str, key: str, number: int) -> PromptVersion:
    authored = access.authored(request.user, slug, key)
    found = (
        authored.versions.select_related("authored__project", "authored__genre").filter(number=number).first()
    )
    if found is None:
        raise Http404
    return found


def _page(
    request: HttpRequest,
    found: PromptVersion,
    *,
    reviewing: ReviewForm | None = None,
    remarking: RemarkForm | None = None,
) -> HttpResponse:
    context = {
        **of_prompt(request, found.authored),
        "version": found,
        "page": versions.version_page(found, request.user),
        "reviewing": reviewing or ReviewForm(),
        "remarking": remarking or RemarkForm(),
    }
    return render(request, "authoring/version.html", context, status=422 if reviewing or remarking else 200)
