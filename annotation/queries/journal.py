"""The journal of a project as a lead reads it: sentences, the newest first, in pages that start at an entry.

Scores are many, so they are counted by person and day, where the filter does not ask for them. A count stands
at the place of its last score.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import CharField, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Cast, Substr
from django.utils.translation import gettext_lazy as _

from annotation.models import JournalEntry, Project, User
from annotation.queries.journal_lines import Line, in_words
from annotation.queries.people import person_name

LINES_A_PAGE = 50
SCORE = "score.submitted"
NOBODY = "command"
# By which words an action begins that belongs to a kind.
KINDS = {
    "project": (_("Settings and genres"), ("project.", "genre.", "genres.")),
    "material": (_("Material"), ("import.", "field_map.", "material.", "scores.")),
    "authoring": (_("Prompts and models"), ("authoring.", "requirements.", "plan.", "batch.", "pool.")),
    "triage": (_("Triage"), ("flag.", "response.", "prompt.")),
    "rubric": (_("Rubric"), ("rubric.",)),
    "rounds": (_("Rounds"), ("round.", "panel.", "item.", "conflict.", "adjudication.", "case.")),
    "preparation": (
        _("Preparation"),
        (
            *("preparation.", "stage.", "consensus.", "exam.", "lesson.", "course.", "training."),
            *("thread.", "calibration."),
        ),
    ),
    "people": (
        _("People"),
        ("membership.", "account.", "operator.", "token.", "invitation.", "consent."),
    ),
    "releases": (_("Runs and releases"), ("recipe.", "run.", "audit.", "release.", "submission.")),
    "scores": (_("Scores"), ("score.", "ranking.", "category_vote.", "preference.")),
}
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
ROW = re.compile(r"[0-9]{1,18}")
YEARS = range(1970, 9000)


@dataclass(frozen=True, slots=True)
class Filter:
    """What of the journal is asked for; days are those of the project's time zone."""

    kind: str = ""
    person: str = ""  # primary key of an account, or NOBODY
    since: date | None = None
    until: date | None = None

    @property
    def is_set(self) -> bool:
        return self != Filter()

    @property
    def query(self) -> str:
        """As an address carries it; "" for no filter."""
        parts = {"kind": self.kind, "person": self.person, "since": self.since, "until": self.until}
        return urlencode({name: value for name, value in parts.items() if value})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page begins: below or above an entry; at the newest where both are 0."""

    before: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True)
class Count:
    """The scores that a person gave on a day; `pk` is the entry of the last of them."""

    pk: int
    at: datetime  # of the last
    actor: int | None
    day: date
    scores: int


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A count as the page shows it."""

    at: datetime
    who: str
    day: date
    scores: int
    entries: Filter  # what shows them one by one


@dataclass(frozen=True, slots=True)
class Page:
    lines: tuple[Line | ScoreLine, ...]
    older: int | None  # the entry below which the next page begins
    newer: int | None  # the entry above which the previous page begins


def people(project: Project) -> list[tuple[str, str]]:
    """(value, name) of those who stand in the journal."""
    acted = JournalEntry.objects.filter(project=project, actor=OuterRef("pk"))
    found = User.objects.filter(Exists(acted)).order_by("username")
    return [(str(user.pk), person_name(user)) for user in found]


def read_filter(given: Mapping[str, str], people: Iterable[tuple[str, str]]) -> Filter:
    """The filter of an address. What is none of the offered values asks for nothing."""
    kind, person = given.get("kind", ""), given.get("person", "")
    return Filter(
        kind=kind if kind in KINDS else "",
        person=person if person == NOBODY or person in dict(people) else "",
        since=_day(given.get("since", "")),
        until=_day(given.get("until", "")),
    )


def read_place(given: Mapping[str, str]) -> Place:
    before, after = (_row(given.get(name, "")) for name in ("before", "after"))
    return Place(before=before) if before else Place(after=after)


def page(project: Project, wanted: Filter, place: Place) -> Page:
    entries = _entries(project, wanted)
    if place.after:
        found = _part(project, entries, wanted, Place(after=place.after))
        if len(found) > LINES_A_PAGE:
            return _page(project, entries, found[:LINES_A_PAGE][::-1], has_older=True)
        place = Place()  # a short page above is the beginning, which is shown whole
    found = _part(project, entries, wanted, place)
    return _page(project, entries, found[:LINES_A_PAGE], has_older=len(found) > LINES_A_PAGE)


# --- Which entries -------------------------------------------------------------------------------


