"""Keeping the time that people were at work. A page reports its running total, so a report may come twice or late."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from annotation.domain import active_time
from annotation.models import ActiveTime, Project, User


@transaction.atomic
def note(user: User, project: Project, *, activity: str, load: UUID, seconds: int, now: datetime) -> None:
    """Keep the larger of what is kept and what is reported, as far as the clock allows.

    A page reports 0 when it is opened; from then on its time is counted.
    """
    kept, _made = ActiveTime.objects.get_or_create(
        user=user,
        load=load,
        defaults={"project": project, "activity": activity, "started_at": now, "updated_at": now},
    )
    counted = active_time.allowed(seconds, started_at=kept.started_at, now=now)
    if counted > kept.seconds:
        ActiveTime.objects.filter(pk=kept.pk).update(seconds=Greatest(F("seconds"), counted), updated_at=now)
