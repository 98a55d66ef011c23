"""Figures as files to take away: their numbers, or a picture of them."""

from django.http import Http404, HttpResponse

from curation.domain.charts import Table
from curation.models import AuditFigure, Figure, WhatIfFigure

FILES = ("csv", "svg", "png")
TYPES = {"csv": "text/csv; charset=utf-8", "svg": "image/svg+xml", "png": "image/png"}


def download(body: bytes, kind: str, *, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}.{kind}"'}
    return HttpResponse(body, content_type=TYPES[kind], headers=headers)


def as_file(figure: Figure | AuditFigure | WhatIfFigure, kind: str, *, name: str) -> HttpResponse:
    """Not there for a kind that there is not, and for a picture of what is a table."""
    if kind not in FILES:
        raise Http404
    content = {
        "csv": lambda: Table.from_dict(figure.content["table"]).csv().encode(),
        "svg": lambda: figure.svg,
    }
    body = bytes(figure.png) if kind == "png" else content[kind]()
    if not body:
        raise Http404
    return download(body, kind, name=name)
