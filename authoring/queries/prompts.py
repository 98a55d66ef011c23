"""The prompts of a project that are being written: which there are, what waits for whom, and what is missing."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Avg, Count, Exists, Min, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from annotation.models import Genre, Project, User
from annotation.queries.people import language_name, person_name
from annotation.queries.projects import genre_tree
from annotation.queries.rubrics import name_of
from authoring.models import AcceptedVersion, AuthoredPrompt, PromptReview, PromptVersion

State = AuthoredPrompt.State
A_PAGE = 50
MINE = "mine"  # in review, and whoever asks has not reviewed it
MOST_WANTED = 9_999


@dataclass(frozen=True, slots=True)
class Filter:
    """What of the list is asked for; `target` is how many accepted prompts a genre and language should have."""

    state: str = ""
    genre: str = ""
    language: str = ""
    target: int = 0

    @property
    def query(self) -> str:
        """As an address carries it; "" for no filter."""
        parts = {"state": self.state, "genre": self.genre, "language": self.language, "target": self.target}
        return urlencode({name: value for name, value in parts.items() if value})

    @property
    def is_set(self) -> bool:
        return bool(self.state or self.genre or self.language)


@dataclass(frozen=True, slots=True)
class Line:
    key: str
    title: str
    genre: str
    language: str
    state: str
    state_name: str
    rounds: int  # of review
    author: str
    changed_at: datetime
    is_mine: bool  # it waits for a review of whoever asks


def read_filter(given: Mapping[str, str], *, genres: Collection[str], languages: Collection[str]) -> Filter:
    """The filter of an address. What is none of the offered values asks for nothing."""
    state, genre, language, target = (
        given.get(name, "") for name in ("state", "genre", "language", "target")
    )
    return Filter(
        state=state if state == MINE or state in State.values else "",
        genre=genre if genre in genres else "",
        language=language if language in languages else "",
        target=min(int(target), MOST_WANTED)
        if target.isascii() and target.isdecimal() and len(target) < 6
        else 0,
    )


def states() -> list[tuple[str, str]]:
    return [(MINE, _("Waits for my review")), *((value, str(label)) for value, label in State.choices)]


def languages(project: Project, *, also: Iterable[str] = ()) -> list[tuple[str, str]]:
    """(tag, name) of the languages in which prompts are written: the project's, those in use, and those of `also`."""
    used = set(project.authored_prompts.values_list("language", flat=True))
    tags = [*(project.languages or ["en", "zh"]), *sorted(used | set(also))]
    return [(tag, language_name(tag)) for tag in dict.fromkeys(tags) if tag]


def genres(project: Project, language: str) -> list[tuple[str, str]]:
    """(key, name) of each macro-category and, behind it, of its types; `language` is that of the reader."""
    found = []
    for row in genre_tree(project):
        name = name_of(row.genre, language)
        found.append((row.genre.key, name))
        found += [(each.genre.key, f"{name} › {name_of(each.genre, language)}") for each in row.types]
    return found


def page(project: Project, wanted: Filter, number: str, *, reader: User, language: str) -> Page[Line]:
    """The last changed first. `language` is that of the reader."""
    rows = _waiting(_chosen(project, wanted, reader), reader)
    rows = rows.select_related("genre", "author__user").annotate(rounds=Count("versions"))
    found = Paginator(rows.order_by("-changed_at", "-pk"), A_PAGE).get_page(number)
    found.object_list = [_line(row, language) for row in found.object_list]
    return found


def _chosen(project: Project, wanted: Filter, reader: User) -> QuerySet[AuthoredPrompt]:
    found = AuthoredPrompt.objects.filter(project=project)
    if wanted.state == MINE:
        found = _waiting(found, reader).filter(state=State.IN_REVIEW, is_reviewed=False)
    elif wanted.state:
        found = found.filter(state=wanted.state)
    if wanted.genre:
        found = found.filter(genre__key=wanted.genre) | found.filter(genre__parent__key=wanted.genre)
    if wanted.language:
        found = found.filter(language=wanted.language)
    return found


def _waiting(found: QuerySet[AuthoredPrompt], reader: User) -> QuerySet[AuthoredPrompt]:
    """With `is_reviewed`: whether the reader has reviewed the latest version."""
    newest = PromptVersion.objects.filter(authored=OuterRef("pk")).order_by("-number").values("pk")[:1]
    own = PromptReview.objects.filter(version=OuterRef("newest"), reviewer__user=reader)
    return found.annotate(newest=Subquery(newest)).annotate(is_reviewed=Exists(own))


