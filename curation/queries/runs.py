"""Runs and releases as a lead's pages show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.domain.sentences import Said, from_text
from annotation.models import Project
from annotation.queries.jobs import error_of
from curation.models import Release, Run
from curation.queries import recipe_page
from curation.queries.recipe_page import RuleLine
from curation.queries.report_state import WAITING_TOO_LONG
from curation.queries.run_progress import Progress, progress

REASONS = {
    "identical_text": _("The two texts are the same"),
    "insufficient_overlap": _("Too few annotators scored both"),
    "no_gap": _("No side is preferred"),
    "direction": _("Too few agree on the direction"),
    "unanimity": _("Not all agree"),
    "gap": _("The gap is too small"),
    "length_ratio": _("The lengths differ too much"),
    "cap_response": _("The response stands in enough pairs"),
    "cap_prompt": _("The prompt has enough pairs"),
    "length_symmetry": _("No mirror image by length"),
    "quota": _("The quota is full"),
}
LEVELS = {"ordinal": _("Ordinal"), "interval": _("Interval"), "nominal": _("Nominal")}
UNDEFINED = {
    "empty": _("there are no scores yet"),
    "no_pairable_values": _("no response has been scored by two annotators"),
    "no_variation": _("all scores are the same"),
}


def accepted_pairs(run: Run) -> list[tuple[int, int]]:
    """The two responses of each pair that a run accepted, the older first: nothing says which was chosen."""
    rows = run.pairs.values_list("chosen", "rejected")
    return sorted((min(pair), max(pair)) for pair in rows)


@dataclass(frozen=True)
class AlphaLine:
    """Krippendorff's alpha at one level. `value` is None where it is not defined; `reason` then says why."""

    level: str
    value: float | None
    low: float | None
    high: float | None
    reason: str


@dataclass(frozen=True)
class FunnelLine:
    """What one rule took away, and what was left after it."""

    reason: str
    label: str
    rejected: int
    left: int
    percent_left: int  # of the candidates


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """A release among the others of its run."""

    name: str
    version: str
    state: str
    state_label: str
    finished_at: datetime | None
    error: str


@dataclass(frozen=True)
class RunPage:
    pk: int
    state: str
    state_label: str
    is_active: bool  # waiting or running: the page asks again
    progress: Progress | None  # of the run, while it has not ended
    waits_too_long: bool  # no worker has taken it up
    error: str
    queued_at: datetime
    finished_at: datetime | None
    recipe: str
    recipe_pk: int
    parameters: tuple[tuple[str, object], ...]
    rules: tuple[RuleLine, ...]
    code_version: str
    n_responses: int
    n_scores: int
    alpha: tuple[AlphaLine, ...]
    acceptable: float  # from these values of alpha on, the project calls agreement so
    good: float
    n_units: int
    n_raters: int
    n_pairable: int
    removed: int  # responses taken out by triage
    candidates: int
    accepted: int
    funnel: tuple[FunnelLine, ...]
    releases: tuple[ReleaseLine, ...]

    @property
    def can_be_frozen(self) -> bool:
        return self.state == Run.State.DONE and self.accepted > 0


def run_page(run: Run, *, now: datetime) -> RunPage:
    agreement, funnel, recipe = run.agreement or {}, run.funnel or {}, recipe_page.of(run.recipe)
    releases = tuple(run.releases.order_by("pk"))
    waiting = [job for job in (run, *releases) if job.state == Run.State.QUEUED]
    active = [job for job in (run, *releases) if job.state in (Run.State.QUEUED, Run.State.RUNNING)]
    return RunPage(
        pk=run.pk,
        state=run.state,
        state_label=state_label(run),
        is_active=bool(active),
        progress=progress(run),
        waits_too_long=any(now - job.queued_at > WAITING_TOO_LONG for job in waiting),
        error=error_of(run),
        queued_at=run.queued_at,
        finished_at=run.finished_at,
        recipe=f"{run.recipe.name} {run.recipe.version}",
        recipe_pk=run.recipe_id,
        parameters=tuple(
            (name, ", ".join(value) if isinstance(value, list) else value)
            for name, value in recipe.parameters().items()
        ),
        rules=recipe_page.content(recipe).rules,
        code_version=run.code_version,
        n_responses=run.snapshot.n_responses if run.snapshot else 0,
        n_scores=run.snapshot.n_scores if run.snapshot else 0,
        alpha=tuple(_alpha_line(level, agreement["alpha"][level]) for level in LEVELS) if agreement else (),
        acceptable=float(run.project.alpha_acceptable),
        good=float(run.project.alpha_good),
        n_units=agreement.get("n_units", 0),
        n_raters=agreement.get("n_raters", 0),
        n_pairable=agreement.get("n_pairable", 0),
        removed=funnel.get("removed", 0),
        candidates=funnel.get("candidates", 0),
        accepted=funnel.get("accepted", 0),
        funnel=tuple(_funnel_lines(funnel, recipe.reasons)),
        releases=tuple(map(_release_line, releases)),
    )


def state_label(run: Run) -> str:
    """A run that somebody cancelled has not failed, though its row has no state of its own for that."""
    said = from_text(run.error)
    is_cancelled = isinstance(said, Said) and said.template == "Cancelled by {name}."
    return str(_("Cancelled")) if is_cancelled else run.get_state_display()


def _release_line(release: Release) -> ReleaseLine:
    return ReleaseLine(
        name=release.name,
        version=release.version,
        state=release.state,
        state_label=release.get_state_display(),
        finished_at=release.finished_at,
        error=error_of(release),
    )


# JSON columns do not keep the order of keys on every database: levels, reasons and parameters bring their own.


def _alpha_line(level: str, found: dict) -> AlphaLine:
    reason = UNDEFINED.get(found["reason"], found["reason"] or "")
    return AlphaLine(LEVELS[level], found["value"], found["low"], found["high"], reason)


def _funnel_lines(funnel: dict, reasons: Sequence[str]) -> list[FunnelLine]:
    lines, left = [], funnel.get("candidates", 0)
    for reason in reasons if funnel else ():
        rejected = funnel["rejected"][reason]
        left -= rejected
        percent = round(100 * left / funnel["candidates"]) if funnel["candidates"] else 0
        lines.append(FunnelLine(reason, REASONS[reason], rejected, left, percent))
    return lines


def recent_runs(project: Project) -> list[Run]:
    """The newest first, each with a `state_label`."""
    found = list(Run.objects.filter(project=project).select_related("recipe").order_by("-pk")[:20])
    for run in found:
        run.state_label = state_label(run)
    return found


def releases_of(project: Project) -> QuerySet[Release]:
    return Release.objects.filter(project=project).select_related("run").order_by("-pk")


@dataclass(frozen=True)
class ReleasePage:
    project: Project
    name: str
    version: str
    frozen_at: datetime
    manifest_sha256: str
    code_version: str
    run: RunPage


def release_page(release: Release) -> ReleasePage:
    return ReleasePage(
        project=release.project,
        name=release.name,
        version=release.version,
        frozen_at=release.finished_at,
        manifest_sha256=release.manifest_sha256,
        code_version=release.run.code_version,
        run=run_page(release.run, now=release.finished_at),
    )
