"""REST: the numbers of the pages on agreement and progress, for notebooks of whoever leads the project.

They are live, unlike a release, so the doors are those of the pages. What a worker computed last is given; a POST asks
for it anew. Annotators go by their pseudonyms, rounds by their names.
"""

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_vary_headers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access
from annotation.models import Project
from api import choices
from api.base import View, WhateverIsAccepted
from api.errors import refusal
from api.tables import TABLES
from curation import tasks
from curation.domain.choice import Choice
from curation.domain.version import VERSION
from curation.models import Report
from curation.queries import report_state
from curation.queries.report_state import ReportState
from curation.services import reports

Json = Mapping[str, Any]
# What is told of a report: the head of the answer, the result, and the digest of the snapshot it stands on.
Tell = Callable[[Json, Json, str], HttpResponseBase]

ASK_AGAIN_AFTER = "2"  # seconds


class Agreement(View):
    known_parameters = choices.PARAMETERS

    def get(self, request: Request, slug: str) -> HttpResponseBase:
        project = access.led_project(request.user, slug)
        return _newest_done(request, project, choices.of_query(project, request.query_params), _agreement)

    def post(self, request: Request, slug: str) -> Response:
        """Asks a worker for it. The choice stands in the address, or as a JSON object in the body."""
        project = access.led_project(request.user, slug)
        given = request.data
        if given and request.query_params:
            raise ParseError("Give the choice in the address or in the body, not in both.")
        if isinstance(given, dict) and not given:
            choice = choices.of_query(project, request.query_params)
        else:
            choice = choices.of_object(project, given)
        now = timezone.now()
        with transaction.atomic():
            report = reports.request(project, choice=choice, by=request.user, now=now)
            tasks.compute_report.delay_on_commit(report.pk)
        head = _head(request, project, choice, report_state.state(project, choice, now=now))
        return Response(head, status=202, headers={"Location": head["url"]})


class AgreementTable(View):
    content_negotiation_class = WhateverIsAccepted
    known_parameters = choices.PARAMETERS

    def get(self, request: Request, slug: str, name: str) -> HttpResponseBase:
        project = access.led_project(request.user, slug)
        table = TABLES.get(name)
        if table is None:
            there = f"There is no such table. There are: {', '.join(TABLES)}."
            return refusal("no_such_table", there, status=404)

        def tell(head: Json, result: Json, digest: str) -> HttpResponse:
            return HttpResponse(table.csv(result), content_type="text/csv; charset=utf-8")

        return _newest_done(request, project, choices.of_query(project, request.query_params), tell)


class Progress(View):
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Of the whole project: it comes with the report of everything."""
        project = access.led_project(request.user, slug)
        return _newest_done(request, project, Choice(), _progress)


# --- What goes out -----------------------------------------------------------------------------------


def _agreement(head: Json, result: Json, digest: str) -> Response:
    told = {name: value for name, value in result.items() if name != "progress"}
    return Response({**head, "snapshot": digest, "result": told})


def _progress(head: Json, result: Json, digest: str) -> Response:
    of_all = {name: value for name, value in head.items() if name not in ("choice", "url", "tables")}
    return Response({**of_all, "snapshot": digest, "progress": _with_names(result["progress"])})


def _with_names(found: Json) -> Json:
    """Rounds in which somebody has texts left go by their names, and the keys that pages follow stay inside."""
    names = {each["pk"]: each["name"] for each in found["rounds"]}
    return {
        **found,
        "rounds": [_without_key(each) for each in found["rounds"]],
        "run": found["run"] and _without_key(found["run"]),
        "people": [
            {**person, "left_in": [names[pk] for pk in person["left_in"] if pk in names]}
            for person in found["people"]
        ],
    }


def _without_key(row: Json) -> Json:
    return {name: value for name, value in row.items() if name != "pk"}


def _newest_done(request: Request, project: Project, choice: Choice, tell: Tell) -> HttpResponseBase:
    """The newest done report of the choice, in the way it is told here; 404 before the first.

    Whoever holds it already, by its ETag, is told so before it is read.
    """
    state = report_state.state(project, choice, now=timezone.now())
    head = _head(request, project, choice, state)
    if state.report is None:
        return _nothing_yet(state, head)
    etag = _etag(request, state.report, head)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        kept = Report.objects.filter(pk=state.report.pk).values_list("result", "snapshot__digest").first()
        if kept is None:  # a newer one took its place at this moment
            return _newest_done(request, project, choice, tell)
        response = tell(head, *kept)
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"  # kept by the one who asks, who asks again each time
    patch_vary_headers(response, ["Authorization"])
    return response


def _head(request: Request, project: Project, choice: Choice, state: ReportState) -> dict[str, Any]:
    chosen = choices.shown(project, choice)
    query = choices.as_query(chosen)
    report = state.report

    def address(name: str, *place: str) -> str:
        return request.build_absolute_uri(reverse(name, args=[project.slug, *place]) + query)

    return {
        "project": project.slug,
        "choice": chosen,
        "url": address("api_agreement"),
        "tables": {name: address("api_agreement_table", name) for name in TABLES},
        "as_of": report and report.as_of,
        "code_version": report and report.code_version,
        "newest": _newest(state),
    }


def _newest(state: ReportState) -> Json | None:
    """Where the computation that was asked for last stands; None where none was."""
    newest = state.newest
    return newest and {
        "state": newest.state,
        "percent": newest.percent_done,
        "asked_at": newest.queued_at,
        "finished_at": newest.finished_at,
        "waits_too_long": state.waits_too_long,
        "error": state.error or None,
    }


def _nothing_yet(state: ReportState, head: Json) -> Response:
    ask = f"POST to {head['url']} asks a worker for it"
    if state.newest is None:
        code, message = "not_computed", f"Nothing has been computed of this choice yet. {ask}."
    elif state.error:
        code, message = "computation_failed", f"The computation failed. {state.error} {ask} once more."
    elif state.waits_too_long:
        code = "not_computed_yet"
        message = "No worker has taken it up. See whether the Celery worker is running; the job is kept."
    else:
        running = state.newest.state == Report.State.RUNNING
        at = f"A worker is at it: {state.percent} %." if running else "It waits for a worker."
        code, message = "not_computed_yet", f"{at} Ask again in a few seconds."
    response = refusal(code, message, status=404, newest=head["newest"])
    if state.is_active:
        response["Retry-After"] = ASK_AGAIN_AFTER
    return response


def _etag(request: Request, report: Report, head: Json) -> str:
    told = json.dumps([VERSION, request.path, report.pk, head], default=str)
    return f'"{sha256(told.encode()).hexdigest()}"'
