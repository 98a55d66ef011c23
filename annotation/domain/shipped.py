"""What ships with the application: two taxonomies, a rubric, a text of consent, and the material of the demo project.

The files stand in annotation/shipped/. They are part of the program, so a fault in them is a KeyError or a
ValueError at the first look, and a test looks.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from annotation.domain.material import ResponseRow, read_responses
from annotation.domain.scoring import ScoreRow
from annotation.domain.simulation import Annotator, Phrases, simulate

FOLDER = Path(__file__).parent.parent / "shipped"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Wording:
    """One text in both languages."""

    en: str
    zh: str

    def __post_init__(self) -> None:
        if not self.en.strip() or not self.zh.strip():
            raise ValueError(f"a shipped text lacks a language: {self}")

    def in_language(self, language: str) -> str:
        """The Chinese text for Chinese (zh, zh-hans, ...), the English one for every other language."""
        return self.zh if language.lower().partition("-")[0] == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Term:
    """A named thing with a short key that is unique among its like."""

    key: str
    name: Wording


@dataclass(frozen=True, slots=True)
class Genre:
    """A macro-category (in WEval a task category) and its types, in the order in which they are shown."""

    key: str
    name: Wording
    types: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Genres by which a project may sort its prompts. Only WEval's has kinds of requirement."""

    key: str
    name: Wording
    genres: tuple[Genre, ...]
    requirement_kinds: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One step of the scale, `value` 0 to 3."""

    value: int
    name: Wording
    description: Wording
    comparison: Wording


@dataclass(frozen=True, slots=True)
class Criterion:
    """A side of quality, with the question that leads an annotator's eye to it."""

    key: str
    name: Wording
    question: Wording


@dataclass(frozen=True, slots=True)
class Rubric:
    """Levels in ascending order; criteria for every text, and by genre key those on top."""

    version: int
    name: Wording
    instruction: Wording
    levels: tuple[Level, ...]
    universal: tuple[Criterion, ...]
    genres: Mapping[str, tuple[Criterion, ...]]


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of one annotator at one response."""

    response_id: str
    annotator: str


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo project's people and settings. `open_slots` are left to be scored by a person; `recipe` names the
    parameters that differ from the recipe's defaults."""

    name: Wording
    seed: str
    annotators: tuple[Annotator, ...]
    open_slots: tuple[Slot, ...]
    recipe: Mapping[str, object]


def taxonomy_names() -> tuple[str, ...]:
    return tuple(_json("taxonomies.json"))


@cache
def taxonomy(name: str) -> Taxonomy:
    """The shipped taxonomy of that name; a ValueError says which there are."""
    if name not in taxonomy_names():
        raise ValueError(f"there is no taxonomy {name!r}; use {' or '.join(taxonomy_names())}")
    raw = _json("taxonomies.json")[name]
    return Taxonomy(
        key=name,
        name=_wording(raw["name"]),
        genres=tuple(
            Genre(genre["key"], _wording(genre), tuple(_term(kind) for kind in genre["types"]))
            for genre in raw["genres"]
        ),
        requirement_kinds=tuple(_term(kind) for kind in raw.get("requirement_kinds", ())),
    )


@cache
def rubric() -> Rubric:
    raw = _json("rubric.json")
    return Rubric(
        version=raw["version"],
        name=_wording(raw["name"]),
        instruction=_wording(raw["instruction"]),
        levels=tuple(
            Level(
                level["value"],
                _wording(level["name"]),
                _wording(level["description"]),
                _wording(level["comparison"]),
            )
            for level in raw["levels"]
        ),
        universal=tuple(_criterion(criterion) for criterion in raw["universal"]),
        genres={key: tuple(_criterion(one) for one in found) for key, found in raw["genres"].items()},
    )


@cache
def consent() -> Wording:
    """What a project says it records of people, until a lead writes its own: Markdown."""
    return _wording(_json("consent.json"))


@cache
def demo() -> Demo:
    raw = _json("demo/project.json")
    return Demo(
        name=_wording(raw["name"]),
        seed=raw["seed"],
        annotators=tuple(Annotator(**annotator) for annotator in raw["annotators"]),
        open_slots=tuple(
            Slot(response_id, annotator)
            for annotator, response_ids in raw["open_slots"].items()
            for response_id in response_ids
        ),
        recipe=raw["recipe"],
    )


def demo_responses() -> list[ResponseRow]:
    return read_responses(FOLDER / "demo" / "responses.jsonl")


def demo_quality() -> dict[str, float]:
    """By response id the quality that was aimed at, 0 to 3. It feeds the simulation and is shown to nobody."""
    return {response_id: float(value) for response_id, value in _json("demo/quality.json").items()}


def demo_scores() -> list[ScoreRow]:
    """The simulated scores of the demo project, all but the open slots, by response id and annotator."""
    settings = demo()
    phrases = {row.id: demo_phrases(row.language) for row in demo_responses()}
    scores = simulate(demo_quality(), settings.annotators, seed=settings.seed, phrases=phrases)
    unscored = set(settings.open_slots)
    return [score for score in scores if Slot(score.response_id, score.annotator) not in unscored]


def demo_phrases(language: str) -> Phrases:
    """By score, the justifications that a simulated annotator may give in this language."""
    return {int(score): tuple(found) for score, found in _json("demo/justifications.json")[language].items()}


def _json(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def _wording(raw: Mapping[str, str]) -> Wording:
    return Wording(en=raw["en"], zh=raw["zh"])


def _term(raw: Mapping[str, str]) -> Term:
    return Term(raw["key"], _wording(raw))


def _criterion(raw: Mapping[str, Any]) -> Criterion:
    return Criterion(raw["key"], _wording(raw["name"]), _wording(raw["question"]))
