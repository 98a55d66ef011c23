"""A page can claim no more time than has passed."""

from datetime import UTC, datetime, timedelta

import pytest

from annotation.domain.active_time import allowed, hours_and_minutes

pytestmark = pytest.mark.files

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("claimed", "passed", "counted"),
    [(30, 60, 30), (60, 60, 60), (61, 60, 60), (10**9, 60, 60), (30, 0, 0), (-5, 60, 0), (5, -60, 0)],
)
def test_the_clock_is_the_limit(claimed, passed, counted):
    assert allowed(claimed, started_at=START, now=START + timedelta(seconds=passed)) == counted


def test_a_page_left_open_for_days_counts_half_a_day():
    assert allowed(10**6, started_at=START, now=START + timedelta(days=9)) == 12 * 3600


def test_seconds_are_said_as_hours_and_minutes():
    assert hours_and_minutes(2 * 3600 + 59 * 60 + 59) == (2, 59)
