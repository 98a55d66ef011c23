"""What the planner says: what missing pairs take, and how exact so many pairs are. Multiples of what a report has."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from curation.domain import ahead, planner
from curation.domain.ahead import Ahead, Known
from curation.domain.charts import FEWEST
from curation.domain.planner import Band
from curation.queries import reasons

Json = Mapping[str, object]

UNKNOWN = Band(None, reason="nothing_finished")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and its band, or why there is none."""

    value: str
    band: str
    reason: str


@dataclass(frozen=True, slots=True)
class GenreLine:
    name: str
    found: int
    missing: int
    responses: Estimate
    hours: Estimate
    prompts: int  # finished ones, on which it rests
    is_few: bool
    are_hours_few: bool  # time was recorded for few texts


@dataclass(frozen=True, slots=True)
class Width:
    """The 95 % interval of a model that gets half of so many pairs right, in per cent; it is the widest there is."""

    pairs: int
    low: str
    high: str
    width: str
    is_few: bool


@dataclass(frozen=True, slots=True)
class Plan:
    lines: tuple[GenreLine, ...]
    total: GenreLine
    width: Width


def plan(facts: Json, genres: Mapping[str, str], *, wanted: int, pairs: int) -> Plan:
    """`facts` are those of a report; `genres` by key, as the reader calls them. All of them have a line."""
    stored = facts["ahead"]
    is_timed_little = facts["openings"] < FEWEST
    known = {key: _known(stored.get(key)) for key in [*genres, *sorted(stored.keys() - genres)]}
    each, total = ahead.ahead(known, wanted)
    prompts = {key: stored[key]["prompts"] if key in stored else 0 for key in known}
    lines = [
        _line(genres.get(key, key), one, prompts[key], is_timed_little=is_timed_little)
        for key, one in each.items()
    ]
    of_all = _line(_("All genres"), total, sum(prompts.values()), is_timed_little=is_timed_little)
    return Plan(tuple(lines), of_all, _width(pairs))


def _known(stored: Json | None) -> Known:
    if stored is None:
        return Known(0, UNKNOWN, UNKNOWN)
    return Known(stored["found"], Band(**stored["responses"]), Band(**stored["hours"]))


def _line(name: str, one: Ahead, prompts: int, *, is_timed_little: bool) -> GenreLine:
    is_few = prompts < FEWEST and bool(one.missing) and one.responses.value is not None
    return GenreLine(
        name=name,
        found=one.found,
        missing=one.missing,
        responses=_estimate(one.responses, places=0),
        hours=_estimate(one.hours, places=1),
        prompts=prompts,
        is_few=is_few,
        are_hours_few=is_few or (is_timed_little and one.hours.value is not None),
    )


def _estimate(band: Band, *, places: int) -> Estimate:
    """Whole responses are rounded up: half of one is one that has to be written."""
    if band.value is None:
        return Estimate("", "", reasons.in_words(band.reason))
    value, low, high = (
        None if end is None else _number(end, places) for end in (band.value, band.low, band.high)
    )
    if low is None or (band.low == band.high == band.value):
        return Estimate(value or "", "", "")
    if high is None:
        return Estimate(value or "", _("%(low)s or more") % {"low": low}, "")
    return Estimate(
        value or "", pgettext("band of a number", "%(low)s–%(high)s") % {"low": low, "high": high}, ""
    )


def _number(value: float, places: int) -> str:
    exact = round(value, places) if places else math.ceil(round(value, 6))
    return formats.number_format(
        exact, decimal_pos=places, force_grouping=True
    )  # which cuts, and does not round


def _width(pairs: int) -> Width:
    wide = planner.width(pairs) or 1.0
    low, high, width = (_number(100 * part, 1) for part in (0.5 - wide / 2, 0.5 + wide / 2, wide))
    return Width(pairs, low, high, width, pairs < FEWEST)
