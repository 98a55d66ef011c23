"""Files of responses: what a row may say, and that a prompt is the same on every row."""

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.material import OPTIONAL, REQUIRED, ResponseRow, read_responses
from annotation.domain.records import InputError

pytestmark = pytest.mark.files

NESTED = ("parameters", "requirements", "kept_requirements")


def written(folder: Path, *rows: dict[str, object], name: str = "r.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(**columns: object) -> dict[str, object]:
    return {"id": "r1", "prompt_id": "p1", "text": "Once.", **columns}


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_responses(path)
    return caught.value


def test_three_columns_are_enough(tmp_path):
    assert read_responses(written(tmp_path, row())) == [ResponseRow("r1", "p1", "Once.")]


def test_every_column_is_read(tmp_path):
    path = written(
        tmp_path,
        row(
            prompt="Write.",
            language="en",
            genre="poetry",
            model="m-1",
            length=1,
            parameters={"temperature": 0.7},
            requirements=["short", "sad"],
            kept_requirements=[2, 1],
            mood="ignored",
        ),
    )
    assert read_responses(path) == [
        ResponseRow(
            id="r1",
            prompt_id="p1",
            text="Once.",
            prompt="Write.",
            language="en",
            genre="poetry",
            model="m-1",
            length=1,
            parameters={"temperature": 0.7},
            requirements=("short", "sad"),
            kept_requirements=(1, 2),
        )
    ]


def test_null_is_as_good_as_missing(tmp_path):
    path = written(tmp_path, row(**dict.fromkeys(OPTIONAL)))
    assert read_responses(path) == [ResponseRow("r1", "p1", "Once.")]


def test_a_row_knows_its_line(tmp_path):
    rows = read_responses(written(tmp_path, row(), row(id="r2")))
    assert [one.line for one in rows] == [1, 2]


def test_a_row_repeated_word_for_word_counts_once(tmp_path):
    rows = read_responses(written(tmp_path, row(), row(id="r2"), row()))
    assert [one.id for one in rows] == ["r1", "r2"]


@pytest.mark.parametrize(
    ("column", "value"),
    [("text", "Twice."), ("prompt_id", "p2"), ("model", "m"), ("length", 9), ("parameters", {"n": 1})],
)
def test_one_id_with_two_contents_is_refused_and_both_lines_are_named(tmp_path, column, value):
    error = refusal(written(tmp_path, row(), row(id="r2"), row(**{column: value})))
    assert (error.line, error.column) == (3, column)
    assert "line 1" in error.reason


def test_true_is_not_one_in_parameters(tmp_path):
    error = refusal(written(tmp_path, row(parameters={"n": 1}), row(parameters={"n": True})))
    assert (error.line, error.column) == (2, "parameters")


@pytest.mark.parametrize(
    ("column", "value"),
    [("prompt", "Write."), ("language", "en"), ("genre", "poetry"), ("requirements", ["short"])],
)
def test_a_prompt_is_the_same_on_every_row(tmp_path, column, value):
    error = refusal(written(tmp_path, row(), row(id="r2", **{column: value})))
    assert (error.line, error.column) == (2, column)
    assert "line 1" in error.reason


def test_requirements_may_be_kept_differently_in_each_response(tmp_path):
    asked = ["short", "sad"]
    rows = read_responses(
        written(
            tmp_path,
            row(requirements=asked, kept_requirements=[1]),
            row(id="r2", requirements=asked, kept_requirements=[]),
        )
    )
    assert [one.kept_requirements for one in rows] == [(1,), ()]


def test_a_kept_requirement_is_one_of_the_prompt(tmp_path):
    error = refusal(written(tmp_path, row(requirements=["short"], kept_requirements=[2])))
    assert (error.line, error.column) == (1, "kept_requirements")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", None),
        ("id", 1.5),
        ("prompt_id", ""),
        ("text", ""),
        ("text", 5),
        ("prompt", 5),
        ("language", "x" * 36),
        ("genre", ["poetry"]),
        ("model", "m\n1"),
        ("length", -1),
        ("parameters", "hot"),
        ("requirements", "short"),
    ],
)
def test_a_bad_value_is_refused_with_its_column(tmp_path, column, value):
    error = refusal(written(tmp_path, row(id="r0"), row(**{column: value})))
    assert (error.line, error.column) == (2, column)


# --- any valid row survives a file -------------------------------------------------------------------------

# A text may hold whatever Unicode has, except what every reader refuses; a lone \r would end a line of a
# CSV only outside quotes, which the writer takes care of.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
texts = st.text(characters, max_size=40)
filled = texts.filter(lambda text: text.strip())
names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=12).filter(
    lambda name: name == name.strip()
)
labels = st.just("") | names
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def materials(draw: st.DrawFn) -> list[ResponseRow]:
    rows = []
    for prompt_id in draw(st.lists(names, max_size=3, unique=True)):
        asked = tuple(draw(st.lists(filled, max_size=3)))
        first = ResponseRow(
            id="",
            prompt_id=prompt_id,
            text="",
            prompt=draw(texts),
            language=draw(labels),
            genre=draw(labels),
            requirements=asked,
        )
        rows += [replace(first, **draw(responses(len(asked)))) for _ in range(draw(st.integers(1, 3)))]
    return list({one.id: one for one in rows}.values())


def responses(asked: int) -> st.SearchStrategy[dict[str, object]]:
    kept = st.sets(st.integers(1, asked)) if asked else st.just(set())
    return st.fixed_dictionaries(
        {
            "id": names,
            "text": filled,
            "model": labels,
            "length": st.none() | st.integers(0, 2**31 - 1),
            "parameters": st.dictionaries(texts, values, max_size=3),
            "kept_requirements": kept.map(lambda places: tuple(sorted(places))),
        }
    )


def as_columns(one: ResponseRow) -> dict[str, object]:
    columns = asdict(one)
    del columns["line"]
    return columns


@settings(deadline=None, max_examples=50)
@given(rows=materials())
def test_valid_rows_written_as_jsonl_read_back_the_same(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("jsonl") / "r.jsonl"
    lines = [json.dumps(as_columns(one), ensure_ascii=len(rows) % 2 == 0) + "\n" for one in rows]
    path.write_bytes("".join(lines or ["\n"]).encode())
    assert (read_responses(path) if rows else []) == rows


@settings(deadline=None, max_examples=50)
@given(rows=materials())
def test_valid_rows_written_as_csv_read_back_the_same(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "r.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*REQUIRED, *OPTIONAL])
        writer.writeheader()
        for one in rows:
            columns = as_columns(one)
            writer.writerow({**columns, **{name: json.dumps(columns[name]) for name in NESTED}})
    assert read_responses(path) == rows
