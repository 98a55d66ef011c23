"""P1 to P3: pairs formed, the whole rule in shards, pruning; and how time and memory grow with the candidates.

Peers join columns that hold the scores of a panel by seat. Ours takes every mark with its annotator, and forms pairs by
the functions that runs call.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from statistics import median

import numpy as np
import pandas as pd
import polars as pl

from curation.domain import forming, pairing, priority, standing
from curation.domain.ranked import Material
from curation.domain.selection import Scored
from curation.domain.shards import merge, work
from curation.domain.shards.buckets import BUCKETS
from curation.domain.standing import Outcomes, Standing, Table
from tests.bench import pair_peers
from tests.bench.measure import Call, Line, Race, Row
from tests.bench.pair_samples import RECIPE, Sample, numbered
from tests.bench.sizes import Sizes
from tests.children import ROOT

PANDAS, POLARS, STREAMED = "pandas merge", "polars join", "polars join, streamed"
GROUPED, DUCKDB = "pandas groupby and cumcount", "duckdb row_number"
FEW, SOME, MANY = 20, 110, 200  # responses of a prompt
MOST_MIB, MOST_SECONDS, MOST_TIMES = 500, 25, 12
SLOW = 100_000  # responses from which one run has to do
Facts = Mapping[str, float]


def races(sizes: Sizes) -> Iterator[Race]:
    yield _formed(Sample.of(sizes.texts, FEW), sizes)
    yield _pruned(sizes)


# --- P1 --------------------------------------------------------------------------------------------------


def _formed(sample: Sample, sizes: Sizes) -> Race:
    frame, lazy = pd.DataFrame(sample.frame()), pl.LazyFrame(sample.frame())
    return Race(
        size=f"{sample.candidates:,} raw",
        calls={
            PANDAS: Call(partial(pair_peers.joined_by_pandas, frame), sizes.runs),
            POLARS: Call(lambda: pair_peers.joined_by_polars(lazy, len(sample)).collect(), sizes.runs),
            "formed": Call(partial(_form, sample, *sample.columns(sample.ranks())), sizes.runs),
        },
        rows=[
            Row("P1", f"pairs of groups of {FEW}", "formed", PANDAS, 0.5, is_measured=True),
            Row("P1", "the same", "formed", POLARS, 2),
        ],
        differences=partial(_other_pairs, len(sample)),
    )


def _form(sample: Sample, material: Material, given: forming.Given) -> Scored:
    nothing = np.zeros(len(sample), dtype=np.int64)  # no two texts are the same
    return forming.formed(material, given, nothing, RECIPE, Outcomes(RECIPE.reasons, kept=False))


def _other_pairs(many: int, results: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    """How many pairs only one of two has."""
    formed, joined = results["formed"], results[PANDAS]
    ours = numbered(formed.chosen, formed.rejected, many)
    peers = numbered(joined["rank"].to_numpy().astype(np.int64), joined["rank_other"].to_numpy(), many)
    yield "P1", _apart(ours, peers)
    yield "P1", _apart(ours, results[POLARS]["key"].to_numpy())


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    return float(len(np.setxor1d(one, other)) + abs(len(one) - len(other)))


# --- P2 --------------------------------------------------------------------------------------------------


def lines(sizes: Sizes) -> Iterator[Line]:
    """Forming and joining take turns, each time in a process of its own."""
    many, runs = sizes.paired, sizes.slow_runs
    turns = [(_alone("formed", many), _alone("joined", many)) for _ in range(runs)]
    ours, peers = (_medians(found) for found in zip(*turns, strict=True))
    line = partial(Line, case="P2", size=f"{_candidates(many):,} raw")
    wrong = float(ours["pairs"] != peers["pairs"]) + float(ours["checksum"] != peers["checksum"])
    yield line(
        what=f"{ours['pairs']:,.0f} pairs of groups of {MANY}",
        ours=1000 * ours["cpu"],
        peer=STREAMED,
        peers=1000 * peers["cpu"],
        ratio=ours["cpu"] / peers["cpu"],
        target=1.2,
        memory=ours["mib"],
        differs=wrong,
    )
    yield line(what="the same, process", **_memory(ours["mib"], peers["mib"], STREAMED))
    yield from _in_shards(many, ours, line)


def _in_shards(many: int, formed: Facts, line: "partial[Line]") -> Iterator[Line]:
    """The whole rule by one worker, then by two at once; both leave the same."""
    alone, together = _run(many, workers=1), _run(many, workers=2)
    differs = float(any(alone[name] != together[name] for name in ("pairs", "checksum", "candidates")))
    differs += alone["unequal"] + float(alone["stood"] != formed["pairs"])
    yield line(
        what=f"whole rule in shards, {alone['pairs']:,.0f} stay",
        ours=1000 * alone["cpu"],
        peer="forming alone, of the line above",
        peers=1000 * formed["cpu"],
        ratio=alone["cpu"] / formed["cpu"],
        target=MOST_TIMES,
        memory=alone["mib"],
        differs=differs,
    )
    yield line(what="the same, its largest process", **_memory(alone["mib"], formed["mib"], "forming alone"))
    # On a machine that others use the clock says how busy these are; on idle cores it is this CPU.
    yield line(
        what="the same by two workers: slower one, merge",
        ours=1000 * together["longest"],
        peer=f"one worker, merge (at most {MOST_SECONDS} s is asked)",
        peers=1000 * alone["longest"],
        ratio=together["longest"] / alone["longest"],
        target=MOST_SECONDS / alone["longest"],
        differs=differs,
    )
    for what, name in (("the same by the clock", "wall"), ("without the merge, by the clock", "shards")):
        yield line(
            what=what,
            ours=1000 * together[name],
            peer="one worker",
            peers=1000 * alone[name],
            ratio=together[name] / alone[name],
            target=None,
        )


def _memory(ours: float, peers: float, peer: str) -> dict[str, object]:
    asked = f"{peer} (at most {MOST_MIB} MiB)"
    return {
        "ours": ours,
        "peer": asked,
        "peers": peers,
        "ratio": ours / peers,
        "target": MOST_MIB / peers,
        "unit": "MiB",
    }


def _run(many: int, *, workers: int) -> dict[str, float]:
    """What a run does to its buckets: so many workers decide them, then one process merges what they wrote."""
    bounds = [BUCKETS * number // workers for number in range(workers + 1)]
    with tempfile.TemporaryDirectory(prefix="plumb-bench-") as folder:
        with ThreadPoolExecutor(workers) as pool:
            decided = list(
                pool.map(lambda part: _alone("decided", many, folder, *map(str, part)), pairwise(bounds))
            )
        merged = _alone("merged", many, folder)
    return {
        **merged,
        "stood": sum(found["pairs"] for found in decided),
        "cpu": merged["cpu"] + sum(found["cpu"] for found in decided),
        "longest": merged["cpu"] + max(found["cpu"] for found in decided),
        "shards": max(found["wall"] for found in decided),
        "wall": merged["wall"] + max(found["wall"] for found in decided),
        "mib": max(found["mib"] for found in (merged, *decided)),
    }


def _alone(what: str, responses: int, *more: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.pairs_alone", what, str(responses), str(MANY), *more]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def _medians(found: tuple[Facts, ...]) -> dict[str, float]:
    """Of times and memory; the rest is the same each time."""
    middle = {name: median(each[name] for each in found) for name in ("cpu", "wall", "mib")}
    return {**found[0], **middle}


def _candidates(responses: int) -> int:
    whole, rest = divmod(responses, MANY)
    return whole * (MANY * (MANY - 1) // 2) + rest * (rest - 1) // 2


# --- P3 --------------------------------------------------------------------------------------------------


def _pruned(sizes: Sizes) -> Race:
    sample = Sample.of(sizes.texts // 2, SOME)
    material, given = sample.columns(sample.ranks())
    formed = _form(sample, material, given)
    random = np.random.default_rng(1)
    some = np.sort(random.permutation(len(formed.chosen))[: 10 * sizes.texts])
    # As of votes, without what scores say of a pair: peers are not given that either.
    table = Table(formed.chosen, formed.rejected, formed.prompt).only(some)
    hashes = priority.hashes(RECIPE.seed, [f"r{rank:07}" for rank in range(len(sample))])
    pairs = pd.DataFrame(
        {
            "chosen": table.chosen,
            "rejected": table.rejected,
            "difference": material.lengths[table.chosen] - material.lengths[table.rejected],
            "priority": priority.priorities(hashes[table.chosen], hashes[table.rejected]),
        }
    )
    return Race(
        size=f"{len(pairs):,} pairs",
        calls={
            GROUPED: Call(partial(pair_peers.pruned_by_pandas, pairs, RECIPE.buckets), sizes.runs),
            DUCKDB: Call(partial(pair_peers.pruned_by_duckdb, pairs, RECIPE.buckets), sizes.runs),
            "pruned": Call(partial(_prune, material, table, hashes), sizes.runs),
        },
        rows=[
            Row("P3", "length symmetry, from hashes of responses", "pruned", GROUPED, 0.5, is_measured=True),
            Row("P3", "the same", "pruned", DUCKDB, 0.3),
        ],
        differences=partial(_others_pruned, material, table, hashes),
    )


def _prune(material: Material, table: Table, hashes: np.ndarray) -> Standing[Table]:
    mixed = priority.priorities(hashes[table.chosen], hashes[table.rejected])
    left = Standing(table, mixed, Outcomes(RECIPE.reasons, kept=False))
    standing.prune(material, left, RECIPE.buckets)
    return left


def _others_pruned(
    material: Material, table: Table, hashes: np.ndarray, results: Mapping[str, object]
) -> Iterator[tuple[str, float]]:
    many = len(hashes)
    left, pandas, duckdb = results["pruned"].table, results[GROUPED], results[DUCKDB]
    ours = numbered(left.chosen, left.rejected, many)
    yield "P3", _apart(ours, numbered(pandas["chosen"].to_numpy(), pandas["rejected"].to_numpy(), many))
    yield "P3", _apart(ours, numbered(duckdb["chosen"], duckdb["rejected"], many))
    mixed = table.only(np.random.default_rng(2).permutation(len(table.chosen)))
    again = _prune(material, mixed, hashes).table
    yield "P3", _apart(ours, numbered(again.chosen, again.rejected, many))
    yield "P3", _of_shards(Sample.of(len(hashes) // 20, FEW))
    # By whole numbers alone: how many are longer and how many shorter, magnitude by magnitude of the bucket.
    longest = int(np.abs(material.lengths[table.chosen] - material.lengths[table.rejected]).max(initial=1))
    by = material.lengths[left.chosen] - material.lengths[left.rejected]
    bucket = -(-np.abs(by) * (RECIPE.buckets // 2) // longest)
    yield "P3", float(np.abs(np.bincount(bucket, weights=np.sign(by))).sum())


def _of_shards(sample: Sample) -> float:
    """How many pairs are left of the whole alone, or of 256 buckets merged alone."""
    whole = pairing.curate(*sample.rows(sample.ranks()), RECIPE, keep="none")
    decided = [work.decided(*sample.rows(sample.ranks(bucket)), RECIPE) for bucket in range(BUCKETS)]
    parts, tallies = zip(*decided, strict=True)
    merged = merge.merged(tallies, parts, RECIPE).accepted()
    ours = {(pair.chosen, pair.rejected) for part in merged for pair in part.pairs()}
    return float(len(ours ^ {(pair.chosen, pair.rejected) for pair in whole.pairs}))


# --- growth ----------------------------------------------------------------------------------------------


def growth(sizes: Sizes) -> Iterator[Line]:
    """The whole rule in shards of so many candidates: one worker, then the merge, each in a process of its own."""
    measured = [(size, _run(_responses(size), workers=1)) for size in sizes.candidates]
    before = [measured[0], *(one for one, _other in pairwise(measured))]
    for (size, found), (smaller, earlier) in zip(measured, before, strict=True):
        yield Line(
            case="pairs",
            what=f"whole rule, {1e9 * found['cpu'] / found['candidates']:,.0f} ns a candidate",
            size=f"{found['candidates']:,.0f} raw",
            ours=1000 * found["cpu"],
            peer=f"ours, {earlier['candidates']:,.0f} raw",
            peers=1000 * earlier["cpu"],
            ratio=found["cpu"] / earlier["cpu"],
            target=None if size == smaller else 1.2 * found["candidates"] / earlier["candidates"],
            memory=found["mib"],
            differs=found["unequal"],
        )


def _responses(candidates: int) -> int:
    return max(2, round(candidates / ((MANY - 1) / 2)))
