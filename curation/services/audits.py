"""Asking for audits, setting their limits, and holding a run against them. Computing is the worker's: audit_work.py."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.errors import Invalid
from annotation.models import Project, User
from annotation.services import journal
from annotation.services.refusals import Outdated, digest
from curation.domain.audit import record
from curation.domain.audit.limits import Limits
from curation.domain.audit.record import Record
from curation.models import Audit, AuditLimits, Run
from curation.queries import audits as queries
from curation.queries.audit_words import excess_in_words

ENDED = (Audit.State.DONE, Audit.State.FAILED)
AT_A_TIME = 20  # runs that the sweep asks audits of
REASON_CODES = frozenset({"audit_outside", "audit_not_done", "audit_failed", "reason_too_long"})


def request(run: Run, *, by: User | None, now: datetime) -> Audit:
    """The audit of a done run, in waiting; the one there is, where one waits or is worked on already.

    One that is done or has failed is computed again, against the releases that there are by now. The caller nudges
    a worker once this is committed.
    """
    audit = request_first(run, now=now, by=by)
    Audit.objects.filter(pk=audit.pk, state__in=ENDED).update(
        state=Audit.State.QUEUED,
        attempt=0,
        percent_done=0,
        queued_at=now,
        queued_by=by,
        finished_at=None,
        error="",
    )
    audit.refresh_from_db()
    return audit


def request_first(run: Run, *, now: datetime, by: User | None = None) -> Audit:
    """The audit that the run has, or its first, in waiting: asked twice there is still one."""
    if run.state != Run.State.DONE:
        raise Invalid("run_not_done", _("This run has no result to audit."))
    try:
        with transaction.atomic():
            return Audit.objects.create(run=run, queued_by=by, queued_at=now)
    except IntegrityError:
        return Audit.objects.get(run=run)


def request_of(run: int, *, now: datetime) -> Audit | None:
    """The first audit of a run that is done and has none; None where there is nothing to ask for."""
    done = Run.objects.filter(pk=run, state=Run.State.DONE, audit=None).first()
    return None if done is None else request_first(done, now=now)


def request_due(*, now: datetime) -> list[Audit]:
    """Audits of runs that are done and have none, such as those of earlier versions; the newest first."""
    due = Run.objects.filter(state=Run.State.DONE, audit=None).order_by("-pk")[:AT_A_TIME]
    return [request_first(run, now=now) for run in due]


# --- limits ----------------------------------------------------------------------------------------------


def version(limits: Limits) -> str:
    """The mark of these limits, by which a form says what it was made from."""
    return digest(limits.as_dict())


@transaction.atomic
def set_limits(
    project: Project, limits: Limits, *, version: str, by: User | None, now: datetime
) -> dict[str, list[object]]:
    """Store the limits, and return [old, new] of each that differs. Outdated where others were set meanwhile."""
    # Whoever else sets them waits here, also where there is no row yet.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    before, after = queries.limits_of(project).as_dict(), limits.as_dict()
    changes = {name: [before[name], after[name]] for name in after if before[name] != after[name]}
    if not changes:
        return {}
    if version != digest(before):
        raise Outdated(
            "limits_changed",
            _(
                "Somebody else changed the limits since you opened the page. What you chose is kept below; look "
                "at it and save again."
            ),
            now={name: old for name, (old, _new) in changes.items()},
            version=digest(before),
        )
    AuditLimits.objects.update_or_create(
        project=project, defaults={"limits": after, "changed_by": by, "changed_at": now}
    )
    entry = {
        "before": {name: old for name, (old, _new) in changes.items()},
        "after": {name: new for name, (_old, new) in changes.items()},
    }
    journal.record("audit.limits_changed", by=by, at=now, project=project, **entry)
    return changes


# --- the gate --------------------------------------------------------------------------------------------


def passed(run: Run, *, reason: str) -> Record:
    """What a release of the run keeps of its audit; Invalid where it is not within the limits and no reason is given.

    A reason is kept only where there is something to give one for.
    """
    reason = record.tidy(reason)
    if len(reason) > record.LONGEST_REASON:
        message = _("This reason is too long: use at most %(most)s characters.")
        raise Invalid("reason_too_long", message % {"most": record.LONGEST_REASON})
    found = queries.record_of(run, audit=queries.audit_of(run), reason=reason)
    if found.is_within:
        return Record(found.state, found.limits, found.found)
    if not reason:
        raise _refusal(found)
    return found


def _refusal(found: Record) -> Invalid:
    if found.state == record.FAILED:
        message = _("The audit of this run failed. Run it again, or say why the release is made without it.")
        return Invalid("audit_failed", message)
    if found.state == record.NOT_DONE:
        message = _(
            "The pairs of this run have not been audited yet. Wait for the audit, or say why the release is made "
            "without it."
        )
        return Invalid("audit_not_done", message)
    outside = pgettext("between items of a list", "; ").join(map(excess_in_words, found.exceeded))
    message = _(
        "This run is outside the limits of its audit: %(outside)s. Say why the release is made all the same, or "
        "change the recipe or the limits."
    )
    return Invalid("audit_outside", message % {"outside": outside})
