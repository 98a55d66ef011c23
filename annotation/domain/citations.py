"""References to paragraphs in what people write about a text: "¶3", in whichever language."""

import re
from dataclasses import dataclass

CITED = re.compile(r"¶\s?(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text; `paragraph` is the one that it refers to, from 1, or 0."""

    text: str
    paragraph: int = 0


def pieces(text: str, *, paragraphs: int) -> tuple[Piece, ...]:
    """The text in pieces that make it up again. What names a paragraph that there is not stays plain."""
    found: list[Piece] = []
    end = 0
    for hit in CITED.finditer(text):
        if not 1 <= int(hit[1]) <= paragraphs:
            continue
        if hit.start() > end:
            found.append(Piece(text[end : hit.start()]))
        found.append(Piece(hit[0], int(hit[1])))
        end = hit.end()
    if end < len(text):
        found.append(Piece(text[end:]))
    return tuple(found)
