"""Asking for reports, and when one is due. Computing them is the worker's: report_work.py."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from annotation.models import JournalEntry, Project, Ranking, Round, Score, User
from curation.domain.choice import Choice
from curation.domain.version import VERSION
from curation.models import ColumnSnapshot, Report
from curation.queries.report_state import ACTIVE

# A report of everything is due when so many judgements are new since the last one, or this share of the scores that it
# knew, whichever is more; never sooner than this after the last.
NEW_SCORES = 30
NEW_SHARE = 0.01
NOT_SOONER = timedelta(minutes=10)
AFTER_A_FAILURE = timedelta(hours=1)


def request(project: Project, *, choice: Choice, by: User | None, now: datetime) -> Report:
    """A report in waiting; the one there is, where one of this choice waits or is worked on already.

    The caller nudges a worker once this is committed.
    """
    asked = choice.as_query()
    try:
        with transaction.atomic():
            return Report.objects.create(project=project, choice=asked, queued_by=by, queued_at=now)
    except IntegrityError:
        # It may be done by now: then it is as new as what was asked for.
        return Report.objects.filter(project=project, choice=asked).latest("pk")


def request_due(*, now: datetime) -> list[Report]:
    """Reports of everything, where enough judgements are new; the first with the first of them."""
    asked = []
    for project in Project.objects.order_by("pk"):
        _forget_withdrawn(project)
        if _is_due(project, now=now):
            asked.append(request(project, choice=Choice(), by=None, now=now))
    return asked


@transaction.atomic
def _forget_withdrawn(project: Project) -> None:
    """No report may go on counting data that were withdrawn since, whether or not a newer one can be computed."""
    withdrawn = JournalEntry.objects.filter(project=project, action="membership.data_withdrawn")
    latest = withdrawn.aggregate(at=Max("at"))["at"]
    counting = Report.objects.filter(project=project, state=Report.State.DONE)
    if latest is not None and counting.filter(as_of__lt=latest).delete()[0]:
        ColumnSnapshot.objects.filter(project=project, reports=None).delete()


def _is_due(project: Project, *, now: datetime) -> bool:
    reports = Report.objects.filter(project=project, choice="").order_by("-pk")
    newest = reports.first()
    if newest is not None and (newest.state in ACTIVE or now - newest.queued_at < _pause_after(newest)):
        return False
    done = reports.filter(state=Report.State.DONE, code_version=VERSION).select_related("snapshot").first()
    if done is None:
        return _scores(project).exists() or _rankings(project).exists()
    wanted = max(NEW_SCORES, int(NEW_SHARE * done.snapshot.n_scores))
    # Looked at one by one, up to as many as are wanted: nothing is counted that was there before.
    scores = _scores(project).filter(pk__gt=done.snapshot.last_score).values("pk")[:wanted]
    rankings = _rankings(project).filter(recorded_at__gt=done.as_of).values("pk")[:wanted]
    return len(scores) + len(rankings) >= wanted


def _pause_after(report: Report) -> timedelta:
    return AFTER_A_FAILURE if report.state == Report.State.FAILED else NOT_SOONER


def _rankings(project: Project) -> QuerySet[Ranking]:
    return Ranking.objects.filter(round__project=project, round__purpose=Round.Purpose.LIVE)


def _scores(project: Project) -> QuerySet[Score]:
    return Score.objects.filter(
        round__project=project,
        round__purpose__in=(Round.Purpose.LIVE, Round.Purpose.GOLD, Round.Purpose.REPEAT),
    )
