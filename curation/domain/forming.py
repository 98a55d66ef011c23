"""Pairs formed of columns of marks: rules 1 to 8, which look at one prompt at a time.

What the scores say of two responses follows from the marks of both, whatever the prompt. Where few people scored a
prompt there are few different rows of marks, which many prompts share; so all such prompts are taken together, and what
is done for each of their candidates is done for hundreds of thousands at once. The others are taken one by one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from curation.domain import verdicts
from curation.domain.ranked import Material
from curation.domain.recipes import WritingPreference
from curation.domain.selection import Scored
from curation.domain.standing import Codes, Outcomes
from curation.domain.verdicts import Verdicts

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

JOINED = 256  # pieces
LARGE = 2**14  # pairs of a piece that is left as it is
PANEL = 5  # annotators of a prompt whose responses are taken by kinds
BASE = 9  # marks, and that there is none
FEW = 2**12  # verdicts that are found whatever the number of candidates
SPARSE = 4  # times as many numbers as there are keys: beyond it, sorting takes less room than a table
CHUNK = 2**15  # candidates held at once: few enough to stay in a processor's cache


@dataclass(frozen=True, slots=True)
class Given:
    """Marks (verdicts.Marks) in the order of ranks: those of rank r stand from start[r] to before start[r + 1]."""

    start: Ints
    annotator: NDArray[np.int32]
    mark: NDArray[np.int8]

    def of(self, ranks: Ints) -> verdicts.Marks:
        """The table of some responses, with a column for each annotator of them."""
        row, place = self.places(ranks)
        names, column = np.unique(self.annotator[place], return_inverse=True)
        marks = np.full((len(ranks), len(names)), verdicts.MISSING, dtype=np.int8)
        marks[row, column] = self.mark[place]
        return marks

    def places(self, ranks: Ints) -> tuple[Ints, Ints]:
        """Of each mark of some responses the place among these, and its own."""
        counts = self.start[ranks + 1] - self.start[ranks]
        row = np.repeat(np.arange(len(ranks)), counts)
        return row, np.arange(len(row)) + np.repeat(self.start[ranks] - np.cumsum(counts) + counts, counts)


def formed(
    material: Material, given: Given, text: Ints | None, recipe: WritingPreference, outcomes: Outcomes
) -> Scored:
    """The pairs that stand, prompt by prompt in ascending order of ranks; into `outcomes` what does not.

    `text` has a number for each response, which those of its prompt share where their texts are the same, or 0 where
    nobody's is; it is None where the recipe does not ask. Rows are not read.
    """
    rest = _Rest(material.lengths, text, recipe, outcomes)
    kinds = _kinds(material.prompts, given)
    pieces = [_pairs_of_kinds(kinds, rest)]
    for prompt in kinds.left_out:
        ranks = material.prompts[prompt]
        for one, other, said in verdicts.verdicts(given.of(ranks), recipe):
            stand = rest.standing(ranks[one], ranks[other], said.reason)
            of_prompt = np.full(len(stand), prompt, dtype=np.int64)
            _append(pieces, _standing(ranks[one[stand]], ranks[other[stand]], of_prompt, said, stand))
    if not kinds.left_out:
        return pieces[0]
    table = _joined(pieces)
    return table.only(np.argsort(table.prompt, kind="stable"))


@dataclass(frozen=True, slots=True)
class _Rest:
    """The rules that look at texts and lengths."""

    lengths: Ints
    text: Ints | None
    recipe: WritingPreference
    outcomes: Outcomes

    @property
    def codes(self) -> list[int]:
        names = ("identical_text", "length_ratio")
        return [self.outcomes.code(name) for name in names if name in self.recipe.reasons]

    def look_at(self, ranks: Ints) -> bool:
        """Whether candidates whose first sides are these may fall by them."""
        twins = self.text is not None and bool(self.text[ranks].any())
        return twins or self.recipe.max_length_ratio is not None

    def overrule(self, first: Ints, second: Ints, codes: Codes) -> None:
        """Write their reasons into the codes of candidates, given by ranks."""
        if self.text is not None:
            same = (self.text[first] == self.text[second]) & (self.text[first] > 0)
            _overrule(codes, same, self.outcomes.code("identical_text"))
        if self.recipe.max_length_ratio is not None:
            lengths = self.lengths[first], self.lengths[second]
            _overrule(
                codes, _unequal(*lengths, self.recipe.max_length_ratio), self.outcomes.code("length_ratio")
            )

    def standing(self, first: Ints, second: Ints, codes: Codes) -> Ints:
        """The places of the candidates that stand; the others go to the outcomes."""
        self.overrule(first, second, codes)
        fell = np.flatnonzero(codes)
        self.outcomes.add(first[fell], second[fell], codes[fell])
        return np.flatnonzero(codes == 0)


# --- responses with the same marks -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Responses of prompts that few people scored, by which marks these gave: what the scores say of two responses
    follows from their kinds, whatever the prompt. So it is found once for every two kinds, and then looked up.

    The columns hold an entry for each of these responses, prompt by prompt in ascending order of ranks: its rank, its
    prompt, the place behind the last one of the prompt, and its kind's row in `marks`. `left_out` are the other
    prompts.
    """

    rank: Ints
    prompt: Ints
    end: Ints
    kind: Ints
    marks: verdicts.Marks
    left_out: Sequence[int]


