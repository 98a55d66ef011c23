"""Plans as leads see them: how far they are, what they have cost, and what went wrong."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet, Sum

from annotation.models import Project
from annotation.queries.imports import said_of
from annotation.queries.jobs import kept_sentence
from authoring.domain.chat import MEANINGS
from authoring.domain.costs import Price, cost
from authoring.models import ModelRequest, Plan, PlanSource, RequestAttempt

PLANS_A_PAGE = 25
RATED = timedelta(minutes=5)  # over which the rate is taken
WAITING_TOO_LONG = timedelta(seconds=30)
SINGLE = (Plan.Kind.EXPANSION, Plan.Kind.PROPOSAL)  # of one request each, made by writing
State = ModelRequest.State
ALL_STATES = tuple(State)

Money = dict[str, Decimal]  # by currency


@dataclass(slots=True)
class Tally:
    """Of one source or of several. Tokens are those that servers counted; `uncounted` answers came without."""

    by_state: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0

    @property
    def requests(self) -> int:
        return sum(self.by_state.values())

    @property
    def waiting(self) -> int:
        return self.by_state[State.WAITING]

    @property
    def running(self) -> int:
        return self.by_state[State.RUNNING]

    @property
    def done(self) -> int:
        return self.by_state[State.DONE]

    @property
    def failed(self) -> int:
        return self.by_state[State.FAILED]

    @property
    def cancelled(self) -> int:
        return self.by_state[State.CANCELLED]

    def add(self, other: "Tally") -> None:
        for state, n in other.by_state.items():
            self.by_state[state] += n
        self.tokens_in += other.tokens_in
        self.tokens_out += other.tokens_out
        self.uncounted += other.uncounted


@dataclass(frozen=True, slots=True)
class SourceLine:
    pk: int
    name: str
    model: str
    tally: Tally
    spent: Decimal
    currency: str
    waits_until: datetime | None  # where the server asked for a pause that is not over


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """One kind of error: what it means, how often it came, and how many requests have failed with it."""

    kind: str
    meaning: str
    attempts: int
    requests: int


@dataclass(frozen=True, slots=True)
class PlanLine:
    pk: int
    name: str
    kind: str
    state: str
    state_label: str
    requests: int
    done: int
    failed: int
    spent: Money
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Rate:
    """Answers a minute over the last minutes, and about how many minutes are left at that rate."""

    a_minute: float
    minutes_left: int


@dataclass(frozen=True, slots=True)
class PlanPage:
    """`is_stuck` where it runs and no worker has come to it."""

    pk: int
    name: str
    kind: str
    state: str
    state_label: str
    paused_why: str
    total: Tally
    sources: Sequence[SourceLine]
    spent: Money
    errors: Sequence[ErrorLine]
    rate: Rate | None
    is_stuck: bool

    @property
    def is_draft(self) -> bool:
        return self.state == Plan.State.DRAFT

    @property
    def is_open(self) -> bool:
        return self.state in (Plan.State.RUNNING, Plan.State.PAUSED)

    @property
    def changes(self) -> bool:
        """Whether it may look otherwise in a moment."""
        return self.state == Plan.State.RUNNING or self.total.running > 0

    @property
    def may_be_tried_again(self) -> bool:
        return self.total.failed > 0 and self.state != Plan.State.CANCELLED

    @property
    def makes_responses(self) -> bool:
        return self.kind not in SINGLE


def plans(project: Project, *, single: bool, page: str | None) -> Page[PlanLine]:
    """The newest first: those that leads made, or those of one request that writing made."""
    found = project.plans.filter(kind__in=SINGLE) if single else project.plans.exclude(kind__in=SINGLE)
    shown = Paginator(found.order_by("-pk"), PLANS_A_PAGE).get_page(page)
    tallies = _tallies(ModelRequest.objects.filter(plan__in=[plan.pk for plan in shown]))
    by_plan: dict[int, list[PlanSource]] = defaultdict(list)
    for source in PlanSource.objects.filter(plan__in=[plan.pk for plan in shown]):
        by_plan[source.plan_id].append(source)
    shown.object_list = [_plan_line(plan, by_plan[plan.pk], tallies) for plan in shown.object_list]
    return shown


def singles(project: Project) -> int:
    return project.plans.filter(kind__in=SINGLE).count()


def spent(project: Project) -> Money:
    """Of all its plans together."""
    sources = list(PlanSource.objects.filter(plan__project=project))
    return _spent(sources, _tallies(ModelRequest.objects.filter(plan__project=project, state=State.DONE)))


def plan_page(plan: Plan, *, now: datetime) -> PlanPage:
    sources = list(plan.sources.order_by("public_name", "pk"))
    tallies = _tallies(plan.requests.all())
    total = Tally()
    for source in sources:
        total.add(tallies[source.pk])
    return PlanPage(
        pk=plan.pk,
        name=plan.name,
        kind=plan.kind,
        state=plan.state,
        state_label=plan.get_state_display(),
        paused_why=kept_sentence(plan.paused_why),
        total=total,
        sources=[_source_line(source, tallies[source.pk], now=now) for source in sources],
        spent=_spent(sources, tallies),
        errors=_errors(plan),
        rate=_rate(plan, total, now=now),
        is_stuck=_is_stuck(plan, total, now=now),
    )


def meaning(kind: str) -> str:
    """Of a kind of error, in the reader's language; a kind that is not known stands for itself."""
    return said_of(MEANINGS.get(kind, kind)) if kind else ""


