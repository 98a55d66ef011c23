"""What an annotator is given next: in an order of their own, in short blocks, with a prompt's responses apart.

Everything follows from ids and from what the annotator was given so far, so it is the same on every machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

APART = 5  # hand-outs from one response of a prompt to the next, where the round allows
SHORTEST_BLOCK, LONGEST_BLOCK = 5, 8
REPEAT_AFTER = 20  # hand-outs from a text to its repeat, at the least
CIRCLE = 2**31  # places of a round's slots lie below it; see order.place

OWN, GOLD, REPEAT = "own", "gold", "repeat"


@dataclass(frozen=True, slots=True)
class Stratum:
    """A language as the prompts name it, and a macro-category (None: no genre)."""

    language: str
    genre: int | None


@dataclass(frozen=True, slots=True)
class Given:
    """Something that was handed out."""

    position: int  # from 1
    prompt: int
    stratum: Stratum


def _mixed(*parts: object) -> int:
    """31 bits that depend on the parts and nothing else."""
    joined = "\0".join(str(part) for part in parts).encode()
    return int.from_bytes(blake2b(joined, digest_size=4).digest()) >> 1


def start(work: int, annotator: int, position: int) -> int:
    """Where on the circle of the round the search for that hand-out begins."""
    return _mixed("start", work, annotator, position)


def block(work: int, annotator: int, given: Sequence[Given]) -> Stratum | None:
    """The stratum whose block goes on; None where the last block is over. `given`: newest first."""
    if not given:
        return None
    stratum, length = given[0].stratum, 0
    while length < len(given) and given[length].stratum == stratum:
        length += 1
    began = given[length - 1].position
    span = LONGEST_BLOCK - SHORTEST_BLOCK + 1
    whole = SHORTEST_BLOCK + _mixed("block", work, annotator, began) % span
    return stratum if length < whole else None


def too_near(given: Sequence[Given]) -> tuple[int, ...]:
    """Prompts of which nothing should come next, the one that came longest ago first. `given`: newest first."""
    recent = dict.fromkeys(each.prompt for each in given[: APART - 1])
    return tuple(reversed(recent))


def mixture(work: int, annotator: int, position: int, *, gold: int, repeat: int) -> str:
    """What that hand-out is to be, at rates in percent: OWN, GOLD or REPEAT."""
    drawn = _mixed("mixture", work, annotator, position) % 100
    if drawn < gold:
        return GOLD
    return REPEAT if drawn < gold + repeat else OWN
