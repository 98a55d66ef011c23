"""The worker's side of a plan: requests are claimed one by one, asked side by side, and stored as they are answered.

Any number of workers may serve a plan; one does at a time, for some seconds, so that waiting for models never takes up
all of them. A request that was sent and not answered when its worker died is sent again once its lease is over, under
the same Idempotency-Key; one that is answered never is.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Q, Sum, When
from django.utils.crypto import salted_hmac

from annotation.services.jobs import worker_name
from authoring.domain.chat import ATTEMPTS, MEANINGS, Answer, Failure, wait_before
from authoring.domain.costs import reckoned_tokens
from authoring.models import Endpoint, ModelRequest, Plan, PlanSource
from authoring.queries.bodies import body_of
from authoring.services import answers, clients, held_requests, plans

SLICE = timedelta(seconds=20)  # after which another plan has its turn
MOST_AT_ONCE = 64  # threads of a worker
LOOK_AGAIN = 0.2  # seconds
MINUTE = timedelta(minutes=1)
State = ModelRequest.State


@dataclass(frozen=True, slots=True)
class Claimed:
    """A request under way, with all that is needed to ask."""

    pk: int
    attempt: int
    sent_at: datetime
    body: Mapping[str, Any]
    target: clients.Target | Failure
    once: str  # names the request


def work(plan_pk: int, *, clock: Callable[[], datetime], sleep: Callable[[float], None] = time.sleep) -> bool:
    """Serve a plan for a while. Whether there is more of it to be done now."""
    if not _is_taken(plan_pk, now=clock()):
        return False
    end = clock() + SLICE
    under_way: dict[Future[Answer | Failure], Claimed] = {}
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        while clock() < end or under_way:
            _keep(plan_pk, under_way.values(), now=clock())
            if clock() < end:
                held_requests.revive(now=clock(), plan_pk=plan_pk)
                while len(under_way) < MOST_AT_ONCE and (claimed := claim(plan_pk, now=clock())):
                    under_way[pool.submit(_ask, claimed)] = claimed
            if not under_way:
                if not _waits(plan_pk, until=end):
                    break
                sleep(LOOK_AGAIN)
            ended, _pending = wait(under_way, timeout=LOOK_AGAIN, return_when=FIRST_COMPLETED)
            for future in ended:
                conclude(under_way.pop(future), future.result(), now=clock())
    Plan.objects.filter(pk=plan_pk).update(served_until=None)
    return not plans.end_if_done(plan_pk, now=clock()) and _waits(plan_pk, until=clock() + SLICE)


# --- Who serves the plan ---------------------------------------------------------------------------------


def _is_taken(plan_pk: int, *, now: datetime) -> bool:
    free = Plan.objects.filter(pk=plan_pk, state=Plan.State.RUNNING).exclude(served_until__gt=now)
    return free.update(served_until=now + SLICE) == 1


def _keep(plan_pk: int, under_way: Iterable[Claimed], *, now: datetime) -> None:
    """The plan, and the leases of what is under way, which may take longer than the slice."""
    served = Plan.objects.filter(pk=plan_pk, served_until__lt=now + SLICE / 2)
    if served.update(served_until=now + SLICE):
        held = ModelRequest.objects.filter(pk__in=[each.pk for each in under_way], state=State.RUNNING)
        held.update(lease_until=now + _lease())


def _lease() -> timedelta:
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _waits(plan_pk: int, *, until: datetime) -> bool:
    """Whether something may be asked before then."""
    due = Q(not_before=None) | Q(not_before__lt=until)
    open_sources = PlanSource.objects.filter(due, plan=plan_pk, plan__state=Plan.State.RUNNING)
    return ModelRequest.objects.filter(due, source__in=open_sources, state=State.WAITING).exists()


# --- Claiming --------------------------------------------------------------------------------------------


def claim(plan_pk: int, *, now: datetime) -> Claimed | None:
    """The next request of the plan, now under way under a lease; None where nothing is due, or no model has room."""
    due = Q(not_before=None) | Q(not_before__lte=now)
    sources = PlanSource.objects.filter(due, plan=plan_pk, plan__state=Plan.State.RUNNING).order_by("pk")
    for source in sources.select_related("plan"):
        with transaction.atomic():
            # One at a time counts what the model has to do, of all plans together.
            endpoint = Endpoint.objects.select_for_update().get(pk=source.endpoint_id)
            waiting = source.requests.filter(due, state=State.WAITING).order_by("pk")
            request = waiting.first()
            if request is None:
                continue
            reserve = _reserve(source.plan, request)
            if _has_room(endpoint, reserve, now=now) and _is_claimed(request, reserve, now=now):
                return _claimed(request, source, endpoint, now=now)
    return None


def _reserve(plan: Plan, request: ModelRequest) -> int:
    """Tokens that the request may take, as providers count them against a limit."""
    return reckoned_tokens(plan.instruction) + reckoned_tokens(request.asked) + plan.max_tokens


def _has_room(endpoint: Endpoint, reserve: int, *, now: datetime) -> bool:
    ours = ModelRequest.objects.filter(source__endpoint=endpoint)
    if ours.filter(state=State.RUNNING, lease_until__gt=now).count() >= endpoint.parallel:
        return False
    if endpoint.tokens_per_minute is None:
        return True
    taken = Case(
        When(state=State.DONE, tokens_in__isnull=False, then=F("tokens_in") + F("tokens_out")),
        default=F("reserved_tokens"),
    )
    used = ours.filter(sent_at__gt=now - MINUTE).aggregate(sum=Sum(taken))["sum"] or 0
    # One that is larger than the limit by itself goes alone, or it never would.
    return used == 0 or used + reserve <= endpoint.tokens_per_minute


def _is_claimed(request: ModelRequest, reserve: int, *, now: datetime) -> bool:
    free = ModelRequest.objects.filter(pk=request.pk, state=State.WAITING, plan__state=Plan.State.RUNNING)
    taken = free.update(
        state=State.RUNNING,
        attempt=F("attempt") + 1,
        tries=F("tries") + 1,
        claimed_by=worker_name(),
        lease_until=now + _lease(),
        reserved_tokens=reserve,
        sent_at=now,
        not_before=None,
    )
    return taken == 1


def _claimed(request: ModelRequest, source: PlanSource, endpoint: Endpoint, *, now: datetime) -> Claimed:
    return Claimed(
        pk=request.pk,
        attempt=request.attempt + 1,
        sent_at=now,
        body=body_of(source, request.asked),
        target=clients.target_of(endpoint),
        once=salted_hmac("plumb.requests", str(request.pk), algorithm="sha256").hexdigest()[:32],
    )


def _ask(claimed: Claimed) -> Answer | Failure:
    """In a thread of its own, without a database."""
    if isinstance(claimed.target, Failure):
        return claimed.target
    return clients.complete(claimed.target, claimed.body, once=claimed.once)


# --- What came of it -------------------------------------------------------------------------------------


def conclude(claimed: Claimed, found: Answer | Failure, *, now: datetime) -> None:
    if isinstance(found, Failure):
        _failed(claimed, found, now=now)
    else:
        answers.store(claimed.pk, found, sent_at=claimed.sent_at, now=now)


@transaction.atomic
def _failed(claimed: Claimed, failure: Failure, *, now: datetime) -> None:
    """The request waits again, or has failed; nothing where somebody else has taken it over."""
    request = ModelRequest.objects.select_for_update().select_related("source", "plan").get(pk=claimed.pk)
    if request.state != State.RUNNING or request.attempt != claimed.attempt:
        return
    held_requests.note(request, failure, sent_at=claimed.sent_at, now=now)
    if failure.stops_all:
        held_requests.back(request, state=State.WAITING, tries=F("tries") - 1, now=now)
        _pause(request.plan, failure, now=now)
    elif failure.may_pass and request.tries < ATTEMPTS:
        pause = wait_before(request.tries, str(request.pk), failure.wait)
        held_requests.back(request, state=State.WAITING, not_before=now + pause, now=now)
        if failure.wait is not None:
            PlanSource.objects.filter(pk=request.source_id).update(not_before=now + failure.wait)
    else:
        held_requests.back(
            request, state=State.FAILED, now=now, error_kind=failure.kind, error=failure.detail
        )


def _pause(plan: Plan, failure: Failure, *, now: datetime) -> None:
    if plan.state == Plan.State.RUNNING:
        plans.pause(plan, why=MEANINGS[failure.kind], by=None, now=now)
