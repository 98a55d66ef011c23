"""Responses to one prompt that say the same.

Alike is Jaccard's share of the sets of five-character sequences; it works in languages without spaces as
well. Few texts are compared pair by pair. Among many, MinHash with banding proposes pairs, and each proposal
is verified exactly, so that what is reported does not depend on the sketch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rensa import RMinHash, RMinHashLSH

from annotation.domain.text import same_text_key

GRAM = 5  # characters of a sequence
COMPARED = 20_000  # characters of a text whose sequences are compared
FEW = 40  # texts that are compared pair by pair
SEED = 20260301
HASHES = 128
# Pairs at the threshold or above it are proposed with a probability above .998 from .6 on with 32 bands of 4
# hashes, and from .3 on with 64 bands of 2.
BANDS, BANDS_LOW = 32, 64
LOW = 0.6
MOST_PROPOSED = 20  # earlier texts that are compared with one, the most alike by their sketches


@dataclass(frozen=True, slots=True)
class Duplicate:
    """`other` stands later than `one`; `jaccard` is 1.0 where they are the same apart from white space."""

    one: str
    other: str
    check: str
    jaccard: float


def duplicates(texts: Sequence[tuple[str, str]], *, threshold: float = 0.7) -> list[Duplicate]:
    """The responses to one prompt, as (id, text), that repeat an earlier one, in the order of the later ones.

    Every response is reported at most once: as an exact duplicate of the first with the same text, or as a
    near duplicate of the earlier one that it shares most with (among more than FEW: by its sketch). Empty texts
    are left out; the ids are different.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"{threshold} is no share; the threshold lies above 0 and goes up to 1")
    found: dict[str, Duplicate] = {}
    first: dict[str, str] = {}
    for name, text in texts:
        key = same_text_key(text)
        if key and key in first:
            found[name] = Duplicate(first[key], name, "exact_duplicate", 1.0)
        elif key:
            first[key] = name
    for near in _near([(name, key[:COMPARED]) for key, name in first.items()], threshold):
        found[near.other] = near
    return [found[name] for name, _ in texts if name in found]


def _near(texts: Sequence[tuple[str, str]], threshold: float) -> Iterator[Duplicate]:
    """For each text an earlier one that reaches the threshold."""
    bodies = [body for _, body in texts]
    # In thousandths, so that a pair at the threshold is in.
    pairs = _pairs(bodies, round(1000 * threshold)) if len(texts) <= FEW else _proposed(bodies, threshold)
    for earlier, later, share in pairs:
        yield Duplicate(texts[earlier][0], texts[later][0], "near_duplicate", share)


def _pairs(texts: Sequence[str], thousandths: int) -> Iterator[tuple[int, int, float]]:
    """(the earlier text that is most alike, a text, Jaccard's share) by comparing all."""
    sets = [sequences(text) for text in texts]
    for later, of_later in enumerate(sets):
        shares = [(*_alike(sets[earlier], of_later), earlier) for earlier in range(later)]
        alike = [each for each in shares if 1000 * each[0] >= thousandths * each[1]]
        if alike:
            shared, either, earlier = max(alike, key=lambda each: (Fraction(each[0], each[1]), -each[2]))
            yield earlier, later, shared / either


def _proposed(texts: Sequence[str], threshold: float) -> Iterator[tuple[int, int, float]]:
    """The same among many: of the earlier texts that MinHash proposes, most alike first, the first that is."""
    index = RMinHashLSH(
        threshold=threshold, num_perm=HASHES, num_bands=BANDS if threshold >= LOW else BANDS_LOW
    )
    sketches = [_sketch(text) for text in texts]
    for later, sketch in enumerate(sketches):
        estimates = sorted((-sketches[at].jaccard(sketch), at) for at in index.query(sketch))
        index.insert(later, sketch)
        of_later = sequences(texts[later]) if estimates else frozenset()
        for _, earlier in estimates[:MOST_PROPOSED]:
            shared, either = _alike(sequences(texts[earlier]), of_later)
            if 1000 * shared >= round(1000 * threshold) * either:
                yield earlier, later, shared / either
                break


def _sketch(text: str) -> RMinHash:
    sketch = RMinHash(num_perm=HASHES, seed=SEED)
    # As bytes, because half of a surrogate pair is no text to the library.
    sketch.update([sequence.encode("utf-8", "surrogatepass") for sequence in sequences(text)])
    return sketch


def sequences(text: str) -> frozenset[str]:
    """The five-character sequences of a text; a shorter text is one sequence."""
    return frozenset(text[at : at + GRAM] for at in range(max(1, len(text) - GRAM + 1)))


def _alike(one: frozenset[str], other: frozenset[str]) -> tuple[int, int]:
    """(sequences of both, sequences of either)."""
    shared = len(one & other)
    return shared, len(one) + len(other) - shared
