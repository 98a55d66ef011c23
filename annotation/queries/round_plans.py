"""What a round asks of whom: texts, reading time and cost.

Lengths are counted from the texts each time; nothing is stored that could grow stale.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from annotation.domain import workload
from annotation.domain.reach import Reach, covers, primary
from annotation.domain.text import unit_for
from annotation.domain.workload import Pace, PromptReading, Reading
from annotation.models import Assigning, Assignment, Membership, Project, Prompt, Response, Round
from annotation.queries import rounds, stages
from annotation.queries.people import language_name, person_name
from annotation.queries.rubrics import name_of

HOUR = 60
FEW_HOURS = 100  # from here on minutes are not said
IN_COMMON = 2  # annotators whom a pair needs in common, by the recipe's default


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """A prompt of a round, and what it gives to read."""

    pk: int
    name: str
    language: str
    genre: int | None
    macro: int | None  # the macro-category of the genre, or the genre itself if it is one
    reading: PromptReading


@dataclass(frozen=True, slots=True)
class PersonLine:
    """What one annotator is asked by their seats; `done` counts scores given."""

    pk: int
    name: str
    pseudonym: str
    asked: Reading
    time: str
    done: int


@dataclass(frozen=True, slots=True)
class GroupLine:
    """What is asked in one language or one top-level genre, of all annotators together."""

    name: str
    prompts: int
    responses: int
    readers: int  # annotators who work in any of it
    time: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of all annotators together; `asked.responses` are the scores to be given."""

    prompts: int
    responses: int
    asked: Reading
    annotators: int  # who read any of it
    time: str
    share: str  # of each of them, if all do the same; "" where there are none
    cost: Decimal | None
    people: tuple[PersonLine, ...]
    languages: tuple[GroupLine, ...]
    genres: tuple[GroupLine, ...]
    common_percent: int | None  # of a pool: how many pairs have enough annotators in common, by chance

    @property
    def seated(self) -> bool:
        return any(person.asked.responses for person in self.people)


def pace_of(project: Project) -> Pace:
    return Pace(project.words_per_minute, project.characters_per_minute)


def duration(minutes: Fraction) -> str:
    """Rounded up to the minute, so that a little is not nothing."""
    hours, rest = divmod(ceil(minutes), HOUR)
    if not hours:
        return _("%(minutes)d min") % {"minutes": rest}
    if hours >= FEW_HOURS:
        return _("%(hours)s h") % {"hours": f"{hours + (2 * rest >= HOUR):,}"}
    return _("%(hours)d h %(minutes)02d min") % {"hours": hours, "minutes": rest}


# --- Reading -------------------------------------------------------------------------------------


def prompt_plans(responses: QuerySet[Response]) -> list[PromptPlan]:
    """What these responses and their prompts give to read. Holds the prompts, and one response at a time."""
    prompts = list(
        Prompt.objects.filter(pk__in=responses.order_by().values("prompt"))
        .select_related("genre")
        .order_by("external_id", "pk")
    )
    readings: dict[int, Reading] = defaultdict(Reading)
    for prompt, reading in _readings(responses, prompts):
        readings[prompt] += reading
    return [
        PromptPlan(
            prompt.pk,
            prompt.external_id,
            prompt.language,
            prompt.genre_id,
            (prompt.genre.parent_id or prompt.genre_id) if prompt.genre else None,
            PromptReading(
                workload.of_prompt(prompt.text, unit_for("auto", prompt.language, prompt.text, "")),
                readings[prompt.pk],
            ),
        )
        for prompt in prompts
    ]


def _readings(responses: QuerySet[Response], prompts: Iterable[Prompt]) -> Iterator[tuple[int, Reading]]:
    """(prompt, reading) of each response. The unit is asked once a prompt, unless only the text can say."""
    units = {
        prompt.pk: unit_for("auto", prompt.language, prompt.text, "")
        for prompt in prompts
        if prompt.language or prompt.text.strip()
    }
    for prompt, text in responses.order_by().values_list("prompt", "text").iterator():
        unit = units.get(prompt) or unit_for("auto", "", "", text)
        yield prompt, workload.of_response(text, unit)


def still_to_read(project: Project, *, apart_from: Round) -> dict[int, Fraction]:
    """Minutes that annotators have before them by their seats in other rounds that are under way.

    Each response to a prompt is taken to be as long as the mean of those that are waiting.
    """
    waiting = Assignment.objects.filter(
        round__project=project,
        round__state__in=[Round.State.OPEN, Round.State.PAUSED],
        reserved_for__isnull=False,
        state__in=[Assignment.State.OPEN, Assignment.State.LEASED],
        response__state=Response.State.ACTIVE,
    ).exclude(round=apart_from)
    held = list(waiting.values_list("reserved_for", "response__prompt").annotate(texts=Count("pk")))
    if not held:
        return {}
    pace = pace_of(project)
    plans = prompt_plans(Response.objects.filter(pk__in=waiting.values("response")))
    readings = {plan.pk: plan.reading for plan in plans}
    minutes: dict[int, Fraction] = defaultdict(Fraction)
    for annotator, prompt, texts in held:
        reading = readings[prompt]
        each = reading.responses.minutes(pace) / reading.responses.responses
        minutes[annotator] += reading.prompt.minutes(pace) + texts * each
    return dict(minutes)


