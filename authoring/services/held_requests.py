"""Requests that a worker holds: what is noted of an asking without an answer, and what becomes of them."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from authoring.domain.chat import ATTEMPTS, Failure
from authoring.models import ModelRequest, Plan, RequestAttempt

State = ModelRequest.State


def revive(*, now: datetime, plan_pk: int | None = None) -> None:
    """Requests whose worker died, of a plan or of all: they wait again, or have failed with it too often."""
    lost = ModelRequest.objects.filter(state=State.RUNNING, lease_until__lte=now)
    for pk in (lost if plan_pk is None else lost.filter(plan=plan_pk)).values_list("pk", flat=True):
        with transaction.atomic():
            request = _locked(lost.filter(pk=pk))
            if request is not None:
                note(request, Failure("died"), sent_at=request.sent_at or now, now=now)
                if request.tries < ATTEMPTS:
                    back(request, state=State.WAITING, now=now)
                else:
                    back(request, state=State.FAILED, now=now, error_kind="died")


def _locked(found: QuerySet[ModelRequest]) -> ModelRequest | None:
    return found.select_for_update(of=("self",)).select_related("plan").first()


def note(request: ModelRequest, failure: Failure, *, sent_at: datetime, now: datetime) -> None:
    RequestAttempt.objects.create(
        request=request,
        number=request.attempt,
        sent_at=sent_at,
        ended_at=now,
        status=failure.status,
        error_kind=failure.kind,
        detail=failure.detail,
    )


def back(request: ModelRequest, *, state: str, now: datetime, **columns: object) -> None:
    """Out of the lease. What a person cancelled meanwhile is cancelled."""
    if state == State.WAITING and request.plan.state == Plan.State.CANCELLED:
        state = State.CANCELLED
    ended = None if state == State.WAITING else now
    held = ModelRequest.objects.filter(pk=request.pk, state=State.RUNNING)
    held.update(state=state, lease_until=None, claimed_by="", ended_at=ended, **columns)
