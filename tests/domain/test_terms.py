"""What is stated of a release: kept as it is given, and made again as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.domain import terms as stated
from curation.domain.terms import Check, Statements, Terms

TERMS = Terms(date="2026-12-01", canary="c", salt="s", note="First.", checks=(Check("quota", "passed", {}),))
SAID = Statements("Four students.", "A course.", "20 EUR an hour.")


@pytest.mark.parametrize("statements", [None, Statements(), SAID])
def test_terms_come_back_from_json_as_they_were(statements):
    terms = Terms(**{**{name: getattr(TERMS, name) for name in TERMS.__slots__}, "statements": statements})
    assert Terms.from_dict(json.loads(json.dumps(terms.as_dict()))) == terms


def test_terms_from_before_teams_were_asked_bear_no_trace_of_it():
    kept = TERMS.as_dict()
    assert "statements" not in kept
    assert Terms.from_dict(kept).told() == {name: kept[name] for name in kept if name != "salt"}


def test_a_manifest_tells_what_was_stated_and_never_the_salt():
    told = Terms(date="", canary="", salt="s", statements=SAID).told()
    assert told["statements"] == SAID.as_dict()
    assert "salt" not in told


def test_a_statement_has_at_most_2000_characters():
    assert stated.fault("x" * 2000) == ""
    assert stated.fault("x" * 2001) == stated.TOO_LONG


@pytest.mark.parametrize(
    "character",
    ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\u061c", "\u200b", "\u202e", "\u2028", "\ufeff", "\U000e0041"],
)
def test_a_statement_holds_no_character_that_nobody_sees(character):
    assert stated.fault(f"Paid{character} well.") == stated.UNSEEN


@pytest.mark.parametrize(
    "text", ["Four\npeople.\tAll paid.", "每小时 20 欧元。", "👩‍🏫 taught them.", "می‌خواهم", ""]
)
def test_what_people_write_is_no_fault(text):
    assert stated.fault(text) == ""


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_a_statement_is_kept_in_one_form(text):
    kept = stated.written(text)
    assert stated.written(kept) == kept
    assert "\r" not in kept