# --- Counting ------------------------------------------------------------------------------------


def _tallies(requests: QuerySet[ModelRequest]) -> dict[int, Tally]:
    """By source. One query."""
    lacks = Q(state=State.DONE) & (Q(tokens_in=None) | Q(tokens_out=None))
    by_state = requests.order_by().values_list("source", "state")
    rows = by_state.annotate(
        n=Count("pk"), read=Sum("tokens_in"), written=Sum("tokens_out"), lack=Count("pk", filter=lacks)
    )
    found: dict[int, Tally] = defaultdict(Tally)
    for source, state, n, tokens_in, tokens_out, uncounted in rows:
        one = Tally({}, tokens_in or 0, tokens_out or 0, uncounted)
        one.by_state[state] = n
        found[source].add(one)
    return found


def _spent(sources: Iterable[PlanSource], tallies: dict[int, Tally]) -> Money:
    found: Money = defaultdict(Decimal)
    for source in sources:
        found[source.currency] += _cost(source, tallies[source.pk])
    return dict(found)


def _cost(source: PlanSource, tally: Tally) -> Decimal:
    price = Price(source.input_price, source.output_price, source.currency)
    return cost(tally.tokens_in, tally.tokens_out, price)


def _plan_line(plan: Plan, sources: list[PlanSource], tallies: dict[int, Tally]) -> PlanLine:
    total = Tally()
    for source in sources:
        total.add(tallies[source.pk])
    return PlanLine(
        pk=plan.pk,
        name=plan.name,
        kind=plan.get_kind_display(),
        state=plan.state,
        state_label=plan.get_state_display(),
        requests=total.requests,
        done=total.done,
        failed=total.failed,
        spent=_spent(sources, tallies),
        made_at=plan.made_at,
    )


def _source_line(source: PlanSource, tally: Tally, *, now: datetime) -> SourceLine:
    waits = source.not_before if source.not_before and source.not_before > now else None
    return SourceLine(
        pk=source.pk,
        name=source.public_name,
        model=source.model,
        tally=tally,
        spent=_cost(source, tally),
        currency=source.currency,
        waits_until=waits if tally.waiting else None,
    )


def _errors(plan: Plan) -> list[ErrorLine]:
    """The commonest first."""
    went_wrong = RequestAttempt.objects.filter(request__plan=plan).exclude(error_kind="")
    attempts = dict(went_wrong.order_by().values_list("error_kind").annotate(Count("pk")))
    failed = plan.requests.filter(state=State.FAILED).order_by()
    requests = dict(failed.values_list("error_kind").annotate(Count("pk")))
    kinds = sorted({*attempts, *requests}, key=lambda kind: (-attempts.get(kind, 0), kind))
    return [ErrorLine(kind, meaning(kind), attempts.get(kind, 0), requests.get(kind, 0)) for kind in kinds]


def _rate(plan: Plan, total: Tally, *, now: datetime) -> Rate | None:
    """None where nothing is to come, or nothing has come of late."""
    if plan.state != Plan.State.RUNNING or plan.started_at is None:
        return None
    since = max(now - RATED, plan.started_at)
    n = plan.requests.filter(state=State.DONE, ended_at__gt=since).count()
    minutes = (now - since) / timedelta(minutes=1)
    if not n or minutes <= 0:
        return None
    left = total.waiting + total.running
    return Rate(n / minutes, max(1, round(left * minutes / n)))


def _is_stuck(plan: Plan, total: Tally, *, now: datetime) -> bool:
    """What waits for the end of a model's pause, or for its next attempt, is no sign of it."""
    if plan.state != Plan.State.RUNNING or not total.waiting or plan.started_at is None:
        return False
    if plan.served_until is not None or plan.requests.filter(attempt__gt=0).exists():
        return False
    return now - plan.started_at > WAITING_TOO_LONG
