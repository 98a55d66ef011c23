"""Seeded responses of which pairs are formed: three people score those of a prompt, of which there are any number."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.domain.material import ResponseRow
from annotation.domain.scoring import CurrentScore
from curation.domain.forming import Given
from curation.domain.ranked import Material, Measure
from curation.domain.recipes import WritingPreference
from curation.domain.shards.buckets import bucket_of
from tests.bench.samples import EACH, POOL, SEED, VALUES, chosen


@dataclass(frozen=True)
class Sample:
    """The scores of each response (N, 3) and who gave those of a prompt (P, 3); lengths of a few hundred words.

    A response's number is its rank: names are in the order of numbers.
    """

    group: int
    panel: np.ndarray
    who: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, responses: int, group: int) -> "Sample":
        random = np.random.default_rng(SEED)
        merit = random.normal(size=responses)
        felt = merit[:, None] + random.normal(scale=1.1, size=(responses, EACH))
        panel = np.clip(
            np.round(1.5 + 0.6 * felt), 0, VALUES - 1
        )  # about 39 % of the candidates become pairs
        # Better texts are longer, as people's are; so there is something to prune.
        lengths = (np.clip(random.lognormal(6.1, 0.6, responses), 50, 4000) * (1 + 0.1 * merit)).astype(
            np.int64
        )
        who = np.sort(chosen(random, -(-responses // group)), axis=1)
        return cls(group, panel.astype(np.int8), who.astype(np.int32), lengths)

    def __len__(self) -> int:
        return len(self.panel)

    @property
    def candidates(self) -> int:
        sizes = np.bincount(self.prompt)
        return int((sizes * (sizes - 1) // 2).sum())

    @cached_property
    def prompt(self) -> np.ndarray:
        return np.arange(len(self)) // self.group

    @cached_property
    def buckets(self) -> np.ndarray:
        """The bucket of each prompt."""
        return np.array([bucket_of(f"p{number:07}") for number in range(len(self.who))])

    def ranks(self, bucket: int | None = None) -> np.ndarray:
        """The responses of a bucket, or all."""
        if bucket is None:
            return np.arange(len(self))
        return np.flatnonzero((self.buckets == bucket)[self.prompt])

    def columns(self, ranks: np.ndarray) -> tuple[Material, Given]:
        """Some prompts as rules take them that look at no row."""
        starts = np.flatnonzero(np.diff(self.prompt[ranks], prepend=-1))
        prompts = tuple(np.split(np.arange(len(ranks)), starts[1:])) if len(ranks) else ()
        nothing = np.zeros(len(ranks), dtype=np.int64)
        material = Material((), self.lengths[ranks], Measure({}, len(ranks)), nothing, ((),), prompts)
        annotators = self.who[self.prompt[ranks]].ravel()
        return material, Given(EACH * np.arange(len(ranks) + 1), annotators, self.panel[ranks].ravel())

    def frame(self) -> dict[str, np.ndarray]:
        """As peers take them: a row a response, its scores by seat."""
        scores = {f"s{seat}": np.ascontiguousarray(self.panel[:, seat]) for seat in range(EACH)}
        return {
            "prompt": self.prompt.astype(np.int32),
            "rank": np.arange(len(self), dtype=np.int32),
            **scores,
        }

    def rows(self, ranks: np.ndarray) -> tuple[list[ResponseRow], list[CurrentScore]]:
        """The same as they are read from files and databases. A text is a few letters, which differ."""
        prompts = [f"p{number:07}" for number in range(len(self.who))] if len(ranks) else []
        responses, scores = [], []
        columns = (
            ranks,
            self.prompt[ranks],
            self.lengths[ranks],
            self.panel[ranks],
            self.who[self.prompt[ranks]],
        )
        for rank, prompt, length, values, names in zip(*(column.tolist() for column in columns), strict=True):
            name = f"r{rank:07}"
            responses.append(ResponseRow(name, prompts[prompt], name, length=length))
            scores += [CurrentScore(name, PEOPLE[by], value) for by, value in zip(names, values, strict=True)]
        return responses, scores


PEOPLE = tuple(f"a{number:02}" for number in range(POOL))
# Two of three in one direction, and a gap of 1 of the means, which is 3 of the sums.
RECIPE = WritingPreference()


def numbered(better: np.ndarray, worse: np.ndarray, many: int) -> np.ndarray:
    """A number for each pair, below many x many."""
    numbers = better * many
    numbers += worse
    return numbers


def checksum(better: np.ndarray, worse: np.ndarray, many: int) -> int:
    """The exclusive or of the pairs' numbers, the same whatever their order."""
    return int(np.bitwise_xor.reduce(numbered(better, worse, many)))
