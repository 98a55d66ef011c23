"""The whole report of so many scores, in a process of its own: python -m tests.bench.growth SCORES RUNS.

Prints the CPU time in ms, the MiB of memory that it took at most above the columns and the program, and the largest
difference of its alphas from krippendorff.alpha, which is computed once the memory has been measured.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

import krippendorff
import numpy as np

from curation.domain import report
from curation.domain.agreement import LEVELS
from curation.domain.choice import Choice
from curation.domain.columns import Columns
from tests.bench.measure import MIB, Line, apart
from tests.bench.samples import GENRES, VALUES, columns
from tests.bench.sizes import Sizes
from tests.children import ROOT

SLOW = 500_000  # scores from which one run has to do
PAGE = os.sysconf("SC_PAGE_SIZE")


def lines(sizes: Sizes) -> Iterator[Line]:
    measured = [(size, _in_a_child(size, 1 if size >= SLOW else sizes.slow_runs)) for size in sizes.growth]
    before = [measured[0], *(one for one, _other in pairwise(measured))]
    for (size, found), (smaller, earlier) in zip(measured, before, strict=True):
        yield Line(
            case="growth",
            what=f"whole report, {1000 * found['ms'] / size:.0f} us a score",
            size=f"{size:,} scores",
            ours=found["ms"],
            peer=f"ours, {smaller:,} scores",
            peers=earlier["ms"],
            ratio=found["ms"] / earlier["ms"],
            target=None
            if size == smaller
            else 1.2 * size / smaller,  # linear, and a little for larger caches
            memory=found["mib"],
            differs=found["differs"],
        )


def _in_a_child(size: int, runs: int) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.growth", str(size), str(runs)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def measured(size: int, runs: int) -> dict[str, float]:
    given = columns(size)
    most_mib()
    held, seconds = _resident_mib(), []
    for _ in range(runs):
        began = time.process_time()
        found = report.compute(given, Choice(), note=lambda _percent: None)
        seconds.append(time.process_time() - began)
    mib = most_mib() - held
    return {"ms": 1000 * median(seconds), "mib": mib, "differs": _difference(given, found)}


def _difference(given: Columns, found: report.Json) -> float:
    """Of alpha of all and of each genre, at three levels."""
    counts = np.zeros((len(given.names.responses), VALUES), dtype=np.int64)
    np.add.at(counts, (given.live.response, given.live.value), 1)
    genre = given.genre_of[given.prompt_of]
    chosen = [counts, *(counts[genre == code] for code in range(GENRES) if (genre == code).any())]
    expected = [
        [krippendorff.alpha(value_counts=each, level_of_measurement=level) for level in LEVELS]
        for each in chosen
    ]
    return apart(
        [[each[level]["value"] for level in LEVELS] for each in (found["alpha"], *found["genres"])], expected
    )


def most_mib() -> float:
    """Most that was resident since this was last asked."""
    status = Path("/proc/self/status").read_text()
    most = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return int(most.split()[1]) / 1024


def _resident_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / MIB


if __name__ == "__main__":
    json.dump(measured(int(sys.argv[1]), int(sys.argv[2])), sys.stdout)
