"""What in a text may be personal: e-mail addresses, telephone numbers, names of people of the project.

It rather misses than cries wolf, for stories are full of names and numbers, and a list that nobody reads protects
nobody. So a name counts in full alone, first and last; a user name where it is none of the words that a story has; a
number where it is written as a telephone number is: internationally, of China, of North America. Addresses and numbers
that are set aside for examples and fiction (RFC 2606, 555-0100 to 555-0199) are nobody's.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

EMAIL, PHONE, NAME = "email", "phone", "name"
KINDS = (EMAIL, PHONE, NAME)
MAX_SCANNED = 60_000  # characters of a text
SHORTEST_USERNAME = 6
MIXED = re.compile(r"[\d@._-]")

# What stands around is bounded, so that no text takes longer than its length.
ADDRESS = re.compile(
    r"(?<![a-z0-9._%+-])[a-z0-9._%+-]{1,64}@(?P<domain>(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z]{2,24})(?![a-z0-9-])",
    re.IGNORECASE | re.ASCII,
)
NOBODYS = re.compile(r"(?:^|\.)(?:example\.(?:com|org|net)|example|test|invalid|localhost)$", re.IGNORECASE)
INTERNATIONAL = re.compile(r"(?<![\w+])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?!\d)")
CHINESE = re.compile(r"(?<![\d.])(?:0?1[3-9]\d[ -]?\d{4}[ -]?\d{4})(?!\d)")
AMERICAN = re.compile(r"(?<![\d.-])(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-.])[2-9]\d{2}[-.]\d{4}(?![\d-])")
NUMBERS = (INTERNATIONAL, CHINESE, AMERICAN)
FICTION = re.compile(r"55501\d\d$")


@dataclass(frozen=True, slots=True)
class People:
    """Who must not stand in a text. `full` are first and last names, both there."""

    emails: Collection[str] = ()
    usernames: Collection[str] = ()
    full: Collection[tuple[str, str]] = ()


class Scan:
    """Reads texts for what may be personal, with the names of a project."""

    def __init__(self, people: People) -> None:
        self._emails = {address.casefold() for address in people.emails if address}
        names = {*filter(_is_telling, people.usernames), *_full_names(people.full)}
        self._names = [(_sign(name), _as_a_word(name)) for name in sorted(names)]

    def kinds(self, text: str) -> tuple[str, ...]:
        """Which of KINDS stand in the text."""
        text = text[:MAX_SCANNED]
        found = []
        if self._has_address(text):
            found.append(EMAIL)
        if _has_number(text):
            found.append(PHONE)
        if self._has_name(text):
            found.append(NAME)
        return tuple(found)

    def _has_name(self, text: str) -> bool:
        lowered = text.lower()
        return any(sign in lowered and pattern.search(text) for sign, pattern in self._names)

    def _has_address(self, text: str) -> bool:
        return "@" in text and any(
            match.group().casefold() in self._emails or not NOBODYS.search(match["domain"])
            for match in ADDRESS.finditer(text)
        )


def _has_number(text: str) -> bool:
    return any(
        not FICTION.search(re.sub(r"\D", "", match.group()))
        for pattern in NUMBERS
        for match in pattern.finditer(text)
    )


def _is_telling(username: str) -> bool:
    """Whether it is hardly a word of a story: long, and not of letters alone."""
    return len(username) >= SHORTEST_USERNAME and MIXED.search(username) is not None


def _full_names(names: Iterable[tuple[str, str]]) -> list[str]:
    found = []
    for first, last in ((first.strip(), last.strip()) for first, last in names):
        if not first or not last:
            continue
        if first.isascii() or last.isascii():
            found += [f"{first} {last}", f"{last}, {first}"]
        else:
            found += [f"{last}{first}", f"{first}{last}", f"{first} {last}"]
    return found


def _sign(name: str) -> str:
    """A lower-case part of the name, so that most texts need no pattern at all."""
    return max(name.lower().split(), key=len)


def _as_a_word(name: str) -> re.Pattern[str]:
    """The name, as a word of its own where it begins or ends with a letter of the Latin kind."""
    before = r"(?<!\w)" if name[0].isascii() else ""
    after = r"(?!\w)" if name[-1].isascii() else ""
    return re.compile(before + r"\s+".join(map(re.escape, name.split())) + after, re.IGNORECASE)
