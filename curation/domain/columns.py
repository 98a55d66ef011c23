"""The judgements of a project as columns: what every statistic of agreement starts from.

A row of a table is one judgement; what it is of, and by whom, are codes that count from 0 into the names. Names stand
in the order of their bytes, rows in the order of their codes, so equal judgements give equal bytes.
"""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Self, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Values = NDArray[np.uint8]
Moments = NDArray[np.int64]

Part = TypeVar("Part")

UNKNOWN = -1  # a prompt without a genre, a judgement of which a file did not say when


@dataclass(frozen=True, slots=True)
class Names:
    """What the codes stand for. A genre is the macro-category, by key; an annotator is a pseudonym."""

    prompts: tuple[str, ...]
    responses: tuple[str, ...]
    annotators: tuple[str, ...]
    languages: tuple[str, ...]
    genres: tuple[str, ...]
    rounds: tuple[str, ...]  # primary keys in digits: names of rounds change


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """One row per score that counts: of which response, by whom, in which round, how many points, when (N,).

    `at` is in seconds since 1970 UTC; UNKNOWN where it is not kept.
    """

    response: Codes
    annotator: Codes
    round: Codes
    value: Values
    at: Moments

    def __len__(self) -> int:
        return len(self.value)

    def where(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Self:
        return type(self)(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """One row per response of a ranking (K,); `ranking` numbers them, `shown` is 1 for the text shown as A.

    `prompt`, `annotator`, `round` and `at` (M,) are those of the rankings.
    """

    prompt: Codes
    annotator: Codes
    round: Codes
    at: Moments
    ranking: Codes
    response: Codes
    tier: Values
    shown: Values


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """All of it. `prompt_of` (R,) is the prompt of a response, `genre_of` and `language_of` (P,) those of a prompt.

    `is_material` (R,): whether a response is material of the benchmark, and not one with an agreed score that was set
    aside for exams, courses, calibrations and gold.

    `live` are curation data, `gold` scores of gold items and `gold_value` what they should have been (N,), `repeat`
    second scores of what the same annotator has in `live`.
    """

    names: Names
    prompt_of: Codes
    is_material: NDArray[np.bool_]
    genre_of: Codes
    language_of: Codes
    live: Scores
    gold: Scores
    gold_value: Values
    repeat: Scores
    rankings: Rankings

    def to_bytes(self) -> bytes:
        """Equal columns give equal bytes: NumPy writes every member of the archive with the same date."""
        names = {field.name: getattr(self.names, field.name) for field in fields(Names)}
        arrays = {"names": np.frombuffer(orjson.dumps(names), dtype=np.uint8)}
        for part in fields(self):
            held = getattr(self, part.name)
            if isinstance(held, np.ndarray):
                arrays[part.name] = held
            elif not isinstance(held, Names):
                arrays |= {
                    f"{part.name}.{column.name}": getattr(held, column.name) for column in fields(held)
                }
        stream = io.BytesIO()
        np.savez_compressed(stream, allow_pickle=False, **arrays)
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Columns":
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            held = dict(archive)
        names = orjson.loads(held["names"].tobytes())
        return cls(
            names=Names(**{name: tuple(given) for name, given in names.items()}),
            prompt_of=held["prompt_of"],
            is_material=held["is_material"],
            genre_of=held["genre_of"],
            language_of=held["language_of"],
            live=_part(Scores, "live", held),
            gold=_part(Scores, "gold", held),
            gold_value=held["gold_value"],
            repeat=_part(Scores, "repeat", held),
            rankings=_part(Rankings, "rankings", held),
        )


def _part(kind: type[Part], name: str, held: Mapping[str, NDArray[np.generic]]) -> Part:
    prefix = f"{name}."
    return kind(
        **{key.removeprefix(prefix): column for key, column in held.items() if key.startswith(prefix)}
    )


def coded(names: Iterable[str]) -> dict[str, int]:
    """The code of each name: its place in the order of the bytes."""
    return {name: code for code, name in enumerate(sorted(set(names), key=str.encode))}
