"""REST: models submitted to a release, and its leaderboard. The same steps as in the browser, by the same services."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.errors import Invalid
from annotation.models import ApiToken
from annotation.queries.imports import capped
from annotation.queries.jobs import error_of
from api.base import View
from api.operations import LINES, Operation, pages
from api.pagination import PARAMETERS, page_of
from api.resources.imports import Lines
from api.resources.shapes import NULL, Of, anything, moment, number, text
from curation import access, tasks
from curation.models import Comparison, Release, Submission
from curation.queries import leaderboard, submission_page
from curation.services import submissions

TAG = "submissions"
WORDS = ("model", "family", "note")
LONGEST_KEY = 18  # digits of an id that any database holds
AGAINST = [OpenApiParameter("against", int, required=True, description="The id of the other submission.")]

# --- What answers look like ------------------------------------------------------------------------------


class SubmissionShape(Of):
    id = number()
    model = text()
    family = text(allow_blank=True)
    note = text(allow_blank=True)
    state = serializers.ChoiceField(Submission.State.choices)
    error = text(allow_blank=True)
    submitted_by = text(**NULL)
    submitted_at = moment()
    scored_at = moment(**NULL)
    published = serializers.BooleanField(help_text="Whether every reader of the release sees it.")
    size = number(help_text="Of the file, in bytes.")
    sha256 = text(help_text="Of the file.")
    summary = anything(**NULL, help_text="The line of the leaderboard; null before it is scored.")
    url = serializers.URLField()


class ScoredSubmission(SubmissionShape):
    result = anything(**NULL, help_text="All that `manage.py evaluate --json` says, by split.")


class SubmissionPage(Of):
    next = serializers.URLField(**NULL)
    previous = serializers.URLField(**NULL)
    results = SubmissionShape(many=True)


class SubmissionBody(Of):
    file = serializers.FileField()
    model = text()
    family = text(required=False)
    note = text(required=False)


class ShareShape(Of):
    value = serializers.FloatField(**NULL)
    low = serializers.FloatField(**NULL)
    high = serializers.FloatField(**NULL)
    n = number()


class LeaderboardLine(Of):
    id = number()
    model = text()
    family = text(allow_blank=True)
    submitted_by = text(allow_blank=True)
    accuracy = ShareShape()
    heldout = ShareShape()
    same_in_both_orders = ShareShape()
    rank_correlation = serializers.FloatField(**NULL)
    pairs = number(**NULL)
    ties = number(**NULL)
    unanswered = number(**NULL)
    problems = number()
    published = serializers.BooleanField()
    url = serializers.URLField()


class BesideShape(Of):
    key = text(help_text="human, or the name of a guess by one thing alone.")
    rate = ShareShape()


class ComparisonShape(Of):
    first = number(help_text="The later submission; differences are its figures less those of the second.")
    second = number()
    state = serializers.ChoiceField(Comparison.State.choices)
    error = text(allow_blank=True)
    result = anything(**NULL, help_text="What `manage.py evaluate --against --json` says of the two.")


class LeaderboardShape(Of):
    models = LeaderboardLine(many=True)
    beside = BesideShape(many=True)


# --- Views -----------------------------------------------------------------------------------------------


class OfRelease(View):
    unsafe_scope = ApiToken.Scope.SUBMIT.value

    def release(self, name: str, version: str) -> Release:
        found = access.release(self.request.user, name, version)
        self.refuse_beyond(found.project_id)
        return found


class Submissions(OfRelease):
    """Those that are published and one's own; for the leads of the project all of them."""

    parser_classes = [MultiPartParser, Lines]
    operations = {
        "GET": Operation(
            "list_submissions", TAG, {200: SubmissionPage}, parameters=pages("submitted", "model")
        ),
        "POST": Operation(
            "submit_predictions",
            TAG,
            {202: SubmissionShape},
            takes={"multipart/form-data": SubmissionBody, LINES: serializers.FileField()},
        ),
    }

    @property
    def known_parameters(self) -> tuple[str, ...]:
        return PARAMETERS if self.request.method in ("GET", "HEAD") else WORDS

    def get(self, request: Request, name: str, version: str) -> Response:
        found = access.submissions(request.user, self.release(name, version))
        return page_of(
            request,
            found.select_related("queued_by", "publication", "release").defer("content", "result"),
            ordering="-submitted",
            allowed={"submitted": "pk", "model": "model"},
            row=lambda row: line(request, row),
        )

    def post(self, request: Request, name: str, version: str) -> Response:
        """Predictions for a worker to score: a part `file` with `model`, `family` and `note` beside it, or the lines as
        the body, with these in the address. The same bytes for the same model are the submission there is."""
        release = self.release(name, version)
        made = submissions.request(
            release, content=_content(request), by=request.user, now=timezone.now(), **_words(request)
        )
        tasks.score_submission.delay_on_commit(made.pk)
        return Response(line(request, made), status=202)


