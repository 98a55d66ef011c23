"""End points as operators see them. Of a key no more is known here than whether it is there."""

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.conf import settings

from authoring.domain import keys
from authoring.domain.endpoint_rules import origin_of
from authoring.models import Endpoint, PlanSource


@dataclass(frozen=True, slots=True)
class EndpointLine:
    """`key` is "none" where the server asks for none, else "there" or "missing" in the environment of this process.
    Prices are per million tokens."""

    name: str
    kind: str
    server: str
    is_allowed: bool
    model: str
    public_name: str
    family: str
    key_name: str
    key: str
    input_price: str
    output_price: str
    currency: str
    plans: int
    retired_at: datetime | None


def lines() -> list[EndpointLine]:
    """Those that may be chosen first, by name."""
    found = _lines(Endpoint.objects.order_by("name"))
    return sorted(found, key=lambda line: line.retired_at is not None)


def line(endpoint: Endpoint) -> EndpointLine:
    return _lines([endpoint])[0]


def is_used(endpoint: Endpoint) -> bool:
    return PlanSource.objects.filter(endpoint=endpoint).exists()


def key_state(name: str) -> str:
    if not name:
        return "none"
    return "there" if keys.is_there(name, os.environ) else "missing"


def _lines(endpoints: Iterable[Endpoint]) -> list[EndpointLine]:
    plans = Counter(PlanSource.objects.values_list("endpoint", flat=True))
    return [_line(endpoint, plans[endpoint.pk]) for endpoint in endpoints]


def _line(endpoint: Endpoint, plans: int) -> EndpointLine:
    server = origin_of(endpoint.base_url)
    return EndpointLine(
        name=endpoint.name,
        kind=endpoint.get_kind_display(),
        server=server,
        is_allowed=server in settings.MODEL_ORIGINS,
        model=endpoint.model,
        public_name=endpoint.public_name,
        family=endpoint.family,
        key_name=endpoint.key_name,
        key=key_state(endpoint.key_name),
        input_price=_plain(endpoint.input_price),
        output_price=_plain(endpoint.output_price),
        currency=endpoint.currency,
        plans=plans,
        retired_at=endpoint.retired_at,
    )


def _plain(price: Decimal) -> str:
    """Without zeros that say nothing."""
    return f"{price.normalize():f}"
