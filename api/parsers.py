"""Bodies of requests, taken as strictly as files are."""

from typing import BinaryIO

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from annotation.domain.strict_json import MAX_SHOWN, NotJson, decode, printable
from annotation.queries.imports import said_of


class StrictJSON(BaseParser):
    """JSON in UTF-8, without what its readers take two ways: NaN, a key twice, half of a surrogate pair."""

    media_type = "application/json"

    def parse(
        self, stream: BinaryIO, media_type: str | None = None, parser_context: dict | None = None
    ) -> object:
        return parsed(stream.read())


def parsed(content: bytes | str) -> object:
    """The value of a JSON text; a refusal with status 400 where it is none."""
    try:
        return decode(content.decode() if isinstance(content, bytes) else content)
    except UnicodeDecodeError as error:
        raise ParseError(f"The body is not UTF-8: byte {error.start + 1} cannot be read.") from error
    except NotJson as error:
        raise ParseError(
            f"The body cannot be read at {printable(error.place)[:MAX_SHOWN]}: {said_of(error.reason)}."
        ) from error
