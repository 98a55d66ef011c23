"""The description of the interface, for OpenAPI: api/operations.py says what each address takes and gives, the
docstrings of the views what they do, their filters and orders what may be asked of a list.

What every address may refuse stands here once, as it does in api/errors.py.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.base import View
from api.operations import OPERATIONS, Operation, pages
from api.resources.lists import Filtered
from api.resources.outcomes import Problem

PREFIX = "/api/v1/"
PROBLEM = "application/problem+json"
REFUSALS: Mapping[int, str] = {
    400: "The request cannot be read as this address takes it.",
    401: "No valid token came with it.",
    403: "The token, or its owner, may not do this.",
    404: "There is no such thing here, or this token may not see it.",
    406: "None of the types that are accepted is given here.",
    429: "Too many requests; Retry-After says when to come again.",
}
REFUSALS_OF_WRITES: Mapping[int, str] = {
    409: "The state of things does not allow it.",
    413: "The body is larger than this address takes.",
    415: "The body is of no type that this address takes.",
    422: "What was sent cannot be accepted.",
}
REFUSALS_OF_FILES: Mapping[int, str] = {
    409: "The file is not on the server as it was kept.",
    412: "What is here is not what If-Match names.",
    416: "The range begins behind the end.",
}


class Bearer(OpenApiAuthenticationExtension):
    target_class = "api.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class Described(AutoSchema):
    """An operation as the table has it, or the view itself in `operations`, by method. One that is in neither is left
    out, which a test refuses."""

    @property
    def operation(self) -> Operation:
        return OPERATIONS.get(self._key()) or self.view.operations[self.method]

    def _key(self) -> str:
        return f"{self.method} {self.path.removeprefix(PREFIX)}"

    def is_excluded(self) -> bool:
        return self._key() not in OPERATIONS and self.method not in getattr(self.view, "operations", ())

    def get_operation_id(self) -> str:
        return self.operation.name

    def get_tags(self) -> list[str]:
        return [self.operation.tag]

    def get_summary(self) -> str:
        return self.operation.name.replace("_", " ").capitalize()

    def get_description(self) -> str:
        method = getattr(self.view, self.method.lower())
        return " ".join((method.__doc__ or type(self.view).__doc__ or "").split())

    def get_request_serializer(self) -> Any:
        takes = self.operation.takes
        if not isinstance(takes, Mapping):
            return takes
        # A file that is the body itself is no form with a field for one.
        return {
            kind: OpenApiTypes.BINARY if isinstance(body, serializers.FileField) else body
            for kind, body in takes.items()
        }

    def get_response_serializers(self) -> Any:
        found: dict[Any, Any] = dict(self.operation.gives)
        refusals = {**REFUSALS, **self.operation.refuses}
        if self.method != "GET":
            refusals |= REFUSALS_OF_WRITES
        if self.operation.is_file:
            refusals |= REFUSALS_OF_FILES
        for status, reason in refusals.items():
            found[status, PROBLEM] = OpenApiResponse(Problem, description=reason)
        return found

    def get_override_parameters(self) -> list[OpenApiParameter]:
        found = list(self.operation.parameters)
        if isinstance(self.view, Filtered) and self.method == "GET":
            found += _of_list(self.view)
        if self.operation.is_file:
            found += [_header(name) for name in ("Range", "If-Range", "If-Match", "If-None-Match")]
        if self.method == "POST":
            found.append(_header("Idempotency-Key", "Sent again with the same body, it is done once."))
        return found


def _of_list(view: Filtered) -> list[OpenApiParameter]:
    filters = [OpenApiParameter(name, enum=list(each.choices) or None) for name, each in view.filters.items()]
    return [*filters, *pages(*view.orders)]


def _header(name: str, description: str = "") -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, location=OpenApiParameter.HEADER, description=description)


class Schema(View):
    """This description, as JSON."""

    def get(self, request: Request) -> Response:
        return Response(_description())


@cache
def _description() -> Mapping[str, Any]:
    """The same for everybody, and it takes a second to make."""
    return SchemaGenerator().get_schema(request=None, public=True)
