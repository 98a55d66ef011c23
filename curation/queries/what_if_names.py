"""What genres, languages, rules and units are called where a what-if is shown."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Genre, Project
from annotation.queries.people import language_name
from annotation.queries.rubrics import name_of
from curation.domain.charts import tables
from curation.queries.runs import REASONS

GIVEN = "given"  # lengths that came with the texts
UNITS = {
    "words": gettext_lazy("words"),
    "characters": gettext_lazy("characters"),
    GIVEN: gettext_lazy("as given with the texts"),
}


@dataclass(frozen=True, slots=True)
class Names:
    """Of genres by their keys; languages are named in the reader's language."""

    genres: Mapping[str, str]

    def genre(self, key: str) -> str:
        return self.genres.get(key, key) or _("No genre")

    def cell(self, genre: str, language: str) -> str:
        return f"{self.genre(genre)} · {tongue(language)}"

    def stratum(self, values: Mapping[str, str]) -> str:
        shown = [tongue(values["language"])] if "language" in values else []
        shown += [self.genre(values["genre"])] if "genre" in values else []
        return " · ".join(shown) or _("All pairs")


def names(project: Project, *, language: str) -> Names:
    """`language` is that of the page."""
    tag = "zh" if language.startswith("zh") else "en"
    return Names({genre.key: name_of(genre, tag) for genre in Genre.objects.filter(project=project)})


def tongue(language: str) -> str:
    return language_name(language) if language else _("Language unknown")


def rule(reason: str) -> str:
    """What it means to fall for this reason."""
    return str(REASONS.get(reason, reason))


def unit(names_of: list[str]) -> str:
    return ", ".join(str(UNITS.get(name, name)) for name in names_of)


def signed(value: float, places: int = 0) -> str:
    """With its sign, but for what is shown as 0."""
    shown = tables.with_minus(value, places)
    return f"+{shown}" if value > 0 and any(digit in "123456789" for digit in shown) else shown
