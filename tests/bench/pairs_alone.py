"""Pairs of many candidates, in a process of its own: python -m tests.bench.pairs_alone WHAT RESPONSES GROUP [...].

WHAT is `formed` (the candidates of one bucket after the other), `joined` (polars), or a stage of the whole rule:
`decided` FOLDER FIRST END (the buckets of one worker, into a folder) and `merged` FOLDER (what all of them come to).
Prints JSON: seconds of CPU and of the clock, the most MiB resident, and what the result can be known by. Making the
responses and scores is not timed: they are input. Reading and writing what passes between the stages is.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from curation.domain import forming
from curation.domain.shards import merge, work
from curation.domain.shards.buckets import BUCKETS
from curation.domain.shards.parts import Part
from curation.domain.shards.tallies import Tally
from curation.domain.standing import Outcomes
from tests.bench.growth import most_mib
from tests.bench.pair_samples import RECIPE, Sample, checksum

Facts = dict[str, int | float]


@dataclass(slots=True)
class Clock:
    cpu: float = 0.0
    wall: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        cpu, wall = time.process_time(), time.monotonic()
        yield
        self.cpu += time.process_time() - cpu
        self.wall += time.monotonic() - wall


def formed(sample: Sample, clock: Clock) -> Facts:
    """Forming alone, as runs do it: the buckets one after the other, of each the pairs, which are then let go."""
    pairs, total = 0, 0
    for bucket in range(BUCKETS):
        ranks = sample.ranks(bucket)
        material, given = sample.columns(ranks)
        text = np.zeros(len(ranks), dtype=np.int64)  # no two texts are the same
        with clock.running():
            table = forming.formed(material, given, text, RECIPE, Outcomes(RECIPE.reasons, kept=False))
            pairs += len(table.chosen)
            total ^= checksum(ranks[table.chosen], ranks[table.rejected], len(sample))
    return {"pairs": pairs, "checksum": total}


def joined(sample: Sample, clock: Clock) -> Facts:
    import polars as pl

    from tests.bench.pair_peers import joined_by_polars

    columns = pl.LazyFrame(sample.frame())
    with clock.running():
        found = joined_by_polars(columns, len(sample)).select(pl.len(), pl.col("key").bitwise_xor())
        row = found.collect(engine="streaming").row(0)
    return {"pairs": row[0], "checksum": row[1]}


def decided(sample: Sample, clock: Clock, folder: str, first: str, end: str) -> Facts:
    """What a worker does: each bucket decided alone, its part and its tally written."""
    pairs = 0
    for bucket in range(int(first), int(end)):
        responses, scores = sample.rows(sample.ranks(bucket))
        with clock.running():
            part, tally = work.decided(responses, scores, RECIPE)
            Path(folder, f"{bucket:03}.part").write_bytes(part.to_bytes())
            Path(folder, f"{bucket:03}.tally").write_bytes(tally.to_bytes())
        pairs += len(part)
    return {"pairs": pairs}


class Parts(Sequence[Part]):
    """Each read when it is asked for, as a run's are."""

    def __init__(self, folder: str) -> None:
        self.paths = sorted(Path(folder).glob("*.part"))

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, place: int) -> Part:
        return Part.from_bytes(self.paths[place].read_bytes())


def merged(sample: Sample, clock: Clock, folder: str) -> Facts:
    """What is left of all parts, which are then read once more, as a run stores its pairs."""
    with clock.running():
        tallies = [Tally.from_bytes(path.read_bytes()) for path in sorted(Path(folder).glob("*.tally"))]
        found = merge.merged(tallies, Parts(folder), RECIPE)
    pairs, total, unequal = 0, 0, 0
    with clock.running():
        for part in found.accepted():
            pairs += len(part)
            ranks = np.array([int(name[1:]) for name in part.responses], dtype=np.int64)
            total ^= checksum(ranks[part.table.chosen], ranks[part.table.rejected], len(sample))
    for stratum in found.symmetry:
        unequal += abs(stratum.kept.longer - stratum.kept.shorter)
    return {"pairs": pairs, "checksum": total, "unequal": unequal, "candidates": found.funnel.candidates}


STAGES: dict[str, Callable[..., Facts]] = {
    "formed": formed,
    "joined": joined,
    "decided": decided,
    "merged": merged,
}


def main(what: str, responses: str, group: str, *more: str) -> None:
    sample, clock = Sample.of(int(responses), int(group)), Clock()
    found = STAGES[what](sample, clock, *more)
    json.dump({**found, "cpu": clock.cpu, "wall": clock.wall, "mib": most_mib()}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
