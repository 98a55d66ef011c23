"""Jobs as Celery sees them: an id in, one service called. Each may run twice, early, late or never."""

from importlib import import_module

from celery import shared_task
from django.utils import timezone

from annotation.models import ImportJob
from annotation.services import exams, imports_run, jobs, replays
from annotation.tasks import run_import_job
from authoring.services import held_requests, plans
from authoring.tasks import work_on_plan
from curation.models import Audit, Comparison, Release, Report, Run, Shard, Submission, WhatIf
from curation.services import audits, rehash, releases, reports, run_work

SHARDS_AT_A_TIME = 4  # that a sweep nudges


@shared_task
def run_curation(pk: int) -> None:
    first, *others = run_work.begin(pk, clock=timezone.now) or [None]
    for shard in others:
        decide_shard.delay(shard)
    if first is not None:
        run_work.decide(first, clock=timezone.now)
    _have_audited(pk)


@shared_task
def decide_shard(pk: int) -> None:
    run = run_work.decide(pk, clock=timezone.now)
    if run is not None:
        _have_audited(run)


def _have_audited(run: int) -> None:
    audit = audits.request_of(run, now=timezone.now())
    if audit is not None:
        audit_run.delay(audit.pk)


@shared_task
def audit_run(pk: int) -> None:
    # As compute_report: loaded by the worker alone.
    import_module("curation.services.audit_work").execute(pk, clock=timezone.now)


@shared_task
def freeze_release(pk: int) -> None:
    releases.execute(pk, clock=timezone.now)


@shared_task
def recheck_releases() -> None:
    """Every night; what it finds stands in the log as errors."""
    for _file in rehash.damaged():
        pass


@shared_task
def compute_report(pk: int) -> None:
    # Loaded by the worker alone: SciPy and what draws would cost every web process its memory.
    import_module("curation.services.report_work").execute(pk, clock=timezone.now)


@shared_task
def compute_what_if(pk: int) -> None:
    # As compute_report: loaded by the worker alone.
    import_module("curation.services.what_if_work").execute(pk, clock=timezone.now)


@shared_task
def score_submission(pk: int) -> None:
    # As compute_report: loaded by the worker alone.
    import_module("curation.services.submission_work").execute(pk, clock=timezone.now)


@shared_task
def compare_submissions(pk: int) -> None:
    # As compute_report: loaded by the worker alone.
    import_module("curation.services.submission_work").compare(pk, clock=timezone.now)


@shared_task
def sweep() -> None:
    """Nudge again what was lost on the way, give up on what keeps dying, and write down which exams time has ended."""
    now = timezone.now()
    kinds = (
        (Run, run_curation),
        (Release, freeze_release),
        (ImportJob, run_import_job),
        (Report, compute_report),
        (WhatIf, compute_what_if),
        (Audit, audit_run),
        (Submission, score_submission),
        (Comparison, compare_submissions),
    )
    for kind, nudge in kinds:
        jobs.give_up(kind, now=now)
        for pk in jobs.abandoned(kind, now=now):
            nudge.delay(pk)
    jobs.give_up(Shard, now=now)
    # Most of those that wait have their messages, behind the shards that are being decided.
    for pk in jobs.abandoned(Shard, now=now)[:SHARDS_AT_A_TIME]:
        decide_shard.delay(pk)
    run_work.clear_up()
    for report in reports.request_due(now=now):
        compute_report.delay(report.pk)
    for audit in audits.request_due(now=now):
        audit_run.delay(audit.pk)
    held_requests.revive(now=now)
    for plan in plans.unfinished(now=now):
        work_on_plan.delay(plan)
    imports_run.clear_up()
    exams.settle_overtaken(now=now)
    replays.clear_up(now=now)
