"""The requirements of prompts: which prompts have how many of which kind, and whether they may still be changed."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.models import Assignment, Project, Prompt, Ranking, Requirement, Response, Round
from annotation.queries.people import language_name
from annotation.queries.rubrics import name_of
from authoring.domain.countable import Check, Measure
from authoring.models import ModelRequest, Plan, RequirementCheck
from authoring.queries.plan_prompts import standing

A_PAGE = 50
OPENING = 140  # characters of a prompt in the list
KINDS: Mapping[str, Promise] = {
    "content": pgettext_lazy("kind of requirement", "Content"),
    "style": pgettext_lazy("kind of requirement", "Style"),
    "format": pgettext_lazy("kind of requirement", "Format"),
    "length": pgettext_lazy("kind of requirement", "Length"),
    "": gettext_lazy("Not said"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A requirement as it is written; `kind` is a key of KINDS."""

    kind: str
    text: str
    check: Check | None = None


def rows_of(prompt: Prompt) -> tuple[Row, ...]:
    found = prompt.requirements.select_related("check_by_program").order_by("position")
    return tuple(Row(each.kind, each.text, check_of(each)) for each in found)


def check_of(requirement: Requirement) -> Check | None:
    stored = getattr(requirement, "check_by_program", None)
    if stored is None:
        return None
    return Check(cast(Measure, stored.measure), stored.least, stored.most, stored.string)


# --- Whether they may be changed -----------------------------------------------------------------


def in_use(prompt: Prompt) -> str:
    """Why the requirements stand as they are, with what could be done; "" where they may be changed."""
    if Response.kept_requirements.through.objects.filter(requirement__prompt=prompt).exists():
        return _(
            "Responses were written to these requirements, so they stay as they are. "
            "For other requirements, make another prompt."
        )
    if Ranking.objects.filter(prompt=prompt).exists():
        return _(
            "Responses to this prompt have been ranked, so its requirements stay as they are. "
            "For other requirements, make another prompt."
        )
    return _of_plans(prompt) or _of_rounds(prompt)


def _of_plans(prompt: Prompt) -> str:
    asked = ModelRequest.objects.filter(prompt=prompt, plan__kind=Plan.Kind.DROPOUT)
    held = asked.exclude(state=ModelRequest.State.CANCELLED).select_related("plan").order_by("pk").first()
    if held is None:
        return ""
    if held.plan.state == Plan.State.DRAFT:
        message = _(
            "The draft of the plan %(name)s was made from these requirements. Remove the draft first."
        )
    else:
        message = _(
            "The plan %(name)s asks models for responses to these requirements. "
            "Cancel it, or make another prompt for other requirements."
        )
    return message % {"name": held.plan.name}


def _of_rounds(prompt: Prompt) -> str:
    """Annotators of an open round may have the list before them."""
    held = Round.objects.filter(
        Exists(Assignment.objects.filter(round=OuterRef("pk"), prompt=prompt)),
        kind=Round.Kind.RANKINGS,
        instruction=Round.Instruction.REQUIREMENTS,
        state__in=[Round.State.OPEN, Round.State.PAUSED],
    ).first()
    if held is None:
        return ""
    message = _("Annotators rank by these requirements in the round %(name)s. Lock the round first.")
    return message % {"name": held.name}


# --- The list ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Filter:
    """`having` is "with" or "without" requirements, "" for either."""

    genre: str = ""
    having: str = ""

    @property
    def query(self) -> str:
        """As an address carries it; "" for no filter."""
        parts = {"genre": self.genre, "having": self.having}
        return urlencode({name: value for name, value in parts.items() if value})

    @property
    def is_set(self) -> bool:
        return bool(self.genre or self.having)


@dataclass(frozen=True, slots=True)
class Line:
    pk: int
    name: str
    opening: str
    genre: str
    language: str
    requirements: int
    kinds: str  # with how many of each
    checks: int
    has_order: bool  # a dropout has given responses


def read_filter(given: Mapping[str, str], *, genres: Collection[str]) -> Filter:
    """The filter of an address. What is none of the offered values asks for nothing."""
    genre, having = given.get("genre", ""), given.get("having", "")
    return Filter(genre if genre in genres else "", having if having in ("with", "without") else "")


def page(project: Project, wanted: Filter, number: str, *, language: str) -> Page[Line]:
    """`language` is that of the reader."""
    shown = Paginator(_chosen(project, wanted).order_by("external_id", "pk"), A_PAGE).get_page(number)
    prompts = list(shown.object_list)
    kinds, checks = _counted(prompts)
    ordered = set(with_order(prompts))
    shown.object_list = [
        _line(prompt, kinds[prompt.pk], checks[prompt.pk], prompt.pk in ordered, language)
        for prompt in prompts
    ]
    return shown


def _chosen(project: Project, wanted: Filter) -> QuerySet[Prompt]:
    found = standing(project).select_related("genre")
    if wanted.genre:
        found = found.filter(genre__key=wanted.genre) | found.filter(genre__parent__key=wanted.genre)
    if wanted.having:
        there = Exists(Requirement.objects.filter(prompt=OuterRef("pk")))
        found = found.filter(there if wanted.having == "with" else ~there)
    return found


def _counted(prompts: Sequence[Prompt]) -> tuple[dict[int, Counter[str]], Counter[int]]:
    """By prompt: how many requirements of each kind, and how many that a program checks."""
    kinds: dict[int, Counter[str]] = {prompt.pk: Counter() for prompt in prompts}
    for prompt, kind in Requirement.objects.filter(prompt__in=prompts).values_list("prompt", "kind"):
        kinds[prompt][kind] += 1
    checked = RequirementCheck.objects.filter(requirement__prompt__in=prompts)
    return kinds, Counter(checked.values_list("requirement__prompt", flat=True))


def with_order(prompts: Sequence[Prompt]) -> QuerySet[ModelRequest, int]:
    """Keys of those to which a dropout has given responses."""
    asked = ModelRequest.objects.filter(plan__kind=Plan.Kind.DROPOUT, response__isnull=False)
    return asked.filter(prompt__in=prompts).order_by().values_list("prompt", flat=True).distinct()


def _line(prompt: Prompt, kinds: Counter[str], checks: int, has_order: bool, language: str) -> Line:
    told = [f"{KINDS.get(kind, kind)} {kinds[kind]}" for kind in [*KINDS, *kinds] if kinds[kind]]
    opening = " ".join(prompt.text.split())
    return Line(
        pk=prompt.pk,
        name=prompt.external_id,
        opening=f"{opening[:OPENING].rstrip()}…" if len(opening) > OPENING else opening,
        genre=name_of(prompt.genre, language) if prompt.genre else "",
        language=language_name(prompt.language) if prompt.language else "",
        requirements=kinds.total(),
        kinds=" · ".join(dict.fromkeys(told)),
        checks=checks,
        has_order=has_order,
    )
