"""How far a project is set up, and what comes next."""

from dataclasses import dataclass

from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain.stages import WORK
from annotation.models import Flag, Membership, Project, Response, Round
from annotation.queries.triage_counts import OF_STANDING_MATERIAL


@dataclass(frozen=True)
class Step:
    """One step from an empty project to an open round; `page` is the name of the page on which it is taken."""

    page: str
    title: str
    state: str  # what is there, in a few words
    is_done: bool


def steps(project: Project) -> list[Step]:
    """Every step in its order. A project whose first round is open or over needs none: then the list is empty."""
    # Scores from files stand in a round that was never open to anybody.
    opened = project.rounds.filter(purpose__in=WORK, opened_at__isnull=False).exclude(
        locked_at=F("opened_at")
    )
    if opened.exists():
        return []
    genres = project.genres.count()
    rubric = project.rubrics.order_by("-version").first()
    responses = project.responses.filter(state=Response.State.ACTIVE).count()
    flags = open_flags(project)
    members = project.memberships.filter(state=Membership.State.ACTIVE)
    annotators = members.filter(role=Membership.Role.ANNOTATOR).count()
    drafts = project.rounds.filter(purpose__in=WORK, state=Round.State.DRAFT).count()
    needed = project.annotators_per_response
    return [
        Step("genres", _("Genres"), _genres(genres), genres > 0),
        Step(
            "rubric", _("Rubric and guideline"), _rubric(rubric.version if rubric else 0), rubric is not None
        ),
        Step("imports", _("Texts"), _texts(responses), responses > 0),
        Step("triage", _("Triage"), _flags(flags), responses > 0 and flags == 0),
        Step("people", _("Annotators"), _annotators(annotators, needed), annotators >= needed),
        Step("rounds", _("A round"), _drafts(drafts), False),
    ]


def open_flags(project: Project) -> int:
    """How many flags wait for a decision, on what is there for people to see."""
    return project.flags.filter(OF_STANDING_MATERIAL, state=Flag.State.OPEN).count()


def _genres(n: int) -> str:
    return ngettext("%(n)d genre", "%(n)d genres", n) % {"n": n} if n else _("none yet")


def _rubric(version: int) -> str:
    return _("version %(version)d") % {"version": version} if version else _("none yet")


def _texts(n: int) -> str:
    return ngettext("%(n)d response", "%(n)d responses", n) % {"n": n} if n else _("none yet")


def _flags(n: int) -> str:
    return ngettext("%(n)d open flag", "%(n)d open flags", n) % {"n": n} if n else _("no open flags")


def _annotators(n: int, needed: int) -> str:
    return _("%(n)d of at least %(needed)d") % {"n": n, "needed": needed}


def _drafts(n: int) -> str:
    return ngettext("%(n)d draft", "%(n)d drafts", n) % {"n": n} if n else _("none yet")
