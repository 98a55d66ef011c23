"""What stands beside a model's accuracy on the same pairs: how far people get, and how far the surface alone does.

The human ceiling (curation/domain/ceiling.py) is of the scores that the release holds: how often one person agrees
with the pairs that the others alone accept, ties half. The baselines (curation/domain/audit) are guesses by one thing
alone, such as that the longer text wins, ties half. None of them is a prediction of a model.

    no_scores       the release holds no scores of people
    no_known_model  the release does not say which model wrote what, so the guess by the source is not made
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from curation.domain import ceiling
from curation.domain.audit import baselines, shares
from curation.domain.audit.found import BASELINES, SOURCE_MODEL, Share
from curation.domain.audit.rows import PairRow
from curation.domain.audit.table import Table, gathered
from curation.domain.bootstrap import Integers
from curation.domain.ceiling import Ceiling
from curation.domain.evaluation.accuracy import Draws
from curation.domain.evaluation.benchmark import UNKNOWN, Scored, coded
from curation.domain.recipes import WritingPreference

NO_SCORES = "no_scores"
NO_KNOWN_MODEL = "no_known_model"


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Agreements of the annotators of a release (ceiling.Compared), None without a score, and its prompts."""

    found: ceiling.Compared | None
    prompts: tuple[str, ...]

    @classmethod
    def of(cls, scores: Sequence[Scored], recipe: WritingPreference | None) -> "People":
        """ValueError on a second score of an annotator for a response."""
        if not scores:
            return cls(None, ())
        responses, unit = coded([row.response_id for row in scores])
        _names, annotator = coded([row.annotator for row in scores])
        prompts, prompt = coded([row.prompt_id for row in scores])
        if len(np.unique(unit * (int(annotator.max()) + 1) + annotator)) < len(scores):
            raise ValueError("an annotator has two scores for one response; keep the current one")
        of_unit = np.zeros(len(responses), dtype=np.int32)
        of_unit[unit] = prompt
        value = np.array([row.score for row in scores], dtype=np.uint8)
        codes = unit.astype(np.int32), annotator.astype(np.int32)
        return cls(ceiling.compared(*codes, value, of_unit, recipe), prompts)

    def whole(self, draws: Draws) -> Ceiling:
        return self.parts(dict.fromkeys(self.prompts, "all"), ["all"], draws)["all"]

    def parts(self, part_of: Mapping[str, str], parts: Sequence[str], draws: Draws) -> dict[str, Ceiling]:
        """By part, such as a genre; `part_of` has that of each prompt that is of one."""
        if self.found is None:
            return {part: Ceiling(None, reason=NO_SCORES) for part in parts}
        code = {part: number for number, part in enumerate(parts)}
        group = [code.get(part_of.get(name, ""), UNKNOWN) for name in self.prompts]
        found = ceiling.ceilings(
            self.found,
            np.array(group, dtype=np.int32),
            len(parts),
            seed=draws.seed,
            replicates=draws.replicates,
        )
        return dict(zip(parts, found, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The pairs as the audit takes them, in the order of their ids."""

    table: Table

    @classmethod
    def of(cls, rows: Sequence[PairRow]) -> "Surface":
        """ValueError on an id that stands for two pairs, or for responses that differ."""
        return cls(gathered(rows))

    def guesses(self, rows: Integers, *, key: str, draws: Draws) -> dict[str, Share]:
        """By name of BASELINES, of the pairs at `rows`; models are known from them alone."""
        found = shares.shares(
            baselines.guesses(self.table, rows),
            self.table.prompt[rows],
            seed=draws.seed,
            key=f"baselines:{key}",
            replicates=draws.replicates,
        )
        named = dict(zip(BASELINES, found, strict=True))
        if not self.table.models:
            named[SOURCE_MODEL] = replace(named[SOURCE_MODEL], reason=NO_KNOWN_MODEL)
        return named
