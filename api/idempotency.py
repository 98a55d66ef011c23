"""A write that is sent again with the same Idempotency-Key is done once, and answered as it was the first time.

The answer is stored in the transaction of the write, so there is never one without the other, and nothing of a write
that was refused. The body is read before that transaction begins: on SQLite it would keep every other writer waiting
for a slow sender. Of two at once the second waits for the first by the unique row, as the database has it.
"""

import re
import tempfile
from collections.abc import Callable
from hashlib import file_digest, sha256
from shutil import copyfileobj
from typing import IO

from django.db import transaction
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import ParseError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import IdempotencyKey
from annotation.services import replays
from api.errors import refusal

HEADER = "Idempotency-Key"
KEY = re.compile(r"[\x20-\x7e]{1,200}")
IN_MEMORY = 2**20  # bytes of a body, before it goes to disk
SECRETS = ("password", "token")  # names in an answer that show what is shown once
ASK_AGAIN_AFTER = "1"  # seconds


class BadKey(ParseError):
    default_code = "bad_idempotency_key"
    default_detail = f"{HEADER} has between 1 and 200 printable characters of ASCII."


class NotDone(Exception):
    """The write answered with a refusal, so that its transaction is rolled back."""

    def __init__(self, response: HttpResponseBase) -> None:
        self.response = response


def key_of(request: Request) -> str:
    """ "" where none came."""
    key = request.headers.get(HEADER)
    if key is not None and not KEY.fullmatch(key):
        raise BadKey
    return key or ""


def once(request: Request, key: str, write: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as body:
        asked = replays.Asked(
            user=request.user,
            key=key,
            method=request.method,
            path=request.get_full_path(),
            digest=_digest(request, body),
        )
        return _once(asked, write)


def _once(asked: replays.Asked, write: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    done = replays.found(asked, now=timezone.now())
    if done is None:
        try:
            return _do(asked, write)
        except replays.InProgress as error:
            done = replays.found(asked, now=timezone.now())  # it has been waited for
            if done is None:
                told = refusal(error.code, error.message, status=error.status)
                told["Retry-After"] = ASK_AGAIN_AFTER
                return told
    return _replayed(done)


def _do(asked: replays.Asked, write: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    try:
        with transaction.atomic():
            row = replays.begin(asked, now=timezone.now())
            response = write()
            if response.status_code >= 400:
                raise NotDone(response)
            _keep(row, response)
        return response
    except NotDone as refused:
        return refused.response


def _keep(row: IdempotencyKey, response: HttpResponseBase) -> None:
    if isinstance(response, Response):
        shows_secret = isinstance(response.data, dict) and any(response.data.get(name) for name in SECRETS)
        body = "" if response.data is None else JSONRenderer().render(response.data).decode()
    else:
        shows_secret, body = False, response.content.decode()
    replays.finish(
        row,
        status=response.status_code,
        body="" if shows_secret else body,
        location=response.get("Location", ""),
        is_kept=not shows_secret,
    )


def _replayed(done: IdempotencyKey) -> HttpResponseBase:
    if not done.is_kept:
        told = "This was done already. Its answer showed a secret once, so it was not kept."
        return refusal("answer_not_kept", told, status=409)
    response = HttpResponse(done.body, status=done.status, content_type="application/json")
    response["Idempotency-Replayed"] = "true"
    if done.location:
        response["Location"] = done.location
    return response


# --- What was sent ---------------------------------------------------------------------------------------


def _digest(request: Request, body: IO[bytes]) -> str:
    """Of the body; of a form its parts, since what stands between them is made up anew each time it is sent."""
    if request.content_type and request.content_type.startswith("multipart/"):
        return _of_parts(request)
    if request.stream is not None:
        copyfileobj(request.stream, body)
        request._stream = body  # the framework has no public way to say where a body is read from
    return _of_file(body)


def _of_parts(request: Request) -> str:
    found = sha256()

    def take(*words: str) -> None:
        found.update(repr(words).encode("utf-8", "surrogatepass"))

    for name, values in sorted(request.POST.lists()):
        take(name, *values)
    for name, files in sorted(request.FILES.lists()):
        for file in files:
            take(name, file.name, _of_file(file.file))
    return found.hexdigest()


def _of_file(file: IO[bytes]) -> str:
    file.seek(0)
    digest = file_digest(file, "sha256").hexdigest()
    file.seek(0)
    return digest
