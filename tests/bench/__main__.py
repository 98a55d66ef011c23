"""`make bench`: the statistics beside libraries, on the same data in the same run.

Values that differ by more than 1e-9 fail it; times are printed beside their targets and fail nothing. The machine may
be shared: times are medians of CPU time, of calls that take turns, and what counts is their ratio.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.bench import alpha, coefficients, growth, pairs, paper, rankings, releases, stored, votes
from tests.bench.measure import TOLERANCE, Line, Race, run
from tests.bench.sizes import FULL, QUICK, Sizes

HEADINGS = (
    "case",
    "what",
    "size",
    "ours",
    "peer",
    "its",
    "ratio",
    "target",
    "met",
    "MiB more",
    "differs",
)
NOTES = (
    "ours and its: median CPU time in ms, all threads; five runs in turns, fewer where the peer says so.",
    "A peer that does a part: the time of the part, divided by the share. Making the peer's table is not counted.",
    "MiB more: most that NumPy and Python held above the input (tracemalloc); growth: of the process (peak RSS).",
    "differs: the largest difference of any value of the case from the peers', replicates of A2, A5 and B1 included.",
    "A6: the six coefficients and 1,000 replicates took 0.05 to 0.06 of one irrCAC.gwet (0.4.4), measured once.",
    "L1: the target is 1.5 s for 1,000,000 stories, whatever the peer takes; differs counts pairs of one of the two.",
    "P1, P3: median CPU of calls in turns; P1 gives all that a run knows of a pair. Peers of P3 are given priorities.",
    "P2: CPU of forming bucket by bucket, in processes that take turns; MiB are their peak RSS. The whole rule: shards",
    "decided, parts written, read and merged; making the rows that it is given is not counted.",
    "P4: clock, CPU, peak RSS of whole processes, from Parquet to a folder with checksums. The peer counts words and",
    "compares texts by what pandas has; with our functions for both in it the clock's ratio was 0.80, measured once.",
    "E1: rows are ready when the clock starts; the plain writer adds neither the canary nor a Merkle root.",
    "pairs: whole rule, one worker and the merge; MiB are of the larger process (peak RSS).",
    "P1 to P4, pairs: differs counts pairs of one of the two, and longer ones less shorter ones; P4 rows.",
    "growth: the report of scores alone; ten times the scores should take ten times as long, or less.",
)


GROWING = ("growth", "pairs")  # held against less of the same, whatever the size


@dataclass(frozen=True, slots=True)
class Part:
    cases: tuple[str, ...]
    lines: Callable[[Sizes], Iterator[Line]]


def _raced(races: Callable[[Sizes], Iterator[Race]]) -> Callable[[Sizes], Iterator[Line]]:
    def lines(sizes: Sizes) -> Iterator[Line]:
        for race in races(sizes):
            yield from run(race)

    return lines


PARTS = (
    Part(("A1", "A2", "A3", "A4", "A5"), _raced(alpha.races)),
    Part(("A7",), alpha.lines),
    Part(("A6",), _raced(coefficients.races)),
    Part(("B1", "B2"), _raced(rankings.races)),
    Part(("D1",), stored.lines),
    Part(("L1",), votes.lines),
    Part(("P1", "P3"), _raced(pairs.races)),
    Part(("P2",), pairs.lines),
    Part(("P4",), paper.lines),
    Part(("E1",), _raced(releases.races)),
    Part(("E1",), releases.parquet),
    Part(("E2",), releases.lines),
    Part(("growth",), growth.lines),
    Part(("pairs",), pairs.growth),
)


def lines(sizes: Sizes, only: Sequence[str] = ()) -> Iterator[Line]:
    for part in PARTS:
        if not only or set(only) & set(part.cases):
            for line in part.lines(sizes):
                if not only or line.case in only:
                    yield line if sizes.is_full or line.case in GROWING else replace(line, target=None)


def cells(line: Line) -> tuple[str, ...]:
    target = "" if line.target is None else f"{line.target:.3g}"
    return (
        line.case,
        line.what,
        line.size,
        f"{line.ours:,.1f}" if line.unit == "ms" else f"{line.ours:,.0f} {line.unit}",
        line.peer,
        f"{line.peers:,.1f}" if line.unit == "ms" else f"{line.peers:,.0f} {line.unit}",
        f"{line.ratio:.3f}",
        target,
        ("yes" if line.is_met else "no") if target else "",
        "" if line.memory is None else f"{line.memory:,.0f}",
        ""
        if line.differs is None
        else f"{line.differs:.0e}"
        if line.is_right
        else f"{line.differs:.0e} WRONG",
    )


WIDTHS = (6, 42, 16, 11, 46, 11, 8, 7, 4, 9, 12)
LEFT = {0, 1, 2, 4, 8}


def _say(row: Sequence[str]) -> None:
    padded = [
        cell.ljust(width) if place in LEFT else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, WIDTHS, strict=True))
    ]
    sys.stdout.write(" ".join(padded).rstrip() + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__.splitlines()[0])
    known = [case for part in PARTS for case in part.cases]
    parser.add_argument("--only", default="", help=f"cases, with commas between them: {', '.join(known)}")
    parser.add_argument("--sizes", default="", help="numbers of scores for growth, with commas between them")
    parser.add_argument(
        "--quick", action="store_true", help="less data and fewer runs; targets are not judged"
    )
    parser.add_argument("--shrink", type=int, default=1, metavar="TIMES", help="so many times less data")
    asked = parser.parse_args(arguments)
    only = [case for case in asked.only.split(",") if case]
    if unknown := sorted({*only} - {*known}):
        parser.error(f"there is no case {', '.join(unknown)}; the cases are {', '.join(known)}")
    sizes = QUICK if asked.quick else FULL
    sizes = sizes.shrunk(asked.shrink) if asked.shrink > 1 else sizes
    if asked.sizes:
        sizes = replace(sizes, growth=tuple(int(size) for size in asked.sizes.split(",")))
    _say(HEADINGS)
    found = []
    for line in lines(sizes, only):
        _say(cells(line))
        found.append(line)
    sys.stdout.writelines(f"{note}\n" for note in NOTES)
    wrong = sorted({line.case for line in found if not line.is_right})
    if wrong:
        sys.stdout.write(f"WRONG by more than {TOLERANCE:g}: {', '.join(wrong)}\n")
        return 1
    missed = [f"{line.case} ({line.what})" for line in found if not line.is_met]
    sys.stdout.write(f"All values are right. Missed: {'; '.join(missed) or 'nothing'}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
