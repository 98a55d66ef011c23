"""Random scores with gaps, as codes and as rows with names."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from curation.domain.score_table import Long, Scores


@dataclass(frozen=True)
class Sample:
    """Codes of scores (N,), and the prompt and genre of each unit (U,); a genre of -1 is unknown."""

    unit: np.ndarray
    annotator: np.ndarray
    score: Scores
    prompt: np.ndarray
    genre: np.ndarray

    @property
    def scores(self) -> Long:
        return Long(self.unit, self.annotator, self.score, units=len(self.prompt))

    def where(self, rows: np.ndarray) -> "Sample":
        return Sample(self.unit[rows], self.annotator[rows], self.score[rows], self.prompt, self.genre)

    def named(self, *, clustered: bool = True) -> tuple[list, list, list, list | None]:
        """The arguments of agreement.report: names whose bytes are in the order of the codes."""
        prompts = [f"p{code:07}" for code in self.prompt[self.unit]] if clustered else None
        units, annotators = [f"u{code:07}" for code in self.unit], [f"a{code:04}" for code in self.annotator]
        return units, annotators, self.score.tolist(), prompts


def sample(
    units: int = 240,
    annotators: int = 8,
    each: int = 3,
    *,
    a_prompt: int = 6,
    gaps: float = 0.1,
    seed: int = 1,
) -> Sample:
    """So many of the annotators score a unit, another draw of them each time, and agree more than by chance."""
    chance = np.random.default_rng(seed)
    who = np.argsort(chance.random((units, annotators)), axis=1)[:, :each]
    who.sort(axis=1)
    merit = chance.integers(0, 4, units)
    score = np.clip(merit[:, None] + chance.choice([-1, 0, 0, 1], (units, each)), 0, 3)
    given = chance.random((units, each)) >= gaps
    unit = np.repeat(np.arange(units), each).reshape(units, each)
    prompt = np.arange(units) // a_prompt
    return Sample(
        unit[given].astype(np.int32),
        who[given].astype(np.int32),
        score[given].astype(np.uint8),
        prompt.astype(np.int32),
        (prompt % 4 - 1).astype(np.int32),
    )


def tables() -> st.SearchStrategy[np.ndarray]:
    """Panels of up to 5 seats, with gaps."""
    cells = st.sampled_from([0, 1, 2, 3, 255])
    return st.tuples(st.integers(1, 14), st.integers(1, 5)).flatmap(
        lambda shape: st.lists(
            st.lists(cells, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        ).map(lambda rows: np.array(rows, dtype=np.uint8))
    )


def rows_of(table: np.ndarray) -> Iterator[np.ndarray]:
    """Unit, annotator and score of a panel."""
    unit, annotator = np.nonzero(table != 255)
    yield from (unit, annotator, table[unit, annotator])
