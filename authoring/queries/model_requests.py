"""The requests of a plan, and one of them whole, as leads read them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.core.paginator import Page, Paginator
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from authoring.domain.costs import Price, cost
from authoring.models import ModelRequest, Plan, PlanSource, RequestAttempt
from authoring.queries.plans import meaning

REQUESTS_A_PAGE = 50
FINISHES: Mapping[str, Promise] = {
    "stop": _("The model came to an end."),
    "length": _("The text was cut off where it reached its limit."),
    "content_filter": _("The server held back the text, or a part of it."),
    "refusal": _("The model said that it will not write it."),
}


@dataclass(frozen=True, slots=True)
class RequestLine:
    pk: int
    about: str  # the id of the prompt, or of what is being written
    variant: int
    sample: int
    source: str
    state: str
    state_label: str
    finish_reason: str
    error: str
    tokens_out: int | None
    response: int | None


@dataclass(frozen=True, slots=True)
class AttemptLine:
    number: int
    sent_at: datetime
    seconds: float
    status: int | None
    error: str  # "" where it was answered
    detail: str  # as it came


@dataclass(frozen=True, slots=True)
class SourceFacts:
    name: str
    family: str
    model: str
    currency: str
    parameters: str  # more of the body, as JSON; "" for none


@dataclass(frozen=True, slots=True)
class RequestPage:
    """`cost` is None where the server did not count; `raw` is all that it sent, as JSON."""

    pk: int
    about: str
    variant: int
    sample: int
    kept: Sequence[str]
    source: SourceFacts
    state: str
    state_label: str
    instruction: str
    asked: str
    text: str
    finish_reason: str
    finish: str
    tokens_in: int | None
    tokens_out: int | None
    cost: Decimal | None
    seconds: float | None
    not_before: datetime | None
    error: str
    error_detail: str
    attempts: Sequence[AttemptLine]
    raw: str
    response: int | None


def requests(plan: Plan, chosen: Mapping[str, object], *, page: str | None) -> Page[RequestLine]:
    """In the order in which they are asked. `chosen` are columns that have to have a value."""
    found = plan.requests.filter(**chosen).order_by("pk")
    columns = ("prompt__external_id", "authored__key", "source__public_name")
    told = found.select_related("prompt", "authored", "source").only(
        *columns,
        "variant",
        "sample",
        "state",
        "finish_reason",
        "error_kind",
        "tokens_out",
        "response_id",
    )
    shown = Paginator(told, REQUESTS_A_PAGE).get_page(page)
    shown.object_list = [_line(request) for request in shown.object_list]
    return shown


def request_page(request: ModelRequest) -> RequestPage:
    source = request.source
    return RequestPage(
        pk=request.pk,
        about=_about(request),
        variant=request.variant,
        sample=request.sample,
        kept=list(request.kept.order_by("position").values_list("text", flat=True)),
        source=_source(source),
        state=request.state,
        state_label=request.get_state_display(),
        instruction=request.plan.instruction,
        asked=request.asked,
        text=request.text,
        finish_reason=request.finish_reason,
        finish=str(FINISHES.get(request.finish_reason, "")),
        tokens_in=request.tokens_in,
        tokens_out=request.tokens_out,
        cost=_cost(request, source),
        seconds=None if request.latency_ms is None else request.latency_ms / 1000,
        not_before=request.not_before if request.state == ModelRequest.State.WAITING else None,
        error=meaning(request.error_kind),
        error_detail=request.error,
        attempts=[_attempt(attempt) for attempt in request.attempts.order_by("number", "pk")],
        raw=_json(request.answer),
        response=request.response_id,
    )


def _line(request: ModelRequest) -> RequestLine:
    return RequestLine(
        pk=request.pk,
        about=_about(request),
        variant=request.variant,
        sample=request.sample,
        source=request.source.public_name,
        state=request.state,
        state_label=request.get_state_display(),
        finish_reason=request.finish_reason,
        error=meaning(request.error_kind),
        tokens_out=request.tokens_out,
        response=request.response_id,
    )


def _about(request: ModelRequest) -> str:
    if request.prompt is not None:
        return request.prompt.external_id
    return request.authored.key if request.authored is not None else ""


def _source(source: PlanSource) -> SourceFacts:
    return SourceFacts(source.public_name, source.family, source.model, source.currency, _json(source.extra))


def _cost(request: ModelRequest, source: PlanSource) -> Decimal | None:
    if request.tokens_in is None or request.tokens_out is None:
        return None
    price = Price(source.input_price, source.output_price, source.currency)
    return cost(request.tokens_in, request.tokens_out, price)


def _attempt(attempt: RequestAttempt) -> AttemptLine:
    return AttemptLine(
        number=attempt.number,
        sent_at=attempt.sent_at,
        seconds=(attempt.ended_at - attempt.sent_at).total_seconds(),
        status=attempt.status,
        error=meaning(attempt.error_kind),
        detail=attempt.detail,
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) if value else ""
