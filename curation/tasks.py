"""Jobs as Celery sees them: an id in, one service called. Each may run twice, early, late or never."""

from importlib import import_module

from celery import shared_task
from django.utils import timezone

from annotation.models import ImportJob
from annotation.services import exams, imports_run, jobs
from annotation.tasks import run_import_job
from curation.models import Release, Report, Run
from curation.services import releases, reports, runs


@shared_task
def run_curation(pk: int) -> None:
    runs.execute(pk, clock=timezone.now)


@shared_task
def freeze_release(pk: int) -> None:
    releases.execute(pk, clock=timezone.now)


@shared_task
def compute_report(pk: int) -> None:
    # Loaded by the worker alone: SciPy and what draws would cost every web process its memory.
    import_module("curation.services.report_work").execute(pk, clock=timezone.now)


@shared_task
def sweep() -> None:
    """Nudge again what was lost on the way, give up on what keeps dying, and write down which exams time has ended."""
    now = timezone.now()
    kinds = (
        (Run, run_curation),
        (Release, freeze_release),
        (ImportJob, run_import_job),
        (Report, compute_report),
    )
    for kind, nudge in kinds:
        jobs.give_up(kind, now=now)
        for pk in jobs.abandoned(kind, now=now):
            nudge.delay(pk)
    for report in reports.request_due(now=now):
        compute_report.delay(report.pk)
    imports_run.clear_up()
    exams.settle_overtaken(now=now)
