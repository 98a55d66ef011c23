"""Families of models among the chosen and the rejected sides.

A family is the first word of a model's name that says something, in small letters: what stands after the last slash
is read letter by letter until a digit or a mark, and words such as `chat` or `model` are passed over
(annotation/domain/triage/model_names.py). So gpt-4o and openai/GPT-3.5 are `gpt`, Claude_3 is `claude`, 豆包1.5 is
`豆包`. A name of nothing but such words is its own family: `human`.
"""

from dataclasses import asdict, dataclass

import numpy as np

from annotation.domain.triage.model_names import GENERAL, PARTS
from curation.domain import rates
from curation.domain.audit.table import Table
from curation.domain.charts import FEWEST
from curation.domain.rates import Rate


@dataclass(frozen=True, slots=True)
class Family:
    """`share_chosen` and `share_rejected` are of the sides whose model is known; `wins` is the share of the family's
    sides that are chosen, with Wilson's interval, as if pairs were independent; `few`: of fewer than FEWEST sides."""

    name: str
    chosen: int
    rejected: int
    share_chosen: float
    share_rejected: float
    wins: Rate
    few: bool


@dataclass(frozen=True, slots=True)
class Families:
    """In the order of their names; `unknown` counts sides whose model is not known."""

    families: tuple[Family, ...]
    unknown_chosen: int
    unknown_rejected: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def family(model: str) -> str:
    """The family of a model's name; "" of no name."""
    name = model.strip().lower().rstrip("/").rpartition("/")[2]
    words = [part for part in PARTS.findall(name) if part.isalpha() and part not in GENERAL]
    return words[0] if words else name


def families(table: Table) -> Families:
    of_model = [family(model) for model in table.models]
    names = sorted(set(of_model))
    code = np.array([names.index(name) for name in of_model] + [-1], dtype=np.int64)  # -1, the last: unknown
    chosen, rejected = table.turned(code[table.responses.model])
    won = np.bincount(chosen[chosen >= 0], minlength=len(names)).tolist()
    lost = np.bincount(rejected[rejected >= 0], minlength=len(names)).tolist()
    found = [
        Family(
            name=name,
            chosen=wins,
            rejected=losses,
            share_chosen=wins / max(1, sum(won)),
            share_rejected=losses / max(1, sum(lost)),
            wins=rates.wilson(wins, wins + losses),
            few=wins + losses < FEWEST,
        )
        for name, wins, losses in zip(names, won, lost, strict=True)
    ]
    return Families(tuple(found), int((chosen < 0).sum()), int((rejected < 0).sum()))
