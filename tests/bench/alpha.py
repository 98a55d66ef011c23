"""A1 to A5 and A7: Krippendorff's alpha beside krippendorff.alpha.

The peer is given its table ready made: seat by text (panel), annotator by text (pool), or counts of values.
"""

from collections.abc import Iterator, Mapping
from functools import partial

import krippendorff
import numpy as np

from curation.domain import bootstrap, score_alpha
from curation.domain.agreement import LEVELS, Alpha, Report
from curation.domain.bootstrap import Floats
from curation.domain.score_alpha import Tally, by_group, report, tally, without_each
from curation.domain.score_table import Panel
from tests.bench.measure import Call, Line, Race, Row, apart, peak
from tests.bench.samples import GENRES, POOL, Pool
from tests.bench.sizes import Sizes

PANEL, TABLE, COUNTS = "krippendorff, panel", "krippendorff, pool", "krippendorff, counts"
COMPARED = (
    20  # replicates that the peer computes too: the ends of their interval are the least and the greatest
)
ORDINAL = ("ordinal",)
SEED = "plumb-1"


def races(sizes: Sizes) -> Iterator[Race]:
    small = Pool.of(sizes.texts)
    yield _at_size(small, sizes)
    yield _by_replicates(small, sizes)
    yield _at_many(Pool.of(sizes.many_texts), small, sizes)


def lines(sizes: Sizes) -> Iterator[Line]:
    """A7: memory, which is measured without the peer's reading its table."""
    pool = Pool.of(sizes.many_texts)
    pool.long()  # so that making the columns is not measured
    peers = {name: peak(partial(_peer, name, pool)) for name in (PANEL, COUNTS)}
    calls = {
        "3 levels, long": partial(_long, pool),
        "3 levels, panel": partial(_panel, pool),
        "the report of A3": partial(_full, pool),
    }
    for what, call in calls.items():
        ours, (name, theirs) = peak(call), max(peers.items(), key=lambda each: each[1])
        yield Line(
            case="A7",
            what=f"memory, {what}",
            size=_size(pool),
            ours=ours,
            peer=f"{name} (at most 64 MiB is asked)",
            peers=theirs,
            ratio=ours / theirs,
            target=64 / theirs,
            memory=ours,
            unit="MiB",
        )


def _at_size(pool: Pool, sizes: Sizes) -> Race:
    call = partial(Call, runs=sizes.runs)
    return Race(
        size=_size(pool),
        calls={
            PANEL: call(partial(_peer, PANEL, pool)),
            TABLE: call(partial(_peer, TABLE, pool)),
            COUNTS: call(partial(_peer, COUNTS, pool)),
            "long": call(partial(_long, pool)),
            "panel": call(partial(_panel, pool)),
            "items": call(partial(_items, pool)),
            "full": call(partial(_full, pool)),
            "prompts": call(partial(_prompts, pool, 1000)),
            "prompts twice": call(partial(_prompts, pool, 2000)),
        },
        rows=[
            Row("A1", "3 levels, from long columns", "long", PANEL, 0.3),
            Row("A1", "3 levels, from a panel", "panel", PANEL, 0.05),
            Row("A2", "ordinal, 1,000 replicates of texts", "items", TABLE, 0.2),
            Row("A2", "the same", "items", COUNTS, 0.6),
            Row("A3", "report: 3 levels, 12 genres, 30 left out", "full", TABLE, 1.5, is_measured=True),
            Row("A5", "3 levels, 1,000 replicates of prompts", "prompts", TABLE, 4),
            Row("A5", "3 levels, 2,000 replicates of prompts", "prompts twice", TABLE, 8),
        ],
        differences=partial(_differences, pool),
    )


