"""Texts that name a model, by the check of triage: their own source, or any that is known.

What the prompt names is no leak.
"""

from dataclasses import dataclass

import numpy as np

from annotation.domain import sentences
from curation.domain.audit.table import Table

MOST_NAMED = 100


@dataclass(frozen=True, slots=True)
class Leak:
    """`detail` says which name stands where (sentences.say)."""

    response: str
    detail: str


@dataclass(frozen=True, slots=True)
class Leaks:
    """How many responses name a model, on how many chosen and rejected sides they stand, and in how many pairs.

    `named` are the first MOST_NAMED in the order of their ids.
    """

    responses: int
    pairs: int
    chosen: int
    rejected: int
    named: tuple[Leak, ...]

    def as_dict(self) -> dict[str, object]:
        return {
            "responses": self.responses,
            "pairs": self.pairs,
            "chosen": self.chosen,
            "rejected": self.rejected,
            "named": [
                {"response": leak.response, "detail": sentences.as_dict(leak.detail)} for leak in self.named
            ],
        }


def leaks(table: Table) -> Leaks:
    found = table.responses.leaks
    numbers = sorted(found)
    names_one = np.zeros(len(table.responses.names), dtype=np.int64)
    names_one[numbers] = 1
    chosen, rejected = table.turned(names_one)
    return Leaks(
        responses=len(numbers),
        pairs=int(np.count_nonzero(chosen | rejected)),
        chosen=int(chosen.sum()),
        rejected=int(rejected.sum()),
        named=tuple(Leak(table.responses.names[at], found[at].detail) for at in numbers[:MOST_NAMED]),
    )
