"""The rows of the file as codes, whose order is that of the names: no number hangs on the order of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curation.domain.bootstrap import Integers
from curation.management.agreement_of_files.scores import Scores


@dataclass(frozen=True)
class Rows:
    """Row i is the value of unit `unit[i]` by `annotators[annotator[i]]`, and `cluster` (U,) the prompt of each unit.

    `cluster` is None where each unit is its own.
    """

    unit: Integers
    annotator: Integers
    annotators: list[str]
    cluster: Integers | None

    @property
    def sizes(self) -> Integers:
        """How many values each unit has (U,)."""
        return np.bincount(self.unit) if len(self.unit) else np.zeros(0, dtype=np.int64)

    @property
    def n_pairable_units(self) -> int:
        return int((self.sizes > 1).sum())


@dataclass(frozen=True, slots=True)
class Bootstrap:
    replicates: int
    seed: str


def of_scores(scores: Scores) -> Rows:
    unit, names = _coded(scores.units)
    annotator, annotators = _coded(scores.annotators)
    if scores.clusters() is None:
        return Rows(unit, annotator, annotators, None)
    cluster = np.zeros(len(names), dtype=np.int64)
    cluster[unit] = _coded(scores.prompts)[0]
    return Rows(unit, annotator, annotators, cluster)


def _coded(names: Sequence[str]) -> tuple[Integers, list[str]]:
    """The place of each name among the different names, and those, in their order."""
    different = sorted(set(names))
    place = {name: i for i, name in enumerate(different)}
    return np.fromiter(map(place.__getitem__, names), dtype=np.int64, count=len(names)), different