def _differences(pool: Pool, results: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    expected = [_alpha(pool.counts, level) for level in LEVELS]
    for name, case in (("long", "A1"), ("panel", "A1"), ("prompts", "A5"), ("prompts twice", "A5")):
        yield case, apart(_values(results[name]), expected)
    yield "A1", apart(expected[0], [results[PANEL], results[TABLE], results[COUNTS]][0])
    yield "A2", apart(_values(results["items"]), expected[:1])
    yield "A2", _ends(_items(pool, COMPARED), _peers_items(pool))
    yield "A5", _ends(_prompts(pool, COMPARED), _peers_prompts(pool))
    yield from _of_report(pool, results["full"], of=POOL)


def _of_report(pool: Pool, found: object, *, of: int) -> Iterator[tuple[str, float]]:
    """All genres, and the first annotators, left out of the counts."""
    whole, genres, without = found
    yield "A3", apart(_values(whole), [_alpha(pool.counts, level) for level in LEVELS])
    yield (
        "A3",
        apart(
            [_values(each) for each in genres],
            [[_alpha(pool.counts[pool.genre == code], level) for level in LEVELS] for code in range(GENRES)],
        ),
    )
    for out in range(of):
        own = (pool.who == out)[:, :, None] & (pool.panel[:, :, None] == np.arange(pool.counts.shape[1]))
        rest = pool.counts - own.sum(axis=1)
        yield "A3", apart(without[out]["ordinal"].value, _alpha(rest, "ordinal"))


def _by_replicates(pool: Pool, sizes: Sizes) -> Race:
    counted = tally(pool.long())
    calls = {
        f"{many:,} replicates": Call(partial(_replicates, counted, many), sizes.runs)
        for many in (0, 1000, 10_000)
    }
    return Race(
        size=_size(pool),
        calls=calls,
        rows=[
            Row(
                "A4",
                "10,000 replicates, the draws alone",
                "10,000 replicates",
                "1,000 replicates",
                12,
                beside="0 replicates",
                is_measured=True,
            )
        ],
        differences=lambda results: iter(
            [
                ("A4", apart(_values(results[name]), [_alpha(pool.counts, level) for level in LEVELS]))
                for name in calls
            ]
        ),
    )


def _at_many(pool: Pool, small: Pool, sizes: Sizes) -> Race:
    ours, before = partial(Call, runs=sizes.runs), f"ours, {_size(small)}"
    return Race(
        size=_size(pool),
        calls={
            PANEL: Call(partial(_peer, PANEL, pool), sizes.slow_runs),
            TABLE: Call(partial(_peer, TABLE, pool), sizes.slow_runs),
            before: ours(partial(_items, small)),
            "items": ours(partial(_items, pool)),
            "full": ours(partial(_full, pool)),
            "panel": ours(partial(_panel, pool)),
        },
        rows=[
            Row("A1", "3 levels, from a panel", "panel", PANEL, 0.05),
            Row("A3", "report: 3 levels, 12 genres, 30 left out", "full", TABLE, 0.4),
            Row("A4", "ordinal, 1,000 replicates: 10 x the texts", "items", before, 10),
        ],
        differences=partial(_differences_at_many, pool),
    )


def _differences_at_many(pool: Pool, results: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    yield "A1", apart(_values(results["panel"])[0], results[PANEL])
    yield "A4", apart(_values(results["items"])[0], results[TABLE])
    yield from _of_report(pool, results["full"], of=3)


# --- ours ------------------------------------------------------------------------------------------------


def _long(pool: Pool) -> Report:
    return report(tally(pool.long()), replicates=0)


def _panel(pool: Pool) -> Report:
    return report(tally(Panel(pool.panel)), replicates=0)


def _items(pool: Pool, replicates: int = 1000) -> Report:
    return report(tally(pool.long()), levels=ORDINAL, replicates=replicates, seed=SEED)


def _prompts(pool: Pool, replicates: int) -> Report:
    return report(tally(pool.long(), pool.prompt), replicates=replicates, seed=SEED)


def _replicates(counted: Tally, replicates: int) -> Report:
    return report(counted, replicates=replicates)


def _full(pool: Pool) -> tuple[Report, list[Report], list[dict[str, Alpha]]]:
    counted = tally(pool.long())
    return (
        report(counted, replicates=1000),
        by_group(counted, pool.genre, GENRES, replicates=1000),
        without_each(counted, levels=LEVELS),
    )


def _values(found: object) -> list[float]:
    assert isinstance(found, score_alpha.Report)
    return [alpha.value for alpha in found.alpha.values()]


# --- the peer's ------------------------------------------------------------------------------------------


def _peer(name: str, pool: Pool) -> float:
    if name == COUNTS:
        return _alpha(pool.counts, "ordinal")
    table = pool.dense if name == PANEL else pool.wide
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal"))


def _alpha(counts: np.ndarray, level: str) -> float:
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement=level))


def _peers_items(pool: Pool) -> list[float]:
    """Alpha of each replicate, texts that are alike being drawn as one, as bootstrap.py draws them."""
    alike, many = np.unique(pool.counts[:, ::-1], axis=0, return_counts=True)
    return [_alpha(np.repeat(alike[:, ::-1], times, axis=0), "ordinal") for times in _drawn(len(alike), many)]


def _peers_prompts(pool: Pool) -> list[float]:
    drawn = _drawn(int(pool.prompt[-1]) + 1, None)
    return [_alpha(np.repeat(pool.counts, times[pool.prompt], axis=0), "ordinal") for times in drawn]


def _drawn(rows: int, multiplicity: np.ndarray | None) -> np.ndarray:
    random = bootstrap.generator(SEED, "krippendorff_alpha")
    return np.concatenate(list(bootstrap.resamples(random, rows, multiplicity, COMPARED))).astype(np.int64)


def _ends(found: Report, replicates: list[float] | Floats) -> float:
    ordinal = found.alpha["ordinal"]
    return apart([ordinal.low, ordinal.high], [min(replicates), max(replicates)])


def _size(pool: Pool) -> str:
    return f"{len(pool.panel):,} x 3"
