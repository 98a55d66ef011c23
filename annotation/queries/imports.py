"""What the pages of imports show: what files are, what a worker is doing with them, what became of their rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.domain import layouts, sentences, triage
from annotation.domain.fields import FIELDS
from annotation.domain.records import InputError
from annotation.domain.reports import ImportReport, Problem, Sentence
from annotation.domain.strict_json import printable
from annotation.models import Import, ImportJob, Project
from annotation.queries.jobs import error_of

WAITING_TOO_LONG = timedelta(seconds=30)  # a healthy worker takes a job up within a second
SHOWN_IMPORTS = 100
SHOWN_PROBLEMS = 50  # on one page
LONGEST_NAME = 80  # characters of a name that strangers chose
LONGEST_REASON = 400
TITLES = {one.name: one.title for one in FIELDS}

FORMATS = {
    "jsonl": gettext_lazy("JSON Lines: one object a line"),
    "json": gettext_lazy("JSON: one array"),
    "delimited": gettext_lazy("Table as text (CSV)"),
    "xlsx": gettext_lazy("Excel workbook"),
    "parquet": "Parquet",
}
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": gettext_lazy("UTF-8 with a byte order mark"),
    "utf-16-le": gettext_lazy("UTF-16, little-endian"),
    "utf-16-be": gettext_lazy("UTF-16, big-endian"),
    "gb18030": gettext_lazy("GB18030 (Chinese)"),
    "cp1252": gettext_lazy("Windows-1252 (Western European)"),
}
DELIMITERS = {
    ",": gettext_lazy("commas"),
    ";": gettext_lazy("semicolons"),
    "\t": gettext_lazy("tabs"),
    "|": gettext_lazy("vertical bars"),
}
UNITS = {
    "line": gettext_lazy("line %(number)s"),
    "row": gettext_lazy("row %(number)s"),
    "item": gettext_lazy("item %(number)s"),
}


# --- Sentences in the reader's language ------------------------------------------------------------


def said(sentence: Mapping[str, Any]) -> str:
    """A sentence that was kept as template and values. The template is translated first and filled in then:
    values come from files and may hold anything."""
    template = str(sentence["template"])
    return _(template).format(**sentence["values"]) if template else ""


def said_of(sentence: str) -> str:
    """The same of a sentence that still knows its template; any other stays as it is."""
    return said(sentences.as_dict(sentence))


class _Gap(str):
    """Stands for a value in the name of a group of sentences."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return "…"


def kind_of(sentence: Mapping[str, Any]) -> str:
    """What sentences of one template have in common."""
    if sentence["template"] == "{sentence}":
        return said(sentence)
    return said({"template": sentence["template"], "values": dict.fromkeys(sentence["values"], _Gap())})


def capped(text: str, longest: int = LONGEST_NAME) -> str:
    """A name of strangers on one short line, without characters that would rearrange the page around it."""
    safe = printable(" ".join(text.split()))
    return safe if len(safe) <= longest else safe[: longest - 1] + "…"


def place_of(unit: str, line: int | None) -> str:
    return str(UNITS.get(unit, UNITS["line"])) % {"number": line} if line else ""


def told(error: InputError) -> str:
    """An error with its place, as one sentence."""
    column = _("column %(name)s") % {"name": capped(error.column)} if error.column else ""
    where = [capped(error.source), place_of(error.unit, error.line), column]
    reason = capped(said_of(error.reason), LONGEST_REASON)
    place = ", ".join(part for part in where if part)
    return _("%(place)s: %(reason)s") % {"place": place, "reason": reason} if place else reason


def first_fault(rows: Iterable[object]) -> str:
    """Why not one row could be read; "" where there is simply none."""
    return next((told(row) for row in rows if isinstance(row, InputError)), "")


# --- The list --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ImportLine:
    pk: int
    name: str
    state_label: str
    is_active: bool
    by: str
    at: datetime
    responses: int | None  # None while it is not imported, or where no job did it
    scores: int | None
    votes: int | None


