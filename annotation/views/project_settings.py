from django.http import Http404, HttpRequest, HttpResponse


def new_project(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404


def project_settings(request: HttpRequest, slug: str = "") -> HttpResponse:
    raise Http404
