"""datapackage.json (Frictionless): every table with its checksum, and the columns with what may stand in them."""

import re
from collections.abc import Mapping
from typing import Any

from curation.domain.release.croissant import Facts
from curation.domain.release.described import LICENCES, Described
from curation.domain.release.tables import NUMBER, TEXT, WHOLE

TYPES = {TEXT: "string", WHOLE: "integer", NUMBER: "number"}
ODD = re.compile(r"[^-a-z0-9._/]")
RANGES = {
    "score": {"minimum": 0, "maximum": 3},
    "mean_chosen": {"minimum": 0, "maximum": 3},
    "mean_rejected": {"minimum": 0, "maximum": 3},
    "votes_for": {"minimum": 0},
    "votes_against": {"minimum": 0},
}


def document(of: Described, files: Mapping[str, Facts]) -> dict[str, object]:
    """`files` are those that anybody has. The tables of spreadsheets stand first: readers without an extension for JSON
    Lines know them."""
    known = LICENCES.get(of.licence)
    licence: dict[str, str] = {"name": known.spdx if known else of.licence}
    if known:
        licence |= {"path": known.url, "title": known.title}
    resources = [
        _resource(path, f"csv-{table.config}-{split}", "csv", files[path], table.columns)
        for table in of.tables
        for split in table.open_splits()
        if (path := f"csv/{table.config}-{split}.csv") in files
    ]
    resources += [
        _resource(table.path(split), f"{table.config}-{split}", "jsonl", files[table.path(split)], None)
        for table in of.tables
        for split in table.open_splits()
    ]
    return {
        "name": ODD.sub("-", of.name.lower()),
        "title": of.title,
        "version": of.version,
        **({"created": f"{of.date}T00:00:00Z"} if of.date else {}),
        **({"licenses": [licence]} if of.licence else {}),
        "resources": resources,
    }


def _resource(
    path: str, name: str, form: str, facts: Facts, columns: Mapping[str, str] | None
) -> dict[str, object]:
    found: dict[str, object] = {
        "name": ODD.sub("-", name),
        "path": path,
        "format": form,
        "mediatype": "text/csv" if form == "csv" else "application/jsonl",
        "encoding": "utf-8",
        "bytes": facts.bytes,
        "hash": f"sha256:{facts.sha256}",
    }
    if columns is not None:
        found |= {"type": "table", "schema": _schema(columns)}
    return found


def _schema(columns: Mapping[str, str]) -> dict[str, object]:
    fields: list[dict[str, Any]] = []
    for column, kind in columns.items():
        field: dict[str, Any] = {"name": column, "type": TYPES.get(kind, "string")}
        if column in RANGES:
            field["constraints"] = RANGES[column]
        fields.append(field)
    return {"fields": fields, **({"primaryKey": ["id"]} if "id" in columns else {})}
