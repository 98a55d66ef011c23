"""What the page of progress prints of a report: numbers with names, days and reasons in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from annotation.domain import stages, workload
from annotation.models import Assigning, Genre, Membership, Project, Round, Stage
from annotation.queries import reminders
from annotation.queries.people import language_name, person_name
from annotation.queries.rounds import shown_name
from annotation.queries.rubrics import name_of
from annotation.queries.work_time import briefly, in_words
from curation.domain.charts import FEWEST
from curation.models import Figure, Report
from curation.queries import agreement_page, reasons
from curation.queries.agreement_page import Number, Rate
from curation.queries.progress_facts import FIGURES

Json = Mapping[str, object]

IDLE = timedelta(days=3)
FARTHEST = 3660  # days; a forecast beyond ten years is none
HOUR = 3600
SHADES = 6


@dataclass(frozen=True, slots=True)
class End:
    """The day on which nothing is left, and the first and last that it may well be. `last` is None without telling."""

    day: date | None
    first: date | None
    last: date | None
    reason: str


@dataclass(frozen=True, slots=True)
class RoundLine:
    pk: int
    name: str
    kind: str
    state: str
    slots: int
    done: int

    @property
    def percent(self) -> int:
        return 100 * self.done // self.slots if self.slots else 0


@dataclass(frozen=True, slots=True)
class PersonLine:
    """An annotator as of the report, under the state of now. `is_new`: they joined after it. Nobody is given
    texts to score who `is_preparing`, or whom a lead has stopped, in whatever language they work."""

    pk: int  # of the membership
    user: int
    name: str
    pseudonym: str
    is_active: bool  # is given texts
    is_preparing: bool
    is_paused: bool  # as a member, and may be let go on from here
    state: str
    is_new: bool
    assigned: int
    done: int
    time: str  # "" where none was recorded
    median: str
    is_few: bool  # the median rests on too little
    flags: int
    last_at: datetime | None
    idle_days: int
    is_idle: bool
    is_most_idle: bool
    seats: tuple[RoundLine, ...]  # rounds in which texts wait for them alone
    reminded_at: datetime | None


@dataclass(frozen=True, slots=True)
class CoverCell:
    responses: int
    shade: int | None


@dataclass(frozen=True, slots=True)
class CoverLine:
    genre: str
    language: str
    cells: tuple[CoverCell, ...]
    responses: int


@dataclass(frozen=True, slots=True)
class RunLine:
    """The newest run, and hours of scoring for each pair it accepted; None where that is not known."""

    pk: int
    accepted: int
    hours_per_pair: float | None
    reason: str

    @property
    def is_few(self) -> bool:
        return self.accepted < FEWEST


@dataclass(frozen=True, slots=True)
class ProgressPage:
    slots: int
    done: int
    withdrawn: int  # of those that are done: filled by people whose data count no more
    alpha: Number
    gold: Rate
    end: End
    time: str  # "" where none was recorded
    cost: Decimal | None
    run: RunLine | None
    median: str
    openings: int
    open_flags: int
    old_flags: int
    rounds: tuple[RoundLine, ...]
    people: tuple[PersonLine, ...]
    coverage: tuple[CoverLine, ...]
    figures: tuple[Json, ...]

    @property
    def percent(self) -> int:
        return 100 * self.done // self.slots if self.slots else 0

    @property
    def is_few(self) -> bool:
        """Whether the median rests on too little."""
        return self.openings < FEWEST

    @property
    def members(self) -> int:
        return sum(person.is_active for person in self.people)

    @property
    def idle(self) -> int:
        return sum(person.is_idle for person in self.people)

    @property
    def at_work(self) -> int:
        return self.members - self.idle

    @property
    def preparing(self) -> int:
        return sum(person.is_preparing for person in self.people)

    @property
    def stopped(self) -> int:
        """By a lead: paused, or declined in every language."""
        return len(self.people) - self.members - self.preparing


def progress_page(
    project: Project, report: Report, *, genres: Mapping[str, str], ui_language: str
) -> ProgressPage:
    """`genres` by key, as the reader calls them; `ui_language` is that of the figures."""
    facts = report.result["progress"]
    rounds = {each["pk"]: _round(each) for each in facts["rounds"]}
    panels = [each["pk"] for each in facts["rounds"] if each["assigning"] == Assigning.PANEL]
    seconds, rate = facts["seconds"], project.hourly_rate
    return ProgressPage(
        slots=facts["slots"],
        done=facts["done"],
        withdrawn=facts["withdrawn"],
        alpha=agreement_page.overall_alpha(report.result),
        gold=agreement_page.rate(report.result["annotators"], "gold"),
        end=_end(facts, report.as_of.astimezone(ZoneInfo(project.time_zone)).date()),
        time=in_words(seconds) if seconds else "",
        cost=workload.cost(Fraction(seconds, 60), rate) if rate is not None and seconds else None,
        run=_run(facts["run"], facts["scoring_seconds"]),
        median=briefly(facts["median"]) if facts["openings"] else "",
        openings=facts["openings"],
        open_flags=facts["flags"]["open"],
        old_flags=facts["flags"]["old"],
        rounds=tuple(rounds.values()),
        people=_people(project, facts["people"], {pk: rounds[pk] for pk in panels}, as_of=report.as_of),
        coverage=tuple(_coverage(facts["coverage"], genres)),
        figures=_figures(report, ui_language),
    )


def genre_names(project: Project, *, language: str) -> dict[str, str]:
    """Of the macro-categories in their order, by key; `language` is "zh" or "en"."""
    found = Genre.objects.filter(project=project, parent=None).order_by("position", "pk")
    return {genre.key: name_of(genre, language) for genre in found}


def _end(facts: Json, today: date) -> End:
    end, days = facts["end"], facts["days_of_period"]
    reason = reasons.in_words(end["reason"])
    if not facts["slots"]:
        reason = _("no round of scores is open")
    day, first, last = (_after(today, end[name], days) for name in ("value", "low", "high"))
    if end["value"] is not None and day is None:
        reason = _("at this pace it takes more than ten years")
    return End(day if facts["slots"] else None, first, last, reason)


def _after(today: date, periods: float | None, days: int) -> date | None:
    if periods is None or periods * days > FARTHEST:
        return None
    return today + timedelta(days=round(periods * days))


def _round(facts: Json) -> RoundLine:
    return RoundLine(
        pk=facts["pk"],
        name=shown_name(facts["name"]),
        kind=str(Round.Kind(facts["kind"]).label),
        state=str(Round.State(facts["state"]).label),
        slots=facts["slots"],
        done=facts["done"],
    )


def _run(facts: Json | None, seconds: int) -> RunLine | None:
    if facts is None:
        return None
    pairs = facts["accepted"]
    reason = "" if pairs and seconds else "no_time" if pairs else "no_pairs_yet"
    hours = None if reason else seconds / HOUR / pairs
    return RunLine(facts["pk"], pairs, hours, reasons.in_words(reason))


def _people(
    project: Project, facts: Iterable[Json], panels: Mapping[int, RoundLine], *, as_of: datetime
) -> tuple[PersonLine, ...]:
    """Who is active first, and of them who has been idle longest."""
    known = {each["pseudonym"]: each for each in facts}
    reminded = reminders.last(project)
    members = project.memberships.filter(
        role=Membership.Role.ANNOTATOR, state__in=[Membership.State.ACTIVE, Membership.State.PAUSED]
    ).select_related("user")
    there = [member for member in members if member.pseudonym in known or not member.external_id]
    stands = _stands(project)
    idle = {
        member.pk: timedelta() if member.pk in stands else _idle(member, known.get(member.pseudonym), as_of)
        for member in there
    }
    longest = max(idle.values(), default=timedelta())
    lines = [
        _person(
            member,
            known.get(member.pseudonym),
            panels,
            stage=stands.get(member.pk, stages.ACTIVE),
            idle=idle[member.pk],
            is_most_idle=longest > IDLE and idle[member.pk] == longest,
            reminded_at=reminded.get(member.pk),
        )
        for member in sorted(there, key=lambda member: member.pseudonym)
    ]
    return tuple(sorted(lines, key=lambda line: (not line.is_active, -idle[line.pk])))


def _stands(project: Project) -> dict[int, str]:
    """By membership that is given texts in no language: the stage that says most, one of the preparation first."""
    at: dict[int, set[str]] = {}
    for annotator, stage in project.qualifications.exclude(annotator=None).values_list("annotator", "stage"):
        at.setdefault(annotator, set()).add(stage)
    order = (*stages.PREPARING, stages.PAUSED, stages.DECLINED)
    return {
        pk: next(stage for stage in order if stage in held)
        for pk, held in at.items()
        if stages.ACTIVE not in held and held & {*order}
    }


def _shown(stage: str) -> str:
    return _("In preparation") if stage in stages.PREPARING else str(Stage(stage).label)


def _idle(member: Membership, facts: Json | None, as_of: datetime) -> timedelta:
    """Since the last text that they were given, or since they joined; whoever is paused is not idle."""
    if facts is None or member.state != Membership.State.ACTIVE:
        return timedelta()
    return max(as_of - datetime.fromisoformat(facts["last_at"] or facts["joined_at"]), timedelta())


def _person(
    member: Membership,
    facts: Json | None,
    panels: Mapping[int, RoundLine],
    *,
    stage: str,
    idle: timedelta,
    is_most_idle: bool,
    reminded_at: datetime | None,
) -> PersonLine:
    found: Json = facts or {}
    seconds, last_at = found.get("seconds", 0), found.get("last_at")
    is_paused = member.state != Membership.State.ACTIVE
    return PersonLine(
        pk=member.pk,
        user=member.user_id,
        name=person_name(member.user),
        pseudonym=member.pseudonym,
        is_active=not is_paused and stage == stages.ACTIVE,
        is_preparing=not is_paused and stage in stages.PREPARING,
        is_paused=is_paused,
        state=member.get_state_display() if is_paused else _shown(stage),
        is_new=facts is None,
        assigned=found.get("assigned", 0),
        done=found.get("done", 0),
        time=in_words(seconds) if seconds else "",
        median=briefly(found["median"]) if found.get("openings") else "",
        is_few=found.get("openings", 0) < FEWEST,
        flags=found.get("flags", 0),
        last_at=datetime.fromisoformat(last_at) if last_at else None,
        idle_days=idle.days,
        is_idle=idle > IDLE,
        is_most_idle=is_most_idle,
        seats=tuple(panels[pk] for pk in found.get("left_in", ()) if pk in panels),
        reminded_at=reminded_at,
    )


def _coverage(rows: Sequence[Json], genres: Mapping[str, str]) -> list[CoverLine]:
    """In the order of the project's genres; what has none comes last."""
    place = {key: number for number, key in enumerate(genres)}
    ordered = sorted(rows, key=lambda row: place.get(row["genre"], len(place)))
    return [
        CoverLine(
            genre=genres.get(row["genre"], row["genre"]) or _("Without a genre"),
            language=language_name(row["language"]),
            cells=tuple(_cell(n, sum(row["responses"])) for n in row["responses"]),
            responses=sum(row["responses"]),
        )
        for row in ordered
    ]


def _cell(n: int, of: int) -> CoverCell:
    return CoverCell(n, min(SHADES - 1, SHADES * n // of) if n else None)


def _figures(report: Report, language: str) -> tuple[Json, ...]:
    rows = Figure.objects.filter(report=report, language=language, key__in=FIGURES).order_by("pk")
    return tuple(rows.values_list("content", flat=True))