def _kinds(prompts: Sequence[Ints], given: Given) -> _Kinds:
    sizes = np.array([len(ranks) for ranks in prompts], dtype=np.int64)
    rank = np.concatenate([np.zeros(0, dtype=np.int64), *prompts])
    prompt = np.repeat(np.arange(len(prompts)), sizes)
    code, few = _codes(rank, prompt, given, len(prompts))
    chosen = few[prompt]
    codes, kind = _numbered(code[chosen], BASE**PANEL)
    candidates = int((sizes * (sizes - 1))[few].sum()) // 2
    most = max(candidates, FEW)
    every = _every(codes)
    if len(every) ** 2 <= most:  # those of other material are the same then, and so are the verdicts on them
        codes, kind = every, np.searchsorted(every, codes)[kind]
    elif len(codes) ** 2 > most:
        few[:] = chosen[:] = False
        codes, kind = codes[:0], kind[:0]
    marks = codes[:, None] // BASE ** np.arange(PANEL) % BASE + verdicts.MISSING
    sizes = sizes[few]
    return _Kinds(
        rank=rank[chosen],
        prompt=prompt[chosen],
        end=np.repeat(np.cumsum(sizes), sizes),
        kind=kind,
        marks=marks.astype(np.int8),
        left_out=np.flatnonzero(~few).tolist(),
    )


def _codes(rank: Ints, prompt: Ints, given: Given, prompts: int) -> tuple[Ints, Bools]:
    """A number for the marks of each response, with a digit for each annotator of its prompt in their order; and which
    prompts have so few annotators that the numbers are right."""
    counts = given.start[rank + 1] - given.start[rank]
    width = int(counts.max(initial=0))
    if width <= PANEL and (counts == width).all():
        place = given.start[rank][:, None] + np.arange(width)
        annotators = given.annotator[place]
        begins = np.diff(prompt, prepend=-1) > 0
        if (annotators == annotators[begins][np.cumsum(begins) - 1]).all():  # panels, and nothing is missing
            return _digits(given.mark[place]) @ BASE ** np.arange(width), np.ones(prompts, dtype=np.bool_)
    row, places = given.places(rank)
    people = int(given.annotator.max(initial=-1)) + 1
    there, number = _numbered(prompt[row] * people + given.annotator[places], prompts * people)
    of_prompt = np.searchsorted(there, np.arange(prompts + 1) * people)
    column = np.minimum(number - of_prompt[prompt[row]], PANEL)
    value = _digits(given.mark[places]) * (BASE ** np.arange(PANEL + 1))[column]
    code = np.bincount(row, weights=value, minlength=len(rank))  # in doubles, which hold them exactly
    return code.astype(np.int64), np.diff(of_prompt) <= PANEL


def _digits(marks: verdicts.Marks) -> Ints:
    return marks.astype(np.int64) - verdicts.MISSING


def _numbered(keys: Ints, most: int) -> tuple[Ints, Ints]:
    """The different keys, all of them below `most`, in ascending order, and the place of each key among them."""
    if most > SPARSE * len(keys):
        return np.unique(keys, return_inverse=True)
    there = np.zeros(most, dtype=np.bool_)
    there[keys] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[keys]


