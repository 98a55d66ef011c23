"""Acts of judging on their way through the rows of an import: those of one judgement are brought together, weighed
against what is stored, and handed over chunk by chunk."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, Protocol

from django.conf import settings

from annotation.domain.ledger import Ledger
from annotation.domain.records import InputError, Record
from annotation.domain.scoring import ScoreRow
from annotation.domain.sentences import say
from annotation.domain.spill import Act, Key, Spill, key_of

CHUNK = 500
# By one annotator on one thing; so many changes of mind are a fault of the file.
MOST_ACTS = 1000


@dataclass(frozen=True, slots=True)
class Fresh:
    """Acts of one judgement that are to be stored, after `before` stored ones."""

    key: Key
    before: int
    acts: Sequence[ScoreRow]


class Target(Protocol):
    """What stores acts of one kind. All acts of one judgement come in one chunk: look up, sort out, store."""

    def look_up(self, keys: Iterable[Key]) -> None: ...

    def sort_out(self, key: Key, acts: Sequence[ScoreRow]) -> Fresh | None: ...

    def store(self, fresh: Sequence[Fresh], places: Mapping[int, str]) -> None: ...


Weighed = tuple[list[Fresh], dict[int, str]]  # what is new, and the places of its acts by their identity
Refuse = Callable[[InputError], None]


class Acts:
    """The acts of one kind in an import, scores or votes. First all are noted, then they are weighed."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.met = Ledger()
        self.several: set[int] = set()  # judgements with more than one act in the files, by `key_of`
        self.unchanged = 0  # acts of the last weighing that say nothing new

    def note(self, act: ScoreRow) -> None:
        key = (act.response_id, act.annotator)
        if self.met.meet("\0".join(key)) is not None:
            self.several.add(key_of(key))

    def weighed(self, chunks: Iterable[Sequence[Act]], *, refuse: Refuse) -> Iterator[Weighed]:
        """Chunk by chunk what is new."""
        self.unchanged = 0
        if not self.met:
            return
        with _scratch() as file:
            spill = Spill(file)
            for chunk in chunks:
                single: dict[Key, list[Act]] = {}
                for act, record in chunk:
                    key = (act.response_id, act.annotator)
                    if key_of(key) in self.several:
                        spill.put(act, record)
                    else:
                        single[key] = [(act, record)]
                yield self._sorted_out(single, refuse)
            for part in _parts(spill, refuse):
                yield self._sorted_out(part, refuse)

    def _sorted_out(self, judgements: Mapping[Key, list[Act]], refuse: Refuse) -> Weighed:
        self.target.look_up(judgements)
        found: list[Fresh] = []
        places: dict[int, str] = {}
        for key, acts in sorted(judgements.items()):
            try:
                fresh = self.target.sort_out(key, [act for act, _ in acts])
            except InputError as error:
                # Which of the acts is right is not known, so none is taken; the one that is blamed comes first.
                blamed = [act for act in acts if act[0].line == error.line]
                for _act, record in [*blamed, *(act for act in acts if act not in blamed)]:
                    refuse(record.error(error.column, error.reason))
                continue
            self.unchanged += len(acts) - (len(fresh.acts) if fresh else 0)
            if fresh:
                found.append(fresh)
                places.update({id(act): f"{r.source}, {r.unit} {r.line}"[:300] for act, r in acts})
        return found, places


def _parts(spill: Spill, refuse: Refuse) -> Iterator[dict[Key, list[Act]]]:
    """Judgements of several acts, some of them at a time."""
    part: dict[Key, list[Act]] = {}
    size = 0
    for acts in spill.judgements():
        some = list(islice(acts, MOST_ACTS + 1))
        if len(some) > MOST_ACTS:
            for act, record in chain(some, acts):
                refuse(_too_many(act, record))
            continue
        for act, record in some:
            part.setdefault((act.response_id, act.annotator), []).append((act, record))
        size += len(some)
        if size >= CHUNK:
            yield part
            part, size = {}, 0
    yield part


def _too_many(act: ScoreRow, record: Record) -> InputError:
    return record.error(
        "annotator",
        say(
            "'{annotator}' judges this more than {most} times; keep the latest and leave the others out",
            annotator=act.annotator,
            most=MOST_ACTS,
        ),
    )


@contextmanager
def _scratch() -> Iterator[IO[bytes]]:
    """A file without a name, which is gone when it is closed, whatever happens."""
    settings.IMPORTS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=settings.IMPORTS_DIR) as file:
        yield file
