"""How far the scoring of a project is: scores by week, and how many scores the responses have."""

import math
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from curation.domain.columns import UNKNOWN, Columns, Moments

DAY = 86_400
MONDAY = date(1969, 12, 29)  # of the week that 1970 began in
EPOCH = date(1970, 1, 1).toordinal()
ENOUGH_WEEKS = 4  # people work on some days of the week and not on others
MOST_PERIODS = 14
MOST_PAST = 26  # periods, of what was left
MOST_SCORES = 3  # of a response; "three or more" is the last column of coverage


@dataclass(frozen=True, slots=True)
class Week:
    """`monday`: the day it began, in UTC."""

    monday: date
    scores: int


@dataclass(frozen=True, slots=True)
class Cover:
    """Responses of a genre and language by how many scores they have: 0, 1, 2, and 3 or more. "" for no genre."""

    genre: str
    language: str
    responses: tuple[int, int, int, int]


def weeks_of(at: Moments) -> NDArray[np.int64]:
    """The week of each moment (N,), counted from the one that 1970 began in; weeks begin on Monday, UTC."""
    return (at // DAY + 3) // 7


def days_of(at: Moments) -> NDArray[np.int64]:
    """The day of each moment (N,), counted from the first of 1970, UTC."""
    return at // DAY


def monday_of(week: int) -> date:
    return MONDAY + timedelta(weeks=week)


def by_week(at: Moments, today: date) -> list[Week]:
    """Every week from the first score to today, those without a score too; what has no time is left out."""
    known = weeks_of(at[at != UNKNOWN])
    if not len(known):
        return []
    first, this = int(known.min()), (today - MONDAY).days // 7
    scores = np.bincount(known - first, minlength=max(this - first + 1, 0))
    return [Week(monday_of(first + i), int(n)) for i, n in enumerate(scores)]


def left_so_far(at: Moments, *, left: int, now: int, days: int) -> list[int]:
    """What was left 0, 1, ... periods ago, today first, as far back as there are scores; no more than MOST_PAST.

    `at` are the scores of what is worked on, `now` is in seconds since 1970; `left` are left now. A slot that was
    added meanwhile counts as if it had always been there.
    """
    known = np.sort(at[(at != UNKNOWN) & (at <= now)])
    if not len(known):
        return [left]
    back = min(-(-(now - int(known[0])) // (days * DAY)), MOST_PAST)
    moments = now - np.arange(back + 1) * days * DAY
    since = len(known) - np.searchsorted(known, moments, side="right")
    return [left + int(n) for n in since]


def latest_periods(at: Moments, today: date) -> tuple[list[int], int]:
    """Scores of the latest whole weeks, where there are enough of them, else of whole days; and the days of a period.

    The first week or day with a score is not whole unless it is the first of its kind, so it begins after it.
    """
    known = at[at != UNKNOWN]
    now = today.toordinal() - EPOCH
    for days, number in ((7, weeks_of), (1, days_of)):
        period, ends = number(known), int(number(np.array([now * DAY]))[0])
        first = int(period.min(initial=ends)) + 1
        done = np.bincount(
            period[(period >= first) & (period < ends)] - first, minlength=max(ends - first, 0)
        )
        if days == 1 or len(done) >= ENOUGH_WEEKS:
            return [int(n) for n in done[-MOST_PERIODS:]], days
    return [], 1


def coverage(columns: Columns) -> list[Cover]:
    """Of the material of the benchmark, in the order of genres and languages; those without a genre come last."""
    names = columns.names
    scores = np.bincount(columns.live.response, minlength=len(names.responses))
    of = columns.is_material
    prompt, number = columns.prompt_of[of], np.minimum(scores[of], MOST_SCORES)
    genre = np.where(columns.genre_of[prompt] == UNKNOWN, len(names.genres), columns.genre_of[prompt])
    shape = (len(names.genres) + 1, len(names.languages), MOST_SCORES + 1)
    flat = (genre * shape[1] + columns.language_of[prompt]) * shape[2] + number
    table = np.bincount(flat, minlength=math.prod(shape)).reshape(shape)
    return [
        Cover((*names.genres, "")[g], names.languages[spoken], (int(n[0]), int(n[1]), int(n[2]), int(n[3])))
        for g in range(shape[0])
        for spoken in range(shape[1])
        if (n := table[g, spoken]).sum()
    ]
