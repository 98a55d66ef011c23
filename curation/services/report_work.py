"""A report, carried out by a worker: columns are read, statistics computed, figures drawn, all kept as one result."""

from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max
from django.utils import translation

from annotation.models import Genre, JournalEntry, Project, Score
from annotation.queries.people import language_name
from annotation.queries.rubrics import name_of
from annotation.services import jobs
from curation.domain import report as reports
from curation.domain.charts import Chart
from curation.domain.choice import Choice
from curation.domain.columns import Columns
from curation.domain.version import VERSION
from curation.models import ColumnSnapshot, Figure, Report
from curation.queries import columns as stored
from curation.queries import progress_facts
from curation.services import figures, report_figures, report_heat_maps
from curation.services.progress_figures import progress_charts
from curation.services.report_figures import Setting

Clock = Callable[[], datetime]
REPLACED = timedelta(hours=1)  # so long a page that shows an earlier report can give its figures as files
KEPT = timedelta(days=14)  # of reports of a choice; that of everything stays until a newer one is done


def execute(pk: int, *, clock: Clock) -> None:
    """Carry out the report if it is to be had; otherwise somebody else does, or has done."""
    report = jobs.claim(Report, pk, now=clock())
    if report is None:
        return
    with jobs.outcome(report, clock=clock), jobs.heartbeat(report, clock=clock):
        as_of, mark = clock(), _journal_mark(report.project)
        snapshot, columns = _unchanged(report.project, mark) or take(report.project, now=as_of)
        choice = Choice.from_query(report.choice)
        result = reports.compute(
            columns, choice, note=lambda percent: jobs.note(report, percent_done=percent)
        )
        if not choice:
            result["progress"] = progress_facts.progress(report.project, columns, now=as_of)
        drawn = _figures(report, result)
        with transaction.atomic():
            Figure.objects.bulk_create(drawn)
            jobs.finish(
                report,
                now=clock(),
                snapshot=snapshot,
                code_version=VERSION,
                percent_done=100,
                as_of=as_of,
                journal_mark=mark,
                result=result,
            )
            _clear_up(report, now=as_of)


def _journal_mark(project: Project) -> str:
    """The newest entry and the number of entries, which tell of one that was given an earlier key and stored later."""
    found = JournalEntry.objects.filter(project=project).aggregate(newest=Max("pk"), n=Count("pk"))
    return f"{found['newest']}:{found['n']}"


def _unchanged(project: Project, mark: str) -> tuple[ColumnSnapshot, Columns] | None:
    """The snapshot of the newest report, where nothing has changed since: no judgement is read."""
    done = Report.objects.filter(project=project, state=Report.State.DONE).order_by("-pk").first()
    if done is None or (done.journal_mark, done.code_version) != (mark, VERSION):
        return None
    return done.snapshot, Columns.from_bytes(bytes(done.snapshot.content))


def take(project: Project, *, now: datetime) -> tuple[ColumnSnapshot, Columns]:
    """The columns of this instant; an unchanged project gives the snapshot that it has."""
    newest = Score.objects.filter(round__project=project).aggregate(pk=Max("pk"))["pk"] or 0
    columns = stored.columns(project)
    content = columns.to_bytes()
    snapshot, _made = ColumnSnapshot.objects.get_or_create(
        project=project,
        digest=sha256(content).hexdigest(),
        defaults={
            "content": content,
            "n_scores": len(columns.live),
            "last_score": newest,
            "taken_at": now,
        },
    )
    return snapshot, columns


def _figures(report: Report, result: dict) -> list[Figure]:
    def charts_in(language: str) -> list[Chart]:
        made = report_figures.all_charts(result, _setting(report, result, language=language))
        return made + (progress_charts(result["progress"]) if "progress" in result else [])

    tables = []
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            tables += [
                Figure(
                    report=report, key=table.heading.key, language=language, content=table.as_dict(), png=b""
                )
                for table in report_heat_maps.all_heat_maps(result)
            ]
    return tables + [Figure(report=report, **row) for row in figures.in_every_language(charts_in)]


def _setting(report: Report, result: dict, *, language: str) -> Setting:
    project = report.project
    genres = Genre.objects.filter(project=project, parent=None)
    return Setting(
        genres={genre.key: name_of(genre, "zh" if language.startswith("zh") else "en") for genre in genres},
        languages={row["key"]: language_name(row["key"]) for row in result["languages"] if row["key"]},
        acceptable=float(project.alpha_acceptable),
        good=float(project.alpha_good),
    )


def _clear_up(report: Report, *, now: datetime) -> None:
    """Earlier reports of the same choice, old ones of any other, and snapshots that no report stands on."""
    of_project = Report.objects.filter(project=report.project).exclude(pk=report.pk)
    of_choice = of_project.filter(choice=report.choice)
    of_choice.filter(state=Report.State.FAILED).delete()
    of_choice.filter(finished_at__lt=now - REPLACED).delete()
    of_project.exclude(choice="").filter(finished_at__lt=now - KEPT).delete()
    ColumnSnapshot.objects.filter(project=report.project, reports=None).delete()
