"""What a worker does with an import: check it, store it, undo it, and clear up after an attempt that died."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.domain import triage
from annotation.domain.records import InputError
from annotation.domain.reports import ImportReport, Unread
from annotation.domain.sentences import say
from annotation.domain.text import same_text_key
from annotation.errors import DomainError
from annotation.models import (
    Assignment,
    Flag,
    Import,
    ImportJob,
    Membership,
    Preference,
    Prompt,
    Requirement,
    Response,
    Score,
    User,
)
from annotation.queries.rounds import IMPORTED
from annotation.services import imports, imports_read, jobs, journal, seals
from annotation.services.intake import CHUNK, TRIAGED_IN_A_CHECK, Intake, conclude

Clock = Callable[[], datetime]
Action, State = ImportJob.Action, Import.State


def execute(pk: int, *, clock: Clock) -> None:
    """Carry out the job if it is to be had; otherwise somebody else does, or has done."""
    job = jobs.claim(ImportJob, pk, now=clock())
    if job is None:
        return
    do = {Action.CHECK: _check, Action.STORE: _store, Action.UNDO: _undo}[Action(job.action)]
    with jobs.outcome(job, clock=clock), jobs.heartbeat(job, clock=clock):
        do(job, clock)


def _intake(job: ImportJob, clock: Clock) -> Intake:
    found = job.subject
    intake = Intake(
        found.project,
        lambda: imports_read.rows(found),
        of=found,
        genres=imports_read.field_map(found).unknown_genres,
        now=clock(),
        progress=lambda rows: _progress(job, rows),
    )
    return intake


def _progress(job: ImportJob, rows: int) -> None:
    jobs.note(job, rows_read=rows)


def _examined(job: ImportJob, clock: Clock, *, triaged: int) -> Intake:
    intake = _intake(job, clock)
    report, found = intake.report, job.subject
    intake.rows = lambda: imports_read.rows(found, report=report)
    try:
        intake.examine(triaged=triaged)
        intake.rows = lambda: imports_read.rows(found)
        intake.weigh()
    except InputError as error:  # of the files as a whole
        report.refuse(Unread.of(error))
    return intake


def _check(job: ImportJob, clock: Clock) -> None:
    intake = _examined(job, clock, triaged=TRIAGED_IN_A_CHECK)
    with transaction.atomic():
        journal.record(
            "import.checked",
            by=job.queued_by,
            at=clock(),
            project=job.project,
            subject=job.subject_id,
            rows=intake.report.rows,
            refused=intake.report.refused,
        )
        jobs.finish(job, now=clock(), report=intake.report.as_dict(), rows_read=intake.report.rows)


def _store(job: ImportJob, clock: Clock) -> None:
    found = job.subject
    _enter(found, (State.DRAFT, State.STORING), State.STORING)
    take_back(found)  # what an attempt before this one had stored
    try:
        report = _stored(job, clock)
    except jobs.LostLease:
        raise  # what is there now is another attempt's
    except Exception:
        jobs.renew(job, now=clock())  # LostLease where another has taken over
        take_back(found)
        _enter(found, (State.STORING,), State.DRAFT)
        raise
    with transaction.atomic():
        conclude(found, report, by=job.queued_by, now=clock())
        Import.objects.filter(pk=found.pk).update(files=[{**file, "path": ""} for file in found.files])
        if not found.keep_names:
            _forget_names(found, report)
        jobs.finish(job, now=clock(), report=report.as_dict(), rows_read=report.rows)
    imports.remove_files(file["path"] for file in job.subject.files)


def _stored(job: ImportJob, clock: Clock) -> ImportReport:
    intake = _examined(job, clock, triaged=0)
    report = intake.report
    if report.unread:
        ImportJob.objects.filter(pk=job.pk).update(report=report.as_dict())
        raise DomainError(
            "files_unread",
            _(
                "Nothing was imported: a file cannot be read to its end, so its last rows would be lost. Mend it."
            ),
        )
    if report.refused and not job.subject.leave_out_bad_rows:
        ImportJob.objects.filter(pk=job.pk).update(report=report.as_dict())
        raise DomainError(
            "rows_refused",
            _(
                "Nothing was imported: rows cannot be taken. Correct them, or leave them out and import the rest."
            ),
        )
    if not report.changes:
        raise DomainError(
            "nothing_new", _("Nothing was imported: all that these files say is stored already.")
        )
    intake.store()
    _flag_duplicates(job.subject, clock())
    report.flags.update(job.subject.responses.values_list("flags__check_key", flat=True))
    report.flags.pop(None, None)
    return report


def _enter(found: Import, before: tuple[str, ...], after: str) -> None:
    if Import.objects.filter(pk=found.pk, state__in=before).update(state=after) != 1:
        raise DomainError("not_a_draft", _("These files have been imported, or are being imported, already."))


def _flag_duplicates(found: Import, now: datetime) -> None:
    """Compare the responses to each prompt that got new ones; the later of two that are alike gets the flag."""
    threshold = found.project.near_duplicate_percent / 100
    for prompts in _prompts_to_compare(found):
        standing = Response.objects.filter(prompt__in=prompts).exclude(state=Response.State.REMOVED)
        # One read by prompt: asked for by import as well, a database may walk the whole import for every prompt.
        rows = list(standing.order_by("pk").values_list("external_id", "text", "pk", "source"))
        new = {name: pk for name, _text, pk, source in rows if source == found.pk}
        texts = [(name, text) for name, text, _pk, _source in rows]
        Flag.objects.bulk_create(
            _duplicate_flag(found, new[pair.other], pair, now)
            for pair in triage.duplicates(texts, threshold=threshold)
            if pair.other in new
        )


def _prompts_to_compare(found: Import) -> list[list[int]]:
    """Prompts that got responses, each with those that ask the same: people give one prompt several ids."""
    touched = set(found.responses.values_list("prompt", flat=True).distinct())
    alike: dict[str, list[int]] = {}
    for pk, words in found.project.prompts.order_by("pk").values_list("pk", "text").iterator():
        alike.setdefault(same_text_key(words) or f"prompt {pk}", []).append(pk)
    return [prompts for prompts in alike.values() if touched & set(prompts)]


def _duplicate_flag(found: Import, response: int, pair: triage.Duplicate, now: datetime) -> Flag:
    if pair.check == "exact_duplicate":
        detail = say("the same text as the response {id}", id=pair.one)
    else:
        detail = say("{share} like the response {id}", share=f"{pair.jaccard:.0%}", id=pair.one)
    return Flag(
        project=found.project,
        response_id=response,
        check_key=pair.check,
        rules_version=triage.TRIAGE_VERSION,
        detail=detail.as_dict(),
        raised_at=now,
    )


# --- Taking back -------------------------------------------------------------------------------------


def _undo(job: ImportJob, clock: Clock) -> None:
    found = job.subject
    with transaction.atomic():
        # Holds the project's row, so that no snapshot is taken and no round made between question and answer.
        seals.hold(found.project)
        found.refresh_from_db()
        if found.state == State.STORED:
            reason = imports.what_depends_on(found)
            if reason:
                raise DomainError("in_use", reason)
        _enter(found, (State.STORED, State.UNDOING), State.UNDOING)
        # From here on they are not there for anybody, however long it takes to remove them.
        found.responses.update(
            state=Response.State.INCOMING,
            removed_at=None,
            removed_by=None,
            removed_kind="",
            removed_reason="",
        )
    counts = {key: rows for key, rows in take_back(found).items() if rows or key != "preferences"}
    with transaction.atomic():
        _enter(found, (State.UNDOING,), State.UNDONE)
        journal.record(
            "import.undone", by=job.queued_by, at=clock(), project=job.project, subject=found.pk, **counts
        )
        jobs.finish(job, now=clock())


def take_back(found: Import) -> dict[str, int]:
    """Remove every row of an import that is being stored or undone; the database refuses it for any other."""
    counts = {"scores": 0, "preferences": 0, "responses": 0, "prompts": 0}
    while chunk := list(found.preferences.values_list("pk", flat=True)[:CHUNK]):
        with transaction.atomic():
            counts["preferences"] += Preference.objects.filter(pk__in=chunk).delete()[0]
    while chunk := list(found.scores.values_list("pk", "assignment")[:CHUNK]):
        with transaction.atomic():
            scores = [score for score, _slot in chunk]
            counts["scores"] += Score.objects.filter(pk__in=scores).delete()[0]
            slots = Assignment.objects.filter(pk__in=[slot for _score, slot in chunk], round__name=IMPORTED)
            slots.filter(scores=None).delete()
    while chunk := dict(found.responses.values_list("pk", "external_id")[:CHUNK]):
        with transaction.atomic():
            _withdraw_flags(found, list(chunk.values()))
            Response.kept_requirements.through.objects.filter(response__in=list(chunk)).delete()
            Flag.objects.filter(response__in=list(chunk)).delete()
            counts["responses"] += Response.objects.filter(pk__in=list(chunk)).delete()[0]
    while chunk := list(found.prompts.values_list("pk", flat=True)[:CHUNK]):
        with transaction.atomic():
            Requirement.objects.filter(prompt__in=chunk).delete()
            Flag.objects.filter(prompt__in=chunk).delete()
            counts["prompts"] += Prompt.objects.filter(pk__in=chunk).delete()[0]
    _dismiss(found)
    return counts


def _withdraw_flags(found: Import, gone: list[str]) -> None:
    """Open flags which say that another response is like one that goes."""
    alike = Flag.objects.filter(
        project=found.project,
        check_key__in=["exact_duplicate", "near_duplicate"],
        state=Flag.State.OPEN,
        detail__values__id__in=gone,
    )
    alike.delete()


def _dismiss(found: Import) -> None:
    """Accounts that imports made for names in their files, and that have nothing left."""
    empty = Membership.objects.filter(
        project=found.project,
        scores=None,
        preferences=None,
        assignments=None,
        seats=None,
        flags=None,
        leases=None,
    ).exclude(external_id="")
    with transaction.atomic():
        made = f"{found.project.slug}."
        users = list(empty.filter(user__username__startswith=made).values_list("user", flat=True))
        Membership.objects.filter(
            pk__in=list(empty.filter(user__in=users).values_list("pk", flat=True))
        ).delete()
        User.objects.filter(pk__in=users, memberships=None).delete()


def _forget_names(found: Import, report: ImportReport) -> None:
    """Names of annotators that became pseudonyms stand in no report and in no mapping either."""
    for problem in report.problems:
        values = problem.reason["values"]
        if isinstance(values, dict):
            values.update({key: "…" for key in ("annotator", "name", "other") if key in values})
    ImportJob.objects.filter(subject=found, action=Action.CHECK).update(report=None)
    Import.objects.filter(pk=found.pk).update(field_map={**found.field_map, "raters": []})


def clear_up() -> None:
    """Imports left half stored by a job that was given up: what they had stored goes, and they are drafts again."""
    busy = ImportJob.objects.filter(state__in=["queued", "running"]).values("subject")
    for found in Import.objects.filter(state=State.STORING).exclude(pk__in=busy):
        take_back(found)
        _enter(found, (State.STORING,), State.DRAFT)
