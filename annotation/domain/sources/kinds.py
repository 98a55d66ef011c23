"""Files that are something else, told by how they begin, and what to do with them."""

from pathlib import Path

from annotation.domain.rows import InputError
from annotation.domain.sentences import say
from annotation.domain.text_rows import chunks_of

OLE = (
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of old Office files, and of new ones with a password
)
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
PARQUET = b"PAR1"

PICTURES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "RAR",
}
TABLES = {
    b"ARROW1": "Arrow",
    b"SQLite format 3\x00": "SQLite",
    b"ORC": "ORC",
    b"Obj\x01": "Avro",
    b"\x89HDF\r\n": "HDF5",
    b"\x93NUMPY": "NumPy",
}
MARKUP = (b"<!doctype", b"<html", b"<head", b"<body", b"<table", b"<?xml", b"<svg", b"<script", b"<meta")


def refuse_foreign(path: Path, head: bytes, source: str) -> None:
    """InputError where the first bytes of a file are those of something that cannot be read here."""
    fault = _fault(path, head, source)
    if fault:
        raise InputError(fault, source=source)


def is_markup(text: bytes) -> bool:
    """Whether a text is a web page or XML, whatever its name says."""
    return text.lstrip()[:16].lower().startswith(MARKUP)


def markup(source: str) -> InputError:
    return InputError(
        say("the file is a web page or XML; open it in a spreadsheet and save it as .xlsx or CSV"),
        source=source,
    )


def _fault(path: Path, head: bytes, source: str) -> str:
    if head.startswith(OLE):
        return _of_old_office(path, source)
    if head.startswith(b"%PDF"):
        return say("the file is a PDF; export the data as CSV, JSONL or .xlsx")
    if head.startswith(PICTURES) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return say("the file is a picture; export the data as CSV, JSONL or .xlsx")
    if head.startswith(b"PARE"):
        return say("the Parquet file is encrypted; save it without encryption")
    return _of_packed_or_table(head) if _is_binary(head) else ""


def _of_packed_or_table(head: bytes) -> str:
    packed = [kind for mark, kind in PACKED.items() if head.startswith(mark)]
    if head[257:262] == b"ustar":
        packed.append("tar")
    if packed:
        return say("the file is packed ({kind}); unpack it first", kind=packed[0])
    for mark, kind in TABLES.items():
        if head.startswith(mark):
            return say("{kind} files are not read; save the data as Parquet", kind=kind)
    return ""


def _is_binary(head: bytes) -> bool:
    """A text may begin with such letters too."""
    try:
        head[:512].decode()
    except UnicodeDecodeError as error:
        return error.start < len(head[:512]) - 3
    return b"\x00" in head


def _of_old_office(path: Path, source: str) -> str:
    tail = b""
    for chunk in chunks_of(path, source):
        if ENCRYPTED in tail + chunk:
            return say("the file is protected by a password; save it without one")
        tail = chunk[-len(ENCRYPTED) :]
    return say("the file is an old Excel or Word file; save it as .xlsx")
