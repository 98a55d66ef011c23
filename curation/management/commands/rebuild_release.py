"""A release computed once more from the snapshot of its run, and compared with the frozen one byte by byte."""

import tempfile
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import DomainError
from curation.domain.version import VERSION
from curation.models import Release
from curation.services import directory, release_files, verification


class Command(BaseCommand):
    help = "Makes a frozen release anew and compares every file. Exit code 0: byte for byte the same, 1: not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("release_version", metavar="VERSION")
        parser.add_argument("--out", type=Path, metavar="DIR", help="keep what was made there")

    def handle(self, *, name: str, release_version: str, out: Path | None, **options: object) -> None:
        release = Release.objects.filter(name=name, version=release_version, state=Release.State.DONE).first()
        if release is None:
            shown = verification.printable(f"{name} {release_version}")
            raise CommandError(f"There is no frozen release {shown}.")
        try:
            files = release_files.of(release)
            if out is not None:
                directory.write(out, files)
            else:
                with tempfile.TemporaryDirectory(prefix="plumb-rebuild-") as place:
                    directory.write(Path(place) / "release", files)
        except DomainError as error:
            raise CommandError(str(error.message)) from error
        except directory.DirectoryError as error:
            raise CommandError(error.reason) from error
        frozen = dict(release.files.values_list("path", "sha256"))
        made = {path: facts.sha256 for path, facts in files.facts.items()}
        other = sorted(path for path in {*frozen, *made} if frozen.get(path) != made.get(path))
        if other:
            code = release.run.code_version
            by = "" if code == VERSION else f" It was made by version {code}, this is {VERSION}."
            raise CommandError(f"{len(other)} of {len(frozen)} files differ: {', '.join(other)}.{by}")
        self.stdout.write(f"{name} {release_version}: rebuilt, {len(made)} files, all the same to the byte")
