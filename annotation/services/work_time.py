"""Keeping the time that people were at work. A page reports its running total, so a report may come twice or late."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from annotation.domain import active_time, reading_time, text
from annotation.models import ActiveTime, Lease, Project, Prompt, User


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


def of_judgement(
    lease: Lease, active: int | None, *, prompt: Prompt, texts: Sequence[str], now: datetime
) -> dict[str, int | bool]:
    """For the journal: the seconds at work on a judgement, as far as the clock allows, and whether they were very few.

    `active` are those that the page counted, None where it did not; `texts` what had to be read. A judgement that a
    page has not timed says nothing.
    """
    if active is None:
        return {}
    unit = text.unit_for("auto", prompt.language, prompt.text, texts[0] if texts else "")
    seconds = max(0, min(active, int((now - lease.leased_at).total_seconds())))
    usual = sum(reading_time.expected(each, unit) for each in texts)
    return {"active": seconds, **({"fast": True} if reading_time.is_fast(seconds, usual) else {})}