def import_lines(project: Project) -> list[ImportLine]:
    """The project's newest imports, newest first."""
    found = list(project.imports.select_related("created_by").order_by("-pk")[:SHOWN_IMPORTS])
    jobs = ImportJob.objects.filter(subject__in=found)
    stored = jobs.filter(action=ImportJob.Action.STORE, state=ImportJob.State.DONE)
    columns = ("subject", "report__responses", "report__scores", "report__revisions", "report__preferences")
    counts = {
        subject: (responses or 0, (scores or 0) + (revisions or 0), votes or 0)
        for subject, responses, scores, revisions, votes in stored.values_list(*columns)
    }
    active = set(jobs.filter(state__in=ACTIVE).values_list("subject", flat=True))
    return [_line(one, counts.get(one.pk, (None, None, None)), one.pk in active) for one in found]


def _line(found: Import, counts: tuple[int | None, int | None, int | None], is_active: bool) -> ImportLine:
    return ImportLine(
        pk=found.pk,
        name=name_of(found),
        state_label=found.get_state_display(),
        is_active=is_active,
        by=found.created_by.get_username() if found.created_by else "",
        at=found.created_at,
        responses=counts[0],
        scores=counts[1],
        votes=counts[2],
    )


def name_of(found: Import) -> str:
    """What people call an import: its file, or the first of them and how many more."""
    first, more = found.files[0]["name"] if found.files else "", len(found.files) - 1
    if more < 1:
        return capped(first)
    return ngettext("%(name)s and %(more)s more", "%(name)s and %(more)s more", more) % {
        "name": capped(first),
        "more": more,
    }


# --- One import ------------------------------------------------------------------------------------

ACTIVE = (ImportJob.State.QUEUED, ImportJob.State.RUNNING)


@dataclass(frozen=True, slots=True)
class FileLine:
    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ImportPage:
    pk: int
    name: str
    state: str
    state_label: str
    by: str
    at: datetime
    stored_at: datetime | None
    files: tuple[FileLine, ...]
    format: str
    encoding: str
    delimiter: str
    sheet: str
    layout: str
    notes: tuple[str, ...]
    importer_version: int
    keep_names: bool


def import_page(found: Import) -> ImportPage:
    shape = found.shape
    layout = next((one for one in layouts.LAYOUTS if one.key == found.layout), None)
    return ImportPage(
        pk=found.pk,
        name=name_of(found),
        state=found.state,
        state_label=found.get_state_display(),
        by=found.created_by.get_username() if found.created_by else "",
        at=found.created_at,
        stored_at=found.stored_at,
        files=tuple(FileLine(capped(one["name"]), one["size"], one["sha256"]) for one in found.files),
        format=str(FORMATS.get(shape.get("format", ""), "")),
        encoding=str(ENCODINGS.get(shape.get("encoding", ""), "")),
        delimiter=str(DELIMITERS.get(shape.get("delimiter", ""), "")),
        sheet=capped(shape.get("sheet", "")),
        layout=said_of(layout.name) if layout else _("Plumb's own columns"),
        notes=tuple(said_of(note) for note in layout.notes) if layout else (),
        importer_version=found.importer_version,
        keep_names=found.keep_names,
    )


@dataclass(frozen=True, slots=True)
class Brought:
    """How many rows belong to an import, and would go with it."""

    responses: int
    prompts: int
    scores: int
    votes: int


def brought(found: Import) -> Brought:
    return Brought(
        *(one.count() for one in (found.responses, found.prompts, found.scores, found.preferences))
    )


# --- The worker ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JobView:
    action: str
    state: str
    is_active: bool  # waiting or running: the page asks again
    waits_too_long: bool  # no worker has taken it up
    rows_read: int
    error: str


def last_job(found: Import) -> ImportJob | None:
    return found.jobs.order_by("-pk").first()


def job_view(job: ImportJob | None, *, now: datetime) -> JobView | None:
    if job is None:
        return None
    return JobView(
        action=job.action,
        state=job.state,
        is_active=job.state in ACTIVE,
        waits_too_long=job.state == ImportJob.State.QUEUED and now - job.queued_at > WAITING_TOO_LONG,
        rows_read=job.rows_read,
        error=error_of(job),
    )


# --- The report ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """Refused rows with one kind of reason; `number` counts from 1 and stands in addresses."""

    number: int
    label: str
    rows: int


