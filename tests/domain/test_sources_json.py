"""JSON in its forms: an object a line, a list, a list within an object, one object."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.domain import text_rows
from annotation.domain.sources import Shape, detect, json_items, read_any
from annotation.domain.sources.json_items import MAX_ITEM
from tests.domain.source_files import made, place_of, refusal, rows_of, values_of

pytestmark = pytest.mark.files

ROWS = [
    {"id": "a", "text": 'one "two" \\ [three] {four}', "n": [1, {"x": None}]},
    {"id": "b", "text": "天气\u2028", "n": []},
]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
FORMS = {
    "lines": (LINES, "jsonl"),
    "lines with blank ones": ("\n" + LINES.replace("\n", "\n\n"), "jsonl"),
    "a list": (json.dumps(ROWS), "json"),
    "a list over lines": (json.dumps(ROWS, indent=1), "json"),
    "a list of a row a line": (
        "[\n" + ",\n".join(LINES.splitlines()[:0] + [json.dumps(r) for r in ROWS]) + "\n]\n",
        "json",
    ),
    "a list within an object": (json.dumps({"version": {"n": [1]}, "data": ROWS, "tags": []}), "json"),
    "a list within an object, a row a line": (
        '{"data": [' + ",\n".join(json.dumps(row) for row in ROWS) + "]}",
        "json",
    ),
    "a list within an object, over lines": (json.dumps({"data": ROWS, "total": 2}, indent=2), "json"),
}


def form_of(path) -> str:
    return detect(path, name=path.name).format


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.ndjson", "rows.txt", "rows.csv"])
@pytest.mark.parametrize(("content", "form"), FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_the_content_tells_the_form_whatever_the_name_says(tmp_path, name, content, form, encoding):
    path = made(tmp_path, content.encode(encoding), name)
    one_line = (
        name in ("rows.jsonl", "rows.ndjson")
        and form == "json"
        and content.startswith("{")
        and "\n" not in content
    )
    assert form_of(path) == ("jsonl" if one_line else form)
    assert values_of(path) == ([json.loads(content)] if one_line else ROWS)


def test_lines_count_for_jsonl_and_items_for_a_list(tmp_path):
    lines = rows_of(made(tmp_path, "\n" + LINES, "rows.jsonl"))
    items = rows_of(made(tmp_path, json.dumps(ROWS, indent=2), "rows.json"))
    assert [(row.line, row.unit, row.cells) for row in lines] == [(2, "line", False), (3, "line", False)]
    assert [(row.line, row.unit, row.cells) for row in items] == [(1, "item", False), (2, "item", False)]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_may_end_in_other_ways(tmp_path, end):
    path = made(tmp_path, LINES.replace("\n", end), "rows.jsonl")
    assert [row.line for row in rows_of(path)] == [1, 2]
    assert values_of(path) == ROWS


@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_is_one_record(tmp_path, indent):
    one = {"id": "a", "parts": {"x": 1}, "tags": ["b"]}
    assert values_of(made(tmp_path, json.dumps(one, indent=indent), "rows.json")) == [one]
    assert form_of(made(tmp_path, json.dumps(one), "rows.jsonl")) == "jsonl"


def test_two_lists_of_objects_make_one_record(tmp_path):
    two = {"x": [{"id": 1}], "y": [{"id": 2}]}
    assert values_of(made(tmp_path, json.dumps(two), "rows.json")) == [two]


def test_a_line_of_jsonl_may_hold_a_list_of_objects_even_where_it_is_the_only_one(tmp_path):
    row = {"id": "a", "messages": [{"role": "user", "content": "x"}]}
    assert values_of(made(tmp_path, json.dumps(row), "rows.jsonl")) == [row]


@pytest.mark.parametrize("content", ["[]", " [ ]\n"])
def test_an_empty_list_has_no_rows(tmp_path, content):
    assert rows_of(made(tmp_path, content, "rows.json")) == []


def test_a_table_is_a_table_even_if_its_name_ends_in_json(tmp_path):
    assert values_of(made(tmp_path, "id,x\na,1\n", "rows.json")) == [{"id": "a", "x": "1"}]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('ab\\"[{,:é', max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.dictionaries(st.text('xyz"\\]', max_size=3), VALUES, max_size=4), max_size=6),
    st.integers(1, 40),
    st.booleans(),
)
def test_a_list_is_cut_at_its_items_wherever_the_pieces_of_the_file_end(rows, size, escaped):
    written = json.dumps(rows, ensure_ascii=escaped, indent=size % 3 or None).encode()
    pieces = (written[at : at + size] for at in range(0, len(written), size))
    scanner = json_items._Scanner(pieces, "rows.json")
    assert [record.values for record in json_items._list(scanner)] == rows
    assert scanner.next_byte() == b""


# --- refusals --------------------------------------------------------------------------------------------

DEEP_VALUE = '{"id": "a", "x": ' + "[" * 5000 + "]" * 5000 + "}"
BAD_VALUES = {
    "NaN": ('{"id": "a", "x": NaN}', "x", "NaN and Infinity are no numbers"),
    "Infinity": ('{"id": "a", "x": {"y": [-Infinity]}}', "x", "write null or a finite number"),
    "a float beyond doubles": ('{"id": "a", "x": 1e999}', "x", "Infinity"),
    "a key twice": ('{"id": "a", "x": 1, "x": 2}', "x", "the key 'x' occurs twice; keep one"),
    "a key twice within": ('{"id": "a", "x": [{"y": 1, "y": 2}]}', "x", "'y' occurs twice"),
    "half of a surrogate pair": (
        '{"id": "a", "x": "\\ud83d"}',
        "x",
        "(U+D83D) stands at character 1; restore",
    ),
    "an escaped NUL": ('{"id": "a", "x": ["\\u0000"]}', "x", "a NUL stands at character 1; delete it"),
    "a NUL itself": ('{"id": "a\x00"}', "10", "a NUL stands at character 10"),
    "a deep value": ('{"id": "a", "x": ' + "[" * 33 + "]" * 33 + "}", "x", "nested too deep; the most is 32"),
    "a value 5,000 deep": (DEEP_VALUE, "1", "nested too deep; the most is 32"),
    "a huge integer": ('{"id": "a", "x": ' + "9" * 5000 + "}", "x", "an integer of 5000 digits is too large"),
    "a list": ("[1]", "", "[1] is not an object; write"),
    "a number": ("17", "", "17 is not an object; write"),
    "a text": ('"a"', "", '"a" is not an object; write'),
    "null": ("null", "", "null is not an object; write"),
}


@pytest.mark.parametrize(("value", "column", "reason"), BAD_VALUES.values(), ids=BAD_VALUES)
def test_what_is_not_strictly_json_is_refused_on_its_line_and_as_its_item(tmp_path, value, column, reason):
    good = '{"id": "z", "x": [[[[[[[[1]]]]]]]]}'
    in_lines = refusal(made(tmp_path, f"{good}\n\n{value}\n", "rows.jsonl"))
    in_list = refusal(made(tmp_path, f"[{good},\n{value}]", "rows.json"))
    assert place_of(in_lines) == ("line", 3, column or "1")
    assert place_of(in_list) == ("item", 2, "" if value == DEEP_VALUE else column)
    assert reason in in_lines.reason
    assert reason in in_list.reason


BROKEN_LINES = {
    "no end": ('{"id": "a"', "11"),
    "an open text": ('{"id": "a}', "8"),
    "two objects": ('{"id": "a"} {"id": "b"}', "13"),
    "single quotes": ("{'id': 'a'}", "2"),
    "a word": ("hello", "1"),
}


@pytest.mark.parametrize(("line", "column"), BROKEN_LINES.values(), ids=BROKEN_LINES)
@pytest.mark.parametrize("first", [True, False])
def test_a_broken_line_is_named_and_its_neighbours_do_not_matter(tmp_path, line, column, first):
    good = '{"id": "z"}'
    content = f"{line}\n{good}\n{good}\n" if first else f"{good}\n{line}\n{good}\n"
    error = refusal(made(tmp_path, content, "rows.jsonl"))
    assert place_of(error) == ("line", 1 if first else 2, column)
    assert "not valid JSON" in error.reason
    assert "write one JSON object a line" in error.reason


BROKEN_LISTS = {
    "cut off after an item": ('[{"id": "a"}', 1, "as if it had been cut off; copy it again"),
    "cut off within an item": ('[{"id": "a"}, {"id": "b', 2, "cut off"),
    "cut off after a comma": ('[{"id": "a"}, ', 2, "cut off"),
    "cut off within an escape": ('[{"id": "a\\', 1, "cut off"),
    "no comma": ('[{"id": "a"} {"id": "b"}]', 1, "a comma or the end of the list is missing; add"),
    "a comma too many": (
        '[{"id": "a"},]',
        1,
        "a comma stands between this item and the end of the list; delete it",
    ),
    "two commas": ('[{"id": "a"},,{"id": "b"}]', 2, "not valid JSON"),
    "more after the end": ('[{"id": "a"}]\n[{"id": "b"}]', None, "put all rows into one list"),
    "objects one after another": ('{\n"id": "a"}\n{\n"id": "b"}', None, "put all rows into one list"),
    "single quotes": ("[{'id': 'a'}]", 1, "not valid JSON"),
    "a missing colon": ('{\n"data" [{"id": 1}]}', None, "':' is missing before '['"),
    "an object cut off": ('{\n"data": [{"id": 1}', None, "cut off"),
}


@pytest.mark.parametrize(("content", "item", "reason"), BROKEN_LISTS.values(), ids=BROKEN_LISTS)
def test_a_broken_list_is_refused_where_it_breaks(tmp_path, content, item, reason):
    error = refusal(made(tmp_path, content, "rows.json"))
    assert (error.unit, error.line) == ("item", item)
    assert reason in error.reason


def test_a_list_key_that_occurs_twice_is_refused(tmp_path):
    error = refusal(made(tmp_path, '{"data": [{"id": 1}], "data": [{"id": 2}]}', "rows.json"))
    assert place_of(error) == ("item", 1, "data")
    assert "occurs twice" in error.reason


def test_items_before_a_broken_one_are_read(tmp_path):
    path = made(tmp_path, '[{"id": "a"}, {"id": NaN}]', "rows.json")
    rows = read_any(path, detect(path, name="r"), name="r")
    assert next(rows).values == {"id": "a"}


def test_a_byte_that_is_no_utf8_is_named_with_its_item(tmp_path):
    path = made(
        tmp_path, b'[{"id": "\xe4\xbb\x8a\xe4\xbb\x8a\xe4\xbb\x8a"}, {"id": "\xe4\xbb\x8a\xff"}]', "rows.json"
    )
    error = refusal(path)
    assert place_of(error) == ("item", 2, "12")
    assert "the byte 0xff is not UTF-8; save" in error.reason


def test_a_word_in_a_json_file_is_no_json(tmp_path):
    assert "not valid JSON" in refusal(made(tmp_path, "hello\n", "rows.json")).reason
    assert "no list of objects" in refusal(made(tmp_path, "17", "rows.json"), Shape("json", "utf-8")).reason


def test_a_line_or_item_too_long_is_refused_at_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(json_items, "MAX_ITEM", 100)
    monkeypatch.setattr(text_rows, "MAX_LINE", 100)
    long = json.dumps({"id": "a" * 100})
    short = json.dumps({"id": "a"})
    error = refusal(made(tmp_path, f"[{short}, {long}]", "rows.json"))
    assert (place_of(error), "longer than" in error.reason) == (("item", 2, ""), True)
    assert MAX_ITEM == 32 * 1024 * 1024
