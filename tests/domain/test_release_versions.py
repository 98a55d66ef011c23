"""The order of versions (Semantic Versioning 2.0.0, section 11), and how far one has to rise."""

from itertools import pairwise

import pytest

from curation.domain import release_versions as versions
from curation.domain.release_versions import LOWER, SMALL, Bump, Version

# The specification's own example, and numbers that texts would put in another order.
IN_ORDER = (
    "0.9.0",
    "0.10.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "2.0.0",
    "10.0.0",
)


def version(text):
    found = versions.parse(text)
    assert found is not None
    return found


def test_versions_stand_in_the_order_of_the_specification():
    for one, other in pairwise(map(version, IN_ORDER)):
        assert one.place < other.place, (one, other)


@pytest.mark.parametrize("text", IN_ORDER)
def test_a_version_is_written_as_it_was_read(text):
    assert str(version(text)) == text


@pytest.mark.parametrize("text", ["", "1", "1.0", "v1.0.0", "1.0.0.0", "1.0.0-", "1.0.0\n", "１.0.0"])
def test_what_is_no_version_is_none(text):
    assert versions.parse(text) is None


@pytest.mark.parametrize(
    ("last", "bump", "following"),
    [
        ("0.1.0", Bump.MAJOR, "1.0.0"),  # also while the first number is 0
        ("0.1.0", Bump.MINOR, "0.2.0"),
        ("0.1.3", Bump.PATCH, "0.1.4"),
        ("1.2.3", Bump.MAJOR, "2.0.0"),
        ("1.2.3", Bump.MINOR, "1.3.0"),
        ("2.0.0-rc.1", Bump.MAJOR, "2.0.0"),
        ("2.0.0-rc.1", Bump.PATCH, "2.0.0"),
    ],
)
def test_the_next_version_rises_as_far_as_it_has_to(last, bump, following):
    assert str(versions.raised(version(last), bump)) == following


@pytest.mark.parametrize(
    ("given", "last", "bump", "refusal"),
    [
        ("1.0.0", "1.0.0", Bump.PATCH, LOWER),
        ("0.9.9", "1.0.0", Bump.PATCH, LOWER),
        ("1.0.0-rc.1", "1.0.0", Bump.PATCH, LOWER),
        ("1.0.1", "1.0.0", Bump.MAJOR, SMALL),
        ("1.1.0", "1.0.0", Bump.MAJOR, SMALL),
        ("2.0.0", "1.0.0", Bump.MAJOR, ""),
        ("3.0.0", "1.0.0", Bump.MAJOR, ""),
        ("1.0.1", "1.0.0", Bump.MINOR, SMALL),
        ("1.1.0", "1.0.0", Bump.MINOR, ""),
        ("2.0.0", "1.0.0", Bump.MINOR, ""),
        ("1.0.1", "1.0.0", Bump.PATCH, ""),
        ("1.0.1-rc.1", "1.0.0", Bump.PATCH, ""),
        ("2.0.0-rc.2", "2.0.0-rc.1", Bump.MAJOR, ""),
        ("2.0.0", "2.0.0-rc.1", Bump.MAJOR, ""),
        ("2.0.1", "2.0.0-rc.1", Bump.MAJOR, SMALL),
    ],
)
def test_a_version_is_refused_that_is_lower_or_rises_too_little(given, last, bump, refusal):
    assert versions.refusal(version(given), version(last), bump) == refusal


def test_what_is_raised_is_never_refused():
    for last in map(version, IN_ORDER):
        for bump in Bump:
            assert versions.refusal(versions.raised(last, bump), last, bump) == ""


def test_identifiers_of_digits_come_before_others():
    assert Version(1, 0, 0, ("9",)).place < Version(1, 0, 0, ("10",)).place < Version(1, 0, 0, ("a",)).place
