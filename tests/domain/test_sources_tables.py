"""CSV and its kin: what separates the cells, and what a table must keep to."""

import csv
import io

import pytest

from annotation.domain.sources import Shape, detect, tables
from tests.domain.source_files import made, place_of, refusal, rows_of, values_of

pytestmark = pytest.mark.files

TABLE = [["id", "text", "score"], ["a", "one, or; two\tor | three", "1,5"], ["b", 'she said "no"', "2"]]


def shape_of(path):
    return detect(path, name=path.name)


# --- separators ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("name", ["rows.csv", "rows.tsv", "rows.txt", "rows"])
def test_the_separator_is_found_whatever_stands_within_quotes(tmp_path, delimiter, quoting, name):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, quoting=quoting).writerows(TABLE)
    path = made(tmp_path, written.getvalue(), name)
    assert shape_of(path) == Shape("delimited", "utf-8", delimiter)
    assert [list(row.values()) for row in values_of(path)] == TABLE[1:]
    assert all(row.cells and row.unit == "line" for row in rows_of(path))


def test_commas_of_decimals_and_of_prose_do_not_separate_cells_between_semicolons(tmp_path):
    path = made(tmp_path, "id;text;mean\na;Well, yes, no;1,5\nb;No, well, yes;2,5\n")
    assert shape_of(path).delimiter == ";"
    assert values_of(path)[0] == {"id": "a", "text": "Well, yes, no", "mean": "1,5"}


