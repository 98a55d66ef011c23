"""Every refusal under /api/ is a problem (RFC 9457): type, title, status, detail, and a `code` that stays.

Beside these, one of several fields has `errors`, one of a file or its rows a `place`, one of what a worker computes
says as `newest` where that stands, and one of a token's scope names the `scope`.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, JsonResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework.exceptions import APIException, Throttled, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation.domain.records import InputError
from annotation.errors import DomainError, TooMany
from annotation.queries.imports import said_of
from annotation.services.refusals import FieldsRefused
from api import problems

TYPE = "application/problem+json"
TOO_LARGE = "The request is larger than this address takes."
NOT_READ = "The request cannot be read."
NOT_HERE = "There is no such thing here, or this token may not see it."


# What Django itself raises, the first that fits.
OF_DJANGO = (
    (RequestDataTooBig, "too_large", 413, TOO_LARGE),
    (Http404, "not_found", 404, NOT_HERE),
    (PermissionDenied, "permission_denied", 403, "This token may not do this."),
    ((SuspiciousOperation, MultiPartParserError, UnreadablePostError), "bad_request", 400, NOT_READ),
)


def refusal(code: str, message: str, *, status: int, **more: object) -> Response:
    return Response(problem(code, message, status=status, **more), status=status, content_type=TYPE)


def plain_refusal(code: str, message: str, *, status: int, **more: object) -> JsonResponse:
    """The same where no view of the interface answers: in what stands before or around it."""
    return JsonResponse(problem(code, message, status=status, **more), status=status, content_type=TYPE)


def problem(code: str, message: str, *, status: int, **more: object) -> dict[str, object]:
    return {
        "type": problems.address(code),
        "title": problems.title(code),
        "status": int(status),
        "detail": message,
        "code": code,
        **more,
    }


def handle(error: Exception, context: dict) -> Response | None:
    """None for what is a fault of ours: handler500 tells of it, with a reference to the log."""
    if isinstance(error, DomainError):
        return _of_service(error)
    if isinstance(error, InputError):
        place = {"file": error.source, "unit": error.unit, "line": error.line, "column": error.column}
        return refusal(error.code, said_of(error.reason), status=422, place=place)
    if isinstance(error, APIException):
        return _of_framework(error, context)
    for kinds, code, status, told in OF_DJANGO:
        if isinstance(error, kinds):
            return refusal(code, told, status=status)
    return None


def _of_service(error: DomainError) -> Response:
    more = {}
    if isinstance(error, FieldsRefused):
        more["errors"] = [_of_field(name, message) for name, message in error.fields.items()]
    response = refusal(error.code, error.message, status=error.status, **more)
    if isinstance(error, TooMany):
        response["Retry-After"] = str(ceil(error.wait.total_seconds()))
    return response


def _of_framework(error: APIException, context: dict) -> Response | None:
    response = exception_handler(error, context)
    if response is None:
        return None
    more = dict(getattr(error, "more", {}))
    detail = str(error.detail)
    if isinstance(error, ValidationError):
        more["errors"] = errors = list(_flat(error.detail))
        detail = errors[0]["message"] if errors else HTTPStatus(response.status_code).phrase
    if isinstance(error, Throttled):  # the number in its own sentence is in the header, where a script looks
        detail = "Too many requests. The header Retry-After says in how many seconds to come again."
    response.data = problem(error.default_code, detail, status=response.status_code, **more)
    response.content_type = TYPE
    return response


def _of_field(name: str, message: object) -> dict[str, str]:
    return {"field": name, "message": str(message)}


def _flat(detail: Any, field: str = "") -> Iterator[dict[str, str]]:
    """What the framework says of a body, however deep, as fields with a dot between name and name."""
    if isinstance(detail, Mapping):
        for name, part in detail.items():
            inner = "" if name == "non_field_errors" else str(name)
            yield from _flat(part, ".".join(filter(None, (field, inner))))
    elif isinstance(detail, list | tuple):
        for part in detail:
            yield from _flat(part, field)
    else:
        yield _of_field(field, detail)
