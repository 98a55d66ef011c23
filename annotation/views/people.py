from django.http import Http404, HttpRequest, HttpResponse


def people(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
