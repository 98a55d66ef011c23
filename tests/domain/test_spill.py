"""Acts that wait on disk come back judgement by judgement, as they were put."""

import io
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.records import Record
from annotation.domain.scoring import ScoreRow
from annotation.domain.spill import Spill, key_of

pytestmark = pytest.mark.files

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
acts = st.builds(
    ScoreRow,
    response_id=names,
    annotator=names,
    score=st.integers(0, 3),
    at=st.none() | st.integers(0, 10**12).map(lambda n: NOON + timedelta(microseconds=n)),
    justification=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    line=st.integers(1, 10**6),
    swapped=st.booleans(),
)


def record(act: ScoreRow) -> Record:
    return Record(act.line, {"score": act.score}, "f.csv", True, "row", {"score": "Note", "annotator": "Who"})


@settings(deadline=None, max_examples=100)
@given(rows=st.lists(acts, max_size=12))
def test_every_act_comes_back_beside_the_others_of_its_judgement_in_order(rows):
    spill = Spill(io.BytesIO())
    for act in rows:
        spill.put(act, record(act))
    found = [list(judgement) for judgement in spill.judgements()]
    keys = [(judgement[0][0].response_id, judgement[0][0].annotator) for judgement in found]
    assert sorted(set(keys)) == sorted({(act.response_id, act.annotator) for act in rows})
    assert len(set(keys)) == len(keys)
    for key, judgement in zip(keys, found, strict=True):
        expected = [act for act in rows if (act.response_id, act.annotator) == key]
        assert [act for act, _ in judgement] == expected
        assert [(act.line, act.swapped) for act, _ in judgement] == [(a.line, a.swapped) for a in expected]


def test_an_error_names_the_place_and_the_column_of_the_file():
    spill = Spill(io.BytesIO())
    act = ScoreRow("r", "a", 2, line=7)
    spill.put(act, record(act))
    ((found,),) = spill.judgements()
    assert str(found[1].error("score", "no")) == "f.csv, row 7, column Note: no"


def test_memory_holds_two_numbers_an_act_whatever_it_says():
    spill = Spill(io.BytesIO())
    for number in range(1000):
        act = ScoreRow(f"r{Random(number).randrange(300)}", "a", 1, justification="x" * 1000, line=number + 1)
        spill.put(act, record(act))
    assert spill.keys.itemsize * len(spill.keys) + spill.places.itemsize * len(spill.places) == 16_000
    assert len(spill.records) == 1


def test_a_judgement_is_known_by_both_of_its_names():
    assert key_of(("r", "a")) != key_of(("a", "r")) != key_of(("ra", ""))
