"""Calls timed in turns, so that what else the machine does falls on all of them, and what their results differ by."""

import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np
from numpy.typing import ArrayLike

MIB = 1024 * 1024
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Call:
    """`share`: of the work that the others do, where all of it would take too long; times are for the whole."""

    run: Callable[[], object]
    runs: int
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: two calls by name. The target is for the ratio of their times, less those of `beside`."""

    case: str
    what: str
    ours: str
    peer: str
    target: float | None
    beside: str = ""
    is_measured: bool = False  # its memory too


@dataclass(frozen=True, slots=True)
class Race:
    """Calls over the same data. `differences` are those of the last results, by case."""

    size: str
    calls: Mapping[str, Call]
    rows: Sequence[Row]
    differences: Callable[[Mapping[str, object]], Iterator[tuple[str, float]]]


@dataclass(frozen=True, slots=True)
class Line:
    """`ratio` and `target` are of CPU time, or of what `unit` says. `differs` is None where values have no peer."""

    case: str
    what: str
    size: str
    ours: float
    peer: str
    peers: float
    ratio: float
    target: float | None
    memory: float | None = None  # MiB above what there was
    differs: float | None = None
    unit: str = "ms"

    @property
    def is_met(self) -> bool:
        return self.target is None or self.ratio <= self.target

    @property
    def is_right(self) -> bool:
        return self.differs is None or self.differs <= TOLERANCE


@dataclass(slots=True)
class _Times:
    seconds: list[float] = field(default_factory=list)
    result: object = None


def run(race: Race) -> list[Line]:
    times = _in_turns(race.calls)
    ms = {name: 1000 * median(each.seconds) / race.calls[name].share for name, each in times.items()}
    results = {name: each.result for name, each in times.items()}
    worst: dict[str, float] = {}
    for case, difference in race.differences(results):
        worst[case] = max(worst.get(case, 0.0), difference)
    return [_line(race, row, ms, worst) for row in race.rows]


def _in_turns(calls: Mapping[str, Call]) -> dict[str, _Times]:
    times = {name: _Times() for name in calls}
    for turn in range(max(call.runs for call in calls.values())):
        for name, call in calls.items():
            if turn < call.runs:
                began = time.process_time()
                times[name].result = call.run()
                times[name].seconds.append(time.process_time() - began)
    return times


def _line(race: Race, row: Row, ms: Mapping[str, float], worst: Mapping[str, float]) -> Line:
    less = ms[row.beside] if row.beside else 0.0
    peer = race.calls[row.peer]
    few = f", runs: {peer.runs}" if peer.runs < race.calls[row.ours].runs else ""
    part = f", {peer.share:.0%} of it" if peer.share < 1 else ""
    return Line(
        case=row.case,
        what=row.what,
        size=race.size,
        ours=ms[row.ours] - less,
        peer=f"{row.peer}{part}{few}",
        peers=ms[row.peer] - less,
        ratio=(ms[row.ours] - less) / max(ms[row.peer] - less, 1e-6),
        target=row.target,
        memory=peak(race.calls[row.ours].run) if row.is_measured else None,
        differs=worst.get(row.case),
    )


def peak(call: Callable[[], object]) -> float:
    """MiB that NumPy and Python held at most, above what they held before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / MIB
    finally:
        tracemalloc.stop()


def apart(one: ArrayLike, other: ArrayLike) -> float:
    """The largest difference of two tables of numbers; without end where their shapes or their gaps differ."""
    ours, peers = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if ours.shape != peers.shape or not np.array_equal(np.isnan(ours), np.isnan(peers)):
        return float("inf")
    return float(np.nanmax(np.abs(ours - peers), initial=0.0))
