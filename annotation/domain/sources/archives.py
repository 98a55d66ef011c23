"""Zip archives, checked before anything is unpacked: workbooks are such, and several files may come in one.

Nothing of an archive decides where something is written: its files get random names in a folder that is given.
"""

import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from annotation.domain.rows import InputError
from annotation.domain.sentences import say
from annotation.domain.sources.encodings import is_chinese
from annotation.domain.sources.kinds import ZIP
from annotation.domain.strict_json import printable

MAX_MEMBERS = 1000
MAX_DIRECTORY = 4 * 1024 * 1024  # bytes of the list of members, which is read whole
MAX_UNPACKED = 1024 * 1024 * 1024  # bytes of all members together
MAX_RATIO = 200  # unpacked to packed; text reaches 20, tables of numbers 60, bombs 1,000
HARMLESS = 16 * 1024 * 1024  # unpacked bytes below which the ratio does not matter

TABLES = (".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".xlsx", ".parquet")
PACKED = (".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".tar", ".7z", ".rar")
LITTER = "__MACOSX"  # a folder that macOS adds, with a shadow of every file
WORKBOOK = "xl/workbook.xml"
OFFICE = (
    "[content_types].xml",
    "mimetype",
    "index/document.iwa",
)  # of Microsoft's, of OpenDocument, of Apple's

UNICODE = 0x800  # the flag of a member whose name is UTF-8 for certain
DRIVE = re.compile(r"[A-Za-z]:")

# What reading a damaged archive ends in.
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    ValueError,
)


def is_zip(head: bytes) -> bool:
    return head.startswith(ZIP)


@contextmanager
def opened(path: Path, source: str) -> Iterator[zipfile.ZipFile]:
    """The archive, after checks that it is one and stays within the limits when unpacked."""
    try:
        _check_directory(path, source)
        archive = zipfile.ZipFile(path)
    except DAMAGE as error:
        if isinstance(error, InputError):
            raise
        raise damaged(source) from error
    with archive:
        _check_size(archive.infolist(), path.stat().st_size, source)
        yield archive


def damaged(source: str) -> InputError:
    return InputError(say("the file is damaged or cut off; copy or save it again"), source=source)


def members(path: Path, *, name: str, into: Path) -> list[tuple[str, Path]]:
    """The data files within an archive, as (name within it, file in the folder `into`), sorted as the archive has
    them; any other file, a workbook too, as [(name, path)]. Files that are no tables, such as a read-me, are left
    out. InputError, with nothing left behind, where the archive is not to be trusted."""
    with path.open("rb") as file:
        head = file.read(4)
    if not is_zip(head):
        return [(name, path)]
    with opened(path, name) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        if _is_office(infos):
            return [(name, path)]
        wanted = _tables(infos, name)
        written: list[tuple[str, Path]] = []
        try:
            for label, info in wanted:
                written.append((label, _written(archive, info, label, name, into)))
        except InputError:
            for _, copy in written:
                copy.unlink()
            raise
    return written


# --- limits ----------------------------------------------------------------------------------------------


def _check_directory(path: Path, source: str) -> None:
    """Refuses a list of members that is too long before it is read into memory."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 65_557 - 20))
        tail = file.read()
        at = tail.rfind(b"PK\x05\x06", 0, len(tail) - 18)
        if at < 0:
            raise damaged(source)
        count, length = struct.unpack_from("<HL", tail, at + 10)
        if at >= 20 and tail[at - 20 : at - 16] == b"PK\x06\x07":
            begin = struct.unpack_from("<Q", tail, at - 12)[0]
            if begin > size:  # no file is so long that one could go there
                raise damaged(source)
            file.seek(begin)
            count, length = struct.unpack_from("<QQ", file.read(56), 32)
    if count > MAX_MEMBERS or length > MAX_DIRECTORY:
        reason = say("the archive holds too many files; the most is {most}", most=MAX_MEMBERS)
        raise InputError(reason, source=source)


def _check_size(infos: Sequence[zipfile.ZipInfo], packed: int, source: str) -> None:
    if any(not 0 <= info.header_offset < packed for info in infos):
        raise damaged(source)
    unpacked = sum(info.file_size for info in infos)
    if unpacked > MAX_UNPACKED or (unpacked > HARMLESS and unpacked > MAX_RATIO * packed):
        reason = say(
            "the file would grow from {packed} kB to {unpacked} MB when unpacked, which is not done; "
            "save the data as CSV or JSONL",
            packed=packed // 1000,
            unpacked=unpacked // 1_000_000,
        )
        raise InputError(reason, source=source)
    if any(info.flag_bits & 1 for info in infos):
        raise InputError(say("the file is protected by a password; save it without one"), source=source)


# --- members ---------------------------------------------------------------------------------------------


def _is_office(infos: Sequence[zipfile.ZipInfo]) -> bool:
    return any(info.filename.lower() in (*OFFICE, WORKBOOK) for info in infos)


def _tables(infos: Sequence[zipfile.ZipInfo], source: str) -> list[tuple[str, zipfile.ZipInfo]]:
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        label = _label(info)
        _check_name(info, label, source)
        place = PurePosixPath(label)
        if place.suffix.lower() in PACKED:
            raise _nested(label, source)
        if place.suffix.lower() not in TABLES or place.name.startswith(".") or LITTER in place.parts:
            continue
        if label in found:
            reason = say("the archive holds two files named '{name}'; rename one", name=printable(label))
            raise InputError(reason, source=source)
        found[label] = info
    if not found:
        reason = say("the archive holds no table; it may hold {kinds}", kinds=", ".join(TABLES))
        raise InputError(reason, source=source)
    return list(found.items())


def _label(info: zipfile.ZipInfo) -> str:
    """The name as people know it. Programs that do not write Unicode leave bytes that may mean UTF-8 or GB18030."""
    name = info.orig_filename
    if not info.flag_bits & UNICODE:
        written = name.encode("cp437", "replace")
        try:
            name = written.decode()
        except UnicodeDecodeError:
            name = written.decode("gb18030", "replace") if is_chinese(written) else name
    return name.replace("\\", "/")


def _check_name(info: zipfile.ZipInfo, label: str, source: str) -> None:
    """Refuses a name that would lead out of a folder: whoever makes such an archive means no good."""
    parts = label.split("/")
    if label.startswith("/") or ".." in parts or DRIVE.match(label) or "\x00" in label:
        reason = say(
            "the archive holds the path '{name}', which leads elsewhere; pack the files again",
            name=printable(label),
        )
        raise InputError(reason, source=source)
    if stat.S_ISLNK(info.external_attr >> 16):
        reason = say(
            "'{name}' in the archive is a link to another file; pack the file itself", name=printable(label)
        )
        raise InputError(reason, source=source)


def _written(archive: zipfile.ZipFile, info: zipfile.ZipInfo, label: str, source: str, into: Path) -> Path:
    with tempfile.NamedTemporaryFile(dir=into, delete=False) as copy:
        place = Path(copy.name)
        try:
            with archive.open(info) as member:
                head = member.read(4)
                if is_zip(head) and not label.lower().endswith(".xlsx"):
                    raise _nested(label, source)
                copy.write(head)
                shutil.copyfileobj(member, copy)
        except DAMAGE as error:
            place.unlink()
            if isinstance(error, InputError):
                raise
            raise damaged(f"{source}/{printable(label)}") from error
    return place


def _nested(label: str, source: str) -> InputError:
    reason = say(
        "the archive holds another archive, '{name}'; unpack that and pack the tables alone",
        name=printable(label),
    )
    return InputError(reason, source=source)
