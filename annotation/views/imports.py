from django.http import Http404, HttpRequest, HttpResponse


def imports(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
