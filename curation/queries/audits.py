"""Where the audit of a run stands, the limits of its project, and whether it may be frozen without a word."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Project
from annotation.queries.jobs import error_of
from curation.domain.audit import record
from curation.domain.audit.found import Found
from curation.domain.audit.limits import Limits
from curation.domain.audit.record import Record
from curation.models import Audit, AuditLimits, Release, Run
from curation.queries.report_state import WAITING_TOO_LONG


@dataclass(frozen=True, slots=True)
class AuditState:
    """`audit` is None where nobody has asked for one; `newer` counts releases that were frozen since it was done."""

    audit: Audit | None
    waits_too_long: bool
    error: str
    newer: int

    @property
    def is_active(self) -> bool:
        return self.audit is not None and self.audit.state in (Audit.State.QUEUED, Audit.State.RUNNING)

    @property
    def is_done(self) -> bool:
        return self.audit is not None and self.audit.state == Audit.State.DONE

    @property
    def is_waiting(self) -> bool:
        return self.audit is not None and self.audit.state == Audit.State.QUEUED

    @property
    def percent(self) -> int:
        return self.audit.percent_done if self.audit is not None else 0

    @property
    def as_of(self) -> datetime | None:
        return self.audit.finished_at if self.audit is not None and self.is_done else None

    @property
    def result(self) -> Mapping[str, object]:
        return (self.audit.result if self.audit is not None and self.is_done else None) or {}


def audit_of(run: Run) -> Audit | None:
    return Audit.objects.filter(run=run).first()


def state(run: Run, *, now: datetime) -> AuditState:
    audit = audit_of(run)
    waits = audit is not None and audit.state == Audit.State.QUEUED
    return AuditState(
        audit=audit,
        waits_too_long=waits and now - audit.queued_at > WAITING_TOO_LONG,
        error=error_of(audit) if audit is not None and audit.state == Audit.State.FAILED else "",
        newer=_newer(audit) if audit is not None and audit.state == Audit.State.DONE else 0,
    )


def _newer(audit: Audit) -> int:
    known = [release["pk"] for release in audit.result["releases"]]
    frozen = Release.objects.filter(state=Release.State.DONE).exclude(run=audit.run_id)
    return frozen.exclude(pk__in=known).count()


def limits_row(project: Project) -> AuditLimits | None:
    return AuditLimits.objects.select_related("changed_by").filter(project=project).first()


def limits_of(project: Project) -> Limits:
    """What the project allows; the defaults where nobody has changed them."""
    row = limits_row(project)
    return Limits() if row is None else Limits.from_dict(row.limits)


def record_of(run: Run, *, audit: Audit | None, reason: str = "") -> Record:
    """What a release of the run would say of its audit now."""
    limits = limits_of(run.project)
    if audit is None or audit.state != Audit.State.DONE:
        failed = audit is not None and audit.state == Audit.State.FAILED
        return Record(record.FAILED if failed else record.NOT_DONE, limits, reason=reason)
    return Record(record.DONE, limits, Found.of(audit.result), reason)


def kept_record(release: Release) -> Record | None:
    """What the release keeps of the audit of its run; None of releases made before there were audits."""
    return None if release.audit is None else Record.from_dict(release.audit)
