"""What the commands that import a file share: the project, a trial run, words or JSON, plain errors."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.domain.records import InputError
from annotation.errors import DomainError
from annotation.management.finding import project_named
from annotation.services.intake_files import Report

COUNTED = (
    ("created_prompts", "new prompt"),
    ("created_responses", "new response"),
    ("created_annotators", "new annotator"),
    ("created_scores", "new score"),
    ("revisions", "revision"),
)


class ImportCommand(BaseCommand):
    """A subclass says in `service` which import it is."""

    service: Callable[..., Report]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="short name (slug) of the project")
        parser.add_argument("file", type=Path, help="a .csv file, or JSONL: one object a line")
        parser.add_argument("--dry-run", action="store_true", help="check everything and change nothing")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *, project: str, file: Path, dry_run: bool, json: bool, **options: object) -> None:
        found = project_named(project)
        try:
            report = type(self).service(found, file, by=None, now=timezone.now(), dry_run=dry_run)
        except (InputError, DomainError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(_as_json(report) if json else _in_words(report, file.name, project))


def _as_json(report: Report) -> str:
    return json.dumps(report.as_dict())


def _in_words(report: Report, file: str, project: str) -> str:
    counts = [(getattr(report, name), noun) for name, noun in COUNTED]
    parts = [_counted(number, noun) for number, noun in counts if number]
    parts.append(f"{report.unchanged} unchanged")
    ending = " Nothing was stored: this was a trial (--dry-run)." if report.dry_run else ""
    return f"{file}: {_counted(report.rows, 'row')} for {project}: {', '.join(parts)}.{ending}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
