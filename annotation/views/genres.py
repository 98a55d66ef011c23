from django.http import Http404, HttpRequest, HttpResponse


def genres(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
