"""Jobs of annotation as Celery sees them: an id in, one service called. Each may run twice, early, late or never."""

from celery import shared_task
from django.utils import timezone

from annotation.services import imports_run


@shared_task
def run_import_job(pk: int) -> None:
    imports_run.execute(pk, clock=timezone.now)
