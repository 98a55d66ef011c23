"""A file that is sent whole or in part: strong ETags, If-Match, If-None-Match, Range and If-Range (RFC 9110).

The tag names the very bytes, so that a part is never put to a part of something else: whoever resumes with an
If-Range of what is no longer so is given the whole, with an If-Match 412. Of several ranges at once none is taken,
which is allowed, and the whole is sent.
"""

import os
import re
from typing import BinaryIO

from django.http import FileResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import refusal

ONE_RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18}))")


class Part:
    """So many bytes of a file from a place on, as something that is read and closed like a file."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self.file = file
        self.left = size
        file.seek(start)

    def read(self, size: int = -1) -> bytes:
        wanted = self.left if size < 0 else min(size, self.left)
        found = self.file.read(wanted)
        self.left -= len(found)
        return found

    def close(self) -> None:
        self.file.close()


class Unsatisfiable(Exception):
    """A range that begins behind the end."""


def respond(
    request: Request, file: BinaryIO, *, digest: str, content_type: str, filename: str, **headers: str
) -> HttpResponseBase:
    """What is asked for of the file, whose bytes have this digest; the file is closed in any case."""
    tag = f'"{digest}"'
    size = file.seek(0, os.SEEK_END)
    common = {"ETag": tag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache"}
    held = get_conditional_response(request, etag=tag)
    if held is not None:
        file.close()
        if held.status_code == 412:
            held = refusal("changed", "What is here now is not what If-Match names.", status=412)
        return _with(held, common)
    try:
        asked = _asked(request, tag, size)
    except Unsatisfiable:
        file.close()
        told = f"There are {size} bytes here, and the range begins behind them."
        refused = refusal("range_not_satisfiable", told, status=416)
        return _with(refused, {**common, "Content-Range": f"bytes */{size}"})
    start, length = asked or (0, size)
    response = FileResponse(
        Part(file, start, length),
        status=206 if asked else 200,
        as_attachment=True,
        filename=filename,
        content_type=content_type,
    )
    if asked:
        common["Content-Range"] = f"bytes {start}-{start + length - 1}/{size}"
    return _with(response, {**common, "Content-Length": str(length), **headers})


def _with(response: Response | HttpResponseBase, headers: dict[str, str]) -> HttpResponseBase:
    for name, value in headers.items():
        response[name] = value
    return response


def _asked(request: Request, tag: str, size: int) -> tuple[int, int] | None:
    """Where the part begins and how long it is; None where the whole is to be sent."""
    condition = request.headers.get("If-Range")
    found = ONE_RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if found is None or (condition is not None and condition.strip() != tag):
        return None
    first, last, suffix = found.groups()
    if suffix is not None:
        length = min(int(suffix), size)
        start = size - length
        end = size
    else:
        start = int(first)
        end = min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return None  # no range at all, says the RFC, so it is not there
    if start >= size:
        raise Unsatisfiable
    return start, end - start
