"""What in a text counts as personal, and what of a story does not."""

import time

import pytest

from curation.domain.personal_data import EMAIL, NAME, PHONE, People, Scan

PEOPLE = People(
    emails=("Ann.Kirk@Plumb.example", "li@corp.cn"),
    usernames=("ann", "annotator", "kirk_1984", "ann.kirk"),
    full=(("Ann", "Kirk"), ("小明", "王"), ("Madonna", ""), ("", "")),
)


def kinds(text, people=PEOPLE):
    return Scan(people).kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Write to jo.smith+books@mail.co.uk today.",
        "请联系li@corp.cn。",
        "(ann.kirk@plumb.example)",  # of the project, though the domain is nobody's
        "<a href='mailto:x@y.de'>",
    ],
)
def test_addresses(text):
    assert EMAIL in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "reader@example.com",
        "a@sub.example.org",
        "me@home",
        "@home he wrote",
        "2 @ 3.50",
        "nobody@host.invalid",
    ],
)
def test_what_is_set_aside_for_examples_is_nobodys_address(text):
    assert kinds(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Call +44 20 7946 0958.",
        "Call +1 (415) 867-5309!",
        "电话13812345678。",
        "138 1234 5678",
        "(415) 867-5309",
        "415-867-5309",
    ],
)
def test_telephone_numbers(text):
    assert kinds(text) == (PHONE,)


@pytest.mark.parametrize(
    "text",
    [
        "In 1984 there were 415 of them, and 867 left.",
        "ISBN 978-3-16-148410-0",
        "1234567890123456",
        "(212) 555-0147",  # fiction's own
        "+1 212 555 0199",
        "2026-03-02 09:00",
        "pi is 3.14159265358979",
        "192.168.100.200",
    ],
)
def test_other_numbers_are_none(text):
    assert kinds(text) == ()


@pytest.mark.parametrize(
    "text", ["said Ann Kirk.", "KIRK, ANN", "Ann\n  Kirk", "王小明说", "by kirk_1984", "(ann.kirk)"]
)
def test_names_of_people_of_the_project(text):
    assert kinds(text) == (NAME,)


@pytest.mark.parametrize(
    "text",
    ["Ann ran.", "Captain Kirk", "Joann Kirkland", "annotator", "Madonna sang", "王先生", "xkirk_1984x"],
)
def test_a_first_name_alone_or_a_word_is_nobody(text):
    assert kinds(text) == ()


def test_without_people_no_name_is_looked_for():
    assert kinds("said Ann Kirk, a@b.de, 13812345678", People()) == (EMAIL, PHONE)


@pytest.mark.parametrize(
    "text", ["a@" * 30_000, "a." * 30_000 + "@", "+1" * 30_000, "x@" + "a-" * 30_000, "1 " * 30_000]
)
def test_no_text_takes_long(text):
    begun = time.perf_counter()
    kinds(text)
    assert time.perf_counter() - begun < 1
