"""The scores of a large file that count: what `scoring` says of them, held as columns."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain import current_scores, scoring
from annotation.domain.records import InputError
from curation.domain import judgements
from curation.domain.judgements import JudgementsOfFile
from tests.curation.file_releases import write_rows

pytestmark = pytest.mark.files

RESPONSES = {"é": "p", "a": "p", "b": "q"}
START = datetime(2026, 3, 1, 9, tzinfo=UTC)

acts = st.lists(
    st.tuples(
        st.sampled_from(sorted(RESPONSES)),
        st.sampled_from(("Zoe", "Ann", "Ångström", "Ben")),
        st.integers(0, 3),
        st.one_of(st.none(), st.integers(0, 3)),
    ),
    min_size=1,
    max_size=30,
)


def row(response: str, annotator: str, score: int, hours: int | None) -> dict[str, object]:
    at = None if hours is None else (START + timedelta(hours=hours, microseconds=hours)).isoformat()
    return {"response_id": response, "annotator": annotator, "score": score, "at": at, "justification": "So."}


def by_objects(path) -> list[judgements.Judgement]:
    """As it is said, one object a row."""
    rows = scoring.read_scores(path, RESPONSES)
    moments: dict[tuple[str, str], datetime] = {}
    for act in rows:
        if act.at is not None:
            key = act.response_id, act.annotator
            moments[key] = max(act.at, moments.get(key, act.at))
    return judgements.judgements(
        scoring.current(rows, source=path.name),
        prompts=RESPONSES,
        names=judgements.pseudonyms(act.annotator for act in rows),
        moments={key: judgements.moment(at) for key, at in moments.items()},
    )


def said(read: Callable, path: Path) -> object:
    """What it returns, or the sentence of its refusal."""
    try:
        return read(path)
    except InputError as error:
        return str(error)


@settings(max_examples=200)
@given(acts)
def test_they_are_those_that_scoring_names_or_refuses(tmp_path_factory, given_acts):
    path = write_rows(tmp_path_factory.mktemp("scores") / "S.jsonl", [row(*act) for act in given_acts])
    expected, found = said(by_objects, path), said(lambda path: current_scores.read(path, RESPONSES), path)
    if isinstance(expected, str):
        assert found == expected
        return
    assert list(found) == scoring.current(scoring.read_scores(path, RESPONSES))
    given_judgements = JudgementsOfFile(found, [RESPONSES[name] for name in found.responses])
    assert list(given_judgements) == expected
    assert [given_judgements[place] for place in range(len(expected))] == expected
    assert found[:2] == list(found)[:2]
    assert given_judgements[1:] == expected[1:]


def test_a_score_of_another_response_is_refused_with_its_place(tmp_path):
    path = write_rows(tmp_path / "S.jsonl", [row("a", "Ann", 1, None), row("aa", "Ann", 1, None)])
    with pytest.raises(
        InputError, match=r"S\.jsonl, line 2, column response_id: there is no response"
    ) as refusal:
        current_scores.read(path, RESPONSES)
    assert "did you mean 'a'?" in str(refusal.value)


def test_parquet_serves_as_well(tmp_path):
    rows = [row("a", "Ann", 1, 2), row("a", "Ann", 3, 3), row("b", "Zoe", 2, None)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "S.parquet")
    found = current_scores.read(tmp_path / "S.parquet", RESPONSES)
    assert list(found) == list(current_scores.read(write_rows(tmp_path / "S.jsonl", rows), RESPONSES))
    pq.write_table(pa.Table.from_pylist([{**rows[0], "score": 4}]), tmp_path / "S.parquet")
    with pytest.raises(InputError, match=r"S\.parquet, row 1, column score: 4 is not a score"):
        current_scores.read(tmp_path / "S.parquet", RESPONSES)


def test_no_name_is_looked_for_among_very_many(tmp_path):
    path = write_rows(tmp_path / "S.jsonl", [row("x1", "Ann", 1, None)])
    with pytest.raises(InputError) as refusal:
        current_scores.read(path, [f"r{number}" for number in range(20_000)])
    assert "add the response first or delete the row" in str(refusal.value)
