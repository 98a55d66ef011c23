from django.http import Http404, HttpRequest, HttpResponse


def journal(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
