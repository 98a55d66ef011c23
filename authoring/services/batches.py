"""Batch files: requests of a source that are asked elsewhere, and what comes back of them.

While they are out, the plan is paused, so that no worker asks them as well.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.domain.sentences import as_text, say
from annotation.errors import DomainError
from annotation.models import User
from annotation.services import journal
from authoring.domain.batch_files import Fault, read, sort_out
from authoring.domain.chat import Answer, Failure
from authoring.models import ModelRequest, Plan, PlanSource, RequestAttempt
from authoring.queries import batches as queries
from authoring.services import answers, plans

CHUNK = 200  # results a transaction
MOST_BYTES = 64 * 2**20  # of a file of results
State = ModelRequest.State


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a file of results. `waiting` requests of the source lack an answer; `missing` names the first."""

    stored: int
    failed: int
    known: int  # results that had been taken before
    faults: tuple[Fault, ...]
    waiting: int
    missing: tuple[str, ...]


@transaction.atomic
def take_out(source: PlanSource, part: int, *, by: User | None, now: datetime) -> Iterator[str]:
    """The lines of a file with the waiting requests of a part; the plan pauses, and a draft begins with it."""
    plan = source.plan
    if not 1 <= part <= queries.parts(source) or not (n := queries.waiting_in(source, part)):
        raise DomainError("nothing_waits", _("No request of this file waits. Look at the page again."))
    _pause(source, by=by, now=now)
    journal.record(
        "batch.taken_out",
        by=by,
        at=now,
        project=plan.project,
        plan=plan.pk,
        name=plan.name,
        source=source.public_name,
        n=n,
    )
    return queries.lines(source, part)


def take_in(source: PlanSource, file: Iterable[bytes], *, by: User | None, now: datetime) -> Outcome:
    """Store what a file of results says, each result once however often it comes. Not all of it or nothing: what is
    stored was paid for, and a line at fault can come again."""
    plan = source.plan
    if plan.state == Plan.State.DRAFT:
        raise DomainError(
            "not_out", _("Nothing of this plan has been asked yet. Take out its batch file first.")
        )
    found = sort_out(read(file), queries.known_ids(source))
    # In one order, whatever that of the file: else two files sent at once could wait for each other's rows.
    results = sorted(found.results, key=lambda each: each[0])
    counts = {"stored": 0, "failed": 0, "known": 0}
    for begin in range(0, len(results), CHUNK):
        with transaction.atomic():
            for request_pk, result in results[begin : begin + CHUNK]:
                counts[_taken(request_pk, result, now=now)] += 1
    waiting = queries.waiting(source).count()
    with transaction.atomic():
        journal.record(
            "batch.taken_in",
            by=by,
            at=now,
            project=plan.project,
            plan=plan.pk,
            name=plan.name,
            source=source.public_name,
            **counts,
            faults=len(found.faults),
        )
        _go_on(source, waiting, now=now)
    return Outcome(**counts, faults=found.faults, waiting=waiting, missing=queries.missing(source))


# --- A result ------------------------------------------------------------------------------------


def _taken(request_pk: int, result: Answer | Failure, *, now: datetime) -> str:
    if isinstance(result, Answer):
        return "stored" if answers.store(request_pk, result, sent_at=None, now=now) else "known"
    return "failed" if _failed(request_pk, result, now=now) else "known"


def _failed(request_pk: int, failure: Failure, *, now: datetime) -> bool:
    """False where it was taken before, or the request does not wait for it: who asks it now, or has its answer, goes
    before a failure of elsewhere."""
    told = {"status": failure.status, "error_kind": failure.kind, "detail": failure.detail}
    request = ModelRequest.objects.select_for_update().get(pk=request_pk)
    if request.state != State.WAITING or request.attempts.filter(**told).exists():
        return False
    RequestAttempt.objects.create(
        request=request, number=request.attempt + 1, sent_at=now, ended_at=now, **told
    )
    ModelRequest.objects.filter(pk=request_pk).update(
        state=State.FAILED,
        attempt=F("attempt") + 1,
        not_before=None,
        ended_at=now,
        error_kind=failure.kind,
        error=failure.detail,
    )
    return True


# --- The plan meanwhile --------------------------------------------------------------------------


def _pause(source: PlanSource, *, by: User | None, now: datetime) -> None:
    plan = source.plan
    why = say(
        "Requests of {source} are out as a batch file. Take in its results before the plan goes on, or they are "
        "asked twice.",
        source=source.public_name,
    )
    if plan.state == Plan.State.DRAFT:
        plans.start(plan, by=by, now=now)
    if plan.state == Plan.State.RUNNING:
        plans.pause(plan, why=why, by=by, now=now)
    elif Plan.objects.filter(pk=plan.pk, state=Plan.State.PAUSED).update(paused_why=as_text(why)) != 1:
        raise DomainError("plan_moved_on", _("Requests go out of a plan that is a draft, runs or is paused."))


def _go_on(source: PlanSource, waiting: int, *, now: datetime) -> None:
    """A paused plan ends where nothing is left of it; else it says that this batch has come back."""
    paused = Plan.objects.filter(pk=source.plan_id, state=Plan.State.PAUSED)
    if waiting:
        return
    why = say(
        "The batch of {source} has come back. Resume the plan to have the rest asked.",
        source=source.public_name,
    )
    if ModelRequest.objects.filter(plan=source.plan_id, state__in=[State.WAITING, State.RUNNING]).exists():
        paused.update(paused_why=as_text(why))
    elif paused.update(state=Plan.State.RUNNING, paused_why=""):
        plans.end_if_done(source.plan_id, now=now)
