from django.http import Http404, HttpRequest, HttpResponse


def rounds(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
