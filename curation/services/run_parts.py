"""The parts of a run in the storage of runs, where every worker reaches them: a folder, or an S3 bucket by a setting.

A shard's attempt writes into a folder of its own, and its row names what it wrote: what a killed worker left half
written is never read. A name holds the digest of the content.
"""

import contextlib
import secrets
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import overload

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from curation.domain.shards.parts import Part
from curation.domain.shards.sealed import Damaged
from curation.models import Shard

SHOWN = 32  # characters of a digest in a name


def new_folder() -> str:
    """For the parts of one run: no other run of this or another installation has the same."""
    return secrets.token_hex(8)


def write(shard: Shard, kind: str, content: bytes) -> str:
    """Store a part, and return its name."""
    name = f"{_folder_of(shard)}/{kind}-{sha256(content).hexdigest()[:SHOWN]}"
    return _storage().save(name, ContentFile(content))


def read(name: str) -> bytes:
    """Damaged where it is not there, or not what its name says."""
    try:
        with _storage().open(name) as file:
            content = bytes(file.read())
    except FileNotFoundError as error:
        raise Damaged from error
    if sha256(content).hexdigest()[:SHOWN] != name.rpartition("-")[2]:
        raise Damaged
    return content


class Parts(Sequence[Part]):
    """The parts of these names, each read when it is asked for; `before` is called first."""

    def __init__(self, names: Sequence[str], before: Callable[[], object] = lambda: None) -> None:
        self.names = names
        self.before = before

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> Part: ...
    @overload
    def __getitem__(self, place: slice) -> "Parts": ...
    def __getitem__(self, place: int | slice) -> "Part | Parts":
        if isinstance(place, slice):
            return Parts(self.names[place], self.before)
        self.before()
        return Part.from_bytes(read(self.names[place]))


def forget_attempt(shard: Shard) -> None:
    """Remove what this attempt wrote."""
    _remove(_folder_of(shard))


def forget(folder: str) -> None:
    """Remove all that a run wrote."""
    for name in _listed(folder)[0]:
        _remove(f"{folder}/{name}")
    _remove(folder)


def _folder_of(shard: Shard) -> str:
    return f"{shard.folder}/{shard.first:03}-{shard.attempt}"


def _remove(folder: str) -> None:
    for name in _listed(folder)[1]:
        _storage().delete(f"{folder}/{name}")
    with contextlib.suppress(OSError):  # a folder that is not empty after all: somebody still writes there
        _storage().delete(folder)


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """Folders and files; none where there is no such folder."""
    with contextlib.suppress(FileNotFoundError):
        return _storage().listdir(folder)
    return [], []


def _storage() -> Storage:
    return storages["runs"]
