from django.http import Http404, HttpRequest, HttpResponse


def rubric(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