def _every(codes: Ints) -> Ints:
    """All codes whose digits occur at their places, in ascending order."""
    every = np.zeros(min(len(codes), 1), dtype=np.int64)
    for column in reversed(range(PANEL)):
        every = (every[:, None] * BASE + np.unique(codes // BASE**column % BASE)).ravel()
    return every


def _pairs_of_kinds(kinds: _Kinds, rest: _Rest) -> Scored:
    many = len(kinds.marks)
    if not many:
        return _no_pairs()
    said = _of_every_two(kinds.marks.tobytes(), rest.recipe)
    reasons = {*np.unique(said.reason).tolist()} - {0}
    stood = []
    for start, stop, one, other, cell in _candidates(kinds, many):
        codes = said.reason[cell]
        if rest.look_at(kinds.rank[start:stop]):
            rest.overrule(kinds.rank[one], kinds.rank[other], codes)
            reasons |= {*rest.codes}
        stand = np.flatnonzero(codes == 0)
        stood.append((one[stand], other[stand], cell[stand]))
        if rest.outcomes.kept:
            fell = np.flatnonzero(codes != 0)
            rest.outcomes.add(kinds.rank[one[fell]], kinds.rank[other[fell]], codes[fell])
        else:
            rest.outcomes.count_all(codes, sorted(reasons))
    return _filled(kinds, said, stood)


def _filled(kinds: _Kinds, said: Verdicts, stood: Sequence[tuple[Ints, Ints, Ints]]) -> Scored:
    """The pairs of such pieces: both sides as places, and where their verdict stands. Column by column and all at once
    they would be read from memory again and again; a piece stays near."""
    many = sum(len(cell) for _, _, cell in stood)
    table = Scored(*(np.empty(many, column.dtype) for column in _no_pairs().columns()))
    start = 0
    for one, other, cell in stood:
        piece = _standing(kinds.rank[one], kinds.rank[other], kinds.prompt[one], said, cell)
        for whole, part in zip(table.columns(), piece.columns(), strict=True):
            whole[start : start + len(cell)] = part
        start += len(cell)
    return table


# Shards of one run ask for the same table again and again.
@lru_cache(maxsize=4)
def _of_every_two(marks: bytes, recipe: WritingPreference) -> Verdicts:
    """The verdict on each kind with each, flattened: a prompt in which every kind stands twice has all of them."""
    kinds = np.frombuffer(marks, dtype=np.int8).reshape(-1, PANEL)
    many = len(kinds)
    pieces = []
    for first, second, said in verdicts.verdicts(np.concatenate((kinds, kinds)), recipe):
        pieces.append(said.at(np.flatnonzero((first < many) & (second >= many))))
    columns = (field.name for field in fields(Verdicts))
    return Verdicts(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in columns))


def _candidates(kinds: _Kinds, many: int) -> Iterator[tuple[int, int, Ints, Ints, Ints]]:
    """All candidates in ascending order, in chunks that hold all of whole places: from which place to before which,
    both sides as places, and where the verdict on their kinds stands, of so `many`."""
    sizes = kinds.end - np.arange(1, len(kinds.end) + 1)
    ends = np.cumsum(sizes)
    start, done = 0, 0
    while start < len(sizes):
        stop = max(start + 1, int(np.searchsorted(ends, done + CHUNK, side="right")))
        block = sizes[start:stop]
        one = np.repeat(np.arange(start, stop), block)
        other = np.repeat(np.arange(start + 1, stop + 1) - (ends[start:stop] - block - done), block)
        other += np.arange(len(other))
        cell = np.repeat(kinds.kind[start:stop] * many, block)
        cell += kinds.kind[other]
        yield start, stop, one, other, cell
        start, done = stop, int(ends[stop - 1])


# --- columns ---------------------------------------------------------------------------------------------


def _joined(pieces: Sequence[Scored]) -> Scored:
    return Scored(*(np.concatenate(column) for column in zip(*(p.columns() for p in pieces), strict=True)))


def _append(pieces: list[Scored], piece: Scored) -> None:
    """One more of many pieces, which are joined now and then: small arrays take far more room than their numbers."""
    pieces.append(piece)
    if len(pieces) % JOINED == 0 and len(pieces[-JOINED].chosen) < LARGE:
        pieces[-JOINED:] = [_joined(pieces[-JOINED:])]


def _overrule(codes: Codes, failed: Bools, code: int) -> None:
    """Write the code of a reason where it applies and no earlier one does: codes ascend in the order of the rules."""
    places = np.flatnonzero(failed)
    before = codes[places]
    codes[places[(before == 0) | (before > code)]] = code


def _unequal(one: Ints, other: Ints, ratio: Fraction) -> Bools:
    longer, shorter = np.maximum(one, other), np.minimum(one, other)
    unequal: Bools = longer * ratio.denominator > shorter * ratio.numerator
    return unequal


def _standing(first: Ints, second: Ints, prompt: Ints, said: Verdicts, at: Ints) -> Scored:
    """Pairs of first and second sides, of which the verdicts `at` some places speak."""
    # Both sides are swapped bit by bit where the second is chosen, which takes a third of the time of np.where.
    swapped = (first ^ second) & (said.first_chosen.astype(np.int64) - 1)[at]
    return Scored(
        chosen=first ^ swapped,
        rejected=second ^ swapped,
        prompt=prompt,
        votes_for=said.votes_for[at],
        votes_against=said.votes_against[at],
        k=said.k[at],
        gap=said.gap[at],
        sum_chosen=said.sum_chosen[at],
        flags=said.flags[at],
    )


def _no_pairs() -> Scored:
    ints, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return Scored(ints, ints, ints, counts, counts, counts, counts, counts, np.zeros(0, dtype=np.uint8))
