"""What triage did, counted from the rows each time: by check, by kind of removal, and in all."""

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotation.domain import triage
from annotation.models import Flag, Import, Project, Response
from annotation.queries.imports import said_of
from annotation.queries.triage import BY_ANNOTATOR, STANDING

STORED = Import.State.STORED
OF_STANDING_MATERIAL = (
    Q(response__source__state=STORED)
    | Q(prompt__source__state=STORED)
    | Q(response__source=None, prompt__source=None)
)
# A removal that was taken back removed nothing in the end.
REMOVED = Q(state=Flag.State.REMOVED) & (Q(response=None) | Q(response__state=Response.State.REMOVED))


@dataclass(frozen=True, slots=True)
class CheckCount:
    """Flags of one check, or of annotators. flagged = open + kept + removed."""

    key: str
    name: str
    meaning: str
    flagged: int
    open: int
    removed: int

    @property
    def kept(self) -> int:
        return self.flagged - self.open - self.removed


@dataclass(frozen=True, slots=True)
class Counts:
    checks: tuple[CheckCount, ...]  # those that flagged something
    kinds: tuple[tuple[str, int], ...]  # (label, responses removed)
    responses: int  # removed ones too
    removed: int

    @property
    def percent(self) -> float:
        """Share of all responses that is removed; 0 where there are none."""
        return 100 * self.removed / self.responses if self.responses else 0.0


def counts(project: Project) -> Counts:
    states = (
        project.responses.filter(STANDING)
        .exclude(state=Response.State.INCOMING)
        .order_by()
        .values_list("state", "removed_kind")
        .annotate(n=Count("pk"))
    )
    rows = list(states)
    removed = {kind: n for state, kind, n in rows if state == Response.State.REMOVED}
    return Counts(
        checks=_by_check(project),
        kinds=tuple(
            (str(label), removed[key]) for key, label in Response.RemovalKind.choices if key in removed
        ),
        responses=sum(n for _state, _kind, n in rows),
        removed=sum(removed.values()),
    )


def _by_check(project: Project) -> tuple[CheckCount, ...]:
    flags = Flag.objects.filter(OF_STANDING_MATERIAL, project=project).order_by().values("check_key")
    rows = flags.annotate(
        flagged=Count("pk"),
        n_open=Count("pk", filter=Q(state=Flag.State.OPEN)),
        n_removed=Count("pk", filter=REMOVED),
    )
    found = {row["check_key"]: row for row in rows}
    named = [(check.key, said_of(check.name), said_of(check.meaning)) for check in triage.CHECKS]
    named.append((BY_ANNOTATOR, _("Annotators"), _("Somebody who had the text in hand flagged it.")))
    return tuple(
        CheckCount(
            key=key,
            name=name,
            meaning=meaning,
            flagged=found[key]["flagged"],
            open=found[key]["n_open"],
            removed=found[key]["n_removed"],
        )
        for key, name, meaning in named
        if key in found
    )
