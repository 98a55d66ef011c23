"""Pairs as trainers, harnesses and spreadsheets read them."""

import csv
import io
import json
from hashlib import sha256
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.domain.release import rows, splits, spreadsheets
from curation.domain.release.files import lines_of
from curation.domain.release.rows import Preferred
from curation.domain.scored_pairs import Pair
from curation.domain.voted_pairs import VotedPair

TEXTS = {"prompt": "P", "chosen_text": "good", "rejected_text": "bad"}
OF_BOTH = {
    "id": "p:a:b",
    "prompt_id": "p",
    "chosen": "a",
    "rejected": "b",
    "length_chosen": 1,
    "length_rejected": 1,
    "flags": ("k2", "contrary"),
    "genre": "poetry",
    "language": "en",
    "chosen_model": "m",
    "rejected_model": "n",
    **TEXTS,
}
SCORED = Pair(
    **OF_BOTH,
    votes_for=2,
    votes_against=1,
    ties=0,
    k=3,
    gap=(4, 3),
    mean_chosen=8 / 3,
    mean_rejected=4 / 3,
)
VOTED = VotedPair(
    **OF_BOTH, upvotes_chosen=40, upvotes_rejected=10, posted_at_chosen="", posted_at_rejected=""
)


def test_both_sides_are_whole_conversations_with_the_prompt_in_each():
    row = rows.preference(rows.of_pair(SCORED))
    assert row["chosen"] == [{"role": "user", "content": "P"}, {"role": "assistant", "content": "good"}]
    assert row["rejected"] == [{"role": "user", "content": "P"}, {"role": "assistant", "content": "bad"}]
    assert list(row) == ["id", "prompt_id", "chosen", "rejected", "margin", "genre", "language"]


@pytest.mark.parametrize(("pair", "margin"), [(SCORED, 4 / 3), (VOTED, 0.75)])
def test_the_margin_is_the_gap_or_the_share_of_upvotes(pair, margin):
    assert rows.preference(rows.of_pair(pair))["margin"] == margin


@given(st.text(min_size=1))
def test_a_choice_names_the_chosen_text_whichever_side_it_is_on(pair_id):
    pair = Preferred(pair_id, "p", "P", "good", "bad", 1.0, "", "")
    row = rows.choice(pair)
    assert row["choices"]["AB".index(row["target"])] == "good"
    assert rows.choice(pair) == row


def test_the_chosen_text_stands_first_in_half_of_the_choices():
    first = sum(rows.chosen_is_first(f"p:{n}:{n + 1}") for n in range(10_000))
    assert 4_800 < first < 5_200


def test_a_record_bears_the_canary_last_and_is_the_same_without_it():
    marked = b"".join(lines_of([SCORED], "a canary"))
    row = json.loads(marked)
    assert list(row)[-1] == "canary"
    assert row.pop("canary") == "a canary"
    assert row == json.loads(b"".join(lines_of([SCORED])))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "\tx", "\rx", "＝1"])
def test_what_a_spreadsheet_would_run_has_an_apostrophe_before_it(text):
    row = SimpleNamespace(id="p:a:b", text=text)
    content = b"".join(spreadsheets.lines([row], ("id", "text"), "c"))
    assert list(csv.reader(io.StringIO(content.decode(), newline=""))) == [
        ["id", "text", "canary"],
        ["p:a:b", f"'{text}", "c"],
    ]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1))
def test_a_spreadsheet_gives_every_text_back(texts):
    found = b"".join(spreadsheets.lines([SimpleNamespace(text=text, n=1) for text in texts], ("text", "n")))
    read = [row[0] for row in csv.reader(io.StringIO(found.decode(), newline=""))][1:]
    assert read == [spreadsheets.harmless(text) for text in texts]


def test_lists_stand_in_one_cell():
    found = b"".join(spreadsheets.lines([SCORED], ("id", "gap", "flags"))).decode()
    assert found == "id,gap,flags\r\np:a:b,4 3,k2 contrary\r\n"


@given(st.text(min_size=1, max_size=9), st.integers(1, 89))
def test_a_larger_share_only_adds_to_what_is_held_out(prompt, percent):
    if splits.of_prompts("name", percent)(prompt) == splits.HELDOUT:
        assert splits.of_prompts("name", percent + 1)(prompt) == splits.HELDOUT


def test_the_share_of_prompts_held_out_is_about_what_was_asked_for():
    split = splits.of_prompts("name", 20)
    held = sum(split(f"p{n}") == splits.HELDOUT for n in range(10_000))
    assert 1_880 < held < 2_120
    # By the definition: the first 8 bytes of SHA-256(name, NUL, id), modulo 100.
    first = int.from_bytes(sha256(b"name\0p1").digest()[:8], "big") % 100
    assert (split("p1") == splits.HELDOUT) == (first < 20)
