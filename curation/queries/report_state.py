"""Where the reports of a choice stand: what a page prints, and what a worker is at."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.models import Project
from annotation.queries.jobs import error_of
from curation.domain.choice import Choice
from curation.domain.version import VERSION
from curation.models import Report

# A healthy worker takes a job up within a second.
WAITING_TOO_LONG = timedelta(seconds=30)
ACTIVE = (Report.State.QUEUED, Report.State.RUNNING)


@dataclass(frozen=True, slots=True)
class ReportState:
    """`report` is the newest that is done, None before the first; the rest is about a newer one, if there is."""

    report: Report | None
    newest: Report | None
    waits_too_long: bool  # no worker has taken it up
    error: str  # why the newest failed

    @property
    def result(self) -> Mapping[str, object]:
        return (self.report and self.report.result) or {}

    @property
    def as_of(self) -> datetime | None:
        return self.report and self.report.as_of

    @property
    def is_active(self) -> bool:
        return self.newest is not None and self.newest.state in ACTIVE

    @property
    def percent(self) -> int:
        return self.newest.percent_done if self.newest is not None else 0


def state(project: Project, choice: Choice, *, now: datetime) -> ReportState:
    of_choice = Report.objects.filter(project=project, choice=choice.as_query())
    newest = of_choice.defer("result").order_by("-pk").first()
    done = newest
    # What an earlier version of the program said is not what the pages of this one read.
    if newest is not None and (newest.state, newest.code_version) != (Report.State.DONE, VERSION):
        done = of_choice.filter(state=Report.State.DONE, code_version=VERSION).order_by("-pk").first()
    waits = newest is not None and newest.state == Report.State.QUEUED
    return ReportState(
        report=done,
        newest=newest,
        waits_too_long=waits and now - newest.queued_at > WAITING_TOO_LONG,
        error=error_of(newest) if newest is not None and newest.state == Report.State.FAILED else "",
    )
