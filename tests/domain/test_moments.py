"""Moments as other programs write them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.moments import as_iso

pytestmark = pytest.mark.files


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2024-04-01T19:36:15.000000Z", "2024-04-01T19:36:15.000000Z"),
        (" 2025-06-01 09:16:52.113763 ", "2025-06-01 09:16:52.113763"),
        ("2024-04-01", "2024-04-01"),
        ("Mon Apr 01 08:33:24 PDT 2024", "2024-04-01T08:33:24-07:00"),
        ("Tue Jan 02 08:33:24 PST 2024", "2024-01-02T08:33:24-08:00"),
        ("2024/04/01 7:36:15 PM GMT+2", "2024-04-01T19:36:15+02:00"),
        ("2024/04/03 12:05:00 AM GMT+5:30", "2024-04-03T00:05:00+05:30"),
        ("2024/04/03 12:05:00 PM GMT-3", "2024-04-03T12:05:00-03:00"),
        ("2024/4/1 19:36", "2024-04-01T19:36:00+00:00"),
        (1711993375, "2024-04-01T17:42:55+00:00"),
        (1711993375.5, "2024-04-01T17:42:55.500000+00:00"),
        (1711993375000, "2024-04-01T17:42:55+00:00"),
        ("1711993375", "2024-04-01T17:42:55+00:00"),
        (datetime(2024, 4, 1, 12, tzinfo=UTC), "2024-04-01T12:00:00+00:00"),
    ],
)
def test_what_can_be_read_in_one_way_is_read(written, iso):
    assert as_iso(written) == iso


@pytest.mark.parametrize(
    "written",
    [
        None,
        "",
        True,
        "soon",
        "01/04/2024 10:00:00",  # April or January
        "Mon Apr 01 08:33:24 CST 2024",  # Chicago, Shanghai or Havana
        "Tue Apr 01 08:33:24 PDT 2024",  # was a Monday
        "2024/04/01 13:36:15 PM GMT+2",
        "2024/02/30 10:00:00",
        "Mon Abc 01 08:33:24 PDT 2024",
        12,
        float("inf"),
        ["2024-04-01"],
    ],
)
def test_what_can_be_read_in_two_ways_or_none_is_not(written):
    assert as_iso(written) is None


@settings(deadline=None)
@given(st.floats() | st.integers() | st.text(max_size=30))
def test_whatever_is_read_is_iso(written):
    iso = as_iso(written)
    assert iso is None or datetime.fromisoformat(iso)
