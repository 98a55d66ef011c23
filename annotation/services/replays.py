"""Keys of writes over REST: each is used once a day and account, and remembers what was answered."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from annotation.errors import DomainError
from annotation.models import IdempotencyKey, User

KEPT = timedelta(hours=24)
AT_A_TIME = 1000  # rows that a sweep removes: it holds the lock of SQLite no longer than that


@dataclass(frozen=True, slots=True)
class Asked:
    user: User
    key: str
    method: str
    path: str
    digest: str  # of the body


class InProgress(DomainError):
    """Another request with the key has begun, and is neither done nor given up."""


def found(asked: Asked, *, now: datetime) -> IdempotencyKey | None:
    """What was done with the key; refused where that was something else."""
    done = IdempotencyKey.objects.filter(user=asked.user, key=asked.key, created_at__gt=now - KEPT).first()
    if done and (done.method, done.path, done.digest) != (asked.method, asked.path, asked.digest):
        raise DomainError(
            "idempotency_conflict",
            "This Idempotency-Key was used for another request within the last 24 hours. Use a new one.",
        )
    return done


def begin(asked: Asked, *, now: datetime) -> IdempotencyKey:
    """Call inside the transaction of the write. Waits for another one that has begun, as long as the database does."""
    row = IdempotencyKey(
        user=asked.user,
        key=asked.key,
        method=asked.method,
        path=asked.path,
        digest=asked.digest,
        created_at=now,
    )
    IdempotencyKey.objects.filter(user=asked.user, key=asked.key, created_at__lte=now - KEPT).delete()
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise InProgress(
            "in_progress", "A request with this Idempotency-Key is being done. Ask again in a second."
        ) from error
    return row


def finish(row: IdempotencyKey, *, status: int, body: str, location: str, is_kept: bool) -> None:
    row.status, row.body, row.location, row.is_kept = status, body, location, is_kept
    row.save(update_fields=["status", "body", "location", "is_kept"])


def clear_up(*, now: datetime) -> int:
    """Forgets the oldest keys of those that are over."""
    over = IdempotencyKey.objects.filter(created_at__lte=now - KEPT).order_by("created_at")
    keys = list(over.values_list("pk", flat=True)[:AT_A_TIME])
    return IdempotencyKey.objects.filter(pk__in=keys).delete()[0]
