"""A text as a page sets it."""

import re

BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
LANGUAGE_TAG = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{1,8})*")


def paragraphs(text: str) -> tuple[str, ...]:
    """Parts between blank lines; where a text has none, as is usual in Chinese, its lines."""
    whole = text.replace("\r\n", "\n").strip()
    parts = BLANK_LINES.split(whole) if BLANK_LINES.search(whole) else whole.split("\n")
    # The page indents by itself; an indent of the text's own would be seen twice.
    return tuple(part.strip() for part in parts if part.strip())


def language_tag(tag: str, *, counts_characters: bool) -> str:
    """What a page declares a text to be, so that it is set and read aloud as such; "" where unknown."""
    if tag.lower() == "zh" or (not tag and counts_characters):
        return "zh-Hans"
    return tag if LANGUAGE_TAG.fullmatch(tag) else ""
