"""What missing pairs take, genre by genre, for any number of them: multiples of what planner.py says of a thousand."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from curation.domain import planner
from curation.domain.planner import Band, Finished

PAIRS = 1000  # so many, so that whole responses do not round the estimate


@dataclass(frozen=True, slots=True)
class Known:
    """Of a genre: pairs found, and responses and hours for a thousand more."""

    found: int
    responses: Band
    hours: Band


@dataclass(frozen=True, slots=True)
class Ahead:
    """Of a genre, or of all: pairs found, pairs missing, and what those take."""

    found: int
    missing: int
    responses: Band
    hours: Band


def known(genres: Mapping[str, Finished], found: Mapping[str, int]) -> dict[str, Known]:
    """`found` counts all pairs of a genre, those of prompts that are not finished among them; what more of them take
    rests on finished prompts alone."""
    needs, _total = planner.plan(
        genres, {genre: int(finished.pairs.sum()) + PAIRS for genre, finished in genres.items()}
    )
    return {genre: Known(found[genre], need.responses, need.hours) for genre, need in needs.items()}


def ahead(genres: Mapping[str, Known], wanted: int) -> tuple[dict[str, Ahead], Ahead]:
    """By genre, until each has so many pairs; and all together.

    Genres are independent of each other, so the distances of the limits add up as squares. A genre of which nothing
    is known makes the sum unknown too, and one without limits leaves the sum without.
    """
    each = {genre: _of(one, wanted) for genre, one in genres.items()}
    return each, Ahead(
        found=sum(one.found for one in each.values()),
        missing=sum(one.missing for one in each.values()),
        responses=_together([one.responses for one in each.values()]),
        hours=_together([one.hours for one in each.values()]),
    )


def _of(genre: Known, wanted: int) -> Ahead:
    missing = max(0, wanted - genre.found)
    return Ahead(genre.found, missing, _scaled(genre.responses, missing), _scaled(genre.hours, missing))


def _scaled(band: Band, missing: int) -> Band:
    if not missing:
        return Band(0.0, 0.0, 0.0)
    value, low, high = (
        None if end is None else end * missing / PAIRS for end in (band.value, band.low, band.high)
    )
    return Band(value, low, high, band.reason)


def _together(bands: list[Band]) -> Band:
    value, below, above = 0.0, 0.0, 0.0
    for band in bands:
        if band.value is None:
            return Band(None, reason=band.reason)
        value += band.value
        below += math.inf if band.low is None else (band.value - band.low) ** 2
        above += math.inf if band.high is None else (band.high - band.value) ** 2
    if math.isinf(below):
        return Band(value)
    high = None if math.isinf(above) else value + math.sqrt(above)
    return Band(value, max(0.0, value - math.sqrt(below)), high)
