"""L1: the recipe litbench on stories of twenty a prompt, from columns to the pairs that stay; input and output aside.

The peer joins the same columns and filters, and neither orders nor prunes. Both form the same pairs.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import pandas as pd

from annotation.domain.material import ResponseRow
from curation.domain import vote_pairs
from curation.domain.ranked import Material, Measure
from curation.domain.recipes import LitBench
from curation.domain.standing import Outcomes, Table
from curation.domain.vote_pairs import Votes
from tests.bench.measure import Line, peak
from tests.bench.sizes import Sizes

A_PROMPT = 20  # stories
MOST = 1500  # ms that 1,000,000 stories may take
PEER = "pandas merge, without priority and pruning"


@dataclass(frozen=True, slots=True)
class Sample:
    material: Material
    votes: Votes

    @classmethod
    def of(cls, stories: int) -> "Sample":
        """Upvotes with a long right tail, lengths about 550 words."""
        random = np.random.default_rng(1)
        prompt = np.arange(stories) // A_PROMPT
        rows = tuple(
            ResponseRow(f"s{number:07}", f"p{number // A_PROMPT:06}", "") for number in range(stories)
        )
        lengths = np.clip(random.lognormal(6.1, 0.6, stories), 50, 2048).astype(np.int64)
        votes = Votes(
            prompt=prompt,
            upvotes=10 + random.pareto(0.9, stories).clip(0, 3000).astype(np.int64),
            posted_at=random.integers(0, 3 * 10**9, stories) * 1000,
            text=np.arange(stories) % A_PROMPT,
        )
        stratum = np.zeros(stories, dtype=np.int64)
        return cls(Material(rows, lengths, Measure({}, stories), stratum, ((),), ()), votes)

    def decided(self, recipe: LitBench) -> Table:
        outcomes = Outcomes(recipe.reasons, kept=False)
        return vote_pairs.decided(self.material, self.votes, recipe, outcomes)[0]

    def joined(self) -> pd.DataFrame:
        columns = {
            "prompt": self.votes.prompt,
            "upvotes": self.votes.upvotes,
            "at": self.votes.posted_at,
            "rank": np.arange(len(self.votes.prompt)),
        }
        table = pd.DataFrame(columns)
        both = table.merge(table, on="prompt", suffixes=("", "_other"))
        gap = 4 * (both["upvotes"] - both["upvotes_other"]) >= both["upvotes"]
        return both[gap & (both["at"] > both["at_other"])]


def lines(sizes: Sizes) -> Iterator[Line]:
    sample, recipe = Sample.of(sizes.many_texts), LitBench()
    ours, theirs = [], []
    for _ in range(sizes.slow_runs):
        began = time.process_time()
        sample.decided(recipe)
        ours.append(time.process_time() - began)
        began = time.process_time()
        joined = sample.joined()
        theirs.append(time.process_time() - began)
    formed = sample.decided(replace(recipe, length_symmetry=False))
    found, peers = 1000 * median(ours), 1000 * median(theirs)
    yield Line(
        case="L1",
        what=f"litbench, {len(formed.chosen):,} pairs formed",
        size=f"{sizes.many_texts:,} stories",
        ours=found,
        peer=PEER,
        peers=peers,
        ratio=found / peers,
        target=MOST / peers,
        memory=peak(lambda: sample.decided(recipe)),
        differs=_difference(formed, joined, sizes.many_texts),
    )


def _difference(formed: Table, joined: pd.DataFrame, stories: int) -> float:
    """How many pairs only one of the two has."""
    ours = formed.chosen * stories + formed.rejected
    peers = joined["rank"].to_numpy() * stories + joined["rank_other"].to_numpy()
    return float(len(np.setxor1d(ours, peers)))
