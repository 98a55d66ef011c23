"""The what-ifs of a project, and what a new one begins with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from annotation.models import Project
from curation.domain.recipes import WritingPreference
from curation.models import Recipe, Run, Snapshot, WhatIf, WhatIfFigure
from curation.queries.recipe_page import PARAMETERS, in_words

MOST = 60
MOST_DIGITS = 18
FIGURES = ("funnel", "lengths", "cells", "longer")  # in the order of the page
Changes = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WhatIfLine:
    """`accepted` and `candidates` are None before a worker has computed them."""

    pk: int
    state: str
    state_label: str
    queued_at: datetime
    taken_at: datetime | None
    changes: Changes
    accepted: int | None
    candidates: int | None


def parameters_to_begin_with(project: Project, recipe: str = "") -> Mapping[str, object]:
    """Those of the recipe with this key; else of the newest of the one that a project begins with."""
    stored = Recipe.objects.filter(project=project)
    named = stored.filter(pk=int(recipe)).first() if is_key(recipe) else None
    found = named or stored.filter(name=WritingPreference.name).order_by("-version").first()
    return found.parameters if found else {}


def names_of_recipes(project: Project) -> list[str]:
    """Under which parameters can be saved, the one that a project begins with first."""
    stored = Recipe.objects.filter(project=project).order_by("name").values_list("name", flat=True)
    return [WritingPreference.name, *sorted({*stored} - {WritingPreference.name})]


def is_key(text: str) -> bool:
    """Whether it could name a row: what an address holds may be anything."""
    return text.isdecimal() and len(text) <= MOST_DIGITS


def newest_snapshot(project: Project) -> Snapshot | None:
    return Snapshot.objects.filter(project=project).defer("content").order_by("-taken_at", "-pk").first()


def snapshot_of(project: Project, key: str) -> Snapshot | None:
    """The one that a page named; the newest where it named none of the project's."""
    if is_key(key):
        named = Snapshot.objects.filter(project=project, pk=int(key)).defer("content").first()
        if named is not None:
            return named
    return newest_snapshot(project)


def lines(project: Project) -> list[WhatIfLine]:
    """The newest first."""
    return [_line(row) for row in _rows(project)]


def others(found: WhatIf) -> list[WhatIfLine]:
    """With which one can be compared: they have their numbers."""
    return [_line(row) for row in _rows(found.project) if row.pk != found.pk and row.funnel is not None]


def _rows(project: Project) -> list[WhatIf]:
    rows = WhatIf.objects.filter(project=project, same_as=None).annotate(funnel=F("result__funnel"))
    return list(rows.select_related("snapshot").defer("result", "snapshot__content").order_by("-pk")[:MOST])


def _line(row: WhatIf) -> WhatIfLine:
    return WhatIfLine(
        pk=row.pk,
        state=row.state,
        state_label=row.get_state_display(),
        queued_at=row.queued_at,
        taken_at=row.snapshot.taken_at if row.snapshot else None,
        changes=changes(row),
        accepted=row.funnel["accepted"] if row.funnel else None,
        candidates=row.funnel["candidates"] if row.funnel else None,
    )


def changes(found: WhatIf) -> Changes:
    """Parameters that are not the shipped ones, in words."""
    shipped = WritingPreference().parameters()
    return tuple(
        (str(title), in_words(name, found.parameters[name]))
        for name, title in PARAMETERS.items()
        if name in found.parameters and (name not in shipped or shipped[name] != found.parameters[name])
    )


def of_run(run: Run) -> WhatIf | None:
    """That of the run's recipe and snapshot, if there is one."""
    parameters = WritingPreference.from_parameters(run.recipe.parameters).parameters()
    there = WhatIf.objects.filter(project=run.project, snapshot=run.snapshot, same_as=None)
    rows = there.exclude(state=WhatIf.State.FAILED).defer("result").order_by("-pk")
    return next((row for row in rows[:MOST] if row.parameters == parameters), None)


def figures(found: WhatIf, *, language: str) -> list[Mapping[str, object]]:
    rows = WhatIfFigure.objects.filter(what_if=found, language=language)
    contents = dict(rows.values_list("key", "content"))
    return [contents[key] for key in FIGURES if key in contents]
