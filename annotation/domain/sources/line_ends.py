"""Line ends as they were on old Macs, and still are in one of the formats that Excel offers there."""

import re
from collections.abc import Iterator
from itertools import chain

QUOTED = re.compile(rb'"[^"]*"?')
LINE_END = re.compile(rb"\r\n|\r|\n")


def with_line_feeds(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same text; where its first line ends in a carriage return alone, each of those becomes a line feed."""
    first = next(chunks, b"")
    end = LINE_END.search(QUOTED.sub(b"", first))
    if end is None or end.group() != b"\r":
        return chain([first], chunks)
    return (chunk.replace(b"\r", b"\n") for chunk in chain([first], chunks))
