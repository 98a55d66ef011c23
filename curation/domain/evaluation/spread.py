"""How far the genres of a model differ, and how far they would if all were alike.

    sd                    sample SD over genres of the mean in each
    by_sampling           what it would be if every case were drawn from the same pool, whatever its genre, and pairs
                          were independent: sqrt(variance of all cases * mean over genres of 1 / cases). About 8
                          points at 35 pairs a genre
    by_sampling_of_prompts  the same where prompts stay whole: root mean square of the SDs when prompts are dealt to
                          the genres at random, each genre keeping its number of prompts
    p                     how often so dealt genres differ as much as they do; the observed dealing counts among them

Source: the permutation test of Fisher, The Design of Experiments, 1935, with Phipson and Smyth's correction (rates).
What is not defined is None, with a reason:

    one_genre   there are not two genres with a case
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from curation.domain import bootstrap
from curation.domain.bootstrap import Floats, Integers
from curation.domain.evaluation.benchmark import UNKNOWN

ONE_GENRE = "one_genre"
DEALINGS = 1999  # which with the observed one are 2,000
AS_MUCH = 1 - 1e-12  # an SD that falls short of another by less, relatively, is as much


@dataclass(frozen=True, slots=True)
class Spread:
    """Of shares, or of means in whatever unit the values have."""

    genres: int
    sd: float | None = None
    by_sampling: float | None = None
    by_sampling_of_prompts: float | None = None
    p: float | None = None
    reason: str | None = None

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def spread(
    values: Floats,
    prompts: Integers,
    genres: Integers,
    *,
    seed: str,
    key: str = "spread",
    dealings: int = DEALINGS,
) -> Spread:
    """Of cases (N,): a value, the code of its prompt and that of its genre; cases of UNKNOWN genre are left out."""
    known = genres != UNKNOWN
    values, prompts, genres = values[known], prompts[known], genres[known]
    number = len(np.unique(genres))
    if number < 2:
        return Spread(number, reason=ONE_GENRE)
    sums, counts, starts = _units(values, prompts, genres)
    cases = np.add.reduceat(counts, starts)
    observed = float(np.std(np.add.reduceat(sums, starts) / cases, ddof=1))
    random = bootstrap.generator(seed, key)
    dealt = np.concatenate(
        [_dealt(sums, counts, starts, order) for order in _orders(random, len(sums), dealings)]
    )
    as_much = int(np.count_nonzero(dealt >= observed * AS_MUCH))
    return Spread(
        genres=number,
        sd=observed,
        by_sampling=float(np.sqrt(np.var(values) * np.mean(1 / cases))),
        by_sampling_of_prompts=float(np.sqrt(np.mean(dealt**2))),
        p=(1 + as_much) / (1 + len(dealt)),
    )


def _units(values: Floats, prompts: Integers, genres: Integers) -> tuple[Floats, Floats, Integers]:
    """Sums and numbers of cases of each prompt (U,), sorted by genre, and where each genre starts (G,).

    A prompt whose pairs have two genres is one of each.
    """
    _genres, genre = np.unique(genres, return_inverse=True)
    cells, cell = np.unique(genre * (int(prompts.max()) + 1) + prompts, return_inverse=True)
    sums = np.bincount(cell, weights=values).astype(np.float64)
    counts = np.bincount(cell).astype(np.float64)
    of_unit = cells // (int(prompts.max()) + 1)
    return sums, counts, np.flatnonzero(np.diff(of_unit, prepend=-1)).astype(np.int64)


def _orders(random: np.random.Generator, units: int, dealings: int) -> Iterator[Integers]:
    """Random orders (block, U), made of the raw stream, which no version of NumPy changes."""
    block = max(1, bootstrap.CELLS // units)
    for start in range(0, dealings, block):
        rows = min(block, dealings - start)
        words = random.bit_generator.random_raw(rows * units)
        yield np.argsort(words.reshape(rows, units), axis=1, kind="stable")


def _dealt(sums: Floats, counts: Floats, starts: Integers, order: Integers) -> Floats:
    """SDs (block,) of genres to which the units were dealt in that order."""
    means = np.add.reduceat(sums[order], starts, axis=1) / np.add.reduceat(counts[order], starts, axis=1)
    return np.asarray(np.std(means, axis=1, ddof=1))
