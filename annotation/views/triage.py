from django.http import Http404, HttpRequest, HttpResponse


def triage(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
