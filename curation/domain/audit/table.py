"""The pairs of an audit as columns. Each response is looked at once, when it first comes; its text is not kept.

Pairs stand in the order of their ids, prompts, genres, models and responses in that of their names, so that the
order in which rows come cannot show in any number.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotation.domain.text import unit_for
from annotation.domain.triage.findings import MAX_SCANNED, Case, Finding
from annotation.domain.triage.model_names import model_name
from curation.domain.audit import fingerprints, surface
from curation.domain.audit.fingerprints import Sketches
from curation.domain.audit.rows import PairRow
from curation.domain.bootstrap import Integers

Bools = NDArray[np.bool_]
Side = Literal["chosen", "rejected"]


@dataclass(frozen=True, slots=True)
class Responses:
    """Columns of R responses: names, prompt and model as code (model -1: unknown), the counts of surface.COUNTS (R, 8),
    the digests and sketches (R, HASHES) of their texts, and what gives a source away, by number."""

    names: tuple[str, ...]
    prompt: Integers
    model: Integers
    counts: Integers
    digests: tuple[bytes, ...]
    sketches: Sketches
    leaks: dict[int, Finding]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of N pairs: codes of prompts and genres, numbers of responses, and whether the unit is characters."""

    ids: tuple[str, ...]
    prompt: Integers
    genre: Integers
    chosen: Integers
    rejected: Integers
    by_characters: Bools
    prompts: tuple[str, ...]
    genres: tuple[str, ...]
    models: tuple[str, ...]
    responses: Responses

    def __len__(self) -> int:
        return len(self.ids)

    def turned(self, column: Integers) -> tuple[Integers, Integers]:
        """A column of responses, as it is of the chosen and of the rejected sides."""
        return column[self.chosen], column[self.rejected]


def gathered(rows: Iterable[PairRow]) -> Table:
    """ValueError on an id that stands for two pairs, or for responses that differ."""
    gathering = _Gathering()
    for row in rows:
        gathering.add(row)
    return gathering.table()


@dataclass(slots=True)
class _Gathering:
    """Columns in the order in which the rows come."""

    ids: list[str] = field(default_factory=list)
    prompt: list[str] = field(default_factory=list)
    genre: list[str] = field(default_factory=list)
    sides: "array[int]" = field(default_factory=lambda: array("q"))
    by_characters: bytearray = field(default_factory=bytearray)
    numbers: dict[str, int] = field(default_factory=dict)
    known: list[tuple[str, str, bytes]] = field(default_factory=list)
    counts: "array[int]" = field(default_factory=lambda: array("q"))
    digests: list[bytes] = field(default_factory=list)
    sketches: bytearray = field(default_factory=bytearray)
    leaks: dict[int, Finding] = field(default_factory=dict)

    def add(self, row: PairRow) -> None:
        unit = unit_for("auto", row.language, row.prompt, row.chosen_text + row.rejected_text)
        self.ids.append(row.id)
        self.prompt.append(row.prompt_id)
        self.genre.append(row.genre)
        self.by_characters.append(unit == "characters")
        self.sides.append(self._number(row, row.chosen, row.chosen_text, row.chosen_model))
        self.sides.append(self._number(row, row.rejected, row.rejected_text, row.rejected_model))

    def _number(self, row: PairRow, name: str, text: str, model: str) -> int:
        found = (
            row.prompt_id,
            model,
            blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(),
        )
        number = self.numbers.setdefault(name, len(self.known))
        if number == len(self.known):
            self.known.append(found)
            self._look_at(number, row, text, model)
        elif self.known[number] != found:
            raise ValueError(
                f"the pair {row.id!r} has the response {name!r} with another text, model or prompt than a pair "
                "before it; an id names one response"
            )
        return number

    def _look_at(self, number: int, row: PairRow, text: str, model: str) -> None:
        self.counts.extend(surface.counts(text))
        self.digests.append(fingerprints.digest(text))
        self.sketches.extend(fingerprints.sketch(text))
        case = Case(text[:MAX_SCANNED], row.prompt[:MAX_SCANNED], row.language, "", "", model)
        finding = model_name(case)
        if finding:
            self.leaks[number] = finding

    def table(self) -> Table:
        order = sorted(range(len(self.ids)), key=self.ids.__getitem__)
        for one, other in pairwise(order):
            if self.ids[one] == self.ids[other]:
                raise ValueError(f"the pair {self.ids[one]!r} occurs twice; an id names one pair")
        names, rank = _coded(list(self.numbers))
        prompts, prompt = _coded(self.prompt)
        genres, genre = _coded(self.genre)
        sides = rank[np.array(self.sides, dtype=np.int64)].reshape(-1, 2)[order]
        models, responses = self._responses(names, rank, prompts)
        return Table(
            ids=tuple(self.ids[place] for place in order),
            prompt=prompt[order],
            genre=genre[order],
            chosen=sides[:, 0],
            rejected=sides[:, 1],
            by_characters=np.frombuffer(bytes(self.by_characters), dtype=np.bool_)[order],
            prompts=prompts,
            genres=genres,
            models=models,
            responses=responses,
        )

    def _responses(
        self, names: tuple[str, ...], rank: Integers, prompts: tuple[str, ...]
    ) -> tuple[tuple[str, ...], Responses]:
        """The names of models, and the responses in the order of their names."""
        order = np.argsort(rank).tolist()
        models = tuple(sorted({model for _prompt, model, _text in self.known} - {""}))
        code = {name: number for number, name in enumerate(models)} | {"": -1}
        of_prompt = {name: number for number, name in enumerate(prompts)}
        counts = np.array(self.counts, dtype=np.int64).reshape(-1, len(surface.COUNTS))
        return models, Responses(
            names=names,
            prompt=np.array([of_prompt[self.known[at][0]] for at in order], dtype=np.int64),
            model=np.array([code[self.known[at][1]] for at in order], dtype=np.int64),
            counts=counts[order],
            digests=tuple(self.digests[at] for at in order),
            sketches=fingerprints.sketches(bytes(self.sketches))[order],
            leaks={int(rank[at]): finding for at, finding in self.leaks.items()},
        )


def _coded(names: Sequence[str]) -> tuple[tuple[str, ...], Integers]:
    """The different names in order, and the place of each in them."""
    different = tuple(sorted(set(names)))
    place = {name: number for number, name in enumerate(different)}
    return different, np.array([place[name] for name in names], dtype=np.int64)
