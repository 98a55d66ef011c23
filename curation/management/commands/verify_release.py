"""Whether a folder is, to the byte, the release that it says it is."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from curation.services import verification

EXIT_CODES = {"differs": 1, "unreadable": 3}


class Command(BaseCommand):
    help = "Recomputes every checksum and count of a release. Exit code 0: as released, 1: differs, 3: unreadable."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")

    def handle(self, *, folder: Path, **options: object) -> None:
        verdict = verification.verify(folder)
        shown = verification.printable(str(folder))
        if not verdict.ok:
            what = "differs" if verdict.outcome == "differs" else "cannot be read as a release"
            raise CommandError(f"{shown} {what}: {verdict}", returncode=EXIT_CODES[verdict.outcome])
        self.stdout.write(f"{shown}: {verdict}")
