"""Claiming, keeping and ending a job. The row is the truth: a lost, doubled or late message does no harm."""

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TypeVar

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.sentences import as_text, say
from annotation.errors import DomainError
from annotation.models import Job

logger = logging.getLogger(__name__)
ATTEMPTS = 3
# A message needs less than a second; after this long it is taken for lost.
NUDGE_AGAIN = timedelta(seconds=10)
J = TypeVar("J", bound=Job)


class LostLease(Exception):
    """Another worker has taken the job over; what this one did is dropped."""


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def claim(kind: type[J], pk: int, *, now: datetime, **where: object) -> J | None:
    """The job, now running under this process's lease; None where it is not to be had, or not as `where` says."""
    taken = (
        _unfinished(kind, now=now)
        .filter(pk=pk, **where)
        .update(
            state=Job.State.RUNNING,
            attempt=F("attempt") + 1,
            claimed_by=worker_name(),
            lease_until=now + _lease(),
            started_at=now,
            error="",
        )
    )
    return kind.objects.get(pk=pk) if taken == 1 else None


def _unfinished(kind: type[J], *, now: datetime) -> QuerySet[J]:
    """Waiting, or running under a lease that has expired; and not yet tried as often as is allowed."""
    waiting = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_until__lte=now)
    return kind.objects.filter(waiting, attempt__lt=ATTEMPTS)


def _lease() -> timedelta:
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _held(job: J) -> QuerySet[J]:
    return type(job).objects.filter(
        pk=job.pk, state=Job.State.RUNNING, claimed_by=job.claimed_by, attempt=job.attempt
    )


def renew(job: Job, *, now: datetime) -> None:
    _change(job, lease_until=now + _lease())


def finish(job: Job, *, now: datetime, **results: object) -> None:
    """End a job that this process still holds. Call inside the transaction that writes its results."""
    _change(job, state=Job.State.DONE, lease_until=None, finished_at=now, **results)


def fail(job: Job, *, reason: str, now: datetime) -> None:
    """End it with why it failed, kept so that each page says it in its reader's language."""
    _change(job, state=Job.State.FAILED, lease_until=None, finished_at=now, error=as_text(reason))


def note(job: Job, **columns: object) -> None:
    """Write something down about a job that this process still holds; LostLease where it does not."""
    _change(job, **columns)


def _change(job: Job, **columns: object) -> None:
    if _held(job).update(**columns) != 1:
        raise LostLease(f"{type(job).__name__} {job.pk} is no longer held by {job.claimed_by}")


def _renew_if_it_can_be(job: Job, *, now: datetime) -> None:
    try:
        renew(job, now=now)
    except OperationalError:
        # A busy or distant database; the lease lasts until the next beat and the one after.
        logger.warning("The lease of %s %s could not be renewed", type(job).__name__, job.pk, exc_info=True)


@contextmanager
def heartbeat(job: Job, *, clock: Callable[[], datetime]) -> Iterator[None]:
    """Renews the lease while the job's work goes on, however long it takes; ends with the process."""
    ended = threading.Event()

    def beat() -> None:
        try:
            while not ended.wait(settings.JOB_LEASE_SECONDS / 3):
                _renew_if_it_can_be(job, now=clock())
        except LostLease:
            # Ended by this process at this moment, or taken over: then its end raises LostLease too.
            logger.info("%s %s is no longer held here", type(job).__name__, job.pk)
        finally:
            connection.close()

    thread = threading.Thread(target=beat, name=f"heartbeat of {type(job).__name__} {job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def outcome(job: Job, *, clock: Callable[[], datetime]) -> Iterator[None]:
    """What goes wrong inside becomes the job's outcome, so that a person sees it.

    A database out of reach is the exception: the row keeps its lease, and the sweep tries again after it.
    """
    try:
        yield
    except (OperationalError, LostLease):
        raise
    except DomainError as error:
        fail(job, reason=error.message, now=clock())
    except (KeyboardInterrupt, SystemExit):
        fail(job, reason=_("It was interrupted."), now=clock())
        raise
    except Exception as error:
        reason = say(
            "An error that should not happen: {error}. The worker's log says more.", error=repr(error)
        )
        fail(job, reason=reason, now=clock())
        raise


def try_again(job: Job, *, now: datetime) -> None:
    """Put a failed job back in waiting, once what stopped it has been mended."""
    failed = type(job).objects.filter(pk=job.pk, state=Job.State.FAILED)
    try:
        with transaction.atomic():
            again = failed.update(
                state=Job.State.QUEUED, attempt=0, queued_at=now, finished_at=None, error=""
            )
    except IntegrityError as error:
        raise DomainError(
            "busy", _("Another job of this project is being worked on. Wait until it is done.")
        ) from error
    if again != 1:
        raise DomainError("not_failed", _("Only a failed job can be tried again."))


def abandoned(kind: type[J], *, now: datetime) -> list[int]:
    """Jobs whose message seems lost, or whose worker does."""
    lost = _unfinished(kind, now=now).filter(queued_at__lte=now - NUDGE_AGAIN)
    return list(lost.order_by("pk").values_list("pk", flat=True))


def give_up(kind: type[J], *, now: datetime) -> int:
    """Fail what died as often as is allowed, so that a poisoned job does not loop."""
    exhausted = kind.objects.filter(state=Job.State.RUNNING, lease_until__lte=now, attempt__gte=ATTEMPTS)
    reason = say("The worker stopped before the end, {times} times. Its log says more.", times=ATTEMPTS)
    return exhausted.update(state=Job.State.FAILED, lease_until=None, finished_at=now, error=as_text(reason))
