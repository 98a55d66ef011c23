"""The panels of a draft: as they stand, a page at a time, and as the composer would have them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.panels import Candidate, Composition, PromptLoad, compose, meetings
from annotation.domain.reach import Reach, covers, primary
from annotation.models import Membership, Prompt, Response, Round
from annotation.queries import round_plans, rounds, stages
from annotation.queries.people import language_name, person_name
from annotation.queries.round_plans import PersonLine, PromptPlan

PROMPTS_A_PAGE = 50
NAMES_SHOWN = 10
PEEK = 80  # characters of a prompt's text


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A prompt with its seats in their order, and who could sit there: (membership, name)."""

    prompt: int
    name: str
    language: str
    peek: str
    responses: int
    seats: tuple[int | None, ...]
    choices: tuple[tuple[int, str], ...]

    @property
    def is_complete(self) -> bool:
        return None not in self.seats


@dataclass(frozen=True, slots=True)
class PanelPage:
    rows: tuple[PanelRow, ...]
    number: int
    pages: int
    prompts: int  # on all pages
    incomplete: int  # in the whole round


def panel_page(work: Round, *, number: int, only_incomplete: bool = False) -> PanelPage:
    """The prompts with active responses, PROMPTS_A_PAGE at a time. A number past the end gives the last page."""
    held = _held(work)
    every = list(_asked(work).values_list("pk", flat=True))
    incomplete = [pk for pk in every if len(held.get(pk, ())) < work.annotators_per_response]
    page = Paginator(incomplete if only_incomplete else every, PROMPTS_A_PAGE).get_page(number)
    return PanelPage(
        rows=panel_rows(work, page.object_list),
        number=page.number,
        pages=page.paginator.num_pages,
        prompts=page.paginator.count,
        incomplete=len(incomplete),
    )


def panel_rows(work: Round, prompts: Sequence[int]) -> tuple[PanelRow, ...]:
    """The rows of these prompts, as far as the round asks about them; not more than stand on a page."""
    held = _held(work)
    people = _names(work, held)
    found = _asked(work).filter(pk__in=list(prompts)[:PROMPTS_A_PAGE])
    return tuple(_row(work, prompt, held.get(prompt.pk, {}), people) for prompt in found)


def _held(work: Round) -> Mapping[int, Mapping[int, int]]:
    """In a draft the seat of somebody who has left is empty; afterwards it says whom the work was given to."""
    return rounds.seats_at_hand(work) if work.state == Round.State.DRAFT else rounds.seats(work)


def _asked(work: Round) -> QuerySet[Prompt]:
    active = Count("responses", filter=Q(responses__state=Response.State.ACTIVE))
    asked = work.prompts.select_related("genre").annotate(texts=active)
    return asked.filter(texts__gt=0).order_by("external_id")


def _names(work: Round, held: Mapping[int, Mapping[int, int]]) -> dict[int, tuple[str, Reach | None]]:
    """By membership the name, and the reach of those who can be given a seat; None of those who hold one only."""
    holders = {one for seats in held.values() for one in seats.values()}
    reaches = stages.reaches_of(work)
    able = {one.pk: reaches.get(one.pk) for one in rounds.annotators(work.project)}
    members = Membership.objects.filter(project=work.project_id, role=Membership.Role.ANNOTATOR)
    shown = [
        (one, person_name(one.user))
        for one in members.select_related("user").order_by("pseudonym")
        if one.pk in able or one.pk in holders
    ]
    namesakes = Counter(name for _one, name in shown)
    return {
        one.pk: (name if namesakes[name] == 1 else f"{name} ({one.pseudonym})", able.get(one.pk))
        for one, name in shown
    }


def _row(
    work: Round,
    prompt: Prompt,
    seats: Mapping[int, int],
    people: Mapping[int, tuple[str, Reach | None]],
) -> PanelRow:
    key = primary(prompt.language)
    macro = (prompt.genre.parent_id or prompt.genre_id) if prompt.genre else None
    return PanelRow(
        prompt=prompt.pk,
        name=prompt.external_id,
        language=language_name(key) if key else _("Not known"),
        peek=prompt.text[:PEEK],
        responses=prompt.texts,
        seats=tuple(seats.get(seat) for seat in range(1, work.annotators_per_response + 1)),
        choices=tuple(
            (pk, name)
            for pk, (name, reach) in people.items()
            if pk in seats.values() or (reach is not None and covers(reach, prompt.language, macro))
        ),
    )


# --- What the composer would do ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gap:
    """Prompts that would have no panel, all for one reason."""

    reason: str
    names: tuple[str, ...]  # of the first few
    prompts: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What everybody would be asked, and with how many others each would share prompts."""

    people: tuple[tuple[PersonLine, int], ...]
    covered: int
    gaps: tuple[Gap, ...]


def composition(work: Round, *, seed: str, keep: bool, prompts: Sequence[PromptPlan]) -> Composition:
    """Panels for the prompts of a draft. `keep` leaves the seats that are filled as they are."""
    pace = round_plans.pace_of(work.project)
    before = round_plans.still_to_read(work.project, apart_from=work)
    reaches = stages.reaches_of(work)
    candidates = [
        Candidate(one.pk, reaches[one.pk], before.get(one.pk, Fraction(0)))
        for one in rounds.annotators(work.project)
        if one.pk in reaches
    ]
    loads = [
        PromptLoad(prompt.pk, prompt.language, prompt.reading.whole.minutes(pace), prompt.macro)
        for prompt in prompts
    ]
    kept = rounds.seats_at_hand(work) if keep else {}
    return compose(loads, candidates, seats=work.annotators_per_response, seed=seed, kept=kept)


def preview(work: Round, *, seed: str, keep: bool) -> Preview:
    prompts = round_plans.prompt_plans(rounds.responses(work))
    made = composition(work, seed=seed, keep=keep, prompts=prompts)
    seats = {prompt: dict(enumerate(panel, start=1)) for prompt, panel in made.panels.items()}
    met = meetings(made.panels.values())
    people = [
        (line, sum(line.pk in pair for pair in met)) for line in round_plans.people_of(work, prompts, seats)
    ]
    return Preview(tuple(people), len(made.panels), _gaps(made, prompts))


def _gaps(made: Composition, prompts: Sequence[PromptPlan]) -> tuple[Gap, ...]:
    names = {prompt.pk: prompt.name for prompt in prompts}
    grouped: dict[str, list[str]] = {}
    for one in made.uncovered:
        reason = _(one.reason.template).format(**one.reason.values)
        grouped.setdefault(reason, []).append(names[one.prompt])
    return tuple(
        Gap(reason, tuple(found[:NAMES_SHOWN]), len(found)) for reason, found in sorted(grouped.items())
    )
