"""Parquet: plain values of rows, whatever types the columns have."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.domain.sources import Shape, detect, parquet
from tests.domain.source_files import made, place_of, refusal, rows_of, values_of

pytestmark = pytest.mark.files

MESSAGES = [{"role": "user", "content": "x"}, {"role": "assistant", "content": "天气"}]


def table(folder: Path, name: str = "rows.parquet", **columns: object) -> Path:
    path = folder / name
    pq.write_table(pa.table(columns), path)
    return path


def test_rows_are_numbered_from_one_and_values_keep_their_types(tmp_path):
    path = table(
        tmp_path,
        id=["a", "b"],
        score=pa.array([2, None], pa.int8()),
        mean=[1.5, 0.0],
        kept=[True, False],
        messages=[MESSAGES, []],
        nothing=pa.nulls(2),
    )
    rows = rows_of(path)
    assert detect(path, name="rows") == Shape("parquet")
    assert [(row.line, row.unit, row.cells) for row in rows] == [(1, "row", False), (2, "row", False)]
    assert [row.values for row in rows] == [
        {"id": "a", "score": 2, "mean": 1.5, "kept": True, "messages": MESSAGES, "nothing": None},
        {"id": "b", "score": None, "mean": 0.0, "kept": False, "messages": [], "nothing": None},
    ]


VALUES = {
    "nanoseconds": (pa.array([1_705_314_605_123_456_789], pa.timestamp("ns")), "2024-01-15T10:30:05.123456"),
    "seconds": (pa.array([1_705_314_605], pa.timestamp("s")), "2024-01-15T10:30:05"),
    "a zone": (
        pa.array([1_705_314_605_000_000_001], pa.timestamp("ns", "Asia/Shanghai")),
        "2024-01-15T10:30:05+00:00",
    ),
    "a day": ([date(2024, 1, 15)], "2024-01-15"),
    "a time": ([time(10, 30)], "10:30:00"),
    "a span": ([timedelta(hours=1)], "1:00:00"),
    "a dictionary": (pa.array(["fable"]).dictionary_encode(), "fable"),
    "a dictionary of numbers": (pa.array([3]).dictionary_encode(), 3),
    "a whole decimal": ([Decimal("3.00")], 3),
    "a decimal": ([Decimal("2.50")], 2.5),
    "text without a type": ([b"caf\xc3\xa9"], "café"),
    "a long text": (pa.array(["x"], pa.large_string()), "x"),
    "a view of a text": (pa.array(["x"], pa.string_view()), "x"),
    "half precision": (pa.array([0.5], pa.float16()), 0.5),
    "a list of moments": ([[datetime(2024, 1, 15, tzinfo=UTC)]], ["2024-01-15T00:00:00+00:00"]),
    "deeper": ([{"x": [{"y": 1, "z": ["a"]}]}], {"x": [{"y": 1, "z": ["a"]}]}),
}


@pytest.mark.parametrize(("column", "value"), VALUES.values(), ids=VALUES)
def test_other_types_become_what_json_can_hold(tmp_path, column, value):
    assert values_of(table(tmp_path, x=column)) == [{"x": value}]


def test_the_index_of_pandas_is_dropped(tmp_path):
    frame = pd.DataFrame({"id": ["a", "b"], "x": [1, 2]}, index=["r", "s"])
    frame.to_parquet(tmp_path / "rows.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "rows.parquet").names
    assert values_of(tmp_path / "rows.parquet") == [{"id": "a", "x": 1}, {"id": "b", "x": 2}]


def test_rows_over_several_groups_and_batches_come_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MOST_ROWS", 7)
    pq.write_table(pa.table({"n": range(100)}), tmp_path / "rows.parquet", row_group_size=30)
    rows = rows_of(tmp_path / "rows.parquet")
    assert [(row.line, row.values["n"]) for row in rows] == [(n + 1, n) for n in range(100)]


def test_a_text_that_many_rows_share_is_held_once(tmp_path):
    text = "x" * 100_000
    path = table(tmp_path, id=range(300), prompt=[text] * 300)
    assert path.stat().st_size < 1_000_000
    texts = {id(row.values["prompt"]) for row in rows_of(path)}
    assert len(texts) < 10


def test_a_table_without_rows_has_none(tmp_path):
    assert rows_of(table(tmp_path, id=pa.array([], pa.string()))) == []


REFUSED = {
    "NaN": ([1.0, float("nan")], "NaN and Infinity are no numbers; write null"),
    "Infinity": ([1.0, float("-inf")], "NaN and Infinity are no numbers"),
    "NaN within": ([[1.0], [float("nan")]], "NaN and Infinity are no numbers"),
    "a NUL": (["a", "b\x00"], "a NUL stands at character 2; delete it"),
    "a NUL in a dictionary": (pa.array(["a", "b\x00"]).dictionary_encode(), "a NUL stands at character 2"),
    "bytes": ([b"a", b"\xff\xd8"], "the value cannot be read; write it as text"),
    "a moment beyond the calendar": (pa.array([0, 2**62], pa.timestamp("ms")), "cannot be read"),
}


@pytest.mark.parametrize(("column", "reason"), REFUSED.values(), ids=REFUSED)
def test_it_refuses_a_value_with_its_row_and_column(tmp_path, column, reason):
    error = refusal(table(tmp_path, id=["a", "b"], x=column))
    assert place_of(error) == ("row", 2, "x")
    assert reason in error.reason


def test_text_that_is_no_utf8_is_refused(tmp_path):
    text = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.array([0, 1, 3], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff\xfe")]
    )
    assert place_of(refusal(table(tmp_path, x=text))) == ("row", 2, "x")


def test_a_value_too_deep_is_refused(tmp_path):
    value: object = 1
    for _ in range(40):
        value = {"x": value}
    assert "nested too deep; the most is 32" in refusal(table(tmp_path, x=[value])).reason


def test_a_schema_too_deep_is_refused(tmp_path):
    kind = pa.int8()
    for _ in range(200):
        kind = pa.struct([("x", kind)])
    assert "damaged" in refusal(table(tmp_path, x=pa.nulls(1, kind))).reason


def test_two_columns_of_one_name_are_refused(tmp_path):
    pq.write_table(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"]), tmp_path / "rows.parquet"
    )
    error = refusal(tmp_path / "rows.parquet")
    assert (error.column, "twice; rename" in error.reason) == ("x", True)


def test_a_table_without_columns_is_refused(tmp_path):
    assert "no columns" in refusal(table(tmp_path)).reason


def test_a_file_cut_off_or_changed_is_damaged(tmp_path):
    whole = table(tmp_path, id=[f"r{n}" for n in range(500)], text=["x" * n for n in range(500)]).read_bytes()
    for size in range(4, len(whole), len(whole) // 40):
        assert "damaged or cut off; copy" in refusal(made(tmp_path, whole[:size], "cut.parquet")).reason
    changed = bytearray(whole)
    changed[4:400] = bytes(396)
    assert "damaged" in refusal(made(tmp_path, bytes(changed), "changed.parquet")).reason
    assert "damaged" in refusal(made(tmp_path, b"PAR1" + bytes(100) + b"PAR1", "zeros.parquet")).reason


def test_an_encrypted_file_and_other_tables_are_refused(tmp_path):
    assert "encrypted" in refusal(made(tmp_path, b"PARE" + bytes(20) + b"PARE")).reason
    with pa.OSFile(str(tmp_path / "rows.arrow"), "wb") as sink, pa.ipc.new_file(sink, pa.schema([])):
        pass
    assert "Arrow files are not read; save the data as Parquet" in refusal(tmp_path / "rows.arrow").reason
