"""XML of strangers, read piece by piece: no tree is built, nothing is looked up, nothing can grow.

A document type declaration, by which entities would come in, is refused, and so are texts, tags and nesting beyond
what the parts of a workbook have.
"""

from collections.abc import Iterator
from typing import IO, Protocol
from xml.parsers import expat

CHUNK = 64 * 1024  # bytes
MAX_TEXT = 1024 * 1024  # characters between two tags; a cell of Excel has 32,767 at most
MAX_TAG = 1024 * 1024  # bytes of a tag with its attributes
MAX_DEPTH = 64


class BadXml(ValueError):
    """XML that is not well-formed, or that nobody would have written in good faith."""


class Reader(Protocol):
    """What is told of each element. Tags come without a prefix."""

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...

    def end(self, tag: str, text: str) -> None:
        """`text` is what stands between this end and the tag before it."""


def parsed(stream: IO[bytes], reader: Reader) -> Iterator[None]:
    """Feeds a reader; gives the word after each piece, so that what it gathered can be taken."""
    text: list[str] = []
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        text.clear()
        reader.start(tag.rpartition(":")[2], attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end(tag.rpartition(":")[2], "".join(text))
        text.clear()

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.StartDoctypeDeclHandler = _no_doctype
    fed = 0
    while True:
        chunk = stream.read(CHUNK)
        fed += len(chunk)
        try:
            parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            raise BadXml(str(error)) from error
        if depth > MAX_DEPTH or fed - parser.CurrentByteIndex > MAX_TAG or sum(map(len, text)) > MAX_TEXT:
            raise BadXml("a tag, a text or the nesting is too large")
        yield
        if not chunk:
            return


def read_all(stream: IO[bytes], reader: Reader) -> None:
    for _ in parsed(stream, reader):
        pass


def _no_doctype(*declaration: object) -> None:
    raise BadXml("a document type declaration is not allowed")
