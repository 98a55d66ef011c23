"""The configurations of a release: where their rows stand, and what columns they have. Card, Croissant and the data
package say the same of them, each in its own words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Kinds of columns as a dataset card writes them.
TEXT, WHOLE, NUMBER = "dtype: string", "dtype: int64", "dtype: float64"
TEXTS, WHOLES = "list: string", "list: int64"
TIERS = "list:\n      list: string"
MESSAGES = "list:\n    - name: role\n      dtype: string\n    - name: content\n      dtype: string"
CANARY = "canary"

PREFERENCE_COLUMNS = {
    "id": TEXT,
    "prompt_id": TEXT,
    "chosen": MESSAGES,
    "rejected": MESSAGES,
    "margin": NUMBER,
    "genre": TEXT,
    "language": TEXT,
}
CONTESTED_COLUMNS = {
    "id": TEXT,
    "prompt_id": TEXT,
    "a": TEXT,
    "b": TEXT,
    "reason": TEXT,
    "votes_a": WHOLE,
    "votes_b": WHOLE,
    "ties": WHOLE,
    "k": WHOLE,
    "share_a": NUMBER,
    "genre": TEXT,
    "language": TEXT,
    "prompt": TEXT,
    "a_text": TEXT,
    "b_text": TEXT,
}
UNLABELLED_COLUMNS = {
    "id": TEXT,
    "prompt_id": TEXT,
    "first": TEXT,
    "second": TEXT,
    "genre": TEXT,
    "language": TEXT,
    "prompt": TEXT,
    "first_text": TEXT,
    "second_text": TEXT,
}


@dataclass(frozen=True, slots=True)
class Table:
    """One configuration: its splits, the columns of its rows, and of which of its splits the rows are withheld."""

    config: str
    columns: Mapping[str, str]
    splits: Sequence[str] = ("test",)
    withheld: Sequence[str] = ()

    def path(self, split: str) -> str:
        return f"data/{self.config}/{split}.jsonl"

    def open_splits(self) -> list[str]:
        return [split for split in self.splits if split not in self.withheld]

    def withheld_paths(self) -> Iterator[str]:
        for split in self.withheld:
            yield self.path(split)


def with_canary(table: Table) -> Table:
    return Table(table.config, {**table.columns, CANARY: TEXT}, table.splits, table.withheld)
