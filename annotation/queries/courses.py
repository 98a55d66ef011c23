"""Courses: which one is whose, and what an instructor sees of its items and of those who work on them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.reach import primary
from annotation.models import (
    Comment,
    ConsensusItem,
    Genre,
    Lesson,
    Membership,
    Project,
    Qualification,
    Round,
    Score,
    Stage,
    User,
)
from annotation.queries import stages
from annotation.queries.people import language_name
from annotation.queries.rubrics import name_of

Kind = ConsensusItem.Kind
TRAINING = Round.Purpose.TRAINING
UNDER_WAY = (Round.State.OPEN, Round.State.PAUSED)
ORDER = {Kind.WORKED: 0, Kind.PRACTICE: 1, Kind.EXTRA: 2, Kind.CHECK: 3}
OPENING = 90  # characters by which an item is known again


def courses(project: Project) -> QuerySet[Round]:
    return project.rounds.filter(purpose=TRAINING)


def drafts(project: Project) -> QuerySet[Round]:
    return courses(project).filter(state=Round.State.DRAFT)


def taught(user: User) -> QuerySet[Project]:
    """Projects whose course the person writes as instructor, without leading them."""
    theirs = Membership.objects.filter(user=user, state=Membership.State.ACTIVE)
    instructed = theirs.filter(role=Membership.Role.INSTRUCTOR).values("project")
    others = Membership.objects.filter(user=user, role=Membership.Role.ANNOTATOR).values("project")
    led = theirs.filter(role=Membership.Role.LEAD).values("project")
    found = Project.objects.filter(pk__in=instructed)
    return found.exclude(pk__in=others).exclude(pk__in=led).order_by("name")


def course_of(held: Qualification) -> Round | None:
    """The open course for the qualification's language; else the last one the annotator worked on.

    Without items it is no course, but a round of before there were any.
    """
    found = courses(held.project).filter(consensus_items__isnull=False).distinct()
    there = {work.language: work for work in found.filter(state__in=UNDER_WAY)}
    wanted = [held.language, ""] if held.language else ["", *sorted(there)]
    for language in wanted:
        if language in there:
            return there[language]
    worked = found.filter(assignments__reserved_for=held.annotator, language__in=wanted)
    return worked.order_by("-opened_at", "-pk").first() if held.annotator else None


def macro(genre: Genre | None) -> Genre | None:
    """The macro-category of a genre."""
    return (genre.parent or genre) if genre else None


def kinds(work: Round) -> Counter[str]:
    """How many items of each kind the course has."""
    return Counter(work.consensus_items.values_list("kind", flat=True))


def languages(project: Project) -> list[str]:
    """The languages ("" for any) in which the project can have a course, those of its material first."""
    found = [primary(tag) for tag in project.languages] or [""]
    found += sorted(courses(project).values_list("language", flat=True).distinct())
    found += sorted(project.lessons.values_list("language", flat=True).distinct())
    found += sorted(project.qualifications.exclude(language="").values_list("language", flat=True).distinct())
    return list(dict.fromkeys(found))


def language_label(language: str) -> str:
    return language_name(language) if language else _("Any language")


# --- What an instructor sees ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LessonLine:
    lesson: Lesson
    genre: str
    readers: int  # trainees who have read the version that stands


@dataclass(frozen=True, slots=True)
class Amount:
    """Items of a kind: how many there are, and how many the project plans for."""

    kind: str
    name: str
    there: int
    planned: int  # 0 where as many as wished


@dataclass(frozen=True, slots=True)
class ItemLine:
    pk: int
    number: int
    kind: str
    genre: str
    opening: str
    tag: str
    value: int
    attempts: int
    exact: int
    split: tuple[int, int, int, int]  # first attempts of trainees at 0, 1, 2, 3
    comments: int
    is_open_question: bool  # the last word in its thread is a trainee's

    @property
    def exact_percent(self) -> int | None:
        """Rounded half up."""
        return (200 * self.exact + self.attempts) // (2 * self.attempts) if self.attempts else None


@dataclass(frozen=True, slots=True)
class CourseLine:
    work: Round
    amounts: tuple[Amount, ...]
    trainees: int  # who have begun it


@dataclass(frozen=True, slots=True)
class LanguagePart:
    """Everything of one language on the instructors' page."""

    language: str
    key: str  # in addresses
    name: str
    lessons: tuple[LessonLine, ...]
    open: CourseLine | None
    draft: CourseLine | None
    retired: tuple[CourseLine, ...]
    in_training: int  # people at that stage
    offers_starters: bool

    @property
    def lines(self) -> tuple[CourseLine, ...]:
        """Its courses: what is prepared, what is open, what has been."""
        return tuple(line for line in (self.draft, self.open, *self.retired) if line)


