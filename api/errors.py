"""Every refusal has one shape: {"error": {"code", "message"}}; one of a file or its rows also has a "place",
one of what a worker computes where that stands, as "newest"."""

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation.domain.records import InputError
from annotation.errors import DomainError
from annotation.queries.imports import said_of


def handle(error: Exception, context: dict) -> Response | None:
    if isinstance(error, DomainError):
        return refusal(error.code, error.message, status=error.status)
    if isinstance(error, InputError):
        place = {"file": error.source, "unit": error.unit, "line": error.line, "column": error.column}
        return refusal(error.code, said_of(error.reason), status=422, place=place)
    if isinstance(error, RequestDataTooBig):
        return refusal("too_large", "The request is larger than this address takes.", status=413)
    if isinstance(error, Http404):
        return refusal("not_found", "There is no such thing here, or this token may not see it.", status=404)
    if isinstance(error, PermissionDenied):
        return refusal("permission_denied", "This token may not do this.", status=403)
    response = exception_handler(error, context)
    if response is not None and isinstance(error, APIException):
        response.data = {"error": {"code": error.default_code, "message": str(error.detail)}}
    return response


def refusal(code: str, message: str, *, status: int, **more: object) -> Response:
    return Response({"error": {"code": code, "message": message, **more}}, status=status)
