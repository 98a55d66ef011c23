"""Rows of files: what is read, and where exactly something is refused."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from annotation.domain import records
from annotation.domain.records import InputError, Record, read

pytestmark = pytest.mark.files


def file_of(folder: Path, content: str | bytes, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows_of(path: Path, *required: str) -> list[Record]:
    return list(read(path, required=required))


def refusal(path: Path, *required: str) -> InputError:
    with pytest.raises(InputError) as caught:
        rows_of(path, *required)
    return caught.value


def record(cells: bool = False, **values: object) -> Record:
    return Record(line=7, values=values, source="rows.csv" if cells else "rows.jsonl", cells=cells)


def refused_value(row: Record, method: str, *arguments: object) -> InputError:
    with pytest.raises(InputError) as caught:
        getattr(row, method)("x", *arguments)
    assert (caught.value.line, caught.value.column) == (7, "x")
    return caught.value


# --- whole files -----------------------------------------------------------------------------------------


def test_a_line_of_json_is_a_row_and_blank_lines_are_none(tmp_path):
    rows = rows_of(file_of(tmp_path, '{"id": "a"}\n\n  \r\n{"id": "b"}'), "id")
    assert [(row.line, row.values) for row in rows] == [(1, {"id": "a"}), (4, {"id": "b"})]


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "rows.txt", "rows"])
def test_whatever_is_not_named_csv_is_read_as_jsonl(tmp_path, name):
    assert rows_of(file_of(tmp_path, '{"id": "a"}\n', name), "id")[0].values == {"id": "a"}


@pytest.mark.parametrize("name", ["rows.csv", "ROWS.CSV"])
def test_a_file_named_csv_is_read_as_csv(tmp_path, name):
    row = rows_of(file_of(tmp_path, "id,n\na,1\n", name), "id", "n")[0]
    assert (row.values, row.cells) == ({"id": "a", "n": "1"}, True)


@pytest.mark.parametrize(("name", "content"), [("a.jsonl", b'{"id": "a"}\r\n'), ("a.csv", b"id\r\na\r\n")])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_order_mark_and_crlf_change_nothing(tmp_path, name, content, mark):
    assert rows_of(file_of(tmp_path, mark + content, name), "id")[0].values == {"id": "a"}


def test_the_line_of_a_csv_row_is_the_one_on_which_it_starts(tmp_path):
    path = file_of(tmp_path, 'id,text\n\na,"one\n\ntwo"\nb,three\n', "a.csv")
    rows = rows_of(path, "id", "text")
    assert [(row.line, row.values["text"]) for row in rows] == [(3, "one\n\ntwo"), (6, "three")]


def test_a_header_alone_is_a_csv_without_rows(tmp_path):
    assert rows_of(file_of(tmp_path, "id,text\n", "a.csv"), "id") == []


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n \n\r\n"])
def test_a_file_without_anything_is_refused(tmp_path, name, content):
    error = refusal(file_of(tmp_path, content, name), "id")
    assert (error.line, "empty" in error.reason) == (1, True)


def test_a_missing_file_is_refused_in_one_sentence(tmp_path):
    error = refusal(tmp_path / "no.jsonl", "id")
    assert str(error) == "no.jsonl: the file cannot be read: No such file or directory"


def test_a_folder_is_no_file(tmp_path):
    assert "cannot be read" in refusal(tmp_path, "id").reason


def test_columns_that_nobody_asked_for_are_ignored(tmp_path):
    row = rows_of(file_of(tmp_path, ",id,mood\n0,a,glad\n", "a.csv"), "id")[0]
    assert row.values == {"id": "a"}


def test_a_header_may_have_spaces_after_its_commas(tmp_path):
    assert rows_of(file_of(tmp_path, "id, text\na,b\n", "a.csv"), "id", "text")[0].values["text"] == "b"


def test_a_missing_csv_column_is_named_once_with_what_was_found(tmp_path):
    error = refusal(
        file_of(tmp_path, "response,annotator,scor\nr,a,1\nr,b,1\n", "a.csv"), "annotator", "score"
    )
    assert (error.line, error.column) == (1, "score")
    assert "found: response, annotator, scor; did you mean 'scor'?" in error.reason


def test_a_missing_key_is_refused_on_its_row(tmp_path):
    error = refusal(file_of(tmp_path, '{"id": "a"}\n{"ID": "b"}\n'), "id")
    assert (error.line, error.column) == (2, "id")


def test_a_long_cell_is_read_whole(tmp_path):
    text = "字" * 200_000
    assert rows_of(file_of(tmp_path, f"id,text\na,{text}\n", "a.csv"), "text")[0].values["text"] == text


def test_a_line_without_end_is_not_read_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_LINE", 100)
    error = refusal(file_of(tmp_path, '{"id": "a"}\n{"id": "' + "a" * 200 + '"}\n'), "id")
    assert (error.line, "longer than" in error.reason) == (2, True)


def test_a_file_is_read_row_by_row(tmp_path):
    rows = read(file_of(tmp_path, '{"id": "a"}\nnot json\n'), required=["id"])
    assert next(rows).values == {"id": "a"}
    with pytest.raises(InputError):
        next(rows)


def test_the_message_says_place_and_reason():
    error = InputError("4 is not a score", line=3, column="score", source="s.jsonl")
    assert str(error) == "s.jsonl, line 3, column score: 4 is not a score"
    assert error.code == "bad_input"


def test_a_message_never_holds_what_a_terminal_cannot_print(tmp_path):
    error = refusal(file_of(tmp_path, '{"a\\ud83d\\u001b[2J": 1}\n'), "id")
    assert error.column == "a\\ud83d\\x1b[2J"
    str(error).encode()


# --- refused lines of JSON ---------------------------------------------------------------------------------

DEEP = "[" * 5000 + "]" * 5000
BAD_JSON = {
    "a broken object": ('{"id": "a"', "11", "not valid JSON"),
    "two objects": ('{"id": "a"} {"id": "b"}', "13", "one JSON object a line"),
    "single quotes": ("{'id': 'a'}", "2", "not valid JSON"),
    "a list": ('[{"id": "a"}]', "1", "is not an object"),
    "a number": ("1", "1", "1 is not an object"),
    "a string": ('"a"', "1", "is not an object"),
    "null": ("null", "1", "null is not an object"),
    "NaN": ('{"id": "a", "x": NaN}', "x", "NaN"),
    "minus infinity": ('{"id": "a", "x": -Infinity}', "x", "Infinity"),
    "a float beyond doubles": ('{"id": "a", "x": 1e999}', "x", "Infinity"),
    "NaN within": ('{"id": "a", "x": [{"y": NaN}]}', "x", "NaN"),
    "a key twice": ('{"id": "a", "x": 1, "x": 1}', "x", "occurs twice"),
    "a key twice within": ('{"id": "a", "x": {"y": 1, "y": 2}}', "x", "'y' occurs twice"),
    "half of a surrogate pair": ('{"id": "a", "x": "\\ud83d"}', "x", "U+D83D"),
    "the other half": ('{"id": "a", "x": "ab\\ude00"}', "x", "character 3"),
    "half in a key": ('{"id": "a", "x": {"\\ud83d": 1}}', "x", "surrogate"),
    "an escaped NUL": ('{"id": "a", "x": "\\u0000"}', "x", "NUL"),
    "a NUL itself": ('{"id": "a\x00"}', "10", "NUL"),
    "a control character": ('{"id": "a\tb"}', "10", "not valid JSON"),
    "deep nesting": ('{"id": "a", "x": ' + DEEP + "}", "1", "nested too deep"),
    "nesting beyond meaning": ('{"id": "a", "x": ' + "[" * 40 + "]" * 40 + "}", "x", "nested too deep"),
    "a huge integer": ('{"id": "a", "x": ' + "9" * 5000 + "}", "x", "5000 digits"),
    "markup": ("<html>", "1", "not valid JSON"),
}


@pytest.mark.parametrize(("line", "column", "reason"), BAD_JSON.values(), ids=BAD_JSON)
def test_it_refuses_a_line_that_is_not_strictly_json(tmp_path, line, column, reason):
    error = refusal(file_of(tmp_path, '{"id": "z"}\n\n' + line + "\n"), "id")
    assert (error.line, error.column) == (3, column)
    assert reason in error.reason


def test_a_whole_surrogate_pair_is_a_character(tmp_path):
    assert rows_of(file_of(tmp_path, '{"id": "\\ud83d\\ude00"}'), "id")[0].values == {"id": "😀"}


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_it_refuses_bytes_that_are_not_utf8_with_their_place(tmp_path, name):
    error = refusal(file_of(tmp_path, b'id\n\n"caf\xe9"\n' if name == "a.csv" else b'\n\n"caf\xe9"\n', name))
    assert (error.line, error.column) == (3, "5")
    assert "0xe9 is not UTF-8" in error.reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_it_refuses_utf16(tmp_path, name, encoding):
    mark = "" if encoding == "utf-16" else "\ufeff"
    error = refusal(file_of(tmp_path, (mark + "id\na\n").encode(encoding), name), "id")
    assert (error.line, "UTF-16" in error.reason) == (1, True)


# --- refused rows of CSV -----------------------------------------------------------------------------------

BAD_CSV = {
    "a cell too few": ("id,x\na,1\nb\n", 3, "2", "1 cells where the header has 2"),
    "a cell too many": ("id,x\na,1\nb,1,2\n", 3, "3", "3 cells where the header has 2"),
    "an unclosed quote": ('id,x\na,1\nb,"two\nthree\n', 3, "1", "not valid CSV"),
    "text after a quote": ('id,x\na,"one"two\n', 2, "1", "not valid CSV"),
    "old Mac line ends": ("id,x\na,1\rb,2\n", 2, "1", "not valid CSV"),
    "a NUL": ("id,x\na,1\nb,\x00\n", 3, "x", "NUL"),
    "a column twice": ("id,x,x\na,1,2\n", 1, "x", "names this column twice"),
    "semicolons": ("id;x\na;1\n", 1, "1", "separated by semicolons"),
    "tabs": ("id\tx\na\t1\n", 1, "1", "separated by tabs"),
    "no header": ("a,1\nb,2\n", 1, "id", "the column is missing"),
}


@pytest.mark.parametrize(("content", "line", "column", "reason"), BAD_CSV.values(), ids=BAD_CSV)
def test_it_refuses_a_csv_row_with_its_place(tmp_path, content, line, column, reason):
    error = refusal(file_of(tmp_path, content, "a.csv"), "id")
    assert (error.line, error.column) == (line, column)
    assert reason in error.reason


# --- values ------------------------------------------------------------------------------------------------


def test_a_missing_value_is_missing_in_each_way_a_file_can_say_it():
    assert not record(x=None).has("x")
    assert not record().has("x")
    assert not record(cells=True, x="").has("x")
    assert record(x="").has("x")
    assert record(x=0).has("x")


@pytest.mark.parametrize("value", ["a", "é字", "0", "a b", "r:1"])
def test_an_identifier_is_any_name_on_one_line(value):
    assert record(x=value).identifier("x") == record(cells=True, x=value).identifier("x") == value


def test_an_integer_in_json_serves_as_identifier():
    assert record(x=17).identifier("x") == "17"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "is null"),
        ("", "is empty"),
        ("  ", "is empty"),
        (" a", "white space"),
        ("a\u3000", "white space"),
        ("a\nb", "control character"),
        ("a\x7fb", "control character"),
        ("a\u2028b", "control character"),
        (True, "true cannot be a name"),
        (1.0, "1.0 cannot be a name"),
        (["a"], "cannot be a name"),
        ("a" * 201, "201 characters"),
    ],
)
def test_it_refuses_what_cannot_be_an_identifier(value, reason):
    assert reason in refused_value(record(x=value), "identifier").reason


def test_an_empty_cell_is_no_identifier():
    assert "is missing" in refused_value(record(cells=True, x=""), "identifier").reason


@pytest.mark.parametrize("row", [record(), record(x=None), record(x=""), record(cells=True, x="")])
def test_an_optional_identifier_or_text_may_be_missing(row):
    assert row.identifier("x", required=False) == row.text("x", required=False) == ""


@pytest.mark.parametrize("value", [5, True, ["a"], {}, None, "", " \n "])
def test_a_required_text_is_a_string_with_something_in_it(value):
    refused_value(record(x=value), "text")


def test_a_text_is_kept_as_it_stands():
    assert record(x=" \r\n two\t").text("x") == " \r\n two\t"


@pytest.mark.parametrize(
    ("value", "count"), [(0, 0), (12, 12), (12.0, 12), (None, None), (2**31 - 1, 2**31 - 1)]
)
def test_a_count_from_json(value, count):
    assert record(x=value).integer("x") == count


@pytest.mark.parametrize(("value", "count"), [("0", 0), ("12", 12), ("12.0", 12), ("", None)])
def test_a_count_from_a_cell(value, count):
    assert record(cells=True, x=value).integer("x") == count


@pytest.mark.parametrize("value", [-1, 1.5, True, "12", [], 2**31])
def test_it_refuses_what_is_no_count(value):
    refused_value(record(x=value), "integer")


@pytest.mark.parametrize("value", ["-1", "1.5", "true", "1e3", " 1", "１", "9999999999"])
def test_it_refuses_a_cell_that_is_no_count(value):
    refused_value(record(cells=True, x=value), "integer")


@pytest.mark.parametrize(("value", "number"), [(2, 2.0), (-0.5, -0.5), (None, None)])
def test_a_number_from_json(value, number):
    assert record(x=value).number("x") == number


@pytest.mark.parametrize(("value", "number"), [("2", 2.0), ("-1.5e2", -150.0), (".5", 0.5), ("", None)])
def test_a_number_from_a_cell(value, number):
    assert record(cells=True, x=value).number("x") == number


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "1.2.3", "two", "1_000"])
def test_it_refuses_a_cell_that_is_no_finite_number(value):
    refused_value(record(cells=True, x=value), "number")


@pytest.mark.parametrize("value", [True, "2", []])
def test_it_refuses_what_is_no_number(value):
    refused_value(record(x=value), "number")


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-01T14:30:00+01:00", datetime(2026, 3, 1, 13, 30, tzinfo=UTC)),
        ("2026-03-01T14:30:00Z", datetime(2026, 3, 1, 14, 30, tzinfo=UTC)),
        ("2026-03-01 14:30", datetime(2026, 3, 1, 14, 30, tzinfo=UTC)),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
    ],
)
def test_a_time_is_iso_8601_and_utc_where_it_does_not_say(written, moment):
    found = record(x=written).instant("x")
    assert found == moment
    assert found.utcoffset() == moment.utcoffset()


@pytest.mark.parametrize("row", [record(), record(x=None), record(x=""), record(cells=True, x="")])
def test_a_time_may_be_missing(row):
    assert row.instant("x") is None


@pytest.mark.parametrize(
    "value", ["yesterday", "2026-13-01", "01/03/2026", 1767225600, True, "0001-01-01T00:00:00+14:00"]
)
def test_it_refuses_what_is_no_time(value):
    assert "ISO 8601" in refused_value(record(x=value), "instant").reason


def test_objects_and_lists_are_json_within_a_cell():
    row = record(cells=True, x='{"top_p": 0.9}', y='["a", "b"]', z="[2, 1]")
    assert row.mapping("x") == {"top_p": 0.9}
    assert row.strings("y") == ("a", "b")
    assert row.positions("z", 2) == (1, 2)


@pytest.mark.parametrize("row", [record(), record(x=None), record(cells=True, x="")])
def test_objects_and_lists_may_be_missing(row):
    assert (row.mapping("x"), row.strings("x"), row.positions("x", 3)) == ({}, (), ())


@pytest.mark.parametrize("cell", ["{", "[]", '{"a": NaN}', '{"a": 1, "a": 2}', '{"a": "\\u0000"}', "hot"])
def test_it_refuses_a_cell_that_is_no_object(cell):
    refused_value(record(cells=True, x=cell), "mapping")


@pytest.mark.parametrize("value", [{}, "a", ["a", ""], ["a", 1], [None]])
def test_it_refuses_what_is_no_list_of_texts(value):
    refused_value(record(x=value), "strings")


@pytest.mark.parametrize("value", [[0], [4], [1, 1], [True], ["1"], [1.0], 1])
def test_it_refuses_what_is_no_list_of_positions(value):
    refused_value(record(x=value), "positions", 3)


def test_csv_written_by_the_standard_library_reads_back(tmp_path):
    path = tmp_path / "a.csv"
    cells = ["a", 'he said "no"', "two\r\nlines", "comma, comma"]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["a", "b", "c", "d"], cells])
    assert list(rows_of(path, "a", "b", "c", "d")[0].values.values()) == cells


def test_the_columns_of_json_keep_their_types(tmp_path):
    values = {"id": "a", "x": 1, "y": 1.5, "z": [True, None]}
    assert rows_of(file_of(tmp_path, json.dumps(values)), "id")[0].values == values