def part(project: Project, language: str, *, reader: str, starters: frozenset[str]) -> LanguagePart:
    """`reader`: the language of the interface. `starters`: keys of the shipped lessons."""
    rounds = list(courses(project).filter(language=language).order_by("-pk"))
    lines = {work.pk: course_line(work) for work in rounds}
    return LanguagePart(
        language=language,
        key=language or "any",
        name=language_label(language),
        lessons=tuple(_lesson_lines(project, language, reader)),
        open=next((lines[work.pk] for work in rounds if work.state in UNDER_WAY), None),
        draft=next((lines[work.pk] for work in rounds if work.state == Round.State.DRAFT), None),
        retired=tuple(lines[work.pk] for work in rounds if work.state == Round.State.LOCKED),
        in_training=project.qualifications.filter(stage=Stage.TRAINING, language=language).count(),
        offers_starters=not starters
        <= set(project.lessons.filter(language=language).values_list("key", flat=True)),
    )


def _lesson_lines(project: Project, language: str, reader: str) -> list[LessonLine]:
    lessons = project.lessons.filter(language=language).select_related("genre")
    return [
        LessonLine(
            lesson,
            name_of(lesson.genre, reader) if lesson.genre else "",
            lesson.reads.filter(version=lesson.version).count(),
        )
        for lesson in lessons
    ]


def course_line(work: Round) -> CourseLine:
    there, settings = kinds(work), stages.settings_of(work.project)
    planned = {
        Kind.WORKED: settings.worked_items,
        Kind.PRACTICE: settings.practice_items,
        Kind.CHECK: settings.check_items,
        Kind.EXTRA: 0,
    }
    return CourseLine(
        work=work,
        amounts=tuple(Amount(kind.value, str(kind.label), there[kind], planned[kind]) for kind in planned),
        trainees=work.assignments.exclude(reserved_for=None).values("reserved_for").distinct().count(),
    )


def item_lines(work: Round, *, reader: str) -> list[ItemLine]:
    """In the order in which trainees meet them."""
    items = work.consensus_items.select_related("response__prompt__genre__parent")
    splits, talk, last = _splits(work), _comments(work), _last_words(work)
    annotators = set(work.project.memberships.filter(role="annotator").values_list("user", flat=True))
    lines = []
    for number, item in enumerate(sorted(items, key=lambda one: (ORDER[one.kind], one.position)), start=1):
        split, genre = splits.get(item.response_id, Counter()), item.response.prompt.genre
        lines.append(
            ItemLine(
                pk=item.pk,
                number=number,
                kind=item.get_kind_display(),
                genre=name_of(genre, reader) if genre else "",
                opening=" ".join(item.response.text[:OPENING].split()),
                tag=item.response.prompt.language,
                value=item.value,
                attempts=split.total(),
                exact=split[item.value],
                split=(split[0], split[1], split[2], split[3]),
                comments=talk.get(item.response_id, 0),
                is_open_question=last.get(item.response_id) in annotators,
            )
        )
    return lines


def _splits(work: Round) -> Mapping[int, Counter[int]]:
    found: dict[int, Counter[int]] = {}
    first = Score.objects.filter(round=work, revision=1).values_list("response", "value")
    for response, value in first:
        found.setdefault(response, Counter())[value] += 1
    return found


def _comments(work: Round) -> dict[int, int]:
    return dict(Comment.objects.filter(round=work).values_list("response").annotate(n=Count("pk")))


def _last_words(work: Round) -> dict[int, int]:
    """By response, who wrote last in its thread."""
    return dict(Comment.objects.filter(round=work).order_by("pk").values_list("response", "author"))