class OneSubmission(OfRelease):
    operations = {"GET": Operation("get_submission", TAG, {200: ScoredSubmission})}

    def get(self, request: Request, name: str, version: str, pk: int) -> Response:
        self.release(name, version)
        found = access.submission(request.user, name, version, pk)
        return Response({**line(request, found), "result": found.result})


class OneComparison(OfRelease):
    """Two submissions on the same pairs. Asking for it is a write; reading it never starts a worker."""

    known_parameters = ("against",)
    operations = {
        "GET": Operation("get_comparison", TAG, {200: ComparisonShape}, parameters=AGAINST),
        "POST": Operation("compare_submissions", TAG, {202: ComparisonShape}, parameters=AGAINST),
    }

    def get(self, request: Request, name: str, version: str, pk: int) -> Response:
        found = submission_page.comparison_of(*self._two(name, version, pk))
        if found is None:
            raise Http404
        return Response(_comparison(found))

    def post(self, request: Request, name: str, version: str, pk: int) -> Response:
        """Twice is once: the comparison there is, is the answer."""
        one, other = self._two(name, version, pk)
        made = submissions.compare(one, other, by=request.user, now=timezone.now())
        if made.state != Comparison.State.DONE:
            tasks.compare_submissions.delay_on_commit(made.pk)
        return Response(_comparison(made), status=202)

    def _two(self, name: str, version: str, pk: int) -> tuple[Submission, Submission]:
        """Both as far as the person may see them."""
        self.release(name, version)
        one = access.submission(self.request.user, name, version, pk)
        against = self.request.query_params.get("against", "")
        if not (against.isascii() and against.isdecimal() and len(against) <= LONGEST_KEY):
            raise ParseError("Say by ?against= the id of another submission to this release.")
        return one, access.submission(self.request.user, name, version, int(against))


class Leaderboard(OfRelease):
    """The models that have a result, the most accurate first, and what stands beside them."""

    operations = {"GET": Operation("get_leaderboard", TAG, {200: LeaderboardShape})}

    def get(self, request: Request, name: str, version: str) -> Response:
        release = self.release(name, version)
        page = leaderboard.leaderboard(access.submissions(request.user, release))
        return Response(
            {
                "models": [_model(request, release, row) for row in page.lines],
                "beside": [{"key": row.key, "rate": _share(row.rate)} for row in page.beside],
            }
        )


# --- What comes in ---------------------------------------------------------------------------------------


def _content(request: Request) -> bytes:
    """No more of it than tells that it is too much."""
    files = request.FILES.getlist("file")
    if len(files) != 1 or len(request.FILES) != 1:
        raise Invalid("file_missing", "Send one file, in the part `file`.")
    content = bytearray()
    for chunk in files[0].chunks():
        content += chunk
        if len(content) > submissions.MOST_BYTES:
            break
    return bytes(content)


def _words(request: Request) -> dict[str, str]:
    found: dict[str, str] = {}
    for source in (request.query_params, request.data):
        for name in source:
            if name in WORDS:
                found[name] = source[name]
            elif name != "file":
                raise ParseError(
                    f"{capped(name)} is not known here; beside the file there are {', '.join(WORDS)}."
                )
    return {"model": "", **found}


# --- What goes out ---------------------------------------------------------------------------------------


def line(request: Request, row: Submission) -> dict[str, Any]:
    release = row.release
    return {
        "id": row.pk,
        "model": row.model,
        "family": row.family,
        "note": row.note,
        "state": row.state,
        "error": error_of(row),
        "submitted_by": row.queued_by.username if row.queued_by else None,
        "submitted_at": row.queued_at,
        "scored_at": row.finished_at if row.state == Submission.State.DONE else None,
        "published": hasattr(row, "publication"),
        "size": row.size,
        "sha256": row.sha256,
        "summary": row.summary,
        "url": _address(request, release, row.pk),
    }


def _address(request: Request, release: Release, pk: int) -> str:
    return request.build_absolute_uri(reverse("api_submission", args=[release.name, release.version, pk]))


def _comparison(row: Comparison) -> dict[str, Any]:
    return {
        "first": row.first_id,
        "second": row.second_id,
        "state": row.state,
        "error": error_of(row),
        "result": row.result,
    }


def _share(rate: leaderboard.Rate) -> Mapping[str, object]:
    return {"value": rate.value, "low": rate.low, "high": rate.high, "n": rate.n}


def _model(request: Request, release: Release, row: leaderboard.Line) -> Mapping[str, object]:
    return {
        "id": row.pk,
        "model": row.model,
        "family": row.family,
        "submitted_by": row.by,
        "accuracy": _share(row.accuracy),
        "heldout": _share(row.heldout),
        "same_in_both_orders": _share(row.consistent),
        "rank_correlation": row.correlation,
        "pairs": row.pairs,
        "ties": row.ties,
        "unanswered": row.unanswered,
        "problems": row.problems,
        "published": row.is_published,
        "url": _address(request, release, row.pk),
    }
