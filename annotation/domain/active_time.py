"""How long somebody was at work on a page, as the page counts it and as the clock allows."""

from datetime import datetime, timedelta

LONGEST_LOAD = timedelta(hours=12)  # a page that claims more has been left open


def allowed(claimed: int, *, started_at: datetime, now: datetime) -> int:
    """Seconds that a page may claim: no more than have passed since it was opened."""
    passed = min(now - started_at, LONGEST_LOAD)
    return max(0, min(claimed, int(passed.total_seconds())))


def hours_and_minutes(seconds: int) -> tuple[int, int]:
    minutes = seconds // 60
    return minutes // 60, minutes % 60
