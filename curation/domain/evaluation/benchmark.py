"""What a release asks of a model, as columns: its pairs, its gold rankings, and the scores people gave.

Names stand in the order of their bytes, and rows in that of their ids, so that the order in which rows come shows in
no figure. A genre or a language that is not known is the code UNKNOWN.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from curation.domain.audit.rows import PairRow
from curation.domain.bootstrap import Integers
from curation.domain.evaluation.predictions import Tiers
from curation.domain.recipes import WritingPreference

UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """N pairs. `chosen` and `rejected` (N,) are codes of responses, `prompt`, `genre` and `language` (N,) of names."""

    ids: tuple[str, ...]
    responses: tuple[str, ...]
    prompts: tuple[str, ...]
    genres: tuple[str, ...]
    languages: tuple[str, ...]
    chosen: Integers
    rejected: Integers
    prompt: Integers
    genre: Integers
    language: Integers

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, rows: Iterable[PairRow]) -> "Pairs":
        """ValueError where two have the same id."""
        ordered = sorted(rows, key=lambda row: row.id)
        ids = tuple(row.id for row in ordered)
        if len(set(ids)) < len(ids):
            raise ValueError("two pairs have the same id; an id names one pair")
        responses, side = coded([name for row in ordered for name in (row.chosen, row.rejected)])
        prompts, prompt = coded([row.prompt_id for row in ordered])
        genres, genre = coded([row.genre for row in ordered])
        languages, language = coded([row.language for row in ordered])
        chosen, rejected = side.reshape(-1, 2).T
        return cls(ids, responses, prompts, genres, languages, chosen, rejected, prompt, genre, language)

    def of_prompts(self, codes: Integers, names: Sequence[str]) -> dict[str, str]:
        """The part that each prompt is of, from the codes (N,) of pairs; those that are known alone."""
        known = codes != UNKNOWN
        found = zip(self.prompt[known].tolist(), codes[known].tolist(), strict=True)
        return {self.prompts[prompt]: names[code] for prompt, code in found}


@dataclass(frozen=True, slots=True)
class GoldOrder:
    """The gold order of the responses to one prompt; `genre` is what a release of rankings calls the category."""

    prompt_id: str
    gold: Tiers
    genre: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """One score of one person."""

    response_id: str
    prompt_id: str
    annotator: str
    score: int


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """A release, as far as models are held against it.

    `rows` are those of `pairs`, with their texts. `recipe` is the one whose rules 3 to 5 made the pairs, None where
    they were made otherwise. `human` is what the release itself says of people's rankings against the gold ones, and
    `human_by_genre` the same by category.
    """

    name: str
    version: str
    rows: Sequence[PairRow] = ()
    pairs: Pairs = field(default_factory=lambda: Pairs.of(()))
    orders: Sequence[GoldOrder] = ()
    scores: Sequence[Scored] = ()
    recipe: WritingPreference | None = None
    human: Mapping[str, object] | None = None
    human_by_genre: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def held(self) -> set[str]:
        """The responses that people judged, whether or not a pair has them."""
        ranked = (text for order in self.orders for tier in order.gold for text in tier)
        return {row.response_id for row in self.scores}.union(ranked)


def coded(names: Sequence[str]) -> tuple[tuple[str, ...], Integers]:
    """The different names in order, and the place of each in them; "" is UNKNOWN."""
    different = tuple(sorted(set(names) - {""}, key=str.encode))
    place = {name: number for number, name in enumerate(different)} | {"": UNKNOWN}
    return different, np.array([place[name] for name in names], dtype=np.int64)
