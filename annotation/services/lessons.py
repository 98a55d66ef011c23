"""Lessons of the course: written as drafts, published, retired; each change of the text is a version of its own."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _

from annotation.domain import markdown, starter_lessons
from annotation.errors import DomainError, Invalid
from annotation.models import Genre, Lesson, LessonRead, Membership, Project, User
from annotation.services import journal

State = Lesson.State


@transaction.atomic
def write(
    project: Project,
    *,
    language: str,
    genre: Genre | None,
    title: str,
    body: str,
    by: User | None,
    now: datetime,
    key: str = "",
) -> Lesson:
    """A draft at the end of the language's lessons."""
    _refuse_unreadable(body)
    last = project.lessons.filter(language=language).aggregate(last=Max("position"))["last"] or 0
    made = Lesson.objects.create(
        project=project,
        language=language,
        genre=genre,
        position=last + 1,
        key=key,
        title=title,
        body=body,
        created_by=by,
        created_at=now,
        changed_at=now,
    )
    _record("lesson.written", made, by=by, now=now)
    return made


@transaction.atomic
def change(
    lesson: Lesson,
    *,
    genre: Genre | None,
    title: str,
    body: str,
    version: int,
    by: User | None,
    now: datetime,
) -> Lesson:
    """Store another text; `version` is the one that the form was made from. Nothing changed: nothing stored."""
    _refuse_unreadable(body)
    if (lesson.genre, lesson.title, lesson.body, lesson.version) == (genre, title, body, version):
        return lesson
    same = Lesson.objects.filter(pk=lesson.pk, version=version)
    changed = same.update(genre=genre, title=title, body=body, version=F("version") + 1, changed_at=now)
    if changed != 1:
        raise DomainError(
            "lesson_changed",
            _(
                "Somebody else has changed this lesson meanwhile. Copy your text, open the lesson again, and put it "
                "in there."
            ),
        )
    lesson.refresh_from_db()
    _record("lesson.changed", lesson, by=by, now=now, version=lesson.version)
    return lesson


@transaction.atomic
def publish(lesson: Lesson, *, by: User | None, now: datetime) -> None:
    """From now on trainees read it, and the course is finished by those alone who have."""
    _move(lesson, {State.DRAFT, State.RETIRED}, State.PUBLISHED, now=now)
    _record("lesson.published", lesson, by=by, now=now)


@transaction.atomic
def retire(lesson: Lesson, *, by: User | None, now: datetime) -> None:
    _move(lesson, {State.DRAFT, State.PUBLISHED}, State.RETIRED, now=now)
    _record("lesson.retired", lesson, by=by, now=now)


@transaction.atomic
def move(lesson: Lesson, *, up: bool, by: User | None, now: datetime) -> None:
    """Change places with the lesson before it, or after it; at the end of the list nothing happens."""
    lessons = list(Lesson.objects.filter(project=lesson.project_id, language=lesson.language))
    place = [each.pk for each in lessons].index(lesson.pk)
    other = place - 1 if up else place + 1
    if not 0 <= other < len(lessons):
        return
    lessons[place], lessons[other] = lessons[other], lessons[place]
    for position, each in enumerate(lessons, start=1):
        Lesson.objects.filter(pk=each.pk).update(position=position)
    _record("lesson.moved", lesson, by=by, now=now)


@transaction.atomic
def add_starters(project: Project, *, language: str, by: User | None, now: datetime) -> list[Lesson]:
    """The shipped lessons as drafts, but for those that are there already."""
    there = set(project.lessons.filter(language=language).exclude(key="").values_list("key", flat=True))
    try:
        with transaction.atomic():
            return [
                write(
                    project,
                    language=language,
                    genre=None,
                    title=each.title,
                    body=each.body,
                    key=each.key,
                    by=by,
                    now=now,
                )
                for each in starter_lessons.lessons("zh" if language == "zh" else "en")
                if each.key not in there
            ]
    except IntegrityError:
        # Somebody else pressed the same button at this moment, and the lessons are theirs.
        return []


@transaction.atomic
def read(lesson: Lesson, annotator: Membership, *, now: datetime) -> None:
    """Note that the trainee has read the lesson as it stands. Twice is once."""
    if lesson.state != State.PUBLISHED:
        raise DomainError("lesson_not_published", _("This lesson is no longer part of the course."))
    LessonRead.objects.get_or_create(
        lesson=lesson, annotator=annotator, version=lesson.version, defaults={"at": now}
    )


def _refuse_unreadable(body: str) -> None:
    match markdown.fault(body):
        case markdown.Fault.TOO_LONG:
            raise Invalid("lesson_too_long", _("This lesson is too long. Make two of it."))
        case markdown.Fault.TOO_DEEP | markdown.Fault.TOO_MUCH_MARKUP:
            raise Invalid(
                "lesson_too_nested",
                _("This lesson has too much markup. Use fewer lists within lists and links."),
            )


def _move(lesson: Lesson, states: set[str], to: str, *, now: datetime) -> None:
    moved = Lesson.objects.filter(pk=lesson.pk, state__in=states).update(state=to, changed_at=now)
    if moved != 1:
        raise DomainError(
            "lesson_changed_state", _("Somebody else was first: open the page again to see how it stands.")
        )
    lesson.refresh_from_db()


def _record(action: str, lesson: Lesson, *, by: User | None, now: datetime, **data: object) -> None:
    journal.record(
        action, by=by, at=now, project=lesson.project, lesson=lesson.pk, title=lesson.title, **data
    )
