"""Versions of releases: which comes later, and how far one has to rise for what changed (Semantic Versioning 2.0.0).

Pairs that leave or turn around break what was measured on them: MAJOR. Pairs that join, and votes that changed, add:
MINOR. All else is PATCH. While MAJOR is 0 the same holds, so that a reader may count on it from the first release on.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})(?:-([0-9A-Za-z.-]+))?")
FIRST = "0.1.0"
LOWER, SMALL = "lower", "small"  # why a version is refused

Identifier = tuple[bool, int, str]


class Bump(IntEnum):
    """Which number has to rise at least."""

    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True, slots=True)
class Version:
    """`pre` are the identifiers of a version before the numbers are reached, such as rc.1."""

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()

    @property
    def core(self) -> tuple[int, int, int]:
        return self.major, self.minor, self.patch

    @property
    def place(self) -> tuple[tuple[int, int, int], bool, tuple[Identifier, ...]]:
        """By this versions are in order. Identifiers of digits go as numbers, and before the others; the same version
        without any comes after all of them."""
        return self.core, not self.pre, tuple(map(_identifier, self.pre))

    def __str__(self) -> str:
        core = ".".join(map(str, self.core))
        return f"{core}-{'.'.join(self.pre)}" if self.pre else core


def parse(text: str) -> Version | None:
    """None where it is no version."""
    found = VERSION.fullmatch(text)
    if found is None:
        return None
    major, minor, patch, pre = found.groups()
    return Version(int(major), int(minor), int(patch), tuple(pre.split(".")) if pre else ())


def _identifier(text: str) -> Identifier:
    return (False, int(text), "") if text.isdecimal() else (True, 0, text)


def raised(last: Version, bump: Bump) -> Version:
    """The next version after the last."""
    if last.pre and _reaches(last.core, last, bump):
        return Version(*last.core)
    if bump is Bump.MAJOR:
        return Version(last.major + 1, 0, 0)
    if bump is Bump.MINOR:
        return Version(last.major, last.minor + 1, 0)
    return Version(last.major, last.minor, last.patch + 1)


def refusal(version: Version, last: Version, bump: Bump) -> str:
    """LOWER where it does not come after the last, SMALL where it rises less than `bump`, else ""."""
    if version.place <= last.place:
        return LOWER
    return "" if _reaches(version.core, last, bump) else SMALL


def _reaches(core: tuple[int, int, int], last: Version, bump: Bump) -> bool:
    """Whether numbers rose so far. What stood before a version's numbers were reached promised nothing beyond them."""
    if last.pre and core == last.core:
        return True
    place = {Bump.MAJOR: 1, Bump.MINOR: 2, Bump.PATCH: 3}[bump]
    return core[:place] > last.core[:place]
