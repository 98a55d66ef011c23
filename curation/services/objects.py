"""The files of releases, each under its SHA-256, in the storage that the settings name: a folder, or a bucket.

A file is put there before the row that names it is written. One that no row names does no harm: nobody can ask for it.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

OBJECTS = ".objects"  # below RELEASES_DIR, where no name of a release begins with a dot


class Folder(FileSystemStorage):
    """A file appears whole or not at all, also where two processes write the same one."""

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, partial = tempfile.mkstemp(prefix=".partial-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            Path(partial).replace(path)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise
        return name


def put(sha256: str, source: Path) -> None:
    """Keep the file; one that is there already, and whole, is left as it is. OSError where there is no room."""
    storage = _storage()
    name = _name(sha256)
    if (
        storage.exists(name)
        and storage.size(name) == source.stat().st_size
        and _digest(storage, name) == sha256
    ):
        return
    with source.open("rb") as file:
        storage.save(name, File(file))


def opened(sha256: str) -> BinaryIO:
    """The file, for reading and seeking; FileNotFoundError where it is gone."""
    return cast("BinaryIO", _storage().open(_name(sha256), "rb"))


def _storage() -> Storage:
    if settings.RELEASES_BUCKET is not None:
        return storages["releases"]
    return Folder(
        location=settings.RELEASES_DIR / OBJECTS, allow_overwrite=True, directory_permissions_mode=0o700
    )


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"


def _digest(storage: Storage, name: str) -> str:
    with storage.open(name, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


@contextmanager
def laid_out(files: dict[str, str]) -> Iterator[Path]:
    """A folder with these files, path to SHA-256, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="plumb-release-") as place:
        for path, sha256 in files.items():
            target = Path(place) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with opened(sha256) as source, target.open("wb") as copy:
                while chunk := source.read(2**20):
                    copy.write(chunk)
        yield Path(place)
