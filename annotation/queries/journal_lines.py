"""Entries of the journal in words: ids become names, values become what a reader calls them."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from annotation.domain.sentences import Said, from_text
from annotation.models import Genre, JournalEntry, Membership, Project, Response, Score, Stage, User
from annotation.queries import work_time
from annotation.queries.journal_sentences import SETTINGS, sentence
from annotation.queries.people import language_name, person_name
from annotation.queries.rounds import shown_name

# What no page shows, should it ever come into an entry.
HIDDEN = re.compile(r"password|token|secret|digest|external|_key$", re.IGNORECASE)
# Which table a number, or the key of a genre, under a name of an entry's data belongs to.
TABLE_OF = {
    "user": "user",
    "member": "member",
    "annotator": "member",
    "round": "round",
    "from_round": "round",
    "to_round": "round",
    "scored": "round",
    "subject": "import",
    "invitation": "invitation",
    "response": "response",
    "prompt": "prompt",
    "genre": "genre",
}
LABELS: dict[str, Mapping[str, str | Promise]] = {
    "role": dict(Membership.Role.choices),
    "kind": dict(Response.RemovalKind.choices),
    "standing": dict(Score.Standing.choices),
    "from_stage": dict(Stage.choices),
    "to_stage": dict(Stage.choices),
}
# Actions whose data are the changed columns, each with its old and its new value.
OF_CHANGES = {"preparation.changed", "project.changed", "genre.renamed", "round.changed"}


@dataclass(frozen=True, slots=True)
class Line:
    """An entry as the page shows it."""

    pk: int
    at: datetime
    who: str  # "" for a command or a job
    text: str  # "" for an action without a sentence
    action: str
    active: str  # time at work on a judgement, in words; "" where no page has counted it
    details: tuple[tuple[str, str], ...]


def in_words(project: Project, entries: Sequence[JournalEntry]) -> list[Line]:
    """One line an entry, in one query a table however many entries there are."""
    names = _names(project, entries)
    return [_line(entry, names) for entry in entries]


# --- Ids -----------------------------------------------------------------------------------------

Names = Mapping[tuple[str, object], str]


def _names(project: Project, entries: Iterable[JournalEntry]) -> Names:
    """The name of each row that the entries speak of, as far as it belongs to the project."""
    wanted: dict[str, set[object]] = defaultdict(set)
    for entry in entries:
        for key, value in entry.data.items():
            if _is_reference(key, value):
                wanted[TABLE_OF[key]].add(value)
    found: dict[tuple[str, object], str] = {}
    for table, keys in wanted.items():
        rows, column, name = _table(project, table)
        chosen = rows.filter(**{f"{column}__in": keys})
        found.update({(table, getattr(row, column)): name(row) for row in chosen})
    return found


def _is_reference(key: str, value: object) -> bool:
    return key in TABLE_OF and isinstance(value, str if key == "genre" else int)


def _table(project: Project, table: str) -> tuple[QuerySet[Any], str, Callable[[Any], str]]:
    """Rows of the project, the column that entries name them by, and what a reader calls one."""
    tables: dict[str, tuple[QuerySet[Any], str, Callable[[Any], str]]] = {
        "user": (User.objects.filter(memberships__project=project), "pk", person_name),
        "member": (project.memberships.select_related("user"), "pk", lambda one: person_name(one.user)),
        "round": (project.rounds.all(), "pk", lambda one: shown_name(one.name)),
        "import": (project.imports.all(), "pk", lambda one: _file_names(one.files)),
        "invitation": (project.invitations.all(), "pk", lambda one: one.full_name or one.email),
        "response": (project.responses.only("external_id"), "pk", lambda one: one.external_id),
        "prompt": (project.prompts.only("external_id"), "pk", lambda one: one.external_id),
        "genre": (project.genres.all(), "key", _genre_name),
    }
    return tables[table]


def _genre_name(genre: Genre) -> str:
    is_chinese = (get_language() or "").startswith("zh")
    return (genre.name_zh if is_chinese else "") or genre.name_en


def _file_names(files: Iterable[object]) -> str:
    names = (file.get("name", "") if isinstance(file, dict) else file for file in files)
    return _listed(str(name) for name in names)


def _listed(parts: Iterable[str]) -> str:
    return pgettext("between the items of a list", ", ").join(parts)


# --- Values --------------------------------------------------------------------------------------


def _line(entry: JournalEntry, names: Names) -> Line:
    data = sorted(entry.data.items())  # PostgreSQL keeps no order of its own
    said = {key: _value(key, value, names) for key, value in data if value not in (None, "")}
    changes = [key for key, value in data if _is_change(entry.action, value)]
    if changes:
        said["changed"] = _listed(str(SETTINGS.get(key, key)) for key in changes)
    return Line(
        pk=entry.pk,
        at=entry.at,
        who=person_name(entry.actor) if entry.actor else "",
        text=sentence(entry.action, said),
        action=entry.action,
        active=_time(entry.data.get("active")),
        details=tuple((key, _detail(key, value, names, is_change=key in changes)) for key, value in data),
    )


def _time(active: object) -> str:
    return work_time.briefly(active) if isinstance(active, int) else ""


def _is_change(action: str, value: object) -> bool:
    return action in OF_CHANGES and isinstance(value, list) and len(value) == 2


def _value(key: str, value: object, names: Names) -> str:
    """As a sentence says it."""
    if _is_reference(key, value):
        return names.get((TABLE_OF[key], value), _unnamed(value))
    if key in LABELS:
        # Lower case within an English sentence; Chinese has none.
        return str(LABELS[key].get(str(value), value)).lower()
    if key == "languages" and isinstance(value, list):
        return _listed(language_name(str(code)) for code in value) or pgettext("language", "any")
    if key == "files" and isinstance(value, list):
        return _file_names(value)
    return _plain(value)


def _detail(key: str, value: object, names: Names, *, is_change: bool) -> str:
    """As the table of details shows it: with the id beside the name."""
    if HIDDEN.search(key):
        return _("not shown")
    if is_change and isinstance(value, list):
        return " → ".join(_plain(part) for part in value)
    if _is_reference(key, value):
        return f"{names.get((TABLE_OF[key], value), '–')} ({_unnamed(value)})"
    return _plain(value)


def _unnamed(reference: object) -> str:
    return reference if isinstance(reference, str) else f"#{reference}"


def _plain(value: object) -> str:
    if isinstance(value, str) and isinstance(sentence := from_text(value), Said):
        return _(sentence.template).format(**sentence.values)
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, list) and all(isinstance(part, str | int | float) for part in value):
        return _listed(str(part) for part in value)
    if isinstance(value, dict | list | bool):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value)
