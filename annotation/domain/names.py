"""Names that people give, and tags of languages: one form of each, so that two that look alike are the same."""

import re
import unicodedata

TAG = re.compile(
    r"[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*", re.ASCII
)
LONGEST_TAG = 35
# Characters without a shape of their own that turn what stands around them, or make two equal names differ.
UNSEEN = re.compile(
    "[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u0000-\u0008\u000e-\u001f\u007f]"
)


def tidy(name: str) -> str:
    """In NFC, each run of white space as one blank, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def has_unseen(name: str) -> bool:
    return bool(UNSEEN.search(name))


def key(name: str) -> str:
    """Equal for names that a reader takes for the same."""
    return unicodedata.normalize("NFC", tidy(name).casefold())


def language_tag(written: str) -> str | None:
    """A BCP 47 tag (language, script, region, variants) in its usual spelling, as zh-Hant-TW; None for no tag."""
    tag = written.strip().replace("_", "-").lower()
    if len(tag) > LONGEST_TAG or not TAG.fullmatch(tag):
        return None
    first, *rest = tag.split("-")
    return "-".join([first, *(_subtag(part) for part in rest)])


def _subtag(part: str) -> str:
    if len(part) == 4 and part.isalpha():
        return part.title()
    return part.upper() if len(part) == 2 else part


def covers(tag: str, language: str) -> bool:
    """Whether a language is the tag's, or a narrower one: zh covers zh-Hant, zh-Hant does not cover zh."""
    wide, narrow = (each.lower().replace("_", "-") for each in (tag, language))
    return narrow == wide or narrow.startswith(wide + "-")


def letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ... for 0, 1, ..."""
    number, last = divmod(number, 26)
    return (letters(number - 1) if number else "") + chr(ord("A") + last)
