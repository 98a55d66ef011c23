"""How far a trainee is in the course. Of consensus scores it holds those alone that the trainee has locked."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domain import mastery
from annotation.domain.mastery import Attempt, Closeness, Standing
from annotation.models import (
    Assignment,
    ConsensusItem,
    Lease,
    Lesson,
    Qualification,
    Response,
    Round,
    Score,
)
from annotation.queries import courses, rubrics, stages
from annotation.queries.agreed_texts import tag_of

Kind = ConsensusItem.Kind
DONE = Assignment.State.DONE


# --- How far somebody is -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LessonRow:
    number: int  # from 1; its address
    title: str
    genre: str
    is_read: bool
    is_changed: bool  # since it was read


@dataclass(frozen=True, slots=True)
class Part:
    """Items of a kind: those done among those that the trainee has."""

    done: int
    total: int

    @property
    def is_finished(self) -> bool:
        return self.done >= self.total


@dataclass(frozen=True, slots=True)
class GenreRow:
    name: str
    exact: int
    counted: int
    is_mastered: bool
    is_telling: bool


@dataclass(frozen=True, slots=True)
class DoneRow:
    """An item that the trainee has locked, in the order in which they did."""

    token: str
    number: int
    genre: str
    opening: str
    tag: str
    own: int
    consensus: int
    closeness: Closeness


@dataclass(frozen=True, slots=True)
class Progress:
    has_course: bool
    is_open: bool
    lessons: tuple[LessonRow, ...]
    worked: int
    practice: Part
    extra: Part
    check: Part
    genres: tuple[GenreRow, ...]
    overall: GenreRow
    percent: int  # of exact ones that mastery asks for
    window: int
    is_mastered: bool
    done: tuple[DoneRow, ...]
    missing: tuple[str, ...]  # sentences that say what there is to do yet
    has_next: bool  # an item would be given now

    @property
    def is_finished(self) -> bool:
        return self.has_course and not self.missing

    @property
    def next_lesson(self) -> LessonRow | None:
        return next((each for each in self.lessons if not each.is_read), None)

    @property
    def number(self) -> int:
        """Of the item that comes next."""
        return self.items.done + 1

    @property
    def items(self) -> Part:
        parts = (self.practice, self.extra, self.check)
        return Part(sum(part.done for part in parts), sum(part.total for part in parts))


def progress(held: Qualification) -> Progress:
    """Reads everything anew, so it is what counts when the trainee wishes to finish."""
    work, reader = courses.course_of(held), rubrics.reader_language()
    settings = stages.settings_of(held.project)
    rows = lesson_rows(held, reader)
    items = {item.response_id: item for item in _items(work)} if work else {}
    scores = _first_scores(held, work) if work else []
    found = _standing(held, items, scores)
    parts = {kind: _part(held, work, items, kind) for kind in (Kind.PRACTICE, Kind.EXTRA, Kind.CHECK)}
    is_open = work is not None and work.state == Round.State.OPEN
    names = {key: rubrics.name_of(genre, reader) for key, genre in _genres(items.values()).items()}
    return Progress(
        has_course=work is not None,
        is_open=is_open,
        lessons=rows,
        worked=sum(item.kind == Kind.WORKED for item in items.values()),
        practice=parts[Kind.PRACTICE],
        extra=parts[Kind.EXTRA],
        check=parts[Kind.CHECK],
        genres=tuple(_genre_row(names.get(each.genre, each.genre), each) for each in found.genres),
        overall=_genre_row("", found.overall),
        percent=settings.mastery_percent,
        window=settings.mastery_window,
        is_mastered=found.is_mastered,
        done=tuple(_done_rows(held, items, scores, reader)),
        missing=tuple(_missing(rows, parts, found, names)),
        has_next=is_open
        and (not all(part.is_finished for part in parts.values()) or extra_item(held, work) is not None),
    )


def _items(work: Round) -> QuerySet[ConsensusItem]:
    return work.consensus_items.select_related("response__prompt__genre__parent")


def _first_scores(held: Qualification, work: Round) -> list[Score]:
    return list(work.scores.filter(annotator=held.annotator, revision=1).order_by("at", "pk"))


def _genre_key(item: ConsensusItem) -> str:
    genre = courses.macro(item.response.prompt.genre)
    return genre.key if genre else ""


def _genres(items: Sequence[ConsensusItem]) -> dict[str, object]:
    found = (courses.macro(item.response.prompt.genre) for item in items)
    return {genre.key: genre for genre in found if genre}


def _standing(held: Qualification, items: dict[int, ConsensusItem], scores: Sequence[Score]) -> Standing:
    """In the genres that the annotator may score, of those that the course has."""
    settings = stages.settings_of(held.project)
    own = set(held.genres.values_list("key", flat=True))
    wanted = [key for key in _genres(list(items.values())) if not own or key in own]
    attempts = [
        Attempt(_genre_key(items[score.response_id]), score.value, items[score.response_id].value)
        for score in scores
        if score.response_id in items
    ]
    return mastery.standing(
        attempts, sorted(wanted), window=settings.mastery_window, percent=settings.mastery_percent
    )


def _part(held: Qualification, work: Round | None, items: dict[int, ConsensusItem], kind: str) -> Part:
    """Before they begin, what they will have; a text that was taken away is no longer theirs to do."""
    if work is None:
        return Part(0, 0)
    of_kind = [response for response, item in items.items() if item.kind == kind]
    theirs = work.assignments.filter(reserved_for=held.annotator, response__in=of_kind)
    done = theirs.filter(state=DONE).count()
    left = theirs.exclude(state__in=[DONE, Assignment.State.VOID])
    if kind != Kind.EXTRA and not work.assignments.filter(reserved_for=held.annotator).exists():
        active = [items[response].response.state for response in of_kind]
        return Part(0, sum(state == Response.State.ACTIVE for state in active))
    return Part(done, done + left.filter(response__state=Response.State.ACTIVE).count())


def extra_item(held: Qualification, work: Round) -> int | None:
    """The unseen response of a weak genre that the trainee gets next; None while something else is to be done."""
    items = {item.response_id: item for item in _items(work)}
    before = [_part(held, work, items, kind) for kind in (Kind.PRACTICE, Kind.EXTRA)]
    if not all(part.is_finished for part in before):
        return None
    weak = _standing(held, items, _first_scores(held, work)).weak
    seen = set(work.assignments.filter(reserved_for=held.annotator).values_list("response", flat=True))
    unseen = (
        response
        for genre in weak
        for response, item in items.items()
        if item.kind == Kind.EXTRA
        and _genre_key(item) == genre
        and response not in seen
        and item.response.state == Response.State.ACTIVE
    )
    return next(unseen, None)


def _genre_row(name: str, window: mastery.Window) -> GenreRow:
    return GenreRow(name, window.exact, window.counted, window.is_mastered, window.is_telling)


def _done_rows(
    held: Qualification, items: dict[int, ConsensusItem], scores: Sequence[Score], reader: str
) -> list[DoneRow]:
    tokens = dict(
        Lease.objects.filter(
            annotator=held.annotator, assignment__in=[score.assignment_id for score in scores]
        ).values_list("assignment", "token")
    )
    rows = []
    for score in scores:
        item = items.get(score.response_id)
        if item is None or score.assignment_id not in tokens:
            continue
        genre = item.response.prompt.genre
        rows.append(
            DoneRow(
                token=tokens[score.assignment_id],
                number=len(rows) + 1,
                genre=rubrics.name_of(genre, reader) if genre else "",
                opening=" ".join(item.response.text[: courses.OPENING].split()),
                tag=tag_of(item.response),
                own=score.value,
                consensus=item.value,
                closeness=mastery.closeness(score.value, item.value),
            )
        )
    return rows


def _missing(
    lessons: Sequence[LessonRow], parts: dict[str, Part], found: Standing, names: dict[str, str]
) -> list[str]:
    unread = sum(not each.is_read for each in lessons)
    left = sum(part.total - part.done for part in parts.values())
    said = []
    if unread:
        said.append(
            ngettext("%(count)d lesson is to be read.", "%(count)d lessons are to be read.", unread)
            % {"count": unread}
        )
    if left:
        said.append(
            ngettext("%(count)d item is to be scored.", "%(count)d items are to be scored.", left)
            % {"count": left}
        )
    elif not found.is_mastered:
        weak = _("; ").join(names.get(key, key) for key in found.weak)
        said.append(
            _("More of your first scores have to be exact in: %(genres)s.") % {"genres": weak}
            if weak
            else _("More of your first scores have to be exact.")
        )
    return said


# --- Lessons -------------------------------------------------------------------------------------


def published(held: Qualification) -> list[Lesson]:
    """Those of the qualification's language, else those for any; genre by genre as far as they concern it."""
    there = held.project.lessons.filter(state=Lesson.State.PUBLISHED).select_related("genre__parent")
    language = held.language if there.filter(language=held.language).exists() else ""
    own = set(held.genres.values_list("pk", flat=True))
    return [
        lesson
        for lesson in there.filter(language=language)
        if not own or lesson.genre is None or courses.macro(lesson.genre).pk in own
    ]


