"""A pasted list of people to invite: one line a person, 'address, name, languages' or 'Name <address>, languages'."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.domain.sentences import Said, say

MOST_LINES = 500
LONGEST_ADDRESS = 254
LONGEST_NAME = 150

SEPARATORS = re.compile(r"[,;\t，；]")
NAMED_ADDRESS = re.compile(
    r"""\s*["“]?(?P<name>[^"“”<>]*?)["”]?\s*<\s*(?P<address>[^<>]*?)\s*>\s*(?P<rest>.*)"""
)
# What can be an address at all; whether it can be written to is asked later.
ADDRESS = re.compile(r"[^\s@<>\"'(),:;\[\]\\]+@[^\s@<>\"'(),:;\[\]\\]+\.[^\s@<>\"'(),:;\[\]\\]+")
LANGUAGES = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*(?:[\s/+|、]+[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)*")
BETWEEN_LANGUAGES = re.compile(r"[\s/+|、]+")


@dataclass(frozen=True, slots=True)
class InvitationLine:
    """A line as it was read. `fault` says why it cannot be used; None where it can."""

    number: int  # from 1, blank lines counted
    text: str
    address: str = ""
    name: str = ""
    languages: tuple[str, ...] = ()  # primary subtags
    fault: Said | None = None


def read(text: str) -> list[InvitationLine]:
    """The lines that are not blank. An address that stood on an earlier line is a fault of the later one."""
    found: list[InvitationLine] = []
    first: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        read_line = _line(number, line.strip())
        if not read_line.fault and read_line.address in first:
            fault = say("this address stands on line {line} already", line=first[read_line.address])
            read_line = InvitationLine(number, read_line.text, read_line.address, fault=fault)
        first.setdefault(read_line.address, number)
        found.append(read_line)
    return found


def _line(number: int, text: str) -> InvitationLine:
    named = NAMED_ADDRESS.fullmatch(text)
    if named:
        address, name = named["address"], named["name"]
        rest = [part for part in SEPARATORS.split(named["rest"]) if part.strip()]
    else:
        address, *others = SEPARATORS.split(text)
        name, rest = _name_and_languages([part.strip() for part in others])
    address, name = address.strip().lower(), " ".join(name.split())
    fault = _fault(address, name, rest)
    if fault:
        return InvitationLine(number, text, address, fault=fault)
    codes = {code.split("-")[0] for part in rest for code in BETWEEN_LANGUAGES.split(part.strip())}
    return InvitationLine(number, text, address, name, tuple(sorted(codes)))


def _name_and_languages(parts: Sequence[str]) -> tuple[str, list[str]]:
    """What follows an address: a name and languages, or languages alone."""
    kept = list(parts)
    while kept and not kept[-1]:
        kept.pop()
    if not kept:
        return "", []
    if all(LANGUAGES.fullmatch(part) for part in kept):
        return "", kept
    return kept[0], [part for part in kept[1:] if part]


def _fault(address: str, name: str, languages: Sequence[str]) -> Said | None:
    if len(address) > LONGEST_ADDRESS or not ADDRESS.fullmatch(address):
        return say("'{address}' is no e-mail address", address=address[:60])
    if len(name) > LONGEST_NAME:
        return say("the name is longer than {most} characters", most=LONGEST_NAME)
    for part in languages:
        if not LANGUAGES.fullmatch(part.strip()):
            return say(
                "'{part}' is no list of language codes such as en or en zh; a name with a comma in it stands "
                "best as Name <address>",
                part=part.strip()[:60],
            )
    return None
