"""Tables of text, to be read in a terminal of 100 columns."""

import unicodedata
from collections.abc import Sequence

from annotation.domain.strict_json import printable


def width(text: str) -> int:
    """How many columns a terminal gives the text: two for a Chinese character, none for a combining one."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def shortened(name: str, columns: int) -> str:
    """A name that stands in the file, safe to print, of at most so many columns."""
    text = printable(name)
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text + "…"


def lines(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Columns as wide as they must be, two apart; those that `right` counts are set right."""
    table = [header, *rows]
    widths = [max(width(row[i]) for row in table) for i in range(len(header))]
    return ["  " + _line(row, widths, right).rstrip() for row in table]


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    cells = []
    for i, cell in enumerate(row):
        space = " " * (widths[i] - width(cell))
        cells.append(space + cell if i in right else cell + space)
    return "  ".join(cells)
