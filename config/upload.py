"""How much a request may bring. What is too much is refused or cut off while it arrives, never kept.

A body beyond its limit is refused before anything reads it: the check of the form's token reads the whole
body, and does so before any view. Files are kept for signed-in people and at the addresses that take files
alone, none longer than what its address takes and one byte more: by that byte the form knows that the file was
too long, and says so at the field. Those of imports go to disk.
"""

import os
import tempfile
from collections.abc import Callable
from io import BytesIO
from typing import BinaryIO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.services.imports import MAX_BYTES, MAX_FILES
from api.errors import TOO_LARGE, plain_refusal
from curation.domain import recipe_json
from curation.services.submissions import MOST_BYTES

MAX_TOGETHER = 1024**3  # bytes of all files of one request
OF_IMPORTS = frozenset({"imports", "api_imports"})  # names of addresses
OF_SUBMISSIONS = frozenset({"submission_new", "api_submissions", "plan_batch_in"})  # one file
OF_RECIPES = "recipes"  # one file, within the limit of any other body

Respond = Callable[[HttpRequest], HttpResponse]


class BodyLimit:
    """Refuses a body that says it is longer than its address takes. One that does not say is not read at all."""

    def __init__(self, get_response: Respond) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: list, kwargs: dict
    ) -> HttpResponse | None:
        if _length(request) <= _limit(request):
            return None
        if request.resolver_match.route.startswith("api/"):
            return plain_refusal("too_large", TOO_LARGE, status=413)
        return render(request, "413.html", {"takes_files": _takes_imports(request)}, status=413)


def _length(request: HttpRequest) -> int:
    stated = request.META.get("CONTENT_LENGTH") or "0"
    return int(stated) if stated.isdecimal() else 0


def _limit(request: HttpRequest) -> int:
    if request.resolver_match.url_name in OF_SUBMISSIONS:
        return MOST_BYTES + settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return MAX_TOGETHER if _takes_imports(request) else settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def _takes_imports(request: HttpRequest) -> bool:
    return request.resolver_match.url_name in OF_IMPORTS


def _takes(request: HttpRequest) -> tuple[int, int]:
    """How many files, and how many bytes of each; nothing of people who are not signed in."""
    if not request.user.is_authenticated:
        return 0, 0
    if _takes_imports(request):
        return MAX_FILES, MAX_BYTES
    if request.resolver_match.url_name in OF_SUBMISSIONS:
        return 1, MOST_BYTES
    return (1, recipe_json.MOST) if request.resolver_match.url_name == OF_RECIPES else (0, 0)


class BoundedFiles(FileUploadHandler):
    """Puts each file of an import into a nameless one beside the imports, which is gone as soon as it is closed."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.count = 0
        self.most_files = self.most_bytes = 0
        self.file: BinaryIO = BytesIO()

    def new_file(self, *args: object, **kwargs: object) -> None:
        super().new_file(*args, **kwargs)
        self.most_files, self.most_bytes = _takes(self.request)
        if not self.most_files:
            raise SkipFile
        self.count += 1
        # Beyond the number that is taken a file is counted and nothing more.
        is_kept = _takes_imports(self.request) and self.count <= self.most_files
        self.file = _nameless() if is_kept else BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = self.most_bytes + 1 - start
        if room > 0 and self.count <= self.most_files:
            self.file.write(raw_data[:room])

    def file_complete(self, file_size: int) -> UploadedFile:
        size = self.file.seek(0, os.SEEK_END)
        self.file.seek(0)
        return UploadedFile(self.file, self.file_name, self.content_type, size, self.charset)

    def upload_interrupted(self) -> None:
        self.file.close()


def _nameless() -> BinaryIO:
    settings.IMPORTS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    return tempfile.TemporaryFile(dir=settings.IMPORTS_DIR)
