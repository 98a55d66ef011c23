"""Imports, where beside files in a form one file is taken as the body itself: JSONL as it comes out of a pipe."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser

from api import imports

AT_A_TIME = 2**16  # bytes
LONGEST_NAME = 255


class Stream:
    """The body as the one file of the request, read as it arrives; the service says how much is too much."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name = name
        self.stream = stream

    def chunks(self) -> Iterator[bytes]:
        return iter(lambda: self.stream.read(AT_A_TIME), b"")


class Lines(BaseParser):
    """`name` in the address is what the file is called; it is lines.jsonl otherwise."""

    media_type = "application/x-ndjson"

    def parse(
        self,
        stream: BinaryIO,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> DataAndFiles:
        query = parser_context["request"].query_params if parser_context else {}
        name = query.get("name", "").replace("\0", "")[:LONGEST_NAME] or "lines.jsonl"
        return DataAndFiles(QueryDict(), MultiValueDict({"file": [Stream(name, stream)]}))


class Imports(imports.Imports):
    parser_classes = [MultiPartParser, Lines]
