"""The lessons that ship with the application: annotation/shipped/lessons/LANGUAGE/NUMBER-KEY.md.

The first line of a file is its title, as a heading; the rest is the lesson.
"""

from dataclasses import dataclass
from functools import cache

from annotation.domain.shipped import FOLDER


@dataclass(frozen=True, slots=True)
class StarterLesson:
    key: str
    title: str
    body: str


@cache
def lessons(language: str) -> tuple[StarterLesson, ...]:
    """Those in 'en' or 'zh', in their order."""
    files = sorted((FOLDER / "lessons" / language).glob("*.md"))
    return tuple(_lesson(file.stem.partition("-")[2], file.read_text(encoding="utf-8")) for file in files)


def _lesson(key: str, text: str) -> StarterLesson:
    title, _, body = text.partition("\n")
    return StarterLesson(key, title.removeprefix("# ").strip(), body.strip())
