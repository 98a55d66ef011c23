"""Which requests of a source are in a batch file, and under which ids."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from authoring.domain.batch_files import MOST_LINES, request_line
from authoring.models import ModelRequest, Plan, PlanSource
from authoring.queries.bodies import body_of

WAITING = ModelRequest.State.WAITING
MISSING_SHOWN = 20


@dataclass(frozen=True, slots=True)
class BatchSource:
    """A source whose requests may go out. A part holds what waits of `MOST_LINES` requests."""

    pk: int
    name: str
    model: str
    requests: int
    waiting: int
    parts: range


def sources(plan: Plan) -> list[BatchSource]:
    found = plan.sources.order_by("public_name", "pk")
    return [_source(source) for source in found]


def custom_id(request_pk: int) -> str:
    """The same at every asking, and nobody else's to guess."""
    return "plumb-" + salted_hmac("plumb.batches", str(request_pk), algorithm="sha256").hexdigest()[:32]


def known_ids(source: PlanSource) -> dict[str, int]:
    """The request that each id names, of all that the source was ever asked."""
    return {custom_id(pk): pk for pk in source.requests.values_list("pk", flat=True).iterator()}


def parts(source: PlanSource) -> int:
    """How many files hold all requests of a source: the same, and the same requests in each, however many wait."""
    return -(-source.requests.count() // MOST_LINES)


def waiting_in(source: PlanSource, part: int) -> int:
    return len(_waiting(source, part))


def waiting(source: PlanSource) -> QuerySet[ModelRequest]:
    return source.requests.filter(state=WAITING)


def missing(source: PlanSource) -> tuple[str, ...]:
    """The first of those, each by its prompt and what tells it from the others of that."""
    rows = waiting(source).order_by("pk").values_list("prompt__external_id", "variant", "sample")
    return tuple(f"{prompt} {variant}.{sample}" for prompt, variant, sample in rows[:MISSING_SHOWN])


def lines(source: PlanSource, part: int) -> Iterator[str]:
    """The requests of a part, from 1, that wait, a line each."""
    asked = ModelRequest.objects.filter(pk__in=_waiting(source, part)).order_by("pk")
    for pk, text in asked.values_list("pk", "asked").iterator():
        yield request_line(custom_id(pk), body_of(source, text))


def _waiting(source: PlanSource, part: int) -> list[int]:
    first = (part - 1) * MOST_LINES
    of_part = source.requests.order_by("pk").values_list("pk", "state")[first : first + MOST_LINES]
    return [pk for pk, state in of_part if state == WAITING]


def _source(source: PlanSource) -> BatchSource:
    return BatchSource(
        pk=source.pk,
        name=source.public_name,
        model=source.model,
        requests=source.requests.count(),
        waiting=waiting(source).count(),
        parts=range(1, parts(source) + 1),
    )
