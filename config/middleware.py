"""What holds for every page: nothing private is cached, and a refusal of the domain becomes a page."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.errors import DomainError

Respond = Callable[[HttpRequest], HttpResponse]


class PrivatePages:
    """Pages of a signed-in person must not come back from a cache after another person signs in."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if "Cache-Control" not in response and request.user.is_authenticated:
            response["Cache-Control"] = "no-store"
        return response


class Refusals:
    """A DomainError raised anywhere in a view is shown with its sentence and its status."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, DomainError):
            return None
        return render(request, "refusal.html", {"error": error}, status=error.status)
