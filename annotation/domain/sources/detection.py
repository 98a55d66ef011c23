"""What a file is, told by its content first and by its name only where the content leaves a choice."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePath

from annotation.domain.rows import InputError
from annotation.domain.sentences import say
from annotation.domain.sources import archives, delimited, kinds, parquet, workbooks
from annotation.domain.sources.encodings import encoding_of, utf8_chunks
from annotation.domain.sources.line_ends import with_line_feeds
from annotation.domain.sources.shape import Shape
from annotation.domain.text_rows import chunks_of, nothing

SAMPLE = 256 * 1024  # bytes of text that are looked at
OF_JSON = (".json", ".jsonl", ".ndjson")
OF_LINES = (".jsonl", ".ndjson")
OF_TABS = (".tsv", ".tab")
OPEN = (b"{", b"[", b",", b":")
JSON = re.compile(rb'\{\s*["}]|\[\s*[][{"\d-]')  # how no header of a table begins


def detect(path: Path, *, name: str) -> Shape:
    """How to read a file; InputError where it is none of the formats, or is one but damaged beyond its beginning.

    Only the beginning of a text is judged, apart from its encoding, for which all bytes are looked at.
    """
    head = next(chunks_of(path, name), b"")
    if not head:
        raise nothing(name)
    kinds.refuse_foreign(path, head, name)
    if archives.is_zip(head):
        return Shape("xlsx", sheet=_sheet(path, name))
    if head.startswith(kinds.PARQUET):
        parquet.check(path, name)
        return Shape("parquet")
    return _of_text(path, PurePath(name).suffix.lower(), name)


def _sheet(path: Path, name: str) -> str:
    """The sheet to read of what is a workbook, or else a refusal."""
    with archives.opened(path, name) as archive:
        parts = {part.lower() for part in archive.namelist()}
    if archives.WORKBOOK in parts:
        return workbooks.sheet_of(path, name)
    if parts.intersection(archives.OFFICE):
        raise InputError(say("the file is no Excel workbook of today; save it as .xlsx"), source=name)
    raise InputError(say("the file is a zip archive and no table; unpack it first"), source=name)


def _of_text(path: Path, suffix: str, name: str) -> Shape:
    encoding = encoding_of(path, name)
    sample, whole = _sample(path, encoding, name)
    if whole and not sample.strip():
        raise nothing(name)
    if kinds.is_markup(sample):
        raise kinds.markup(name)
    if _is_json(sample, suffix):
        return Shape(_form_of_json(path, encoding, suffix, name), encoding)
    text = sample.decode("utf-8", "ignore")
    text = text if whole else text[: text.rfind("\n") + 1] or text
    delimiter, several = delimited.delimiter_of(text, tabs=suffix in OF_TABS)
    if suffix in OF_JSON and not several:
        return Shape("jsonl", encoding)
    return Shape("delimited", encoding, delimiter)


def _sample(path: Path, encoding: str, name: str) -> tuple[bytes, bool]:
    """The beginning of the text in UTF-8, with line feeds, and whether that is all of it."""
    sample = b""
    for chunk in with_line_feeds(_readable(path, encoding, name)):
        sample = (sample + chunk).lstrip(b"\r\n")
        if len(sample) > SAMPLE:
            return sample[:SAMPLE], False
    return sample, True


def _readable(path: Path, encoding: str, name: str) -> Iterator[bytes]:
    """The text up to a byte that does not belong, about which the reader will have its say."""
    with suppress(InputError):
        yield from utf8_chunks(path, encoding, name)


def _is_json(sample: bytes, suffix: str) -> bool:
    start = sample.lstrip()
    return bool(JSON.match(start)) or (suffix in OF_JSON and start.startswith((b"{", b"[")))


def _form_of_json(path: Path, encoding: str, suffix: str, name: str) -> str:
    """Whether there is an object a line, or one value for the whole file, by how the first line ends and the second
    begins: an object over several lines has a comma or bracket there, a key or its end."""
    first, last, second = _edges(_readable(path, encoding, name))
    if first == b"[":
        return "json"
    if not second:
        return "jsonl" if suffix in OF_LINES else "json"
    goes_on = last in OPEN or second == b"}" or (second == b'"' and last != b"}")
    return "json" if goes_on else "jsonl"


def _edges(chunks: Iterator[bytes]) -> tuple[bytes, bytes, bytes]:
    """The first and last character of the first line and the first of the second; blank lines do not count, and a
    line may be as long as the file."""
    first = last = b""
    ended = False
    for chunk in chunks:
        rest = chunk
        if not ended:
            line, end, rest = (chunk if first else chunk.lstrip()).replace(b"\r", b"\n").partition(b"\n")
            first = first or line[:1]
            last = line.rstrip()[-1:] or last
            ended = bool(first and end)
        if ended and rest.lstrip():
            return first, last, rest.lstrip()[:1]
    return first, last, b""
