"""A release as a folder, written so that no half of one can pass for a whole.

The checksums are moved into place last and taken away first; a folder without them is no release.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from annotation.domain.sentences import say
from curation.domain.manifest import SUMS

PARTIAL = ".partial-"
REPLACED = ".replaced-"  # where what is to be replaced waits until the new files are in place
PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


class DirectoryError(Exception):
    """The folder cannot be written as asked; `reason` says why and what to do."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def write(
    out: Path, files: Mapping[str, Iterable[bytes]], *, force: bool = False, inputs: Sequence[Path] = ()
) -> None:
    """Make `out` the folder of these files, which are read in order, the last of them being SHA256SUMS.

    With `force` what the folder held is replaced, once the new files are complete. `inputs` are files that were
    read for them, which must not lie in it. DirectoryError where it cannot be done; then nothing new is left.
    """
    folder = check(out, force=force, inputs=inputs)
    made: list[Path] = []
    with refusals(out):
        try:
            _make(folder, made)
            _fill(folder, files, force=force)
        except BaseException:
            for parent in reversed(made):
                with suppress(OSError):
                    parent.rmdir()
            raise


def check(out: Path, *, force: bool = False, inputs: Sequence[Path] = ()) -> Path:
    """The real path of `out`, if a release may be written there; DirectoryError if not. Writes nothing."""
    with refusals(out):
        folder = Path(os.path.realpath(out))
        if not folder.exists():
            return folder
        if not folder.is_dir():
            raise DirectoryError(say("{folder} is a file; choose a folder.", folder=str(out)))
        if any(folder.iterdir()) and not force:
            raise DirectoryError(
                f"{out} is not empty; choose another folder, or replace what it holds with --force."
            )
        if force:
            _check_replaceable(out, folder, inputs)
        return folder


@contextmanager
def scratch(out: Path) -> Iterator[BinaryIO]:
    """A file without a name, where the release will be, for what is put there meanwhile; it is gone in the end,
    however that comes. DirectoryError where none can be made."""
    folder = next(path for path in (out, *out.absolute().parents) if path.exists())
    with refusals(out), tempfile.TemporaryFile(dir=folder) as file:
        yield cast("BinaryIO", file)


def _check_replaceable(out: Path, folder: Path, inputs: Sequence[Path]) -> None:
    for protected, what in _protected():
        if folder == protected or folder in protected.parents:
            raise DirectoryError(
                f"{out} is or contains {what}; --force would delete it. Choose another folder."
            )
    for source in inputs:
        # Where a link to the input lies in the folder, the link would be deleted.
        link = Path(os.path.realpath(source.parent)) / source.name
        if folder in link.parents or folder in Path(os.path.realpath(source)).parents:
            raise DirectoryError(
                f"{out} contains the input {source}; --force would delete it. Choose another folder."
            )


def _protected() -> Iterator[tuple[Path, str]]:
    yield Path("/"), "the root of the file system"
    yield Path(__file__).resolve(), "this program"
    yield Path(sys.prefix).resolve(), "the Python that runs this program"
    with suppress(OSError):  # it may have been deleted
        yield Path.cwd().resolve(), "the current folder"
    with suppress(RuntimeError):  # a user without a home
        yield Path.home().resolve(), "your home folder"


@contextmanager
def refusals(out: Path) -> Iterator[None]:
    """DirectoryError where the system refuses something inside."""
    try:
        yield
    except OSError as error:
        reason = say(
            "{folder} cannot be written: {reason}. Nothing new was left there.",
            folder=str(out),
            reason=error.strerror or type(error).__name__,
        )
        raise DirectoryError(reason) from error


def _make(folder: Path, made: list[Path]) -> None:
    """Make the folder and its missing parents; `made` gets those that were."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir()
        made.append(path)


def _fill(folder: Path, files: Mapping[str, Iterable[bytes]], *, force: bool) -> None:
    partial = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=folder))
    moved: list[Path] = []
    aside: list[Path] = []
    try:
        for path, content in files.items():
            _write_file(partial, path, content)
        for inside in (partial, *(entry for entry in partial.rglob("*") if entry.is_dir())):
            sync(inside)
        old = [entry for entry in folder.iterdir() if entry != partial]
        if old and not force:
            reason = say(
                "{folder} was filled by another process meanwhile; choose another folder.", folder=str(folder)
            )
            raise DirectoryError(reason)
        if old:
            aside.append(Path(tempfile.mkdtemp(prefix=REPLACED, dir=folder)))
            _rename(_checksums_first(old), aside[0])
        _move(partial, folder, list(files), moved)
        partial.rmdir()
        sync(folder)
    except BaseException:
        with suppress(OSError):
            _remove([partial, *moved])
        for waiting in aside:
            with suppress(OSError):
                _rename(_checksums_first(waiting.iterdir())[::-1], folder)
                waiting.rmdir()
        raise
    _remove(aside)


def _write_file(partial: Path, path: str, content: Iterable[bytes]) -> None:
    parts = path.split("/")
    if not all(PART.fullmatch(part) for part in parts):
        raise DirectoryError(f"{path!r} cannot be the path of a file in a release.")
    target = partial.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        for chunk in content:
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


def _move(partial: Path, folder: Path, paths: Sequence[str], moved: list[Path]) -> None:
    """Move what was built into place, the last file last."""
    for name in dict.fromkeys(path.partition("/")[0] for path in paths):
        target = folder / name
        (partial / name).rename(target)
        moved.append(target)


def sync(folder: Path) -> None:
    """Have the names in the folder outlive a power cut, as the files' contents do."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(entries: Sequence[Path]) -> None:
    """Delete them, the checksums first; a link is deleted, never followed."""
    for entry in _checksums_first(entries):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink(missing_ok=True)


def _rename(entries: Sequence[Path], folder: Path) -> None:
    for entry in entries:
        entry.rename(folder / entry.name)


def _checksums_first(entries: Iterable[Path]) -> list[Path]:
    return sorted(entries, key=lambda entry: (entry.name != SUMS, entry.name))
