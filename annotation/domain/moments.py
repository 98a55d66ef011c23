"""Moments as other programs write them, turned into ISO 8601 where there is only one way to read them.

A day/month order or a time zone abbreviation that several zones share is not guessed: those stay as they are,
and whoever needs the moment refuses them with their place.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ZONES = {"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7}  # hours east; CST and IST, for example, mean several zones

# Mon Apr 01 08:33:24 PDT 2024
UNIX_DATE = re.compile(r"([A-Z][a-z]{2}) ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) ([A-Z]{3}) (\d{4})")
# 2024/04/01 7:36:15 PM GMT+2, as forms of Google write it; the year stands first, so the order is sure
FORM_DATE = re.compile(
    r"(\d{4})/(\d{1,2})/(\d{1,2}) (\d{1,2}):(\d\d)(?::(\d\d))?"
    r"(?: ([AP]M))?(?: (?:GMT|UTC)(?:([+-])(\d{1,2})(?::(\d\d))?)?)?"
)
EPOCH = re.compile(r"\d{10}(\.\d+)?|\d{13}")

SECONDS = (10**9, 4 * 10**9)  # of 2001 to 2096, since 1970
MILLISECONDS = (10**12, 4 * 10**12)


def as_iso(value: object) -> str | None:
    """ISO 8601 of a moment, with its offset where one is known; None where the value is no moment for sure.

    Numbers are seconds or milliseconds since 1970 if that falls between 2001 and 2096.
    """
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_epoch(float(value))
    if not isinstance(value, str):
        return None
    text = value.strip()
    if EPOCH.fullmatch(text):
        return _from_epoch(float(text))
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return _from_unix_date(text) or _from_form_date(text)
    return text


def _from_epoch(number: float) -> str | None:
    if MILLISECONDS[0] <= number < MILLISECONDS[1]:
        number /= 1000
    if not SECONDS[0] <= number < SECONDS[1]:
        return None
    return datetime.fromtimestamp(number, UTC).isoformat()


def _from_unix_date(text: str) -> str | None:
    found = UNIX_DATE.fullmatch(text)
    if not found:
        return None
    weekday, month, day, hour, minute, second, zone, year = found.groups()
    if month.lower() not in MONTHS or zone not in ZONES:
        return None
    parts = (int(year), MONTHS.index(month.lower()) + 1, int(day), int(hour), int(minute), int(second))
    moment = _moment(parts, timedelta(hours=ZONES[zone]))
    # A weekday that does not fit tells that the text is not what it looks like.
    return moment.isoformat() if moment and WEEKDAYS[moment.weekday()] == weekday.lower() else None


def _from_form_date(text: str) -> str | None:
    found = FORM_DATE.fullmatch(text)
    if not found:
        return None
    year, month, day, hour, minute, second, half, sign, hours, minutes = found.groups()
    clock = int(hour)
    if half and not 1 <= clock <= 12:
        return None
    if half:
        clock = clock % 12 + (12 if half == "PM" else 0)
    east = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    moment = _moment((int(year), int(month), int(day), clock, int(minute), int(second or 0)), east)
    return moment.isoformat() if moment else None


def _moment(parts: tuple[int, int, int, int, int, int], east: timedelta) -> datetime | None:
    try:
        return datetime(*parts, tzinfo=timezone(east))
    except ValueError:
        return None