def test_one_column_is_a_table_and_in_a_tsv_its_commas_are_text(tmp_path):
    assert values_of(made(tmp_path, "text\none\n")) == [{"text": "one"}]
    assert values_of(made(tmp_path, "text\none, or, two\n", "rows.tsv")) == [{"text": "one, or, two"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_line_in_which_excel_names_the_separator_is_no_header(tmp_path, encoding):
    path = made(tmp_path, "sep=;\r\nid;x,y\r\na;1\r\n".encode(encoding))
    rows = rows_of(path)
    assert shape_of(path).delimiter == ";"
    assert [(row.line, row.values) for row in rows] == [(3, {"id": "a", "x,y": "1"})]


def test_a_long_cell_hides_no_separator(tmp_path):
    path = made(tmp_path, f"text;id\n{'long, ' * 60_000};a\nb;c\n")
    assert shape_of(path).delimiter == ";"
    assert len(rows_of(path)) == 2


# --- lines -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_of_three_ways(tmp_path, end):
    path = made(tmp_path, end.join(["id,text", 'a,"one, two"', "", "b,two"]) + end)
    assert [(row.line, row.values["text"]) for row in rows_of(path)] == [(2, "one, two"), (4, "two")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_text_may_go_over_lines_and_its_row_stands_where_it_starts(tmp_path, end):
    path = made(tmp_path, f'id,text{end}a,"one{end}{end}two"{end}b,three{end}')
    assert [(row.line, row.values["text"]) for row in rows_of(path)] == [
        (2, f"one{end}{end}two"),
        (5, "three"),
    ]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_no_other_character_ends_a_line(tmp_path, mark):
    path = made(tmp_path, f"id,text\na,one{mark}two\nb,three\n")
    assert [(row.line, row.values["text"]) for row in rows_of(path)] == [(2, f"one{mark}two"), (3, "three")]


def test_rows_without_any_content_are_skipped(tmp_path):
    path = made(tmp_path, "id,x\na,1\n,\n\n  \nb,2\n,\n")
    assert [row.line for row in rows_of(path)] == [2, 6]


# --- headers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["id,x\n", "id,x", "id,x\n,\n"])
def test_a_header_alone_is_a_table_without_rows(tmp_path, content):
    assert rows_of(made(tmp_path, content)) == []


@pytest.mark.parametrize("content", ["", "\ufeff", "\n \r\n\n", " "])
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.json", "rows.tsv"])
def test_a_file_without_anything_is_refused(tmp_path, content, name):
    error = refusal(made(tmp_path, content, name))
    assert place_of(error) == ("line", 1, "")
    assert error.reason == "the file is empty; it needs at least one row"


@pytest.mark.parametrize("content", [",,\n,,\n", " , \n"])
def test_a_table_of_nothing_but_separators_is_refused(tmp_path, content):
    assert "needs a header" in refusal(made(tmp_path, content)).reason


def test_a_leading_index_is_dropped_where_it_has_no_name_and_kept_where_it_has(tmp_path):
    assert values_of(made(tmp_path, ",id,x\n0,a,1\n1,b,2\n")) == [
        {"id": "a", "x": "1"},
        {"id": "b", "x": "2"},
    ]
    assert values_of(made(tmp_path, ",text\n0,one\n")) == [{"text": "one"}]
    assert values_of(made(tmp_path, "\tid\n0\ta\n", "rows.tsv")) == [{"id": "a"}]
    assert values_of(made(tmp_path, "Unnamed: 0,id\n0,a\n")) == [{"Unnamed: 0": "0", "id": "a"}]


def test_names_are_trimmed_and_cells_are_not(tmp_path):
    assert values_of(made(tmp_path, "id, text \na, b \n")) == [{"id": "a", "text": " b "}]


def test_cells_may_begin_like_a_formula(tmp_path):
    assert values_of(made(tmp_path, "id,text\na,=1+1\nb,- well\n"))[1]["text"] == "- well"


REFUSED = {
    "a name twice": ("id,x,id\na,1,b\n", (1, "id"), "names this column twice; rename"),
    "a formula for a name": (
        "id,=HYPERLINK()\na,1\n",
        (1, "=HYPERLINK()"),
        "name of column 2 begins like a formula",
    ),
    "a plus": ("+id,x\na,1\n", (1, "+id"), "begin it with a letter"),
    "a minus": ("id,-x\na,1\n", (1, "-x"), "begins like a formula"),
    "an at": ("id,@x\na,1\n", (1, "@x"), "begins like a formula"),
    "a file that starts with =": (
        "=cmd|' /C calc'!A0,x\na,1\n",
        (1, "=cmd|' /C calc'!A0"),
        "begins like a formula",
    ),
    "the header again": ("id,x\na,1\nid,x\nb,2\n", (3, ""), "the header stands here again"),
    "the header again, with an index": (",id,x\n0,a,1\n,id,x\n0,b,2\n", (3, ""), "two files had been joined"),
    "a cell too few": ("id,x,y\na,1,2\nb,1\n", (3, "3"), "2 cells where the header has 3"),
    "a cell too many": (
        "id,x\na,1\nb,1,2\n",
        (3, "3"),
        "3 cells where the header has 2; check the separators",
    ),
    "another separator": ("id,x,y\na,1,2\nb;1;2\n", (3, "2"), "here ';' seems to separate the cells"),
    "a header of its own": (
        "id,x,y\na;1;2\nb;1;2\n",
        (2, "2"),
        "1 cells where the header has 3; here ';' seems",
    ),
    "tabs": ("id,x\na\t1\nb,2\n", (2, "2"), "here 'Tab' seems to separate the cells: use one separator"),
    "a title": (
        "Results of 2024\nid,x\na,1\n",
        (1, ""),
        "the first row is no header: it has one cell where the next has 2",
    ),
    "a title of a sheet": ("Results,,\nid,x,y\na,1,2\n", (1, ""), "delete the lines above the names"),
    "two blocks": ("id,x,,name,y\na,1,,b,2\nc,1,,d,2\n", (1, ""), "column 3 is empty and stands between"),
    "two blocks alike": ("id,x,,id,x\na,1,,b,2\n", (1, ""), "keep one table and delete the empty column"),
    "a NUL": ("id,x\na,1\nb,t\x00o\n", (3, "x"), "a NUL stands at character 2; delete it"),
    "a NUL in a name": ("id,x\x00y\na,1\n", (1, "x\\x00y"), "a NUL stands at character 2"),
    "an open quote": ('id,x\na,1\nb,"two\nthree\n', (3, "1"), "check the quotes of the row that starts here"),
    "text after a quote": ('id,x\na,"one"two\n', (2, "1"), "check the quotes"),
    "a name like a text": (
        f"id,{'word ' * 300}\na,1\n",
        (1, ("word " * 300).strip()[:1000]),
        "has 1499 characters",
    ),
}


@pytest.mark.parametrize(("content", "place", "reason"), REFUSED.values(), ids=REFUSED)
def test_it_refuses_what_could_be_taken_two_ways_with_its_place(tmp_path, content, place, reason):
    error = refusal(made(tmp_path, content))
    assert place_of(error) == ("line", *place)
    assert reason in error.reason


def test_an_unnamed_column_between_others_is_dropped_where_something_stands_in_it(tmp_path):
    assert values_of(made(tmp_path, "id,,x\na,,1\nb,note,2\n"))[1] == {"id": "b", "x": "2"}


def test_rows_before_a_refused_one_are_read_even_where_the_header_needs_a_look_ahead(tmp_path):
    path = made(tmp_path, "id,,x\na,note,1\nb\n")
    from_table = tables.Table("rows.csv", "line", ",").records(
        iter([(1, ["id", "", "x"]), (2, ["a", "note", "1"]), (3, ["b"])])
    )
    assert next(from_table).values == {"id": "a", "x": "1"}
    assert place_of(refusal(path)) == ("line", 3, "2")


def test_too_many_columns_are_refused(tmp_path):
    header = ",".join(f"c{number}" for number in range(tables.MAX_COLUMNS + 1))
    assert "2001 columns are too many" in refusal(made(tmp_path, header + "\n")).reason
    assert rows_of(made(tmp_path, header.rpartition(",")[0] + "\n")) == []


def test_an_open_quote_does_not_take_in_the_rest_of_a_large_file(tmp_path):
    path = made(tmp_path, 'id,text\na,"one\n' + ("b," + "x" * 1000 + "\n") * 12_000)
    error = refusal(path)
    assert place_of(error) == ("line", 2, "1")
    assert "longer than 8 MiB; close its quotes" in error.reason
