"""A release to take away: file by file, or all that somebody may take as one archive. What is kept back is recorded."""

import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import BinaryIO

from annotation.models import User
from curation.domain.release.splits import is_withheld
from curation.models import Release, ReleaseFile
from curation.services import releases

AT_A_TIME = 2**18  # bytes
NO_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that the format knows: the same release, the same archive


def take(file: ReleaseFile, *, by: User | None, now: datetime) -> BinaryIO:
    """The file for reading; that somebody took it is kept where it is withheld from others."""
    opened = releases.open_file(file)
    if is_withheld(file.path):
        releases.note_download(file.release, file.path, by=by, now=now)
    return opened


def archive(release: Release, *, with_withheld: bool, by: User | None, now: datetime) -> Iterator[bytes]:
    """A ZIP, made while it is sent: in memory is a piece of one file. Its files lie in the folder NAME-VERSION."""
    files = [
        file
        for file in release.files.select_related("release").order_by("path")
        if with_withheld or not is_withheld(file.path)
    ]
    # Asked for before the first byte leaves, so that what is refused is refused in words.
    first = releases.open_file(files[0])
    for file in files:
        if is_withheld(file.path):
            releases.note_download(release, file.path, by=by, now=now)
    return _zipped(f"{release.name}-{release.version}", files, first)


def _zipped(folder: str, files: Iterable[ReleaseFile], first: BinaryIO) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w") as made:
        for number, file in enumerate(files):
            entry = zipfile.ZipInfo(f"{folder}/{file.path}", NO_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with (
                releases.open_file(file) if number else first as source,
                made.open(entry, "w", force_zip64=True) as into,
            ):
                while chunk := source.read(AT_A_TIME):
                    into.write(chunk)
                    yield sink.taken()
    yield sink.taken()


class _Sink:
    """What ZipFile writes to where nothing can be sought in: it holds what has not been sent yet."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []

    def write(self, content: bytes) -> int:
        self._waiting.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        pass

    def taken(self) -> bytes:
        found = b"".join(self._waiting)
        self._waiting.clear()
        return found
