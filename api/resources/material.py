"""Prompts and the responses to them, with their sources: for those who may see these."""

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Response as Text
from api.base import View
from api.resources import doors, rows
from api.resources.lists import Filter, Filtered, address
from api.resources.rows import Row


class Prompts(Filtered):
    """What was asked for, with the requirements."""

    filters = {"genre": Filter("genre__key"), "language": Filter("language")}
    orders = {"created": "pk", "id": "external_id"}

    def get(self, request: Request, slug: str) -> Response:
        project = doors.led(self, slug)
        return self.page(rows.prompts(project), lambda each: _prompt(request, slug, each), order="created")


class OnePrompt(View):
    """A prompt, by the id that came with it."""

    def get(self, request: Request, slug: str, id: str) -> Response:
        return Response(_prompt(request, slug, doors.prompt(doors.led(self, slug), id)))


class Responses(Filtered):
    """What was written, with its source; active and removed ones."""

    filters = {
        "genre": Filter("prompt__genre__key"),
        "language": Filter("prompt__language"),
        "prompt": Filter("prompt__external_id"),
        "model": Filter("source_model"),
        "state": Filter("state", (Text.State.ACTIVE.value, Text.State.REMOVED.value)),
    }
    orders = {"created": "pk", "id": "external_id"}

    def get(self, request: Request, slug: str) -> Response:
        found = rows.responses(doors.led(self, slug))
        return self.page(found, lambda each: _response(request, slug, each), order="created")


class OneResponse(View):
    """A response, by the id that came with it. Instructors and adjudicators may read one too."""

    def get(self, request: Request, slug: str, id: str) -> Response:
        return Response(_response(request, slug, doors.response(self, slug, id)))


def _prompt(request: Request, slug: str, found: object) -> Row:
    told = rows.prompt(found)
    return {**told, "url": address(request, "api_prompt", slug, told["id"])}


def _response(request: Request, slug: str, found: object) -> Row:
    told = rows.response(found)
    return {**told, "url": address(request, "api_response", slug, told["id"])}
