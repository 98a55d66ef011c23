"""What the screening asks, and what was answered."""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Genre, Project, Qualification
from annotation.queries.rubrics import name_of


@dataclass(frozen=True, slots=True)
class Answered:
    """The last answers of an annotator, for themselves and for the lead."""

    level: str
    familiarity: tuple[tuple[str, int], ...]  # by name of the macro-category
    answers: tuple[tuple[str, str], ...]
    at: datetime


def macro_categories(project: Project) -> list[Genre]:
    return list(project.genres.filter(parent=None).order_by("position", "pk"))


def answered(held: Qualification, *, language: str) -> Answered | None:
    """None where nothing was answered; genres are named in the reader's `language`."""
    last = held.screening_answers.order_by("-pk").first()
    if last is None:
        return None
    names = {genre.key: name_of(genre, language) for genre in macro_categories(held.project)}
    return Answered(
        level=last.get_level_display(),
        familiarity=tuple((names.get(key, key), known) for key, known in last.familiarity.items()),
        answers=tuple((question, answer) for question, answer in last.answers),
        at=last.at,
    )
