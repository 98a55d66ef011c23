"""Who did what in a project, and when."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation import access
from annotation.queries import journal as queries


@require_safe
def journal(request: HttpRequest, slug: str) -> HttpResponse:
    project = access.led_project(request.user, slug)
    people = queries.people(project)
    wanted = queries.read_filter(request.GET, people)
    context = {
        "project": project,
        "page": queries.page(project, wanted, queries.read_place(request.GET)),
        "wanted": wanted,
        "kinds": [(key, label) for key, (label, _beginnings) in queries.KINDS.items()],
        "people": people,
    }
    return render(request, "annotation/journal.html", context)
