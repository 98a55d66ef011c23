"""Seeded data of any size: scores of a pool, comparisons, rankings."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from curation.domain.bootstrap import Floats, Integers
from curation.domain.columns import Columns, Names, Rankings
from curation.domain.columns import Scores as ScoreColumns
from curation.domain.score_table import Long

SEED = 1
POOL, EACH, VALUES = 30, 3, 4
A_PROMPT, GENRES = 10, 12
BLOCK = 100_000
WEEKS, WEEK = 8, 7 * 86400
FIRST_MOMENT = 1_780_000_000


@dataclass(frozen=True)
class Pool:
    """Three of thirty annotators score each text (U, 3), ten texts a prompt, prompts of twelve genres in turn."""

    panel: np.ndarray
    who: np.ndarray

    @classmethod
    def of(cls, units: int) -> "Pool":
        chance = np.random.default_rng(SEED)
        merit = chance.integers(0, VALUES, units)
        panel = np.clip(merit[:, None] + chance.integers(-1, 2, (units, EACH)), 0, VALUES - 1)
        return cls(panel.astype(np.uint8), chosen(chance, units))

    @cached_property
    def unit(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.panel), dtype=np.int32), EACH)

    @cached_property
    def annotator(self) -> np.ndarray:
        return self.who.ravel()

    @cached_property
    def score(self) -> np.ndarray:
        return self.panel.ravel()

    @cached_property
    def prompt(self) -> np.ndarray:
        return (np.arange(len(self.panel)) // A_PROMPT).astype(np.int32)

    @cached_property
    def genre(self) -> np.ndarray:
        return (self.prompt % GENRES).astype(np.int32)

    def long(self) -> Long:
        return Long(self.unit, self.annotator, self.score, units=len(self.panel))

    @cached_property
    def dense(self) -> Floats:
        """Seat by text, as a peer takes it (3, U)."""
        return self.panel.T.astype(np.float64)

    @cached_property
    def wide(self) -> Floats:
        """Annotator by text (30, U), NaN where there is no score."""
        table = np.full((POOL, len(self.panel)), np.nan)
        table[self.who.T, np.arange(len(self.panel))] = self.panel.T
        return table

    @cached_property
    def counts(self) -> Integers:
        """How often each text was given each score (U, V)."""
        return np.stack([(self.panel == value).sum(axis=1) for value in range(VALUES)], axis=1)


def chosen(chance: np.random.Generator, rows: int) -> np.ndarray:
    """Three of the pool for each row, ascending (rows, 3)."""
    parts = [
        np.sort(np.argsort(chance.random((min(BLOCK, rows - start), POOL)), axis=1)[:, :EACH], axis=1)
        for start in range(0, rows, BLOCK)
    ]
    return np.concatenate(parts).astype(np.int32)


def comparisons(games: int, items: int) -> tuple[Integers, Integers]:
    """Winner and loser of each (N,)."""
    chance = np.random.default_rng(SEED)
    strength = chance.normal(size=items)
    one = chance.integers(0, items, games)
    other = (one + chance.integers(1, items, games)) % items
    won = chance.random(games) < 1 / (1 + np.exp(strength[other] - strength[one]))
    return np.where(won, one, other), np.where(won, other, one)


def rankings(prompts: int, annotators: int, items: int) -> Floats:
    """Places by merit and noise, without ties (P, annotators, items)."""
    chance = np.random.default_rng(SEED)
    merit = chance.normal(size=(prompts, 1, items)) + 1.2 * chance.normal(size=(prompts, annotators, items))
    return np.argsort(np.argsort(merit, axis=2), axis=2).astype(np.float64)


def columns(scores: int) -> Columns:
    """Those of a project in which a panel of three of thirty scores the ten texts of a prompt, over eight weeks."""
    chance = np.random.default_rng(SEED)
    prompts = max(2, round(scores / (A_PROMPT * EACH)))
    texts = prompts * A_PROMPT
    prompt = np.repeat(np.arange(prompts, dtype=np.int32), A_PROMPT)
    annotator = chosen(chance, prompts)[prompt].ravel()
    merit, severity = chance.normal(size=texts), chance.normal(scale=0.3, size=POOL)
    felt = 1.5 + 0.8 * np.repeat(merit, EACH) + severity[annotator] + 0.6 * chance.normal(size=len(annotator))
    live = ScoreColumns(
        response=np.repeat(np.arange(texts, dtype=np.int32), EACH),
        annotator=annotator,
        round=np.zeros(len(annotator), dtype=np.int32),
        value=np.clip(np.round(felt), 0, VALUES - 1).astype(np.uint8),
        at=FIRST_MOMENT + np.sort(chance.integers(0, WEEKS * WEEK, len(annotator))),
    )
    nothing = live.where(np.zeros(len(live), dtype=np.bool_))
    code, value = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
    return Columns(
        names=Names(
            prompts=tuple(f"p{number:07}" for number in range(prompts)),
            responses=tuple(f"r{number:07}" for number in range(texts)),
            annotators=tuple(f"a{number:02}" for number in range(POOL)),
            languages=("en", "zh"),
            genres=tuple(f"g{number:02}" for number in range(GENRES)),
            rounds=("1",),
        ),
        prompt_of=prompt,
        is_material=np.ones(texts, dtype=np.bool_),
        genre_of=(np.arange(prompts) % GENRES).astype(np.int32),
        language_of=(np.arange(prompts) % 2).astype(np.int32),
        live=live,
        gold=nothing,
        gold_value=value,
        repeat=nothing,
        rankings=Rankings(code, code, code, nothing.at, code, code, value, value),
    )
