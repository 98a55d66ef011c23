"""Jobs as Celery sees them: an id in, one service called. Each may run twice, early, late or never."""

from celery import shared_task
from django.utils import timezone

from annotation.services import jobs
from curation.models import Release, Run
from curation.services import releases, runs


@shared_task
def run_curation(pk: int) -> None:
    runs.execute(pk, clock=timezone.now)


@shared_task
def freeze_release(pk: int) -> None:
    releases.execute(pk, clock=timezone.now)


@shared_task
def sweep() -> None:
    """Nudge again what was lost on the way, and give up on what keeps dying."""
    now = timezone.now()
    for kind, nudge in ((Run, run_curation), (Release, freeze_release)):
        jobs.give_up(kind, now=now)
        for pk in jobs.abandoned(kind, now=now):
            nudge.delay(pk)
