"""REST: whole tables of a project as JSONL, one row a line, the oldest first.

An export is written to a nameless file before the first byte leaves: of memory it takes a megabyte, whatever its size.
Its rows come of one query, which both databases answer as of one instant, however many write meanwhile; the query is
over when the file is written, so a slow reader holds no cursor open. The file's digest is its ETag, and a Range is
cut out of it. Nothing is kept between requests: a part that is asked for later is cut out of an export written anew.
The same rows give the same bytes, so the tag says whether it is still the same: who resumes with If-Range gets the rest
or, where anything has changed, the whole, and who resumes with If-Match the rest or 412. Never a mix. The price is that
each part costs as much work as the whole; there is nothing to clear up, to run full, or to leak to another reader.

With `Accept-Encoding: gzip` the file is the compressed one, with a tag of its own.
"""

import gzip
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import file_digest
from typing import IO

import orjson
from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request

from annotation.models import Project
from api import ranges
from api.base import View, WhateverIsAccepted
from api.resources import doors, rows
from api.resources.rows import Row

IN_MEMORY = 2**20  # bytes, before the file goes to disk
AT_A_TIME = 500  # rows
LINES = "application/x-ndjson"
OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z


@dataclass(frozen=True, slots=True)
class Table:
    of: Callable[[Project], QuerySet]
    row: Callable[..., Row]


TABLES = {
    "prompts": Table(rows.prompts, rows.prompt),
    "responses": Table(rows.responses, rows.response),
    "scores": Table(rows.scores, rows.score),
    "rankings": Table(rows.rankings, rows.ranking),
}


class Export(View):
    """A table of the project: prompts, responses, scores or rankings."""

    content_negotiation_class = WhateverIsAccepted

    def get(self, request: Request, slug: str, kind: str) -> HttpResponseBase:
        project = doors.led(self, slug)
        table = TABLES.get(kind)
        if table is None:
            raise Http404
        return _sent(request, lambda: map(table.row, _read(table.of(project))), name=f"{slug}-{kind}")


class PairsExport(View):
    """The pairs that a run accepted."""

    content_negotiation_class = WhateverIsAccepted

    def get(self, request: Request, slug: str, pk: int) -> HttpResponseBase:
        run = doors.run(self, slug, pk)
        return _sent(request, lambda: map(rows.pair, _read(rows.pairs(run))), name=f"{slug}-run-{pk}-pairs")


def _read(found: QuerySet) -> Iterator:
    return found.order_by("pk").iterator(chunk_size=AT_A_TIME)


def _sent(request: Request, found: Callable[[], Iterable[Row]], *, name: str) -> HttpResponseBase:
    with ExitStack() as unless_sent:
        file, digest, is_zipped = _chosen(request, found)
        unless_sent.callback(file.close)
        response = ranges.respond(
            request,
            file,
            digest=digest,
            content_type=LINES,
            filename=f"{name}.jsonl",
            **({"Content-Encoding": "gzip"} if is_zipped else {}),
        )
        unless_sent.pop_all()  # who sends it closes it
    patch_vary_headers(response, ["Authorization", "Accept-Encoding"])
    return response


def _chosen(request: Request, found: Callable[[], Iterable[Row]]) -> tuple[IO[bytes], str, bool]:
    """The file, its digest, and whether it is the compressed one.

    Of that one parts are given to those alone who name it: most clients say that they take gzip, and would unpack a
    part as if it were a whole.
    """
    is_part = "Range" in request.headers
    named = f"{request.headers.get('If-Range', '')} {request.headers.get('If-Match', '')}"
    if _takes_gzip(request) and (not is_part or '"' in named):
        file, digest = _written(found(), zipped=True)
        if not is_part or digest in named:
            return file, digest, True
        file.close()
    return *_written(found(), zipped=False), False


def _written(found: Iterable[Row], *, zipped: bool) -> tuple[IO[bytes], str]:
    with ExitStack() as unless_written:
        file = unless_written.enter_context(tempfile.SpooledTemporaryFile(max_size=IN_MEMORY))
        _write(file, found, zipped=zipped)
        file.seek(0)
        digest = file_digest(file, "sha256").hexdigest()
        unless_written.pop_all()
    return file, digest


def _write(file: IO[bytes], found: Iterable[Row], *, zipped: bool) -> None:
    if not zipped:
        _write_lines(file, found)
        return
    # Without a time and a name, so that the same rows are the same bytes.
    with gzip.GzipFile(fileobj=file, filename="", mode="wb", compresslevel=6, mtime=0) as packed:
        _write_lines(packed, found)


def _write_lines(file: IO[bytes], found: Iterable[Row]) -> None:
    for row in found:  # writelines would have them all in memory before the file goes to disk
        file.write(orjson.dumps(row, option=OPTIONS))


def _takes_gzip(request: Request) -> bool:
    for wish in request.headers.get("Accept-Encoding", "").split(","):
        name, _, quality = wish.partition(";")
        if name.strip().lower() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
