"""What the demo project's preparation is made of: exams, a course, a calibration, and people on their way.

It stands in annotation/shipped/demo/preparation.json and, for the texts of the calibration, in calibration.jsonl.
Days are counted back from the moment at which the demo is made.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from annotation.domain.shipped import FOLDER

CALIBRATION_TEXTS: Path = FOLDER / "demo" / "calibration.jsonl"


@dataclass(frozen=True, slots=True)
class Item:
    """A text with an agreed score. `split`: how many of five experts gave 0, 1, 2 and 3."""

    kind: str
    genre: str  # key of the macro-category
    prompt: str
    response: str
    value: int
    split: tuple[int, ...]
    rationale: str
    critique: str  # what a good candidate says of it; "" for none


@dataclass(frozen=True, slots=True)
class Form:
    """Of the exam; what people score stands in the order of the items."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Screening:
    level: str
    said: str  # the answer to the project's own question
    unknown: tuple[str, ...] = ()  # genres that the person does not read


@dataclass(frozen=True, slots=True)
class Exam:
    """Scores by item; of the texts, so many are left. `points` of each critique by question, () for not graded."""

    scores: tuple[int, ...]
    left: int = 0
    points: tuple[int, ...] = ()
    own_words: bool = False  # critiques of their own instead of phrases


@dataclass(frozen=True, slots=True)
class Moved:
    """By the lead, after all else."""

    to: str
    reason: str


@dataclass(frozen=True, slots=True)
class Person:
    """What somebody did, `days` since they were invited. What they did not come to is None or ()."""

    username: str
    name: str
    days: int
    screening: Screening | None = None
    exam: Exam | None = None
    course: tuple[int, ...] = ()  # scores in the order of the course
    calibration: tuple[int, ...] = ()  # scores in the order of Calibration.texts
    moved: Moved | None = None
    passed: str = ""  # with which reason the lead passed them after the calibration

    @property
    def email(self) -> str:
        return f"{self.username}@example.org"


@dataclass(frozen=True, slots=True)
class Post:
    by: str
    body: str
    paragraph: int | None = None
    criterion: str = ""
    text: str = ""  # id of the text, in a calibration
    ruling: bool = False


@dataclass(frozen=True, slots=True)
class Calibration:
    name: str
    texts: tuple[str, ...]  # ids
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True)
class Thread:
    item: int  # its place in the course, from 1
    posts: tuple[Post, ...]


@dataclass(frozen=True, slots=True)
class Preparation:
    language: str
    settings: Mapping[str, object]  # columns of the settings that differ from the defaults
    instructor: Person
    invited: Person  # who has not answered yet
    people: tuple[Person, ...]
    forms: tuple[Form, ...]
    course: tuple[Item, ...]
    phrases: Mapping[int, Sequence[str]]  # by score, what may be said of a text
    thread: Thread
    calibration: Calibration
    logins: tuple[str, ...]  # one of each stage, with the instructor first

    @property
    def items(self) -> tuple[Item, ...]:
        return (*(item for form in self.forms for item in form.items), *self.course)


@cache
def preparation() -> Preparation:
    raw = json.loads((FOLDER / "demo" / "preparation.json").read_text(encoding="utf-8"))
    return Preparation(
        language=raw["language"],
        settings=raw["settings"],
        instructor=_person(raw["instructor"]),
        invited=_person(raw["invited"]),
        people=tuple(_person(one) for one in raw["people"]),
        forms=tuple(Form(one["name"], tuple(_item(each) for each in one["items"])) for one in raw["forms"]),
        course=tuple(_item(one) for one in raw["course"]),
        phrases={int(score): tuple(found) for score, found in raw["critiques"].items()},
        thread=Thread(raw["thread"]["item"], tuple(Post(**one) for one in raw["thread"]["posts"])),
        calibration=Calibration(
            raw["calibration"]["name"],
            tuple(raw["calibration"]["texts"]),
            tuple(Post(**one) for one in raw["calibration"]["posts"]),
        ),
        logins=tuple(raw["logins"]),
    )


def _item(raw: Mapping[str, Any]) -> Item:
    return Item(
        kind=raw.get("kind", "exam"),
        genre=raw["genre"],
        prompt=raw["prompt"],
        response="\n\n".join(raw["response"]),
        value=raw["value"],
        split=tuple(raw["split"]),
        rationale=raw["rationale"],
        critique=raw.get("critique", ""),
    )


def _person(raw: Mapping[str, Any]) -> Person:
    return Person(
        username=raw["username"],
        name=raw["name"],
        days=raw["days"],
        screening=_screening(raw["screening"]) if "screening" in raw else None,
        exam=_exam(raw["exam"]) if "exam" in raw else None,
        course=tuple(raw.get("course", ())),
        calibration=tuple(raw.get("calibration", ())),
        moved=Moved(**raw["moved"]) if "moved" in raw else None,
        passed=raw.get("passed", ""),
    )


def _screening(raw: Mapping[str, Any]) -> Screening:
    return Screening(raw["level"], raw["said"], tuple(raw.get("unknown", ())))


def _exam(raw: Mapping[str, Any]) -> Exam:
    return Exam(
        scores=tuple(raw["scores"]),
        left=raw.get("left", 0),
        points=tuple(raw.get("points", ())),
        own_words=raw.get("own_words", False),
    )
