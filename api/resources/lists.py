"""Lists of things: filters by names that are listed, in an order that is listed, cut into pages by a cursor."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.queries.imports import capped
from api.base import View
from api.pagination import PARAMETERS, page_of
from api.parameters import BadParameter
from api.resources.rows import Row


@dataclass(frozen=True, slots=True)
class Filter:
    """A parameter that stands for a column, and what may be asked for where that is listed."""

    column: str
    choices: tuple[str, ...] = ()


class Filtered(View):
    filters: Mapping[str, Filter] = {}
    orders: Mapping[str, str] = {}

    @property
    def known_parameters(self) -> tuple[str, ...]:
        return (*self.filters, *PARAMETERS) if self.request.method in ("GET", "HEAD") else ()

    def page(self, found: QuerySet, row: Callable[..., Row], *, order: str) -> Response:
        """The page that is asked for, of what passes the filters; `order` where none is asked for."""
        columns = {}
        for name, wanted in self.filters.items():
            value = self.request.query_params.get(name)
            if value is not None:
                columns[wanted.column] = _value(name, value, wanted)
        return page_of(self.request, found.filter(**columns), ordering=order, allowed=self.orders, row=row)


def _value(name: str, value: str, wanted: Filter) -> str:
    if wanted.choices and value not in wanted.choices:
        raise BadParameter(f"{name} is one of {', '.join(wanted.choices)}, not {capped(value)}.")
    if "\0" in value:  # no database keeps one, and PostgreSQL cannot be asked for one
        raise BadParameter(f"A NUL stands in {name}.")
    return value


def address(request: Request, name: str, *place: object) -> str:
    return request.build_absolute_uri(reverse(name, args=place))
