"""Plans: what is asked of which models, with what it will cost, and whether it goes on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.sentences import as_text
from annotation.errors import DomainError, Invalid
from annotation.models import Project, Prompt, User
from annotation.services import journal
from authoring.domain.costs import Price, cost, reckoned_tokens
from authoring.models import AuthoredPrompt, Endpoint, ModelRequest, Plan, PlanSource
from authoring.queries import dropout

CHUNK = 1_000
MOST_REQUESTS = 200_000
MOST_SAMPLES = 1_000
MOST_TOKENS = 1_000_000  # of an answer
State = Plan.State


@dataclass(frozen=True, slots=True)
class SourceEstimate:
    source: PlanSource
    requests: int
    tokens_in: int  # reckoned from the texts
    tokens_out_most: int  # where every answer is as long as it may be
    cost_most: Decimal


@dataclass(frozen=True, slots=True)
class Estimate:
    sources: tuple[SourceEstimate, ...]

    @property
    def requests(self) -> int:
        return sum(each.requests for each in self.sources)

    @property
    def tokens_in(self) -> int:
        return sum(each.tokens_in for each in self.sources)

    @property
    def tokens_out_most(self) -> int:
        return sum(each.tokens_out_most for each in self.sources)

    @property
    def costs(self) -> dict[str, Decimal]:
        """At most, by currency."""
        found: dict[str, Decimal] = defaultdict(Decimal)
        for each in self.sources:
            found[each.source.currency] += each.cost_most
        return dict(found)


# --- Making ----------------------------------------------------------------------------------------------


@transaction.atomic
def make(
    project: Project,
    *,
    name: str,
    kind: str,
    prompts: QuerySet[Prompt],
    endpoints: Sequence[Endpoint],
    samples: int,
    temperature: Decimal,
    max_tokens: int,
    instruction: str = "",
    seed: str = "",
    by: User | None,
    now: datetime,
) -> Plan:
    """A draft with a row for each of its requests. A dropout asks each variant of a prompt `samples` times."""
    _refuse_other_endpoints(endpoints)
    if kind not in (Plan.Kind.RESPONSES, Plan.Kind.DROPOUT):
        raise Invalid("bad_kind", _("Choose whether responses are asked for, or a requirement dropout."))
    _refuse_one_name_twice(endpoints)
    _refuse_other_numbers(samples, temperature, max_tokens)
    if kind == Plan.Kind.DROPOUT:
        prompts = prompts.select_for_update(of=("self",))  # whose requirements stand still meanwhile
    wanted = list(prompts.filter(project=project).order_by("external_id", "pk"))
    if not wanted:
        raise Invalid("no_prompts", _("No prompt is chosen. Choose at least one."))
    empty = [prompt.external_id for prompt in wanted if not prompt.text.strip()]
    if empty:
        message = _("These prompts have no text: %(names)s. Leave them out.")
        raise Invalid("prompt_without_text", message % {"names": ", ".join(empty[:5])})
    plan = _made(
        project,
        name=name,
        kind=kind,
        samples=samples,
        temperature=temperature,
        max_tokens=max_tokens,
        instruction=instruction,
        seed=seed,
        made_by=by,
        made_at=now,
    )
    asked = [each for prompt in wanted for each in _asked(plan, prompt)]
    n_requests = len(asked) * len(endpoints) * samples
    if n_requests > MOST_REQUESTS:
        message = _("This plan has %(n)s requests; one has %(most)s at most. Make several.")
        raise Invalid("too_many_requests", message % {"n": n_requests, "most": MOST_REQUESTS})
    for endpoint in endpoints:
        _add_requests(plan, _source(plan, endpoint), asked)
    journal.record(
        "plan.made", by=by, at=now, project=project, plan=plan.pk, name=name, kind=kind, requests=n_requests
    )
    return plan


@transaction.atomic
def ask_once(
    project: Project,
    *,
    kind: str,
    endpoint: Endpoint,
    asked: str,
    prompt: Prompt | None = None,
    authored: AuthoredPrompt | None = None,
    temperature: Decimal = Decimal("0.80"),
    max_tokens: int = 4096,
    by: User | None,
    now: datetime,
) -> Plan:
    """A plan of a single request, which runs at once. It is about a prompt, or about one that is being written."""
    _refuse_other_endpoints([endpoint])
    key = authored.key if authored is not None else prompt.external_id if prompt is not None else ""
    number = project.plans.filter(kind=kind).count() + 1
    plan = _made(
        project,
        name=f"{kind}-{number} {key}"[:100],
        kind=kind,
        state=State.RUNNING,
        samples=1,
        temperature=temperature,
        max_tokens=max_tokens,
        made_by=by,
        made_at=now,
        started_at=now,
    )
    ModelRequest.objects.create(
        plan=plan, source=_source(plan, endpoint), prompt=prompt, authored=authored, asked=asked
    )
    journal.record("plan.asked", by=by, at=now, project=project, plan=plan.pk, kind=kind, of=key)
    return plan


def _refuse_one_name_twice(endpoints: Sequence[Endpoint]) -> None:
    """By its public name a release, and the id of a response, tell one source from another."""
    if len({endpoint.public_name for endpoint in endpoints}) < len(endpoints):
        message = _("Two of these models have one public name. Choose one of them.")
        raise Invalid("same_public_name", message)


def _refuse_other_numbers(samples: int, temperature: Decimal, max_tokens: int) -> None:
    if not 1 <= samples <= MOST_SAMPLES:
        message = _("Ask for 1 to %(most)s samples.")
        raise Invalid("bad_samples", message % {"most": MOST_SAMPLES})
    if not 0 <= temperature <= 2:
        raise Invalid("bad_temperature", _("A temperature is a number from 0 to 2."))
    if not 1 <= max_tokens <= MOST_TOKENS:
        message = _("An answer may have 1 to %(most)s tokens.")
        raise Invalid("bad_max_tokens", message % {"most": MOST_TOKENS})


def _made(project: Project, **columns: object) -> Plan:
    try:
        with transaction.atomic():
            return Plan.objects.create(project=project, **columns)
    except IntegrityError as error:
        message = _("A plan of this project has this name. Choose another.")
        raise Invalid("name_taken", message) from error


def _refuse_other_endpoints(endpoints: Sequence[Endpoint]) -> None:
    if not endpoints:
        raise Invalid("no_endpoints", _("No model is chosen. Choose at least one."))
    for endpoint in endpoints:
        if endpoint.kind != Endpoint.Kind.CHAT or endpoint.retired_at is not None:
            message = _("The end point %(name)s gives no texts, or is retired. Choose another.")
            raise Invalid("bad_endpoint", message % {"name": endpoint.name})


def _source(plan: Plan, endpoint: Endpoint) -> PlanSource:
    return PlanSource.objects.create(
        plan=plan,
        endpoint=endpoint,
        public_name=endpoint.public_name,
        family=endpoint.family,
        model=endpoint.model,
        length_parameter=endpoint.length_parameter,
        extra=endpoint.extra,
        input_price=endpoint.input_price,
        output_price=endpoint.output_price,
        currency=endpoint.currency,
    )


def _asked(plan: Plan, prompt: Prompt) -> Iterator[tuple[Prompt, dropout.Variant]]:
    if plan.kind == Plan.Kind.DROPOUT:
        for variant in dropout.variants_of(prompt, plan.seed):
            yield prompt, variant
    else:
        yield prompt, dropout.Variant(number=1, kept=(), asked=prompt.text)


def _add_requests(plan: Plan, source: PlanSource, asked: list[tuple[Prompt, dropout.Variant]]) -> None:
    rows = [
        (
            ModelRequest(
                plan=plan,
                source=source,
                prompt=prompt,
                variant=variant.number,
                sample=sample,
                asked=variant.asked,
            ),
            variant.kept,
        )
        for prompt, variant in asked
        for sample in range(1, plan.samples + 1)
    ]
    created = ModelRequest.objects.bulk_create([row for row, _kept in rows], batch_size=CHUNK)
    through = ModelRequest.kept.through
    through.objects.bulk_create(
        [
            through(modelrequest_id=row.pk, requirement_id=requirement.pk)
            for row, (_row, kept) in zip(created, rows, strict=True)
            for requirement in kept
        ],
        batch_size=CHUNK,
    )


# --- What it will cost -----------------------------------------------------------------------------------


def estimate(plan: Plan) -> Estimate:
    """Of the whole plan, as if nothing had been asked yet. Output is reckoned at its most."""
    read = reckoned_tokens(plan.instruction)
    found = {source.pk: [source, 0, 0] for source in plan.sources.order_by("public_name", "pk")}
    for source, asked in plan.requests.values_list("source", "asked").iterator():
        found[source][1] += 1
        found[source][2] += read + reckoned_tokens(asked)
    return Estimate(tuple(_estimated(plan, *each) for each in found.values()))


def _estimated(plan: Plan, source: PlanSource, requests: int, tokens_in: int) -> SourceEstimate:
    most = requests * plan.max_tokens
    return SourceEstimate(source, requests, tokens_in, most, cost(tokens_in, most, price_of(source)))


def price_of(source: PlanSource) -> Price:
    return Price(source.input_price, source.output_price, source.currency)


# --- Whether it goes on ----------------------------------------------------------------------------------


@transaction.atomic
def start(plan: Plan, *, by: User | None, now: datetime) -> None:
    _move(plan, [State.DRAFT], state=State.RUNNING, started_at=now)
    journal.record("plan.started", by=by, at=now, project=plan.project, plan=plan.pk, name=plan.name)


@transaction.atomic
def pause(plan: Plan, *, why: str = "", by: User | None, now: datetime) -> None:
    """Nothing more is asked; what is under way is awaited. `why` where no person did it."""
    _move(plan, [State.RUNNING], state=State.PAUSED, paused_why=as_text(why))
    journal.record("plan.paused", by=by, at=now, project=plan.project, plan=plan.pk, name=plan.name)


@transaction.atomic
def resume(plan: Plan, *, by: User | None, now: datetime) -> None:
    _move(plan, [State.PAUSED], state=State.RUNNING, paused_why="")
    journal.record("plan.resumed", by=by, at=now, project=plan.project, plan=plan.pk, name=plan.name)


@transaction.atomic
def cancel(plan: Plan, *, by: User | None, now: datetime) -> None:
    """What waits is asked no more. What is under way still counts when it is answered."""
    _move(
        plan, [State.DRAFT, State.RUNNING, State.PAUSED], state=State.CANCELLED, ended_at=now, paused_why=""
    )
    waiting = plan.requests.filter(state=ModelRequest.State.WAITING)
    n_cancelled = waiting.update(state=ModelRequest.State.CANCELLED, ended_at=now)
    journal.record(
        "plan.cancelled", by=by, at=now, project=plan.project, plan=plan.pk, name=plan.name, n=n_cancelled
    )


@transaction.atomic
def remove(plan: Plan, *, by: User | None, now: datetime) -> None:
    """A draft alone: what was asked stays."""
    if Plan.objects.select_for_update().filter(pk=plan.pk, state=State.DRAFT).first() is None:
        raise _moved_on()
    journal.record("plan.removed", by=by, at=now, project=plan.project, name=plan.name)
    plan.requests.all().delete()
    plan.delete()


@transaction.atomic
def try_again(plan: Plan, *, by: User | None, now: datetime) -> int:
    """Failed requests wait again, with their attempts counted anew; returns how many."""
    open_again = [State.RUNNING, State.PAUSED, State.DONE]
    n = plan.requests.filter(state=ModelRequest.State.FAILED, plan__state__in=open_again).update(
        state=ModelRequest.State.WAITING, tries=0, not_before=None, ended_at=None, error_kind="", error=""
    )
    if not n:
        raise DomainError("nothing_failed", _("No request of this plan has failed."))
    Plan.objects.filter(pk=plan.pk, state=State.DONE).update(state=State.RUNNING, ended_at=None)
    journal.record("plan.tried_again", by=by, at=now, project=plan.project, plan=plan.pk, name=plan.name, n=n)
    return n


def end_if_done(plan_pk: int, *, now: datetime) -> bool:
    """Whether it ended by this call: nothing of it waits or is under way."""
    left = ModelRequest.objects.filter(
        plan=OuterRef("pk"), state__in=[ModelRequest.State.WAITING, ModelRequest.State.RUNNING]
    )
    with transaction.atomic():
        ended = Plan.objects.filter(~Exists(left), pk=plan_pk, state=State.RUNNING)
        if ended.update(state=State.DONE, ended_at=now) != 1:
            return False
        plan = Plan.objects.select_related("project").get(pk=plan_pk)
        counts = {
            state: plan.requests.filter(state=state).count()
            for state in (ModelRequest.State.DONE, ModelRequest.State.FAILED)
        }
        journal.record(
            "plan.done",
            by=None,
            at=now,
            project=plan.project,
            plan=plan.pk,
            name=plan.name,
            answered=counts[ModelRequest.State.DONE],
            failed=counts[ModelRequest.State.FAILED],
        )
    return True


def unfinished(*, now: datetime) -> list[int]:
    """Plans that run and are served by nobody."""
    running = Plan.objects.filter(state=State.RUNNING).exclude(served_until__gt=now)
    return list(running.order_by("pk").values_list("pk", flat=True))


def _move(plan: Plan, origins: Iterable[str], **columns: object) -> None:
    moved = Plan.objects.filter(pk=plan.pk, state__in=list(origins)).update(**columns)
    if moved != 1:
        raise _moved_on()
    plan.refresh_from_db()


def _moved_on() -> DomainError:
    return DomainError(
        "plan_moved_on", _("The plan is not as it was when this page was made. Look at it again.")
    )
