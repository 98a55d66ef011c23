"""Pairs that votes made, as rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from curation.domain.judgements import moment
from curation.domain.outcome import Pairs
from curation.domain.standing import Table
from curation.domain.stories import Story


@dataclass(frozen=True)  # without slots, which orjson writes half as fast
class VotedPair:
    """An accepted pair. Moments are in UTC, as judgements.moment writes them. A release has these fields, in this
    order; no rule raises a flag yet."""

    id: str
    prompt_id: str
    chosen: str
    rejected: str
    upvotes_chosen: int
    upvotes_rejected: int
    posted_at_chosen: str
    posted_at_rejected: str
    length_chosen: int
    length_rejected: int
    flags: tuple[str, ...]
    genre: str
    language: str
    chosen_model: str
    rejected_model: str
    prompt: str
    chosen_text: str
    rejected_text: str


class VotedPairs(Pairs[VotedPair, Table]):
    """All accepted pairs, sorted by id as bytes. The rows of the material are stories."""

    def made(self, start: int, stop: int) -> Iterator[VotedPair]:
        stories, lengths = cast("Sequence[Story]", self.material.rows), self.material.lengths
        columns = (column[start:stop].tolist() for column in (self.table.chosen, self.table.rejected))
        for chosen, rejected in zip(*columns, strict=True):
            winner, loser = stories[chosen], stories[rejected]
            yield VotedPair(
                id=f"{winner.prompt_id}:{winner.id}:{loser.id}",
                prompt_id=winner.prompt_id,
                chosen=winner.id,
                rejected=loser.id,
                upvotes_chosen=winner.upvotes,
                upvotes_rejected=loser.upvotes,
                posted_at_chosen=moment(winner.posted_at),
                posted_at_rejected=moment(loser.posted_at),
                length_chosen=int(lengths[chosen]),
                length_rejected=int(lengths[rejected]),
                flags=(),
                genre=winner.genre,
                language=winner.language,
                chosen_model=winner.model,
                rejected_model=loser.model,
                prompt=winner.prompt,
                chosen_text=winner.text,
                rejected_text=loser.text,
            )
