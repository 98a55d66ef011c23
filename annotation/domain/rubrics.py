"""What a version of a rubric says, apart from where it is stored."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

LANGUAGES = ("en", "zh")
VALUES = (3, 2, 1, 0)
LONGEST_KEY = 60
KEY = re.compile(r"[-_a-zA-Z0-9]{1,60}")
MAX_CRITERIA = 180

Texts = Mapping[str, str]  # by language; one that is missing or "" is not written


@dataclass(frozen=True, slots=True)
class LevelContent:
    value: int
    name: Texts
    description: Texts
    comparison: Texts


@dataclass(frozen=True, slots=True)
class CriterionContent:
    """`genre` is the key of a genre, "" where the criterion is universal; (genre, key) is unique."""

    genre: str
    key: str
    name: Texts
    question: Texts


@dataclass(frozen=True, slots=True)
class RubricContent:
    """Levels from 3 down to 0; criteria in their order, which counts within a genre."""

    levels: tuple[LevelContent, ...]
    criteria: tuple[CriterionContent, ...]
    guideline: Texts


def written(texts: Texts) -> dict[str, str]:
    """Without the languages that are not written."""
    return {language: text for language, text in texts.items() if text}


def in_language(texts: Texts, language: str) -> tuple[str, str]:
    """(language, text): the text in that language, else in another that is written; ("", "") where none is."""
    for wanted in (language, *LANGUAGES):
        if texts.get(wanted):
            return wanted, texts[wanted]
    return "", ""


def same(one: RubricContent, other: RubricContent) -> bool:
    """Whether two contents say the same, order of criteria included."""
    return _normal(one) == _normal(other)


def _normal(content: RubricContent) -> tuple[object, ...]:
    genres = sorted({criterion.genre for criterion in content.criteria})
    return (
        [
            (level.value, *map(written, (level.name, level.description, level.comparison)))
            for level in content.levels
        ],
        [
            (genre, criterion.key, written(criterion.name), written(criterion.question))
            for genre in genres
            for criterion in content.criteria
            if criterion.genre == genre
        ],
        written(content.guideline),
    )


def required_languages(project_languages: Sequence[str]) -> tuple[str, ...]:
    """Those of LANGUAGES that a project's material is in; () where it names none of them."""
    primary = {tag.lower().partition("-")[0] for tag in project_languages}
    return tuple(language for language in LANGUAGES if language in primary)


# --- What is missing, and keys -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gap:
    """A text that has to be written: `part` (name, description, question) of a level or a criterion."""

    language: str
    part: str
    value: int | None = None
    genre: str = ""
    key: str = ""


def gaps(content: RubricContent, required: Sequence[str]) -> list[Gap]:
    """What each level and criterion lacks in the required languages, and in those that were begun.

    Where no language is required, one is enough, the same for all levels.
    """
    begun = {
        language
        for level in content.levels
        for language in {**written(level.name), **written(level.description), **written(level.comparison)}
    }
    of_levels = [language for language in LANGUAGES if language in {*required, *begun}] or LANGUAGES[:1]
    missing = [
        Gap(language, part, value=level.value)
        for level in content.levels
        for language in of_levels
        for part, texts in (("name", level.name), ("description", level.description))
        if not texts.get(language)
    ]
    for criterion in content.criteria:
        begun = {*required, *written(criterion.name), *written(criterion.question)}
        missing += [
            Gap(language, part, genre=criterion.genre, key=criterion.key)
            for language in LANGUAGES
            if language in begun
            for part, texts in (("name", criterion.name), ("question", criterion.question))
            if not texts.get(language)
        ]
    return missing


def is_key(key: str) -> bool:
    return bool(KEY.fullmatch(key))


def criterion_key(name: str, taken: Collection[str]) -> str:
    """A key of a to z, digits and hyphens from an English name; criterion-1 and so on where it has none of them."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    wished = "-".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST_KEY].strip("-")
    if wished and wished not in taken:
        return wished
    stem = wished[: LONGEST_KEY - 4] or "criterion"
    return next(
        key for key in (f"{stem}-{number}" for number in count(2 if wished else 1)) if key not in taken
    )