@dataclass(frozen=True, slots=True)
class ProblemLine:
    file: str
    place: str
    column: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """`listed` of the `refused` rows have their place and reason; `stops` where a file could not be read on."""

    rows: int
    prompts: int
    responses: int
    annotators: int
    scores: int  # first ones and revisions
    votes: int
    genres: int
    unchanged: int
    refused: int
    skipped: tuple[tuple[str, int], ...]
    unknown_genres: tuple[str, ...]
    flags: tuple[tuple[str, int], ...]
    groups: tuple[Group, ...]
    chosen: int  # number of a group; 0 for all
    problems: Page
    listed: int
    stops: bool
    changes: int

    @property
    def n_skipped(self) -> int:
        return sum(rows for _reason, rows in self.skipped)

    @property
    def store_label(self) -> str:
        """What the button says: how much of what it imports."""
        responses = ngettext("%(n)d response", "%(n)d responses", self.responses) % {"n": self.responses}
        judged = ngettext("%(n)d score", "%(n)d scores", self.scores) % {"n": self.scores}
        if self.votes:  # no file has both
            judged = ngettext("%(n)d vote", "%(n)d votes", self.votes) % {"n": self.votes}
        if self.responses and (self.scores or self.votes):
            return _("Import %(responses)s and %(scores)s") % {"responses": responses, "scores": judged}
        if self.responses or self.scores or self.votes:
            return _("Import %(what)s") % {"what": responses if self.responses else judged}
        return _("Import what is new")


def report_of(found: Import, last: ImportJob | None, *, reason: object, page: object) -> ReportView | None:
    """What the last check of a draft found; of any other import what came in. None where there is none."""
    job = last
    if found.state != Import.State.DRAFT:
        job = found.jobs.filter(action=ImportJob.Action.STORE, state=ImportJob.State.DONE).last()
    elif last is not None and (last.action != ImportJob.Action.CHECK or last.state != ImportJob.State.DONE):
        job = None
    if job is None or job.report is None:
        return None
    number = str(reason or "")[:4]
    return report_view(job.report, group=int(number) if number.isdecimal() else 0, page=page)


def report_view(kept: Mapping[str, Any], *, group: int = 0, page: object = 1) -> ReportView:
    """A kept report, one page of its problems, of one group or of all. An unknown group is all of them."""
    report = ImportReport.from_dict(kept)
    groups = _groups(report.problems)
    chosen = group if 0 < group <= len(groups) else 0
    shown = list(report.problems)
    if chosen:
        shown = [one for one in shown if kind_of(one.reason) == groups[chosen - 1].label]
    names = {check.key: said_of(check.name) for check in triage.CHECKS}
    return ReportView(
        rows=report.rows,
        prompts=report.prompts,
        responses=report.responses,
        annotators=report.annotators,
        scores=report.scores + report.revisions,
        votes=report.preferences,
        genres=report.genres,
        unchanged=report.unchanged,
        refused=report.refused,
        skipped=tuple((said(report.skip_reasons[key]), rows) for key, rows in report.skipped.most_common()),
        unknown_genres=tuple(capped(name) for name in report.unknown_genres),
        flags=tuple((names[key], report.flags[key]) for key in names if report.flags[key]),
        groups=groups,
        chosen=chosen,
        problems=Paginator([problem_line(one) for one in shown], SHOWN_PROBLEMS).get_page(page),
        listed=len(report.problems),
        stops=report.unread > 0,
        changes=report.changes,
    )


def _groups(problems: Sequence[Problem]) -> tuple[Group, ...]:
    counts: dict[str, int] = {}
    for problem in problems:
        label = kind_of(problem.reason)
        counts[label] = counts.get(label, 0) + 1
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(Group(number, label, rows) for number, (label, rows) in enumerate(ordered, start=1))


def problem_line(problem: Problem) -> ProblemLine:
    return ProblemLine(
        file=capped(problem.file),
        place=place_of(problem.unit, problem.line),
        column=said_of(TITLES[problem.column]) if problem.column in TITLES else capped(problem.column),
        reason=reason_of(problem.reason),
    )


def reason_of(sentence: Sentence) -> str:
    return capped(said(sentence), LONGEST_REASON)


def plain_report(kept: Mapping[str, Any]) -> dict[str, object]:
    """A kept report for programs: the counts, and every reason as a sentence in the reader's language."""
    report = ImportReport.from_dict(kept)
    problems = [{**asdict(problem), "reason": said(problem.reason)} for problem in report.problems]
    skips = report.skipped.most_common()
    skipped = [{"reason": said(report.skip_reasons[key]), "rows": rows} for key, rows in skips]
    return {**report.as_dict(), "problems": problems, "skipped": skipped}
