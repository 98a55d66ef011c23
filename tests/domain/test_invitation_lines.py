"""A pasted list of people to invite, as it is read."""

import pytest

from annotation.domain.invitation_lines import read

pytestmark = pytest.mark.files


def only(text):
    (line,) = read(text)
    return line


@pytest.mark.parametrize(
    ("text", "address", "name", "languages"),
    [
        ("mei@example.org", "mei@example.org", "", ()),
        ("  Mei@Example.ORG  ", "mei@example.org", "", ()),
        ("mei@example.org, Mei Lin", "mei@example.org", "Mei Lin", ()),
        ("mei@example.org, Mei Lin, zh en", "mei@example.org", "Mei Lin", ("en", "zh")),
        ("mei@example.org; Mei Lin; zh; en", "mei@example.org", "Mei Lin", ("en", "zh")),
        ("mei@example.org\tMei Lin\tzh/en", "mei@example.org", "Mei Lin", ("en", "zh")),
        ("mei@example.org，林梅，zh、en", "mei@example.org", "林梅", ("en", "zh")),
        ("mei@example.org, zh", "mei@example.org", "", ("zh",)),
        ("mei@example.org, , zh", "mei@example.org", "", ("zh",)),
        ("mei@example.org,,", "mei@example.org", "", ()),
        ("mei@example.org, Mei Lin, zh-Hans-CN", "mei@example.org", "Mei Lin", ("zh",)),
        ("Mei Lin <mei@example.org>", "mei@example.org", "Mei Lin", ()),
        ('"Lin, Mei" <mei@example.org>, zh en', "mei@example.org", "Lin, Mei", ("en", "zh")),
        ("Mei   Lin <mei@example.org>; yue", "mei@example.org", "Mei Lin", ("yue",)),
        ("<mei@example.org>", "mei@example.org", "", ()),
        ("mei@例子.中国", "mei@例子.中国", "", ()),
    ],
)
def test_a_line_is_an_address_with_a_name_and_languages(text, address, name, languages):
    line = only(text)
    assert line.fault is None
    assert (line.address, line.name, line.languages) == (address, name, languages)


@pytest.mark.parametrize(
    "text",
    [
        "Mei Lin",
        "mei at example.org",
        "mei@example",
        "mei@@example.org",
        "mei@example.org bcc@example.org",
        "Mei <mei@example.org",
        "Mei <>",
        "x" * 300 + "@example.org",
        "mei@example.org, Mei, Lin Xiu",
        "mei@example.org, " + "M" * 151,
        "mei@example.org, Mei, English",
    ],
)
def test_a_line_that_cannot_be_used_says_why(text):
    line = only(text)
    assert line.fault
    assert line.text == text


def test_blank_lines_are_passed_over_and_counted():
    assert [line.number for line in read("\n\na@x.org\n \nb@x.org\r\nc@x.org\n")] == [3, 5, 6]


def test_an_address_that_comes_again_is_left_out_and_its_first_line_named():
    first, second = read("a@x.org, Ann\nA@X.org, Bea")
    assert first.fault is None
    assert str(second.fault) == "this address stands on line 1 already"


def test_a_line_break_never_gets_into_an_address_or_a_name():
    for character in "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029":
        for line in read(f"Mei{character}Bcc: all <mei@example.org>"):
            assert character not in line.address + line.name
