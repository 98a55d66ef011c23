"""Acts of scoring set aside on disk until all of one judgement are there: 16 bytes of memory an act."""

import json
from array import array
from collections.abc import Iterator
from datetime import datetime
from typing import IO

from annotation.domain.ledger import digest
from annotation.domain.records import Record
from annotation.domain.scoring import ScoreRow

Key = tuple[str, str]  # response and annotator
Act = tuple[ScoreRow, Record]
BITS = 64


def key_of(key: Key) -> int:
    """A number that stands for a judgement. Two judgements may share one, and lie beside each other then."""
    return digest("\0".join(key).encode(), BITS // 8)


class Spill:
    """Acts in the order in which they were put, in a file of the caller's, given back judgement by judgement."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.keys = array("Q")
        self.places = array("Q")
        self.end = 0
        self.records: list[Record] = []  # one of each kind: file, unit and names of columns
        self.kinds: dict[tuple[object, ...], int] = {}

    def put(self, score: ScoreRow, record: Record) -> None:
        said = (
            score.response_id,
            score.annotator,
            score.score,
            score.at.isoformat() if score.at else None,
            score.justification,
            score.line,
            score.swapped,
            record.line,
            self._kind(record),
        )
        line = json.dumps(said).encode() + b"\n"
        self.keys.append(key_of((score.response_id, score.annotator)))
        self.places.append(self.end)
        self.file.write(line)
        self.end += len(line)

    def _kind(self, record: Record) -> int:
        facts = (record.source, record.unit, record.cells, *record.labels.items())
        if facts not in self.kinds:
            self.kinds[facts] = len(self.records)
            self.records.append(Record(0, {}, record.source, record.cells, record.unit, record.labels))
        return self.kinds[facts]

    def judgements(self) -> Iterator[Iterator[Act]]:
        """The acts of each judgement, and of those few that share its number. Each is read when it is asked for."""
        order = sorted(range(len(self.keys)), key=self.keys.__getitem__)  # stable: as they were put
        start = 0
        for place in range(1, len(order) + 1):
            if place == len(order) or self.keys[order[place]] != self.keys[order[start]]:
                yield map(self._act, order[start:place])
                start = place

    def _act(self, number: int) -> Act:
        self.file.seek(self.places[number])
        response, annotator, score, at, justification, line, swapped, record_line, kind = json.loads(
            self.file.readline()
        )
        record = self.records[kind]
        moment = datetime.fromisoformat(at) if at else None
        row = ScoreRow(response, annotator, score, moment, justification, line, swapped)
        return row, Record(record_line, {}, record.source, record.cells, record.unit, record.labels)