def lesson_rows(held: Qualification, reader: str) -> tuple[LessonRow, ...]:
    lessons = published(held)
    read: dict[int, int] = {}
    if held.annotator is not None:
        for lesson, version in held.annotator.lessons_read.values_list("lesson", "version"):
            read[lesson] = max(version, read.get(lesson, 0))
    return tuple(
        LessonRow(
            number=number,
            title=lesson.title,
            genre=rubrics.name_of(lesson.genre, reader) if lesson.genre else "",
            is_read=lesson.pk in read,
            is_changed=0 < read.get(lesson.pk, 0) < lesson.version,
        )
        for number, lesson in enumerate(lessons, start=1)
    )


def lesson_html(body: str) -> SafeString:
    return rubrics.guideline_html(body, top=2)


def order_of(work: Round) -> dict[int, tuple[int, int]]:
    """By response, its place in a course; {} for rounds whose order is seeded."""
    if work.purpose != Round.Purpose.TRAINING:
        return {}
    return {
        response: (courses.ORDER[kind], position)
        for response, kind, position in work.consensus_items.values_list("response", "kind", "position")
    }


def qualification_of(lease: Lease) -> Qualification | None:
    """Where the holder of a lease stands in the language that the text's round is for."""
    held = lease.annotator.qualifications.filter(language__in=["", lease.assignment.round.language])
    return held.order_by("-language").first() or lease.annotator.qualifications.first()
