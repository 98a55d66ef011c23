"""For leads: to which category each prompt of a round of votes belongs by now."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation import access
from annotation.models import Round
from annotation.queries import category_outcomes as queries
from annotation.queries import rubrics


@require_safe
def category_outcomes(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = access.project_round(request.user, slug, pk)
    if work.kind != Round.Kind.CATEGORIES:
        raise Http404
    found = queries.outcomes(
        work,
        state=request.GET.get("state", ""),
        number=request.GET.get("page", "1"),
        language=rubrics.reader_language(),
    )
    context = {"project": work.project, "work": work, "found": found}
    return render(request, "annotation/category_outcomes.html", context)
