"""Responses with the same text, or with most of it, among the pairs and against earlier releases.

Alike is Jaccard's share of the sequences of five characters, as in annotation/domain/triage/duplicates.py. Sketches
propose who may be alike: two whose sketches agree in one of 25 bands of 5 numbers, which texts that share .7 do with
a probability of .99, those that share .75 with .999. Any two English stories share a tenth, so that narrower bands
would propose a hundredth of all that can be paired.

What is proposed among the pairs is then compared text against text, so that a share is exact whatever the sketches
say. Of earlier releases there are no texts, and the share is the estimate of the sketches.

In a band where very many agree, each is compared with the NEIGHBOURS before it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from annotation.domain.triage.duplicates import HASHES, MOST_PROPOSED, sequences
from curation.domain.audit import fingerprints
from curation.domain.audit.fingerprints import METHOD, NOTHING, Fingerprint, Sketches
from curation.domain.audit.rows import PairRow
from curation.domain.audit.table import Responses
from curation.domain.bootstrap import Integers

Hashes = NDArray[np.uint64]

ALIKE = Fraction(7, 10)  # Jaccard's share from which texts are near duplicates
DOUBT = Fraction(18, 100)  # four standard errors of an estimate: what lies lower is not compared
BAND = 5  # numbers of a sketch
NEIGHBOURS = 40  # of a text in a band
AT_ONCE = 2**14  # pairs of sketches that are compared at a time
MOST_NAMED = 100
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Copy:
    """`response` repeats `other`, of an earlier `release` or, "", of the pairs. `share` is 1 for the same text."""

    response: str
    other: str
    share: float
    release: str = ""


@dataclass(frozen=True, slots=True)
class Copies:
    """Responses that repeat another: each is counted once, as exact or near.

    Among the pairs the other comes earlier in the order of ids, and `same_prompt` counts those where it answers the
    same prompt. Against earlier releases `same_id` counts those whose id is the other's as well, and `not_compared`
    the earlier texts without a sketch of today's method. `named` are at most MOST_NAMED, the most alike first.
    """

    exact: int
    near: int
    named: tuple[Copy, ...]
    same_prompt: int = 0
    same_id: int = 0
    earlier: int = 0
    not_compared: int = 0

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def within(responses: Responses, rows: Iterable[PairRow]) -> Copies:
    """Among the responses; `rows` are read once more for the texts that are proposed."""
    first, exact = _same(responses)
    different = np.array(sorted(first.values()), dtype=np.int64)
    proposals = _proposals(responses.sketches[different])
    near = _verified(responses, rows, different, proposals)
    found = [*exact, *near]
    copies = [Copy(responses.names[at], responses.names[other], share) for at, other, share in found]
    return Copies(
        exact=len(exact),
        near=len(near),
        named=_most_alike(copies),
        same_prompt=sum(1 for at, other, _ in found if responses.prompt[at] == responses.prompt[other]),
    )


def against(responses: Responses, earlier: Iterable[Fingerprint]) -> Copies:
    """Against texts of earlier releases, whose order does not matter."""
    texts = sorted((text for text in earlier if text.digest != NOTHING), key=_place)
    first = {text.digest: text for text in reversed(texts)}
    same_id = {(text.digest, text.response): text for text in reversed(texts)}
    exact = {
        at: _copy(name, same_id.get((digest, name), first[digest]), 1.0)
        for at, (name, digest) in enumerate(zip(responses.names, responses.digests, strict=True))
        if digest in first
    }
    sketched = [text for text in texts if text.method == METHOD and text.sketch]
    others = [
        at for at in range(len(responses.names)) if at not in exact and responses.digests[at] != NOTHING
    ]
    near = _near_earlier(responses, others, sketched)
    copies = [*exact.values(), *near]
    return Copies(
        exact=len(exact),
        near=len(near),
        named=_most_alike(copies),
        same_id=sum(1 for copy in copies if copy.response == copy.other),
        earlier=len(texts),
        not_compared=len(texts) - len(sketched),
    )


def _copy(response: str, text: Fingerprint, share: float) -> Copy:
    return Copy(response, text.response, share, text.release)


def _place(text: Fingerprint) -> tuple[str, str, bytes]:
    return text.release, text.response, text.digest


def _most_alike(copies: Iterable[Copy]) -> tuple[Copy, ...]:
    order = sorted(copies, key=lambda copy: (-copy.share, copy.response, copy.release, copy.other))
    return tuple(order[:MOST_NAMED])


# --- among the pairs -------------------------------------------------------------------------------------


def _same(responses: Responses) -> tuple[dict[bytes, int], list[tuple[int, int, float]]]:
    """The first response of each text, and the others with the first; empty texts are left out."""
    first: dict[bytes, int] = {}
    exact = []
    for at, digest in enumerate(responses.digests):
        if digest != NOTHING and first.setdefault(digest, at) != at:
            exact.append((at, first[digest], 1.0))
    return first, exact


def _verified(
    responses: Responses, rows: Iterable[PairRow], different: Integers, proposals: Mapping[int, Sequence[int]]
) -> list[tuple[int, int, float]]:
    """Of each number in `different` the first proposal that is alike enough, text against text, where one is."""
    numbers = {at for later, others in proposals.items() for at in (later, *others)}
    bodies = _bodies(rows, {responses.names[different[at]]: at for at in numbers})
    near = []
    for later, others in sorted(proposals.items()):
        of_later = sequences(bodies[later])
        for earlier in others:
            share = _jaccard(sequences(bodies[earlier]), of_later)
            if share >= ALIKE:
                near.append((int(different[later]), int(different[earlier]), float(share)))
                break
    return near


def _bodies(rows: Iterable[PairRow], wanted: Mapping[str, int]) -> dict[int, str]:
    found: dict[int, str] = {}
    if not wanted:
        return found
    for row in rows:
        for name, text in ((row.chosen, row.chosen_text), (row.rejected, row.rejected_text)):
            if name in wanted and wanted[name] not in found:
                found[wanted[name]] = fingerprints.body(text)
    return found


def _jaccard(one: frozenset[str], other: frozenset[str]) -> Fraction:
    shared = len(one & other)
    return Fraction(shared, len(one) + len(other) - shared)


def _proposals(sketches: Sketches) -> dict[int, list[int]]:
    """By number the earlier ones that may be alike, the most alike by their sketches first, MOST_PROPOSED at most."""
    found: dict[int, list[int]] = {}
    for later, earlier, _agreeing in _best(sketches, sketches, ALIKE - DOUBT, MOST_PROPOSED):
        found.setdefault(later, []).append(earlier)
    return found


# --- against earlier releases ----------------------------------------------------------------------------


def _near_earlier(responses: Responses, own: Sequence[int], texts: Sequence[Fingerprint]) -> list[Copy]:
    """The earlier text that each of the responses is most alike by their sketches, where it is alike enough."""
    earlier = fingerprints.sketches(b"".join(text.sketch for text in texts))
    return [
        _copy(responses.names[own[later]], texts[at], agreeing / HASHES)
        for later, at, agreeing in _best(earlier, responses.sketches[list(own)], ALIKE, 1)
    ]


# --- sketches --------------------------------------------------------------------------------------------


def _best(earlier: Sketches, later: Sketches, least: Fraction, most: int) -> Iterator[tuple[int, int, int]]:
    """(later, earlier, numbers in which they agree), at most so many for each of the later, the most alike first.

    Of sketches (E, HASHES) and (L, HASHES) that agree in a band and in that share. Where both are the same array, each
    is compared with those before it.
    """
    found = np.zeros(0, dtype=np.int64)
    for start in range(0, HASHES - BAND + 1, BAND):
        band = slice(start, start + BAND)
        meeting = _meeting(_keys(earlier[:, band]), _keys(later[:, band]), before=earlier is later)
        kept = [
            pairs[_agreeing(earlier, later, pairs) * least.denominator >= least.numerator * HASHES]
            for one, other in meeting
            for pairs in _pieces(other * len(earlier) + one)
        ]
        found = np.unique(np.concatenate([found, *kept]))
    agreeing = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(_agreeing(earlier, later, p) for p in _pieces(found))]
    )
    others, ones = np.divmod(found, max(1, len(earlier)))
    order = np.lexsort((ones, -agreeing, others))
    turn = np.arange(len(order)) - np.searchsorted(others[order], others[order])
    chosen = order[turn < most]
    yield from zip(others[chosen].tolist(), ones[chosen].tolist(), agreeing[chosen].tolist(), strict=True)


def _keys(band: Sketches) -> Hashes:
    """A number of each row (S,), equal where rows are equal; rarely also where they are not."""
    keys = np.zeros(len(band), dtype=np.uint64)
    for column in band.T:
        keys = (keys ^ column) * MULTIPLIER
    return keys


def _meeting(earlier: Hashes, later: Hashes, *, before: bool) -> Iterator[tuple[Integers, Integers]]:
    """Numbers of keys that are equal, in turns: each of the later with one of the earlier, the nearest first.

    `before`: both are the same keys, and each meets those before it; else the last of the earlier come first.
    """
    order = np.argsort(earlier, kind="stable")
    ordered = earlier[order]
    start = np.searchsorted(ordered, later, side="left")
    if before:
        stop = np.empty(len(order), dtype=np.int64)
        stop[order] = np.arange(len(order))
    else:
        stop = np.searchsorted(ordered, later, side="right")
    for back in range(1, NEIGHBOURS + 1):
        meets = np.flatnonzero(stop - back >= start)
        if not meets.size:
            return
        yield order[stop[meets] - back], meets


def _pieces(pairs: Integers) -> Iterator[Integers]:
    for start in range(0, len(pairs), AT_ONCE):
        yield pairs[start : start + AT_ONCE]


def _agreeing(earlier: Sketches, later: Sketches, pairs: Integers) -> Integers:
    """In how many numbers they agree, of pairs coded as later * E + earlier."""
    others, ones = np.divmod(pairs, len(earlier))
    return np.asarray(np.count_nonzero(earlier[ones] == later[others], axis=1))
