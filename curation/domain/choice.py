"""Of which judgements a report speaks: a choice by genre, language, annotator, round and time.

A choice has one spelling, that of the address bar, so that a report is found by it.
"""

from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time
from urllib.parse import parse_qsl, urlencode

import numpy as np
from numpy.typing import NDArray

from curation.domain.columns import Codes, Columns, Rankings, Scores

Rows = NDArray[np.bool_]
DAYS = ("since", "until")
DAY = 86_400  # seconds of UTC


@dataclass(frozen=True, slots=True)
class Choice:
    """Empty fields choose everything. Days are those of UTC, both ends included.

    Where days are given, judgements of which a file did not say when are left out.
    """

    genre: str = ""  # key of a macro-category
    language: str = ""
    annotator: str = ""  # a pseudonym
    round: str = ""  # primary key in digits
    since: date | None = None
    until: date | None = None

    def __bool__(self) -> bool:
        return self != type(self)()

    def as_query(self) -> str:
        """As it stands in an address: `genre=poetry&since=2026-01-31`; "" for everything."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))
        return urlencode([(name, value) for name, value in given if value])

    @classmethod
    def from_query(cls, query: str) -> "Choice":
        """What as_query gave."""
        given = dict(parse_qsl(query))
        days = {name: date.fromisoformat(given.pop(name)) for name in DAYS if name in given}
        return cls(**given, since=days.get("since"), until=days.get("until"))


def rows(scores: Scores, columns: Columns, choice: Choice) -> Rows:
    """Which of the scores are chosen (N,). A name that does not occur chooses nothing.

    An annotator chooses the responses that they scored, with the scores of the others: agreement is between people.
    """
    prompt = columns.prompt_of[scores.response]
    return _chosen(columns, choice, prompt, scores, of=scores.response, things=len(columns.names.responses))


def of_rankings(columns: Columns, choice: Choice) -> Rows:
    """Which of the rankings (M,); an annotator chooses the prompts that they ranked."""
    held = columns.rankings
    return _chosen(columns, choice, held.prompt, held, of=held.prompt, things=len(columns.names.prompts))


def _chosen(
    columns: Columns, choice: Choice, prompt: Codes, held: Scores | Rankings, *, of: Codes, things: int
) -> Rows:
    """`of` (N,): what each judgement is of, among so many things."""
    names = columns.names
    chosen = _is(columns.genre_of[prompt], names.genres, choice.genre)
    chosen &= _is(columns.language_of[prompt], names.languages, choice.language)
    chosen &= _is(held.round, names.rounds, choice.round)
    if choice.since is not None:
        chosen &= held.at >= _second(choice.since)
    if choice.until is not None:
        chosen &= (held.at >= 0) & (held.at < _second(choice.until) + DAY)
    if choice.annotator:
        judged = np.zeros(things, dtype=np.bool_)
        judged[of[chosen & _is(held.annotator, names.annotators, choice.annotator)]] = True
        chosen &= judged[of]
    return chosen


def _is(codes: NDArray[np.int32], names: tuple[str, ...], wanted: str) -> Rows:
    if not wanted:
        return np.ones(len(codes), dtype=np.bool_)
    return np.equal(codes, names.index(wanted) if wanted in names else len(names))


def _second(day: date) -> int:
    return int(datetime.combine(day, time(), UTC).timestamp())
