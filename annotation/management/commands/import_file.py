import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.domain.field_map import UNKNOWN_GENRES, FieldMap, Source
from annotation.domain.fields import NAMED_BY_RATERS, NAMES
from annotation.domain.records import InputError, nearest
from annotation.domain.reports import ImportReport
from annotation.errors import DomainError
from annotation.forms.field_map import refuse_unknown_columns
from annotation.management import import_words as words
from annotation.management.finding import project_named
from annotation.models import Import, ImportJob, Project
from annotation.queries import imports as queries
from annotation.queries.jobs import error_of
from annotation.services import imports, imports_read, imports_run

PIECE = 1024 * 1024
Action = ImportJob.Action


@dataclass(frozen=True)
class Wanted:
    """What the options ask for beyond what the files themselves suggest."""

    columns: Sequence[tuple[str, str]]  # field, column
    constants: Sequence[tuple[str, str]]  # field, value
    score_column: str | None
    mapping: str | None
    unknown_genres: str | None


class Command(BaseCommand):
    help = (
        "Imports files of any known layout into a project, after a check of every row. Where a row is refused, "
        "nothing is stored, unless --leave-out-bad-rows is given."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        pair = {"action": "append", "default": [], "type": _pair}
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "files", metavar="FILE", nargs="+", type=Path, help="files of one layout, or a zip"
        )
        parser.add_argument("--dry-run", action="store_true", help="check every row and store nothing")
        parser.add_argument(
            "--set",
            metavar="FIELD=COLUMN",
            dest="columns",
            help=f"the column of a field; several are joined. FIELD is one of {', '.join(NAMES)}",
            **pair,
        )
        parser.add_argument(
            "--const", metavar="FIELD=VALUE", dest="constants", help="the same value in every row", **pair
        )
        parser.add_argument("--score-column", metavar="NAME", help="which of several columns is the score")
        parser.add_argument("--mapping", metavar="NAME", help="a mapping that was kept in the project")
        parser.add_argument("--unknown-genres", choices=UNKNOWN_GENRES, help="what becomes of their rows")
        parser.add_argument(
            "--leave-out-bad-rows", action="store_true", help="import the rows that can be taken"
        )
        parser.add_argument(
            "--keep-names", action="store_true", help="of annotators, beside their pseudonyms"
        )
        parser.add_argument("--json", action="store_true", help="print what was done as JSON")
        parser.add_argument("--report", metavar="FILE.csv", type=Path, help="write the refused rows there")

    def handle(self, *, project: str, files: list[Path], dry_run: bool, **options: object) -> None:
        found = project_named(project)
        try:
            draft = imports.upload(
                found, [(path.name, _pieces(path)) for path in files], by=None, now=timezone.now()
            )
        except (InputError, DomainError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be read: {error.strerror}.") from error
        try:
            self._import(draft, dry_run=dry_run, options=options)
        except (InputError, DomainError) as error:
            raise CommandError(str(error)) from error
        finally:
            _discard(draft)

    def _import(self, draft: Import, *, dry_run: bool, options: Mapping[str, object]) -> None:
        plan = _plan(draft, Wanted(**{name: options[name] for name in Wanted.__dataclass_fields__}))
        leave_out = bool(options["leave_out_bad_rows"])
        imports.revise(
            draft,
            field_map=plan,
            keep_names=bool(options["keep_names"]),
            leave_out_bad_rows=leave_out,
            now=timezone.now(),
        )
        if not options["json"]:
            self._say(words.recognised(queries.import_page(draft)))
            self._say(*words.mapping(plan, imports_read.columns(draft)))
        if plan.gaps():
            raise CommandError(words.missing(plan))
        report = _carried_out(draft, Action.CHECK)
        refused = report.unread > 0 or (report.refused > 0 and not leave_out)
        stored = not (dry_run or refused) and report.changes > 0
        if stored:
            report = _carried_out(draft, Action.STORE)
        self._tell(draft, report, stored=stored, dry_run=dry_run, options=options)
        if refused:
            raise CommandError(
                "Nothing was stored: rows are refused. Mend the files, say with --set which column is what, "
                "or leave these rows out with --leave-out-bad-rows."
            )

    def _tell(
        self,
        draft: Import,
        report: ImportReport,
        *,
        stored: bool,
        dry_run: bool,
        options: Mapping[str, object],
    ) -> None:
        target = options["report"]
        if isinstance(target, Path):
            with target.open("w", encoding="utf-8-sig", newline="") as file:
                words.write_report(report, file)
        if options["json"]:
            told = words.outcome(draft, stored=stored, dry_run=dry_run)
            self._say(
                json.dumps({**told, "report": queries.plain_report(report.as_dict())}, ensure_ascii=False)
            )
            return
        self._say(words.counts(report), *words.asides(report), *words.problems(report))
        if not stored and not report.changes:
            self._say("Nothing was stored: there is nothing new in it.")
        elif dry_run:
            self._say("Nothing was stored: this was a trial (--dry-run).")

    def _say(self, *lines: str) -> None:
        for line in lines:
            self.stdout.write(line)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def _pair(argument: str) -> tuple[str, str]:
    """FIELD=SOMETHING."""
    name, equals, value = argument.partition("=")
    if not equals or not value:
        raise CommandError(f"'{argument}' will not do: write FIELD=COLUMN, or FIELD=VALUE for --const.")
    if name not in NAMES:
        raise CommandError(
            f"There is no field '{name}'{nearest(name, NAMES)}; the fields are: {', '.join(NAMES)}."
        )
    return name, value


def _plan(draft: Import, wanted: Wanted) -> FieldMap:
    """The suggested map, or the one asked for by its name, changed as the options say."""
    plan = imports_read.field_map(draft)
    if wanted.mapping is not None:
        plan = _kept(draft.project, wanted.mapping)
    columns = [*wanted.columns, *([("score", wanted.score_column)] if wanted.score_column else [])]
    fields = dict(plan.fields)
    for name, column in columns:
        given = tuple(other for field, other in columns if field == name)
        fields[name] = Source(columns=tuple(dict.fromkeys((*given, column))))
    fields |= {name: Source(constant=value) for name, value in wanted.constants}
    # Whoever names a column for the score does not want one column for each annotator.
    raters = () if NAMED_BY_RATERS & set(fields) else plan.raters
    plan = replace(
        plan, fields=fields, raters=raters, unknown_genres=wanted.unknown_genres or plan.unknown_genres
    )
    refuse_unknown_columns(plan, imports_read.columns(draft))
    return plan


def _kept(project: Project, name: str) -> FieldMap:
    found = project.field_maps.filter(name=name).first()
    if found is None:
        names = list(project.field_maps.order_by("name").values_list("name", flat=True))
        existing = f"the mappings are: {', '.join(names)}" if names else "none has been kept yet"
        raise CommandError(f"There is no mapping '{name}'{nearest(name, names)}; {existing}.")
    return FieldMap.from_dict(found.field_map)


def _carried_out(draft: Import, action: str) -> ImportReport:
    """What came of it. In this process, by what a worker would do."""
    job = imports.request(draft, action, by=None, now=timezone.now())
    imports_run.execute(job.pk, clock=timezone.now)
    job.refresh_from_db()
    if job.state != ImportJob.State.DONE:
        raise CommandError(error_of(job) or "A worker has taken this up; see the page of the import.")
    return ImportReport.from_dict(job.report)


def _discard(draft: Import) -> None:
    """What was not stored leaves no draft behind, unless others are at work on it."""
    draft.refresh_from_db()
    if draft.state == Import.State.DRAFT:
        with suppress(DomainError):
            imports.discard(draft, by=None, now=timezone.now())
