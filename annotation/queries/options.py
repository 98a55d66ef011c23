"""What a page lets somebody choose from: a few options, each with a key of the keyboard and the words for it."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.domain.scoring import SCALE
from annotation.models import Genre, Preference, Project, Rubric
from annotation.queries import rubrics

MOST_KEYS = 9  # digits that choose an option


@dataclass(frozen=True, slots=True)
class Option:
    value: str  # as a form sends it
    key: str  # that chooses it; "" where there is none
    name: str
    description: str = ""
    likeness: str = ""  # what a text of this level is like


def scores(rubric: Rubric, language: str) -> tuple[Option, ...]:
    """0 to 3, with what each level means where the rubric says it."""
    levels = {level.value: level for level in rubrics.level_texts(rubric, language)}
    return tuple(
        Option(str(value), str(value), found.name, found.description, found.comparison)
        if (found := levels.get(value))
        else Option(str(value), str(value), "")
        for value in SCALE
    )


def categories(project: Project, language: str) -> tuple[Option, ...]:
    """The macro-categories in their order, by key: no name in one language, and no id."""
    genres = Genre.objects.filter(project=project, parent=None).order_by("position", "pk")
    return tuple(
        Option(genre.key, str(number) if number <= MOST_KEYS else "", rubrics.name_of(genre, language))
        for number, genre in enumerate(genres, start=1)
    )


def sides(*, ties_allowed: bool) -> tuple[Option, ...]:
    """A, neither where ties are allowed, and B: as they lie on the page."""
    first, neither, second = (
        Option(Preference.Preferred.A.value, "a", _("A is better")),
        Option(Preference.Preferred.TIE.value, "=", pgettext("of two texts", "Neither is better")),
        Option(Preference.Preferred.B.value, "b", _("B is better")),
    )
    return (first, neither, second) if ties_allowed else (first, second)
