"""Critiques to be graded: a text with what one candidate gave it and why, and neither who that is nor what others,
graders or experts, think of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.domain import text
from annotation.domain.exams import CRITIQUE_QUESTIONS, PassMarks
from annotation.models import Attempt, Project, Response, User
from annotation.queries import exams
from annotation.queries.rubrics import LevelText, level_texts, name_of, reader_language
from annotation.queries.texts import language_tag, paragraphs


@dataclass(frozen=True, slots=True)
class Question:
    key: str
    text: str
    help: str


@dataclass(frozen=True, slots=True)
class ToGrade:
    """Everything the page on which a critique is graded shows."""

    attempt: int
    response: int
    pseudonym: str
    number: int  # of this critique among those of the attempt, from 1
    total: int
    waiting: int  # critiques that this grader has still to grade, with this one
    genre_name: str
    language_tag: str
    prompt: str
    paragraphs: tuple[str, ...]
    value: int
    level_name: str
    critique: str
    levels: tuple[LevelText, ...]


def questions() -> list[Question]:
    """The scheme, in the order of the page."""
    words = {
        "evidence": (
            _("Does it name what in the text decided the score?"),
            _("A passage, a turn, a choice of words; not praise or blame that fits any text."),
        ),
        "level": (
            _("Does it argue from the level of the rubric?"),
            _("It says why this level, and not the one above or below."),
        ),
        "place": (
            _("Would another reader find the place it speaks of?"),
            _("By a paragraph number, a quotation or an unmistakable description."),
        ),
    }
    return [Question(key, *words[key]) for key in CRITIQUE_QUESTIONS]


def answers() -> list[tuple[str, str]]:
    """(points as a form sends them, in a word)."""
    return [
        ("0", pgettext("answer to a question on a critique", "no")),
        ("1", pgettext("answer to a question on a critique", "in part")),
        ("2", pgettext("answer to a question on a critique", "yes")),
    ]


def waiting(project: Project, grader: User) -> list[tuple[Attempt, int]]:
    """(attempt, response) of what this grader may still grade: one candidate after the other, oldest first."""
    ended = Attempt.objects.filter(qualification__project=project, state=Attempt.State.FINISHED)
    rows = ended.exclude(qualification__annotator__user=grader).order_by("finished_at", "pk")
    return [
        (attempt, response)
        for attempt in rows.select_related("round__rubric", "qualification__annotator")
        for response in _open_to(attempt, grader)
    ]


def _open_to(attempt: Attempt, grader: User) -> Iterator[int]:
    mine = set(attempt.grades.filter(grader=grader).values_list("response", flat=True))
    graders = PassMarks.from_dict(attempt.marks).graders
    for response, count in exams.graded(attempt).items():
        if response not in mine and count < graders:
            yield response


def to_grade(project: Project, grader: User, *, attempt: int = 0, response: int = 0) -> ToGrade | None:
    """The critique that was asked for, if it waits for this grader; else the first that does."""
    queue = waiting(project, grader)
    for one, text_ in queue:
        if (one.pk, text_) == (attempt, response):
            return _item(one, text_, waiting=len(queue))
    return _item(*queue[0], waiting=len(queue)) if queue else None


def _item(attempt: Attempt, response: int, *, waiting: int) -> ToGrade:
    found = Response.objects.select_related("prompt__genre").get(pk=response)
    prompt, score = found.prompt, exams.given(attempt).filter(response=response).last()
    drawn = attempt.result["critiques"]
    unit = text.unit_for("auto", prompt.language, prompt.text, found.text)
    language = reader_language()
    levels = level_texts(attempt.round.rubric, language)
    return ToGrade(
        attempt=attempt.pk,
        response=response,
        pseudonym=attempt.qualification.annotator.pseudonym,
        number=drawn.index(response) + 1,
        total=len(drawn),
        waiting=waiting,
        genre_name=name_of(prompt.genre, language) if prompt.genre else "",
        language_tag=language_tag(prompt.language, counts_characters=unit == "characters"),
        prompt=prompt.text,
        paragraphs=paragraphs(found.text),
        value=score.value,
        level_name=next((level.name for level in levels if level.value == score.value), ""),
        critique=score.justification,
        levels=levels,
    )
