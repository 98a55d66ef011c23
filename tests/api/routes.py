"""Every route under /api/, from the URLconf itself, filled with what is there: what is added is asked as well."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver, reverse

METHODS = ("get", "post", "put", "patch", "delete")
UNSAFE = METHODS[1:]
OF_NOTHING = ("api_nothing", "api_elsewhere")  # every address that is none
OPEN = ("api_problem",)  # asks for no token


@dataclass(frozen=True)
class Route:
    name: str
    route: str
    view: type

    @property
    def keys(self) -> list[str]:
        return re.findall(r"<(?:\w+:)?(\w+)>", self.route)

    @property
    def is_of_project(self) -> bool:
        return "slug" in self.keys

    @property
    def is_list(self) -> bool:
        return "get" in self.methods and not self.route.endswith((".csv", ".jsonl"))

    @property
    def methods(self) -> list[str]:
        return [name for name in METHODS if hasattr(self.view, name)]

    def url(self, values: Mapping[str, object]) -> str:
        """A key that is in no table of values fails, so that whoever adds a route says what is there."""
        return reverse(self.name, kwargs={key: _value(self, key, values) for key in self.keys})


def _value(route: Route, key: str, values: Mapping[str, object]) -> object:
    return values[f"{route.name}.{key}"] if f"{route.name}.{key}" in values else values[key]


def routes() -> list[Route]:
    found = [route for route in _walk(get_resolver()) if route.route.lstrip("^").startswith("api")]
    return [route for route in found if route.name not in OF_NOTHING]


def _walk(resolver: URLResolver, prefix: str = "") -> Iterator[Route]:
    for entry in resolver.url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _walk(entry, path)
        elif isinstance(entry, URLPattern):
            yield Route(entry.name, path, getattr(entry.callback, "cls", type(None)))
