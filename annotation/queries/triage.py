"""The triage queue: which flagged prompts and responses a page shows, and in which order.

The newest import comes first, within it what has most flags. A page starts at a place in that order, not at a
number, so that a decision on it moves nothing that comes after.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.domain import triage
from annotation.models import Flag, Import, Project, Prompt, Response
from annotation.queries.imports import said_of
from annotation.queries.people import language_name, primary_subtag
from annotation.queries.rubrics import genre_names, reader_language

ITEMS_A_PAGE = 25
BY_CHECK, BY_ANNOTATOR = "check", "annotator"  # of a flag; the second is the check_key of such flags too
NOT_KNOWN = "-"  # a prompt without a language
STATES = {
    "open": gettext_lazy("To be decided"),
    "kept": gettext_lazy("Kept"),
    "removed": gettext_lazy("Removed"),
    "all": gettext_lazy("Decided or not"),
}
OPEN = Flag.State.OPEN
# Material of an import that is being stored or undone is not there for anybody.
STANDING = Q(source=None) | Q(source__state=Import.State.STORED)

Choices = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Filter:
    """What of the queue is asked for; "" for anything."""

    raised: str = ""  # BY_CHECK, BY_ANNOTATOR or the key of a check
    language: str = ""  # primary subtag, or NOT_KNOWN
    genre: str = ""  # key of a category, with its types, or of a type
    state: str = "open"

    @property
    def is_set(self) -> bool:
        return self != Filter()

    @property
    def query(self) -> str:
        """As an address carries it; "" for no filter."""
        given = {"raised": self.raised, "language": self.language, "genre": self.genre}
        if self.state != "open":
            given["state"] = self.state
        return urlencode({name: value for name, value in given.items() if value})


@dataclass(frozen=True, slots=True)
class Offered:
    """What the filter's selects offer, as (value, label)."""

    checks: Choices
    languages: Choices
    genres: Choices


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where an item stands in the queue; the smaller comes first."""

    newness: int  # of its import, negative; 0 without one
    doubts: int  # how many flags, negative
    is_response: bool
    pk: int

    def __str__(self) -> str:
        return f"{-self.newness}-{-self.doubts}-{'r' if self.is_response else 'p'}-{self.pk}"

    @property
    def anchor(self) -> str:
        return f"{'response' if self.is_response else 'prompt'}-{self.pk}"


@dataclass(frozen=True, slots=True)
class Page:
    places: tuple[Place, ...]
    previous: Place | None  # where the page before starts
    next: Place | None


PLACE = re.compile(r"([0-9]{1,18})-([0-9]{1,9})-([pr])-([0-9]{1,18})")
ANCHOR = re.compile(r"(response|prompt)-([0-9]{1,18})")


# --- What an address says ------------------------------------------------------------------------


def offered(project: Project) -> Offered:
    genres = set(project.prompts.values_list("genre__key", "genre__parent__key").distinct())
    used = {key for pair in genres for key in pair if key}
    tags = project.prompts.values_list("language", flat=True).distinct()
    languages = {primary_subtag(tag) or NOT_KNOWN for tag in tags}
    return Offered(
        checks=[(check.key, said_of(check.name)) for check in triage.CHECKS],
        languages=sorted(
            (code, _("Not known") if code == NOT_KNOWN else language_name(code)) for code in languages
        ),
        genres=[(one.key, one.name) for one in genre_names(project, reader_language()) if one.key in used],
    )


def read_filter(given: Mapping[str, str], offered: Offered) -> Filter:
    """The filter of an address. What is none of the offered values asks for nothing."""
    raised, state = given.get("raised", ""), given.get("state", "")
    raisers = {BY_CHECK, BY_ANNOTATOR, *dict(offered.checks)}
    return Filter(
        raised=raised if raised in raisers else "",
        language=_one_of(given.get("language", ""), offered.languages),
        genre=_one_of(given.get("genre", ""), offered.genres),
        state=state if state in STATES else "open",
    )


def _one_of(value: str, choices: Choices) -> str:
    return value if value in dict(choices) else ""


def read_place(text: str) -> Place | None:
    found = PLACE.fullmatch(text)
    if found is None:
        return None
    newness, doubts, letter, pk = found.groups()
    return Place(-int(newness), -int(doubts), letter == "r", int(pk))


def read_anchor(text: str) -> tuple[bool, int] | None:
    """(is a response, primary key) of what an anchor names."""
    found = ANCHOR.fullmatch(text)
    return (found[1] == "response", int(found[2])) if found else None


# --- Which items ---------------------------------------------------------------------------------


def page(project: Project, wanted: Filter, start: Place | None) -> Page:
    """The page that starts at a place, or at the next item where there is none at it any more."""
    part = _part(project, wanted, start)
    earlier = _part(project, wanted, start, backwards=True) if start else []
    return Page(
        places=tuple(part[:ITEMS_A_PAGE]),
        previous=earlier[:ITEMS_A_PAGE][-1] if earlier else None,
        next=part[ITEMS_A_PAGE] if len(part) > ITEMS_A_PAGE else None,
    )


def waiting(project: Project) -> str:
    """How many responses and prompts have a flag that nobody has decided on, in words; "" for none."""
    n_responses, n_prompts = _responses(project, Filter()).count(), _prompts(project, Filter()).count()
    if not (n_responses or n_prompts):
        return ""
    responses = ngettext("%(n)d response", "%(n)d responses", n_responses) % {"n": n_responses}
    prompts = ngettext("%(n)d prompt", "%(n)d prompts", n_prompts) % {"n": n_prompts}
    if n_responses and n_prompts:
        return _("To be decided: %(responses)s and %(prompts)s.") % {
            "responses": responses,
            "prompts": prompts,
        }
    return _("To be decided: %(what)s.") % {"what": responses if n_responses else prompts}


def _part(project: Project, wanted: Filter, start: Place | None, *, backwards: bool = False) -> list[Place]:
    """One place more than a page has: from the start on, or backwards from what stands before it."""
    of_responses = _places(_responses(project, wanted), wanted, True, start, backwards)
    of_prompts = _places(_prompts(project, wanted), wanted, False, start, backwards)
    return sorted([*of_responses, *of_prompts], reverse=backwards)[: ITEMS_A_PAGE + 1]


def _responses(project: Project, wanted: Filter) -> QuerySet[Response]:
    flags = Flag.objects.filter(project=project, response__isnull=False)
    raised = flags.filter(_raised(wanted.raised))
    found = project.responses.filter(STANDING, _asked("prompt__", wanted))
    if wanted.state == "open":
        return found.filter(pk__in=raised.filter(state=OPEN).values("response"))
    flagged = found.filter(pk__in=raised.values("response"))
    if wanted.state == "kept":
        # By the response alone: with the project, SQLite would go through all open flags for each response.
        undecided = Flag.objects.filter(state=OPEN, response=OuterRef("pk"))
        return flagged.filter(~Exists(undecided), state=Response.State.ACTIVE)
    # All responses to a prompt may be removed, also those that nobody flagged.
    removed = (flagged if wanted.raised else found).filter(state=Response.State.REMOVED)
    return removed if wanted.state == "removed" else flagged | removed


def _prompts(project: Project, wanted: Filter) -> QuerySet[Prompt]:
    flags = Flag.objects.filter(project=project, prompt__isnull=False)
    raised = flags.filter(_raised(wanted.raised))
    if wanted.state in Flag.State.values:
        raised = raised.filter(state=wanted.state)
    return project.prompts.filter(STANDING, _asked("", wanted), pk__in=raised.values("prompt"))


def _raised(by: str) -> Q:
    if by == BY_CHECK:
        return ~Q(check_key=BY_ANNOTATOR)
    return Q(check_key=by) if by else Q()


def _asked(prompt: str, wanted: Filter) -> Q:
    """Of prompts whose columns stand under `prompt`, those of the wanted language and genre."""
    asked = Q()
    if wanted.language == NOT_KNOWN:
        asked &= Q(**{f"{prompt}language": ""})
    elif wanted.language:
        exactly, variant = f"{prompt}language__iexact", f"{prompt}language__istartswith"
        asked &= Q(**{exactly: wanted.language}) | Q(**{variant: f"{wanted.language}-"})
    if wanted.genre:
        own, above = f"{prompt}genre__key", f"{prompt}genre__parent__key"
        asked &= Q(**{own: wanted.genre}) | Q(**{above: wanted.genre})
    return asked


def _places(
    found: QuerySet[Any], wanted: Filter, is_response: bool, start: Place | None, backwards: bool
) -> list[Place]:
    counted = Q(flags__state=OPEN) if wanted.state == "open" else Q()
    found = found.annotate(newness=0 - Coalesce(F("source_id"), 0)).values("newness", "pk")
    found = found.annotate(doubts=0 - Count("flags", filter=counted))
    if start is not None:
        found = found.filter(_before(start, is_response) if backwards else ~_before(start, is_response))
    order = ("newness", "doubts", "pk")
    ordered = found.order_by(*(f"-{column}" for column in order) if backwards else order)
    rows = ordered.values_list(*order)[: ITEMS_A_PAGE + 1]
    return [Place(newness, doubts, is_response, pk) for newness, doubts, pk in rows]


def _before(place: Place, is_response: bool) -> Q:
    """Items of a kind that stand before the place."""
    level = Q(newness=place.newness, doubts=place.doubts)
    before = Q(newness__lt=place.newness) | Q(newness=place.newness, doubts__lt=place.doubts)
    if is_response == place.is_response:
        return before | level & Q(pk__lt=place.pk)
    # Prompts stand before the responses that have as many flags.
    return before | level if place.is_response else before
