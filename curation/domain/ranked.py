"""Material in the order of its ids' bytes.

A response's place in that order is its rank, and all that follows works on ranks: so neither the order of
rows nor the way they were divided can show in an outcome.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from annotation.domain import text
from annotation.domain.material import ResponseRow
from annotation.domain.sentences import Said, say
from curation.domain.watcher import NOBODY, Watcher

Ints = NDArray[np.int64]
Stratum = tuple[tuple[str, str], ...]  # (column, value), ...

MAX_LENGTH = 2**31 - 1  # keeps every product of the rules within 64 bits
MAX_SHOWN = 3  # ids named in a refusal


class CurationError(ValueError):
    """Material that cannot be curated as it stands; `reason` says why and what to do."""

    code = "bad_material"

    def __init__(self, reason: Said) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Measure:
    """How the lengths came about: responses counted, by unit, and responses whose length was given."""

    counted: Mapping[str, int]
    given: int

    def as_dict(self) -> dict[str, object]:
        """JSON values, units in alphabetical order."""
        return {"counted": {unit: self.counted[unit] for unit in sorted(self.counted)}, "given": self.given}


@dataclass(frozen=True, slots=True)
class Material:
    """Columns by rank: rows, lengths, and strata as places in `strata`. `prompts` holds the ranks of each
    prompt's responses, ascending, prompts in the order of their ids' bytes."""

    rows: tuple[ResponseRow, ...]
    lengths: Ints
    measure: Measure
    stratum: Ints
    strata: tuple[Stratum, ...]
    prompts: tuple[Ints, ...]


def ranked(
    responses: Sequence[ResponseRow],
    *,
    length_unit: str,
    strata: str,
    words: Mapping[str, int] | None = None,
    watcher: Watcher = NOBODY,
) -> Material:
    """The responses as columns. `words` are numbers of words that are known already, by id; `watcher` is told how many
    lengths are known. CurationError on an id that occurs twice, or on lengths of two kinds."""
    # The order of code points is the order of UTF-8 bytes.
    rows = tuple(sorted(responses, key=lambda row: row.id))
    for one, other in pairwise(rows):
        if one.id == other.id:
            raise CurationError(say("the response '{id}' occurs twice; an id names one response", id=one.id))
    members: dict[str, list[int]] = {}
    for rank, row in enumerate(rows):
        members.setdefault(row.prompt_id, []).append(rank)
    prompts = tuple(np.array(members[prompt], dtype=np.int64) for prompt in sorted(members))
    _check_lengths(rows, prompts)
    watcher.stage(f"Measuring {len(rows):,} texts", len(rows))
    lengths, measure = _lengths(rows, length_unit, words or {}, watcher)
    shared: dict[Stratum, Stratum] = {}
    of_rows = [shared.setdefault(name, name) for name in (_stratum(row, strata) for row in rows)]
    names = sorted(shared)
    places = {name: place for place, name in enumerate(names)}
    stratum = np.array([places[name] for name in of_rows], dtype=np.int64)
    return Material(rows, lengths, measure, stratum, tuple(names), prompts)


def same_text(rows: Sequence[ResponseRow], ranks: Ints) -> Ints:
    """A number for each response of a prompt, equal where the texts are the same."""
    numbers: dict[str, int] = {}
    keys = (text.same_text_key(rows[rank].text) for rank in ranks)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _stratum(row: ResponseRow, strata: str) -> Stratum:
    columns = {"language": row.language, "genre": row.genre}
    return tuple((name, value) for name, value in columns.items() if name in strata.split("+"))


def _check_lengths(rows: Sequence[ResponseRow], prompts: Sequence[Ints]) -> None:
    """Within a prompt all lengths are given or none: counts by two rules have no difference."""
    for ranks in prompts:
        missing = [rows[rank].id for rank in ranks if rows[rank].length is None]
        if 0 < len(missing) < len(ranks):
            reason = say(
                "of the prompt '{prompt}' some responses have a length and others none ({ids}); "
                "give all of a prompt's responses a length, or none",
                prompt=rows[ranks[0]].prompt_id,
                ids=_shown(missing),
            )
            raise CurationError(reason)


def _shown(ids: Sequence[str]) -> str:
    return ", ".join([repr(name) for name in ids[:MAX_SHOWN]] + ["…"] * (len(ids) > MAX_SHOWN))


def _lengths(
    rows: Sequence[ResponseRow], setting: str, words: Mapping[str, int], watcher: Watcher
) -> tuple[Ints, Measure]:
    lengths = np.empty(len(rows), dtype=np.int64)
    counted: Counter[str] = Counter()
    for rank, row in enumerate(rows):
        watcher.reach(rank)
        if row.length is None:
            written = row.text
            unit = text.unit_for(setting, row.language, row.prompt, written)
            counted[unit] += 1
            known = words.get(row.id) if unit == "words" else None
            lengths[rank] = text.length(written, unit) if known is None else known
        elif 0 <= row.length <= MAX_LENGTH:
            lengths[rank] = row.length
        else:
            reason = say(
                "the response '{id}' has the length {length}; use 0 to {most}",
                id=row.id,
                length=row.length,
                most=MAX_LENGTH,
            )
            raise CurationError(reason)
    return lengths, Measure(dict(counted), len(rows) - counted.total())
