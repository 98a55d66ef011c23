"""Whether a folder, an archive or what lies at an address is, to the byte, the release that it says it is."""

import os
import shutil
import tempfile
import zipfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError

from curation.services import verification

EXIT_CODES = {"differs": 1, "bad signature": 2, "unreadable": 3}
WHAT = {
    "differs": "differs",
    "bad signature": "bears a bad signature",
    "unreadable": "cannot be read as a release",
}
UNREADABLE = EXIT_CODES["unreadable"]
ADDRESS = ("http://", "https://")
VARIABLE = "PLUMB_TOKEN"
REFUSED = (401, 403, 404)
SECONDS = 60  # without a byte


class Command(BaseCommand):
    help = (
        "Recomputes every checksum, count and Merkle root of a release and checks its signature. Exit code 0: as "
        "released, 1: differs, 2: bad signature, 3: unreadable."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "release",
            metavar="DIR|FILE.zip|ADDRESS",
            help=f"ADDRESS is that of a release by REST; a token is read from the variable {VARIABLE}",
        )
        parser.add_argument(
            "--public-key",
            default="",
            metavar="KEY",
            help="that has to have signed it: what the site says at /releases/signing-key",
        )

    def handle(self, *, release: str, public_key: str, **options: object) -> None:
        with _folder(release) as folder:
            verdict = verification.verify(folder, public_key=public_key)
        shown = verification.printable(release)
        if not verdict.ok:
            raise CommandError(
                f"{shown} {WHAT[verdict.outcome]}: {verdict}", returncode=EXIT_CODES[verdict.outcome]
            )
        self.stdout.write(f"{shown}: {verdict}")


@contextmanager
def _folder(release: str) -> Iterator[Path]:
    """The folder itself, or one with what the archive holds, for as long as it is needed."""
    path = Path(release)
    if not release.startswith(ADDRESS) and not path.is_file():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="plumb-verify-") as place:
        if release.startswith(ADDRESS):
            path = Path(place) / "archive.zip"
            _fetch(f"{release.rstrip('/')}/archive.zip", path)
        yield _unpacked(path, Path(place) / "release", shown=verification.printable(release))


def _fetch(address: str, into: Path) -> None:
    """No redirect is followed: the token is for the address that was given."""
    given = os.environ.get(VARIABLE, "")
    headers = {"Authorization": f"Bearer {given}"} if given else {}
    try:
        with closing(_connected(address)) as connection, into.open("wb") as file:
            connection.request("GET", urlsplit(address).path, headers=headers)
            answer = connection.getresponse()
            if answer.status != HTTPStatus.OK:
                hint = f" Is {VARIABLE} set to a token that may read it?" if answer.status in REFUSED else ""
                raise CommandError(f"{address} answers {answer.status}.{hint}", returncode=UNREADABLE)
            shutil.copyfileobj(answer, file)
    except (OSError, ValueError, HTTPException) as error:
        raise CommandError(f"{address} cannot be fetched: {error}", returncode=UNREADABLE) from error


def _connected(address: str) -> HTTPConnection:
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=SECONDS)


def _unpacked(path: Path, into: Path, *, shown: str) -> Path:
    """The one folder that the archive holds. No name in it leads out of there, and nothing is more than it says."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
            parts = [PurePosixPath(name).parts for name in names]
            if not names or len(set(names)) < len(names) or any(map(_leads_out, parts)):
                raise zipfile.BadZipFile("a name leads out of it, or occurs twice, or there is none")
            for entry, inside in zip((archive.getinfo(name) for name in names), parts, strict=True):
                target = into.joinpath(*inside)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError) as error:
        raise CommandError(f"{shown} cannot be read as a ZIP: {error}", returncode=UNREADABLE) from error
    heads = {inside[0] for inside in parts}
    return into / heads.pop() if len(heads) == 1 and all(len(inside) > 1 for inside in parts) else into


def _leads_out(parts: tuple[str, ...]) -> bool:
    return not parts or any(
        part in ("..", "/") or "\\" in part or "\0" in part or ":" in part for part in parts
    )
