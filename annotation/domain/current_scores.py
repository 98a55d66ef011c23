"""The scores of a file that count, for files of millions of them: columns in place of an object each.

What counts is decided in domain/scoring; here only what is held meanwhile differs. Justifications are checked and
not kept.
"""

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from annotation.domain import scoring
from annotation.domain.records import Watch
from annotation.domain.scoring import CurrentScore, ScoreRow

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
NEVER = -(2**63)  # where no act has a time
AT_A_TIME = 2**14  # rows turned into Python's own numbers at once

Places = NDArray[np.int32]
Values = NDArray[np.int8]
Moments = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CurrentScores(Sequence[CurrentScore]):
    """Sorted by response and annotator, whose places `of` and `by` (N,) hold; `responses` and `annotators` stand in the
    order of their bytes. `at` is the moment of the latest act in microseconds since 1970 UTC."""

    responses: Sequence[str]
    annotators: Sequence[str]
    of: Places
    by: Places
    value: Values
    revision: Values
    at: Moments

    def __len__(self) -> int:
        return len(self.of)

    @overload
    def __getitem__(self, place: int) -> CurrentScore: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[CurrentScore]: ...
    def __getitem__(self, place: int | slice) -> CurrentScore | Sequence[CurrentScore]:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        at = range(len(self))[place]
        ((score, _),) = self.made(at, at + 1)
        return score

    def __iter__(self) -> Iterator[CurrentScore]:
        for start in range(0, len(self), AT_A_TIME):
            yield from (score for score, _ in self.made(start, start + AT_A_TIME))

    def made(self, start: int, stop: int) -> Iterator[tuple[CurrentScore, datetime | None]]:
        """Those from one place to another, each with the moment of its latest act, None where no act has one."""
        columns = (self.of, self.by, self.value, self.revision, self.at)
        for of, by, value, revision, at in zip(*(c[start:stop].tolist() for c in columns), strict=True):
            yield CurrentScore(self.responses[of], self.annotators[by], value, revision), _moment(at)


def read(path: Path, responses: Collection[str], watch: Watch = iter) -> CurrentScores:
    """Those of a file (JSONL, CSV or Parquet, by its name), in which only these responses may be scored.

    InputError as scoring.read_scores and scoring.current have it.
    """
    ids = sorted(responses)
    places = {name: place for place, name in enumerate(ids)}
    people: dict[str, int] = {}
    of, by, value, at, line = array("i"), array("i"), array("b"), array("q"), array("i")
    for row in scoring.rows_of(path, places, watch):
        of.append(places[row.response_id])
        by.append(people.setdefault(row.annotator, len(people)))
        value.append(row.score)
        at.append(NEVER if row.at is None else (row.at - EPOCH) // MICROSECOND)
        line.append(row.line)
    del places
    names = sorted(people)
    rank = np.empty(len(names), dtype=np.int32)
    rank[[people[name] for name in names]] = np.arange(len(names))
    acts = CurrentScores(
        responses=ids,
        annotators=names,
        of=np.frombuffer(of, dtype=np.int32),
        by=rank[np.frombuffer(by, dtype=np.int32)],
        value=np.frombuffer(value, dtype=np.int8),
        revision=np.zeros(len(of), dtype=np.int8),
        at=np.frombuffer(at, dtype=np.int64),
    )
    return _counting(acts, np.frombuffer(line, dtype=np.int32), path.name)


def _counting(acts: CurrentScores, line: Places, source: str) -> CurrentScores:
    """Of columns that hold every act in the order of the lines, those that count."""
    order = np.lexsort((acts.by, acts.of))  # which keeps that order
    of, by, value, at = acts.of[order], acts.by[order], acts.value[order], acts.at[order]
    starts = np.flatnonzero(np.append(True, (of[1:] != of[:-1]) | (by[1:] != by[:-1]))[: len(of)])
    ends = np.append(starts[1:], len(of))
    revision = np.zeros(len(of), dtype=np.int8)
    several = np.flatnonzero(ends - starts > 1)
    for start, end in zip(starts[several].tolist(), ends[several].tolist(), strict=True):
        rows = [
            ScoreRow(
                acts.responses[of[place]],
                acts.annotators[by[place]],
                int(value[place]),
                _moment(int(at[place])),
                line=int(line[order[place]]),
            )
            for place in range(start, end)
        ]
        (score,) = scoring.current(rows, source=source)
        value[start], revision[start] = score.score, score.largest_revision
        at[start] = at[start:end].max()
    return CurrentScores(
        acts.responses, acts.annotators, of[starts], by[starts], value[starts], revision[starts], at[starts]
    )


def _moment(at: int) -> datetime | None:
    return None if at == NEVER else EPOCH + at * MICROSECOND
