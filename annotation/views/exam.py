"""The exam as its candidate meets it: where it stands, beginning, going on, and what came of it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation import access
from annotation.errors import DomainError
from annotation.models import Qualification
from annotation.queries import exam_pages
from annotation.queries import exams as queries
from annotation.services import assignments
from annotation.services import exams as services


@require_http_methods(["GET", "HEAD", "POST"])
def exam(request: HttpRequest, slug: str, language: str) -> HttpResponse:
    """Sent: begin, or go on with the next text."""
    held = access.examinee(request.user, slug, language)
    if request.method != "POST":
        return _page(request, held)
    now = timezone.now()
    last = queries.current(held)
    if last is not None:
        # Before anything is begun: what a refusal takes back must not be that time has run out.
        services.settle(last, now=now)
        held.refresh_from_db()
    try:
        attempt = services.start(held, now=now)
        lease = assignments.claim(held.annotator, attempt.round, now=now)
    except DomainError as refusal:
        return _page(request, held, refused=refusal)
    return redirect("score", token=lease.token) if lease else redirect("exam", slug=slug, language=language)


def _page(request: HttpRequest, held: Qualification, refused: DomainError | None = None) -> HttpResponse:
    context = {
        "project": held.project,
        "exam": exam_pages.page(held, now=timezone.now()),
        "refused": refused.message if refused else "",
    }
    return render(request, "annotation/exam.html", context, status=refused.status if refused else 200)
