"""Which pairs, or which texts, are asked about: seeded lots over their names, and seats for those who are asked.

Lots depend on seed and name alone, so the same seed draws the same, on every machine and in whichever order the
material comes; and what is drawn stays drawn while other material joins.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)
Person = TypeVar("Person", bound=Hashable)


def lot(seed: str, *names: str) -> bytes:
    """8 bytes that put things in a random order."""
    return blake2b("\0".join((seed, *names)).encode(), digest_size=8).digest()


def draw(names: Mapping[Thing, tuple[str, ...]], sample: int | None, *, seed: str) -> list[Thing]:
    """That many of the things, or all where there are fewer or None is said; in the order of their lots."""
    drawn = sorted(names, key=lambda thing: (lot(seed, *names[thing]), names[thing]))
    return drawn if sample is None else drawn[:sample]


def draw_evenly(
    groups: Iterable[Mapping[Thing, tuple[str, ...]]], sample: int | None, *, seed: str
) -> list[Thing]:
    """As `draw`, taking from each group in turn: no group gives a second thing before each has given its first."""
    rounds: list[tuple[int, bytes, tuple[str, ...], Thing]] = []
    for names in groups:
        for turn, thing in enumerate(draw(names, None, seed=seed)):
            rounds.append((turn, lot(seed, *names[thing]), names[thing], thing))
    drawn = [thing for *_order, thing in sorted(rounds, key=lambda row: row[:3])]
    return drawn if sample is None else drawn[:sample]


def pairs_within(texts: Mapping[Thing, str]) -> list[tuple[Thing, Thing]]:
    """Each two of the responses to a prompt, by the digest of what they say: two that say the same make no pair."""
    return [(one, other) for one, other in combinations(texts, 2) if texts[one] != texts[other]]


def seats(
    able: Mapping[Thing, Sequence[Person]],
    work: Mapping[Thing, int],
    *,
    each: int,
    seed: str,
) -> dict[Thing, tuple[Person, ...]]:
    """`each` of the people who are able to judge a thing, so that the work is even; those with too few get none.

    Things that few can judge come first, then those with much work. Among people who have equally much to do, and
    among equal things, lots decide.
    """
    loads: Counter[Person] = Counter()
    seated: dict[Thing, tuple[Person, ...]] = {}
    full = [thing for thing in able if len(set(able[thing])) >= each]
    for thing in sorted(full, key=lambda one: (len(set(able[one])), -work[one], lot(seed, str(one)))):
        by_load = sorted(set(able[thing]), key=lambda one: (loads[one], lot(seed, str(thing), str(one))))
        seated[thing] = tuple(by_load[:each])
        loads.update(dict.fromkeys(seated[thing], work[thing]))
    return seated