def _entries(project: Project, wanted: Filter) -> QuerySet[JournalEntry]:
    found = JournalEntry.objects.filter(project=project)
    zone = ZoneInfo(project.time_zone)
    if wanted.kind:
        _label, beginnings = KINDS[wanted.kind]
        of_kind = Q()
        for beginning in beginnings:
            of_kind |= Q(action__startswith=beginning)
        found = found.filter(of_kind)
    if wanted.person == NOBODY:
        found = found.filter(actor=None)
    elif wanted.person:
        found = found.filter(actor=int(wanted.person))
    if wanted.since:
        found = found.filter(at__gte=datetime.combine(wanted.since, time.min, zone))
    if wanted.until:
        found = found.filter(at__lt=datetime.combine(wanted.until + timedelta(days=1), time.min, zone))
    return found


def _part(
    project: Project, entries: QuerySet[JournalEntry], wanted: Filter, place: Place
) -> list[JournalEntry | Count]:
    """One line more than a page has, from the place on."""
    if wanted.kind == "scores":
        return list(_at(entries, place))
    single = _at(entries.exclude(action=SCORE), place)
    counts = [count for count in _counts(entries, ZoneInfo(project.time_zone)) if _lies(count, place)]
    both = sorted([*single, *counts], key=lambda row: row.pk, reverse=not place.after)
    return both[: LINES_A_PAGE + 1]


def _at(found: QuerySet[JournalEntry], place: Place) -> QuerySet[JournalEntry]:
    found = found.select_related("actor")
    if place.after:
        return found.filter(pk__gt=place.after).order_by("pk")[: LINES_A_PAGE + 1]
    if place.before:
        found = found.filter(pk__lt=place.before)
    return found.order_by("-pk")[: LINES_A_PAGE + 1]


def _lies(count: Count, place: Place) -> bool:
    return count.pk > place.after if place.after else not place.before or count.pk < place.before


def _counts(entries: QuerySet[JournalEntry], zone: ZoneInfo) -> list[Count]:
    """How many scores each person gave on each day of the zone.

    The database counts by stretches of time cut from the moment's text, several times as fast on SQLite as
    by its days; no day of the zone begins within a stretch.
    """
    stretch = Substr(Cast("at", CharField()), 1, _stretch(zone))
    scores = entries.filter(action=SCORE).annotate(stretch=stretch).values("actor", "stretch").order_by()
    days: dict[tuple[int | None, date], Count] = {}
    for row in scores.annotate(last=Max("pk"), moment=Max("at"), n=models.Count("pk")):
        actor, day = row["actor"], row["moment"].astimezone(zone).date()
        known = days.get((actor, day), Count(pk=0, at=row["moment"], actor=actor, day=day, scores=0))
        days[actor, day] = replace(
            known,
            pk=max(known.pk, row["last"]),
            at=max(known.at, row["moment"]),
            scores=known.scores + row["n"],
        )
    return list(days.values())


def _stretch(zone: ZoneInfo) -> int:
    """How much of '2026-03-02 09:45:10' to cut off: an hour, ten minutes or a minute, as the zone's offset asks."""
    offsets = {datetime(2026, month, 1, tzinfo=zone).utcoffset() or timedelta() for month in (1, 7)}
    if all(offset % timedelta(hours=1) == timedelta() for offset in offsets):
        return len("2026-03-02 09")
    if all(offset % timedelta(minutes=10) == timedelta() for offset in offsets):
        return len("2026-03-02 09:4")
    return len("2026-03-02 09:45")


def _page(
    project: Project,
    entries: QuerySet[JournalEntry],
    rows: Sequence[JournalEntry | Count],
    *,
    has_older: bool,
) -> Page:
    if not rows:
        return Page(lines=(), older=None, newer=None)
    return Page(
        lines=tuple(_lines(project, rows)),
        older=rows[-1].pk if has_older else None,
        newer=rows[0].pk if entries.filter(pk__gt=rows[0].pk).exists() else None,
    )


def _lines(project: Project, rows: Sequence[JournalEntry | Count]) -> list[Line | ScoreLine]:
    words = iter(in_words(project, [row for row in rows if isinstance(row, JournalEntry)]))
    actors = User.objects.in_bulk({row.actor for row in rows if isinstance(row, Count) and row.actor})
    return [next(words) if isinstance(row, JournalEntry) else _score_line(row, actors) for row in rows]


def _score_line(count: Count, actors: Mapping[int, User]) -> ScoreLine:
    actor = actors.get(count.actor) if count.actor else None
    person = str(actor.pk) if actor else NOBODY
    return ScoreLine(
        at=count.at,
        who=person_name(actor) if actor else "",
        day=count.day,
        scores=count.scores,
        entries=Filter(kind="scores", person=person, since=count.day, until=count.day),
    )


# --- What an address says ------------------------------------------------------------------------


def _day(text: str) -> date | None:
    """A day as the browser sends it; None for what is none, or so far off that it falls out of the calendar."""
    try:
        day = date.fromisoformat(text) if DAY.fullmatch(text) else None
    except ValueError:
        return None
    return day if day and day.year in YEARS else None


def _row(text: str) -> int:
    return int(text) if ROW.fullmatch(text) else 0
