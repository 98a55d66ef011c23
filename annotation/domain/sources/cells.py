"""Values of the cells of a workbook: texts, numbers, times, and what cannot be read.

A time is stored as days since an epoch and known as a time by the number format of its style alone. Layout:
ECMA-376-1, 18.3.1.4 (cells), 18.4 (shared texts), 18.8.30 (number formats), 22.9.2.19 (escapes).
"""

import math
import re
from array import array
from datetime import UTC, datetime, timedelta
from typing import IO

from annotation.domain.sentences import say
from annotation.domain.sources.tables import Unusable
from annotation.domain.strict_json import MAX_DIGITS, printable, shown

EPOCHS = {
    False: datetime(1899, 12, 30, tzinfo=UTC),
    True: datetime(1904, 1, 1, tzinfo=UTC),
}  # by "from 1904 on"
NO_LEAP_DAY = 60  # the day that Excel takes for 29 February 1900; days before it are one off

ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
UNMEANT = re.compile(
    r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^]]*\]', re.IGNORECASE
)  # literals, colours, conditions
TIMES_BUILT_IN = {
    **dict.fromkeys([*range(14, 18), *range(27, 37), *range(50, 59)], "date"),
    **dict.fromkeys(range(18, 22), "time"),
    **dict.fromkeys([22], "date"),
    **dict.fromkeys([45, 47], "time"),
    46: "duration",
}


class Texts:
    """The texts that cells refer to by number, kept in a file that is given, since they may be many."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._ends = array("Q", [0])

    def append(self, text: str) -> None:
        """To be called before any text is asked for."""
        written = text.encode()
        self._file.write(written)
        self._ends.append(self._ends[-1] + len(written))

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self._ends) - 1:
            raise ValueError(f"there is no text {number}")
        begin, end = self._ends[number], self._ends[number + 1]
        self._file.seek(begin)
        return self._file.read(end - begin).decode()


def kind_of_format(number: int, code: str | None) -> str:
    """Whether a number format shows a "date" (maybe with a time), a "time", a "duration", or "" a mere number."""
    if code is None:
        return TIMES_BUILT_IN.get(number, "")
    meant = UNMEANT.sub("", code.partition(";")[0]).lower()
    if "[" in meant:
        return "duration"
    if re.search("[dy]", meant) or ("m" in meant and not re.search("[hs]", meant)):
        return "date"
    return "time" if re.search("[hs]", meant) else ""


def unescaped(text: str) -> str:
    """Characters that XML cannot hold are written as _xHHHH_, line ends from Windows among them."""
    return ESCAPED.sub(lambda code: chr(int(code.group(1), 16)), text) if "_x" in text else text


def number_or_time(written: str, kind: str, from_1904: bool) -> object:
    """An int where it is written as one, else a float; a time as ISO 8601 text; Unusable where it is neither."""
    if kind:
        return _time(float(written), kind, from_1904)
    if not re.search("[.eE]", written) and len(written) <= MAX_DIGITS:
        return int(written)
    number = float(written)
    if math.isfinite(number) and len(written) <= MAX_DIGITS:
        return number
    return Unusable(say("{value} is not a finite number; correct the cell", value=shown(written)))


def formula() -> Unusable:
    return Unusable(say("the cell holds a formula; copy the column and paste it as values"))


def error_value(written: str) -> Unusable:
    return Unusable(say("the cell holds the error {error}; correct or empty it", error=printable(written)))


def _time(days: float, kind: str, from_1904: bool) -> object:
    if not from_1904 and 0 < days < NO_LEAP_DAY and kind == "date":
        days += 1
    try:
        span = timedelta(milliseconds=round(days * 86_400_000))
        moment = EPOCHS[from_1904] + span
    except (OverflowError, ValueError):
        return Unusable(say("{value} is no date; write it as text, such as 2026-03-01", value=str(days)))
    if kind == "duration" or days < 0:
        return str(span)
    if kind == "time" and days < 1:
        return moment.time().isoformat()
    whole = span == timedelta(days=span.days)
    return moment.date().isoformat() if whole else moment.replace(tzinfo=None).isoformat()
