"""Lists, cut into pages by a cursor: the place of a row in the order, so that rows that come and go meanwhile make
none come twice and none be left out.

A cursor says after, or before, which value and key a page begins. The framework's own counts rows of the same value
instead, up to a thousand of them, and then turns in a circle.
"""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Field, Model, Q, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from annotation.domain.strict_json import NotJson, decode
from annotation.queries.imports import capped
from api.parameters import BadCursor, BadParameter

PARAMETERS = ("cursor", "page_size", "ordering")
USUAL, MOST = 100, 500
LONGEST = 4000  # characters of a cursor
LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Order:
    name: str  # as it is asked for, with its sign
    column: str

    @property
    def is_falling(self) -> bool:
        return self.name.startswith("-")

    def columns(self, *, is_back: bool) -> list[str]:
        sign = "-" if self.is_falling != is_back else ""
        return [f"{sign}{name}" for name in dict.fromkeys((self.column, "pk"))]

    def beyond(self, cursor: "Cursor") -> Q:
        past = "lt" if self.is_falling != cursor.is_back else "gt"
        if self.column == "pk":
            return Q(**{f"pk__{past}": cursor.pk})
        same = Q(**{self.column: cursor.value, f"pk__{past}": cursor.pk})
        return Q(**{f"{self.column}__{past}": cursor.value}) | same


@dataclass(frozen=True, slots=True)
class Cursor:
    value: Any
    pk: int
    is_back: bool


def page_of(
    request: Request,
    found: QuerySet,
    *,
    ordering: str,
    allowed: Mapping[str, str],
    row: Callable[[Any], object],
) -> Response:
    """The page that is asked for. `allowed` has columns without NULL by the names under which they are asked for."""
    size = _size(request)
    order = _order(request, ordering, allowed)
    cursor = _read(request, found, order)
    is_back = cursor is not None and cursor.is_back
    wanted = found.order_by(*order.columns(is_back=is_back))
    if cursor:
        wanted = wanted.filter(order.beyond(cursor))
    page = list(wanted[: size + 1])
    has_more = len(page) > size
    page = page[:size]
    if is_back:
        page.reverse()
    follows = is_back or has_more
    precedes = has_more if is_back else cursor is not None

    def link(there: bool, one: Model | None, *, back: bool) -> str | None:
        if not there or one is None:
            return None
        text = _written(order, one, is_back=back)
        return replace_query_param(request.build_absolute_uri(), "cursor", text)

    first, last = (page[0], page[-1]) if page else (None, None)
    return Response(
        {
            "next": link(follows, last, back=False),
            "previous": link(precedes, first, back=True),
            "results": [row(one) for one in page],
        }
    )


def _size(request: Request) -> int:
    text = request.query_params.get("page_size")
    if text is None:
        return USUAL
    size = int(text) if text.isascii() and text.isdecimal() and len(text) <= 4 else 0
    if not 1 <= size <= MOST:
        raise BadParameter(f"page_size is a number from 1 to {MOST}, not {capped(text)}.")
    return size


def _order(request: Request, ordering: str, allowed: Mapping[str, str]) -> Order:
    name = request.query_params.get("ordering", ordering)
    column = allowed.get(name.removeprefix("-"))
    if column is None:
        there = ", ".join(f"{each}, -{each}" for each in allowed)
        raise BadParameter(f"ordering is one of {there}, not {capped(name)}.")
    return Order(name, column)


def _written(order: Order, one: Model, *, is_back: bool) -> str:
    value: Any = one
    for name in order.column.split("__"):
        value = getattr(value, name)
    parts = [order.name, value, one.pk, is_back]
    return base64.urlsafe_b64encode(json.dumps(parts, default=str).encode()).decode().rstrip("=")


def _read(request: Request, found: QuerySet, order: Order) -> Cursor | None:
    text = request.query_params.get("cursor")
    if text is None:
        return None
    try:
        if len(text) > LONGEST:
            raise BadCursor
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        name, value, pk, is_back = decode(raw.decode())
        if name != order.name or type(pk) is not int or not 0 <= pk <= LARGEST or type(is_back) is not bool:
            raise BadCursor
        if type(value) not in (str, int) or (type(value) is int and abs(value) > LARGEST):
            raise BadCursor
        return Cursor(_field(found.model, order.column).to_python(value), pk, is_back)
    except (ValueError, TypeError, NotJson, ValidationError) as error:
        raise BadCursor from error


def _field(model: type[Model], column: str) -> Field:
    *path, last = column.split("__")
    for name in path:
        model = model._meta.get_field(name).related_model
    return model._meta.pk if last == "pk" else model._meta.get_field(last)
