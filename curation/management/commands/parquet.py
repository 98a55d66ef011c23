"""A release in Parquet, in a folder of its own."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from curation.services import directory, parquet_copies, verification


class Command(BaseCommand):
    help = "Writes a copy of a release in Parquet, once the release is verified. It needs no database and no settings."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the copy")

    def handle(self, *, folder: Path, out: Path, **options: object) -> None:
        verdict = verification.verify(folder)
        shown = verification.printable(str(folder))
        if not verdict.ok:
            raise CommandError(f"{shown}: {verdict}", returncode=3 if verdict.outcome == "unreadable" else 1)
        try:
            files = parquet_copies.write(folder, out)
        except directory.DirectoryError as error:
            raise CommandError(error.reason) from error
        self.stdout.write(f"{verification.printable(str(out))}: {', '.join(files)}")