def _line(row: AuthoredPrompt, language: str) -> Line:
    return Line(
        key=row.key,
        title=row.title.strip() or row.key,
        genre=name_of(row.genre, language) if row.genre else "",
        language=language_name(row.language),
        state=row.state,
        state_name=row.get_state_display(),
        rounds=row.rounds,
        author=person_name(row.author.user),
        changed_at=row.changed_at,
        is_mine=row.state == State.IN_REVIEW and not row.is_reviewed,
    )


def waiting_for(project: Project, reader: User) -> int:
    """How many prompts wait for a review of the reader."""
    return _chosen(project, Filter(state=MINE), reader).count()


def rounds_until_accepted(project: Project) -> float | None:
    """The mean number of rounds of review until a prompt was first accepted; None where none was."""
    first = (
        AcceptedVersion.objects.filter(version__authored__project=project)
        .values("version__authored")
        .annotate(first=Min("version__number"))
    )
    mean: float | None = first.aggregate(mean=Avg("first"))["mean"]
    return mean


# --- What is missing -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    accepted: int
    in_the_making: int
    target: int

    @property
    def missing(self) -> int:
        return max(0, self.target - self.accepted)


@dataclass(frozen=True, slots=True)
class GenreLine:
    """A genre under which prompts are counted, with a cell for each language."""

    key: str
    name: str
    group: str  # name of the macro-category, where the genre is a type
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Shortfall:
    languages: tuple[str, ...]
    lines: tuple[GenreLine, ...]
    target: int

    @property
    def columns(self) -> int:
        """Of the table: the genre, then for each language what is accepted, in the making and perhaps missing."""
        return 1 + len(self.languages) * (3 if self.target else 2)

    @property
    def missing(self) -> int:
        return sum(cell.missing for line in self.lines for cell in line.cells)


def shortfall(project: Project, target: int, *, language: str) -> Shortfall:
    """Accepted prompts and those in the making by type and language, beside how many are wanted of each.

    A prompt counts as accepted while one of its versions is, and not at all once it is retired.
    """
    tags = [tag for tag, _name in languages(project)]
    counts = _counts(project)
    lines = [
        GenreLine(
            genre.key,
            name_of(genre, language),
            group,
            tuple(_cell(counts, genre.pk, tag, wanted) for tag in tags),
        )
        for group, genre, wanted in _counted_genres(project, language, target, {each for each, *_ in counts})
    ]
    if any(genre is None for genre, *_ in counts):
        cells = tuple(_cell(counts, None, tag, 0) for tag in tags)
        lines.append(GenreLine("", _("No genre yet"), "", cells))
    return Shortfall(tuple(language_name(tag) for tag in tags), tuple(lines), target)


def _counts(project: Project) -> Counter[tuple[int | None, str, bool]]:
    accepted = AcceptedVersion.objects.filter(version__authored=OuterRef("pk"))
    rows = (
        AuthoredPrompt.objects.filter(project=project)
        .exclude(state=State.RETIRED)
        .annotate(is_accepted=Exists(accepted))
        .values_list("genre", "language", "is_accepted")
        .annotate(n=Count("pk"))
        .order_by()
    )
    return Counter({(genre, tag, is_accepted): n for genre, tag, is_accepted, n in rows})


def _counted_genres(
    project: Project, language: str, target: int, used: Collection[int | None]
) -> list[tuple[str, Genre, int]]:
    """(macro-category, genre, target) of types, and of macro-categories without one. One that has types is a line
    where prompts are in it itself, and nothing more is wanted of it."""
    found: list[tuple[str, Genre, int]] = []
    for row in genre_tree(project):
        if not row.types or row.genre.pk in used:
            found.append(("", row.genre, 0 if row.types else target))
        found += [(name_of(row.genre, language), each.genre, target) for each in row.types]
    return found


def _cell(counts: Counter[tuple[int | None, str, bool]], genre: int | None, tag: str, target: int) -> Cell:
    return Cell(counts[genre, tag, True], counts[genre, tag, False], target)


# --- Parallels -----------------------------------------------------------------------------------


def parallels(authored: AuthoredPrompt) -> list[tuple[AuthoredPrompt, str]]:
    """The other prompts that are this one in another language, each with the name of its language."""
    root = authored.parallel_to or authored
    family = [root, *root.parallels.order_by("language", "pk")]
    return [(each, language_name(each.language)) for each in family if each != authored]


def may_be_parallel(authored: AuthoredPrompt) -> list[tuple[str, str]]:
    """(key, key and title) of prompts of its genre in another language, to which it may be linked."""
    rows = (
        AuthoredPrompt.objects.filter(project=authored.project_id, genre=authored.genre_id)
        .exclude(language=authored.language)
        .exclude(state=State.RETIRED)
        .order_by("key")
    )
    return [
        (key, f"{key} · {title}" if title.strip() else key) for key, title in rows.values_list("key", "title")
    ]
