"""How far the scoring is: scores by week, and what was left at each moment before."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.domain.columns import UNKNOWN
from curation.domain.progress import DAY, MOST_PAST, by_week, latest_periods, left_so_far

pytestmark = pytest.mark.files
NOW = int(datetime(2026, 3, 4, 12, tzinfo=UTC).timestamp())  # a Wednesday
TODAY = date(2026, 3, 4)
moments = st.lists(st.integers(NOW - 300 * DAY, NOW), max_size=40)


def at(*days_ago):
    return np.array([NOW - int(days * DAY) for days in days_ago], dtype=np.int64)


def test_every_week_until_today_has_a_row_also_without_a_score():
    weeks = by_week(at(24, 24, 16), TODAY)
    assert [(week.monday.isoformat(), week.scores) for week in weeks] == [
        ("2026-02-02", 2),
        ("2026-02-09", 0),
        ("2026-02-16", 1),
        ("2026-02-23", 0),
        ("2026-03-02", 0),
    ]


def test_scores_without_a_moment_are_in_no_week():
    assert by_week(np.array([UNKNOWN, UNKNOWN]), TODAY) == []
    assert sum(week.scores for week in by_week(np.append(at(3), UNKNOWN), TODAY)) == 1


@given(moments)
def test_the_weeks_hold_every_score_once(given):
    assert sum(week.scores for week in by_week(np.array(given, dtype=np.int64), TODAY)) == len(given)


def test_what_was_left_is_what_is_left_and_the_scores_since():
    assert left_so_far(at(0.5, 1.5, 1.6, 6), left=10, now=NOW, days=7) == [10, 14]
    assert left_so_far(at(0.5, 1.5, 1.6), left=10, now=NOW, days=1) == [10, 11, 13]


def test_without_a_score_only_today_is_known():
    assert left_so_far(at(), left=7, now=NOW, days=7) == [7]
    assert left_so_far(np.array([UNKNOWN]), left=7, now=NOW, days=7) == [7]


def test_it_goes_back_no_further_than_the_page_has_room_for():
    assert len(left_so_far(at(1, 5000), left=0, now=NOW, days=1)) == MOST_PAST + 1


@given(moments, st.sampled_from([1, 7]))
def test_there_is_never_less_left_than_later_on(given, days):
    left = left_so_far(np.array(given, dtype=np.int64), left=3, now=NOW, days=days)
    assert left == sorted(left)
    assert left[0] == 3
    assert left[-1] <= 3 + len(given)


def test_days_are_the_periods_until_there_are_four_whole_weeks():
    first = datetime.combine(TODAY - timedelta(weeks=3), datetime.min.time(), UTC)
    few = np.array([int(first.timestamp()) + hours * 3600 for hours in range(0, 24 * 21, 6)])
    done, days = latest_periods(few, TODAY)
    assert (days, set(done)) == (1, {4})
    many = np.concatenate([few - 21 * DAY, few])
    done, days = latest_periods(many, TODAY)
    assert (days, set(done)) == (7, {28})
