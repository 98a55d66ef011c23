"""The prompts a round may ask about, with what filters can tell of them."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotation.domain.prompt_selection import UNKNOWN, Filters, PromptFacts, Selected, select
from annotation.models import Assignment, Project, Response, Round
from annotation.queries.people import language_name
from annotation.queries.rubrics import genre_names

NAMES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a filter, and how many prompts with responses it holds."""

    key: str
    name: str
    prompts: int
    is_type: bool = False


def facts(project: Project) -> list[PromptFacts]:
    """Every prompt of the project, in the order in which they came."""
    live = _in_live_rounds(project)
    rows = (
        project.prompts.order_by("pk")
        .annotate(active=Count("responses", filter=Q(responses__state=Response.State.ACTIVE)))
        .values_list("pk", "external_id", "language", "genre__key", "genre__parent__key", "active")
    )
    return [
        PromptFacts(pk, name, language, genre or "", macro or "", active, pk in live)
        for pk, name, language, genre, macro, active in rows.iterator()
    ]


def _in_live_rounds(project: Project) -> set[int]:
    """A round of imported scores has assignments alone, a draft has prompts alone."""
    chosen = Round.prompts.through.objects.filter(round__project=project, round__purpose=Round.Purpose.LIVE)
    asked = Assignment.objects.filter(round__project=project, round__purpose=Round.Purpose.LIVE)
    return {
        *chosen.values_list("prompt", flat=True),
        *asked.values_list("response__prompt", flat=True).distinct(),
    }


def selected(project: Project, filters: Filters) -> Selected:
    return select(facts(project), filters)


def language_choices(prompts: list[PromptFacts]) -> list[Choice]:
    counted = Counter(prompt.language_key for prompt in prompts if prompt.responses)
    return [
        Choice(key, _("Not known") if key == UNKNOWN else language_name(key), counted[key])
        for key in sorted(counted, key=lambda key: (key == UNKNOWN, -counted[key], key))
    ]


def genre_choices(project: Project, prompts: list[PromptFacts], *, language: str) -> list[Choice]:
    """Categories and their types in the project's order, as far as prompts are of them; names in `language`."""
    counted = Counter(key for prompt in prompts if prompt.responses for key in prompt.genre_keys)
    choices = [
        Choice(genre.key, genre.name, counted[genre.key], genre.is_type)
        for genre in genre_names(project, language)
        if counted[genre.key]
    ]
    if counted[UNKNOWN]:
        choices.append(Choice(UNKNOWN, _("Without a genre"), counted[UNKNOWN]))
    return choices
