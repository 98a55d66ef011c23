"""What passed the rules in one bucket, as columns, and as bytes that another worker reads."""

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from annotation.domain.material import ResponseRow
from curation.domain.priority import UInts
from curation.domain.ranked import Material, Measure, Stratum
from curation.domain.scored_pairs import ScoredPairs
from curation.domain.selection import Scored
from curation.domain.shards import sealed, tallies
from curation.domain.shards.sealed import Column
from curation.domain.standing import Standing

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Of a table: what follows from its other columns is not written.
WRITTEN = tuple(column.name for column in fields(Scored) if column.name != "prompt")


@dataclass(frozen=True, eq=False)
class Part:
    """Pairs that stand (N,), and the responses that occur in them (R,), by rank among these.

    `prompt_of` (R,) and `stratum_of` (R,) are places in `prompts` and `strata`. Equal pairs give equal parts: all is in
    the order of ids, prompt by prompt.
    """

    prompts: tuple[str, ...]
    responses: tuple[str, ...]
    strata: tuple[Stratum, ...]
    prompt_of: Ints
    stratum_of: Ints
    lengths: Ints
    table: Scored
    priority: UInts

    def __len__(self) -> int:
        return len(self.priority)

    @cached_property
    def difference(self) -> Ints:
        """length(chosen) - length(rejected) of each pair."""
        return self.lengths[self.table.chosen] - self.lengths[self.table.rejected]

    @cached_property
    def stratum(self) -> Ints:
        """The place of each pair's stratum."""
        return self.stratum_of[self.table.chosen]

    def ids(self, row: int) -> tuple[str, str]:
        """The chosen and the rejected response of a pair."""
        return self.responses[self.table.chosen[row]], self.responses[self.table.rejected[row]]

    def only(self, which: Bools) -> "Part":
        places = np.flatnonzero(which)
        return replace(self, table=self.table.only(places), priority=self.priority[places])

    def pairs(self) -> ScoredPairs:
        """The pairs as rows, sorted by id; their texts are empty."""
        rows = tuple(
            ResponseRow(id=name, prompt_id=self.prompts[prompt], text="")
            for name, prompt in zip(self.responses, self.prompt_of.tolist(), strict=True)
        )
        ranks = [np.flatnonzero(self.prompt_of == place) for place in range(len(self.prompts))]
        measure = Measure({}, len(rows))
        material = Material(rows, self.lengths, measure, self.stratum_of, self.strata, tuple(ranks))
        return ScoredPairs(material, self.table)

    def to_bytes(self) -> bytes:
        names = {"prompts": self.prompts, "responses": self.responses, "strata": self.strata}
        columns: dict[str, Column] = {
            name: sealed.narrow(getattr(self, name)) for name in ("prompt_of", "stratum_of", "lengths")
        }
        columns |= {f"table.{name}": sealed.narrow(getattr(self.table, name)) for name in WRITTEN}
        return sealed.sealed(names, {**columns, "priority": self.priority})

    @classmethod
    def from_bytes(cls, content: bytes) -> "Part":
        """sealed.Damaged where a byte is missing or another."""
        names, columns = sealed.opened(content)
        prompt_of = columns["prompt_of"].astype(np.int64)
        chosen = columns["table.chosen"].astype(np.int64)
        kinds = {"chosen": np.int64, "rejected": np.int64, "flags": np.uint8}
        given = {name: columns[f"table.{name}"].astype(kinds.get(name, np.int32)) for name in WRITTEN}
        return cls(
            prompts=tuple(names["prompts"]),
            responses=tuple(names["responses"]),
            strata=tallies.strata_of(names["strata"]),
            prompt_of=prompt_of,
            stratum_of=columns["stratum_of"].astype(np.int64),
            lengths=columns["lengths"].astype(np.int64),
            table=Scored(prompt=prompt_of[chosen], **given),
            priority=columns["priority"].astype(np.uint64),
        )


def part_of(material: Material, left: Standing[Scored]) -> Part:
    """The pairs that stand, with what the merge has to know of them and nothing more."""
    table = left.table
    there = np.zeros(len(material.rows), dtype=np.bool_)
    there[table.chosen] = there[table.rejected] = True
    ranks = np.flatnonzero(there)
    new_rank = np.cumsum(there) - 1
    prompt_of = np.zeros(len(material.rows), dtype=np.int64)
    prompt_of[table.chosen] = prompt_of[table.rejected] = table.prompt
    prompts, of_ranks = np.unique(prompt_of[ranks], return_inverse=True)
    strata, stratum_of = np.unique(material.stratum[ranks], return_inverse=True)
    chosen = new_rank[table.chosen]
    return Part(
        prompts=tuple(material.rows[material.prompts[place][0]].prompt_id for place in prompts.tolist()),
        responses=tuple(material.rows[rank].id for rank in ranks.tolist()),
        strata=tuple(material.strata[place] for place in strata.tolist()),
        prompt_of=of_ranks,
        stratum_of=stratum_of,
        lengths=material.lengths[ranks],
        table=replace(table, chosen=chosen, rejected=new_rank[table.rejected], prompt=of_ranks[chosen]),
        priority=left.priority,
    )
