"""REST: imports of a project, for whoever leads it. The same steps as in the browser, by the same services."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from rest_framework.exceptions import ParseError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import access, tasks
from annotation.domain.field_map import FieldMap
from annotation.domain.records import InputError
from annotation.domain.sources import Shape
from annotation.errors import DomainError
from annotation.forms.field_map import refuse_unknown_columns
from annotation.forms.imports import refuse_another_check
from annotation.models import Import, ImportJob
from annotation.queries import imports as queries
from annotation.queries.jobs import error_of
from annotation.services import imports, imports_read
from api.base import View
from api.pagination import PARAMETERS, page_of
from api.parsers import parsed


class Imports(View):
    parser_classes = [MultiPartParser]

    @property
    def known_parameters(self) -> tuple[str, ...]:
        return PARAMETERS if self.request.method in ("GET", "HEAD") else ("name",)

    def get(self, request: Request, slug: str) -> Response:
        project = access.led_project(request.user, slug)
        return page_of(
            request,
            project.imports.select_related("project"),
            ordering="-created",
            allowed={"created": "pk"},
            row=lambda found: _outline(request, found),
        )

    def post(self, request: Request, slug: str) -> Response:
        """Files in the parts `file`; where there is a part `field_map`, it stands in place of the suggestion."""
        project = access.led_project(request.user, slug)
        plan = _field_map(parsed(request.data["field_map"])) if "field_map" in request.data else None
        files = [(file.name, file.chunks()) for file in request.FILES.getlist("file")]
        draft = imports.upload(project, files, by=request.user, now=timezone.now())
        if plan is not None:
            try:
                _revise(draft, field_map=plan)
            except (InputError, DomainError):
                imports.discard(draft, by=request.user, now=timezone.now())
                raise
        return Response(_whole(request, draft), status=201)


class OneImport(View):
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(_whole(request, access.led_import(request.user, slug, pk)))

    def delete(self, request: Request, slug: str, pk: int) -> Response:
        found = access.led_import(request.user, slug, pk)
        imports.discard(found, by=request.user, now=timezone.now())
        return Response(status=204)


class ImportFieldMap(View):
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """{"field_map"}, and where wanted "layout", "shape" and "keep_names". With another layout or shape the
        files are read again first."""
        found = access.led_import(request.user, slug, pk)
        given = _object(request.data, ("field_map", "layout", "shape", "keep_names"))
        with transaction.atomic():  # what is refused in the end has not read the files anew either
            if "layout" in given or "shape" in given:
                _reread(found, given)
            plan = _field_map(given["field_map"]) if "field_map" in given else imports_read.field_map(found)
            _revise(found, field_map=plan, keep_names=_boolean(given, "keep_names", found.keep_names))
        return Response(_whole(request, found))


class ImportAction(View):
    """One of check, store and undo, by a worker: the answer says what it is asked to do.

    Where a call to store names a `check`, the id of the job whose report was read, another one is refused.
    """

    action = ""

    def post(self, request: Request, slug: str, pk: int) -> Response:
        found = access.led_import(request.user, slug, pk)
        given = _object(request.data, ("leave_out_bad_rows", "check") if self.action == "store" else ())
        leave_out = _boolean(given, "leave_out_bad_rows", found.leave_out_bad_rows)
        with transaction.atomic():
            if "check" in given and found.state == Import.State.DRAFT:
                refuse_another_check(found, _whole_number(given, "check"))
            if leave_out != found.leave_out_bad_rows:
                _revise(found, field_map=imports_read.field_map(found), leave_out_bad_rows=leave_out)
            job = imports.request(found, self.action, by=request.user, now=timezone.now())
            tasks.run_import_job.delay_on_commit(job.pk)
        return Response(_whole(request, found), status=202)


# --- What comes in -----------------------------------------------------------------------------------


def _object(value: object, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ParseError("Write one JSON object.")
    unknown = sorted(set(value) - set(known))
    if unknown:
        listed = ", ".join(known) or "nothing"
        raise ParseError(f"{queries.capped(str(unknown[0]))} is not known here; this address takes {listed}.")
    return value


def _boolean(given: Mapping[str, Any], name: str, default: bool) -> bool:
    value = given.get(name, default)
    if not isinstance(value, bool):
        raise ParseError(f"{name} is true or false.")
    return value


def _whole_number(given: Mapping[str, Any], name: str) -> int:
    value = given[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParseError(f"{name} is a whole number.")
    return value


def _field_map(value: object) -> FieldMap:
    return FieldMap.from_dict(value)


def _reread(found: Import, given: Mapping[str, Any]) -> None:
    layout, shape = given.get("layout"), given.get("shape")
    if layout is not None and not isinstance(layout, str):
        raise ParseError("layout is the key of a layout.")
    if shape is not None and not isinstance(shape, dict):
        raise ParseError("shape is an object, as this address gives it.")
    _revise(
        found,
        field_map=imports_read.field_map(found),
        layout=layout,
        shape=None if shape is None else Shape.from_dict(shape),
    )


def _revise(found: Import, *, field_map: FieldMap, **changes: Any) -> None:
    reread = "layout" in changes or "shape" in changes
    if not reread:
        refuse_unknown_columns(field_map, imports_read.columns(found))
    kept = {"keep_names": found.keep_names, "leave_out_bad_rows": found.leave_out_bad_rows}
    imports.revise(found, field_map=field_map, now=timezone.now(), **{**kept, **changes})


# --- What goes out -----------------------------------------------------------------------------------


def _outline(request: Request, found: Import) -> dict[str, object]:
    path = reverse("api_import", args=[found.project.slug, found.pk])
    return {
        "id": found.pk,
        "url": request.build_absolute_uri(path),
        "project": found.project.slug,
        "state": found.state,
        "files": [{name: file[name] for name in ("name", "sha256", "size")} for file in found.files],
        "created_at": found.created_at,
        "stored_at": found.stored_at,
    }


def _whole(request: Request, found: Import) -> dict[str, object]:
    job = queries.last_job(found)
    plan = FieldMap.from_dict(found.field_map)
    read = found.state == Import.State.DRAFT
    facts = queries.import_page(found)
    return {
        **_outline(request, found),
        "shape": found.shape,
        "layout": found.layout,
        "layout_name": facts.layout,
        "notes": facts.notes,
        "columns": imports_read.columns(found) if read else [],
        "field_map": found.field_map,
        "missing": plan.gaps(),
        "keep_names": found.keep_names,
        "leave_out_bad_rows": found.leave_out_bad_rows,
        "job": _job(job) if job else None,
        "report": queries.plain_report(job.report) if job and job.report else None,
    }


def _job(job: ImportJob) -> dict[str, object]:
    names = ("id", "action", "state", "rows_read", "queued_at", "finished_at")
    return {**{name: getattr(job, name) for name in names}, "error": error_of(job)}