# --- Plans ---------------------------------------------------------------------------------------


def plan_of(work: Round, *, language: str) -> Plan:
    """The plan of a round that is not locked; genres are named in the reader's `language`."""
    prompts = prompt_plans(rounds.responses(work))
    kinds = {(prompt.language, prompt.macro) for prompt in prompts}
    reaches = stages.reaches_of(work)
    people = [
        reaches[one.pk]
        for one in rounds.annotators(work.project)
        if one.pk in reaches and (not kinds or any(covers(reaches[one.pk], *each) for each in kinds))
    ]
    pace, is_pool = pace_of(work.project), work.assigning == Assigning.POOL
    asked = {prompt.pk: _asked(work, prompt, people) for prompt in prompts}
    total = sum(asked.values(), Reading())
    minutes = total.minutes(pace)
    rate = work.project.hourly_rate
    seats = work.annotators_per_response
    genres = {
        genre.pk: name_of(genre.parent or genre, language)
        for genre in work.project.genres.select_related("parent")
    }

    def groups(name: Callable[[PromptPlan], str]) -> tuple[GroupLine, ...]:
        return tuple(_groups(prompts, asked, people, name=name, pace=pace))

    return Plan(
        prompts=len(prompts),
        responses=sum(prompt.reading.responses.responses for prompt in prompts),
        asked=total,
        annotators=len(people),
        time=duration(minutes),
        share=duration(minutes / len(people)) if people else "",
        cost=workload.cost(minutes, rate) if rate is not None else None,
        people=tuple(people_of(work, prompts, rounds.seats(work))),
        languages=groups(lambda prompt: _language(prompt.language)),
        genres=groups(lambda prompt: genres[prompt.genre] if prompt.genre else _("Without a genre")),
        common_percent=_common_percent(len(people), seats=seats) if is_pool and people else None,
    )


def _asked(work: Round, prompt: PromptPlan, people: Sequence[Reach]) -> Reading:
    seats = work.annotators_per_response
    if work.assigning == Assigning.PANEL:
        return workload.in_panel(prompt.reading, seats=seats)
    readers = sum(covers(one, prompt.language, prompt.macro) for one in people)
    return workload.in_pool(prompt.reading, seats=seats, annotators=readers)


def _language(tag: str) -> str:
    key = primary(tag)
    return language_name(key) if key else _("Not known")


def _common_percent(annotators: int, *, seats: int) -> int:
    share = workload.share_with_common(annotators, seats=seats, common=min(IN_COMMON, seats))
    return int(100 * share)


def _groups(
    prompts: Iterable[PromptPlan],
    asked: Mapping[int, Reading],
    people: Sequence[Reach],
    *,
    name: Callable[[PromptPlan], str],
    pace: Pace,
) -> Iterator[GroupLine]:
    """Largest first."""
    found: dict[str, list[PromptPlan]] = defaultdict(list)
    for prompt in prompts:
        found[name(prompt)].append(prompt)
    for key, group in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        yield GroupLine(
            name=key,
            prompts=len(group),
            responses=sum(prompt.reading.responses.responses for prompt in group),
            readers=sum(any(covers(one, each.language, each.macro) for each in group) for one in people),
            time=duration(sum((asked[prompt.pk] for prompt in group), Reading()).minutes(pace)),
        )


def people_of(
    work: Round, prompts: Iterable[PromptPlan], seats: Mapping[int, Mapping[int, int]]
) -> Iterator[PersonLine]:
    """Everybody who holds a seat, has scored, or can still be given work; by `seats` what each has to read."""
    asked: dict[int, Reading] = defaultdict(Reading)
    for prompt in prompts:
        for annotator in seats.get(prompt.pk, {}).values():
            asked[annotator] += prompt.reading.whole
    done = Counter(dict(_done(work)))
    is_locked = work.state == Round.State.LOCKED
    at_hand = set() if is_locked else set(rounds.annotators(work.project).values_list("pk", flat=True))
    members = Membership.objects.filter(project=work.project_id, role=Membership.Role.ANNOTATOR)
    concerned = at_hand | asked.keys() | done.keys()
    pace = pace_of(work.project)
    for member in members.select_related("user").order_by("pseudonym"):
        if member.pk in concerned:
            yield PersonLine(
                pk=member.pk,
                name=person_name(member.user),
                pseudonym=member.pseudonym,
                asked=asked[member.pk],
                time=duration(asked[member.pk].minutes(pace)),
                done=done[member.pk],
            )


def _done(work: Round) -> Iterable[tuple[int, int]]:
    filled = work.assignments.filter(state=Assignment.State.DONE)
    return filled.values_list("annotator").annotate(n=Count("pk"))
