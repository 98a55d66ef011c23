"""Workbooks: values with their types, what is refused in a cell, and archives that are no workbooks."""

import zipfile
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from annotation.domain.sources import Shape, archives, detect, xml_parts
from tests.domain.source_files import bomb, made, place_of, refusal, rows_of, values_of

pytestmark = pytest.mark.files

HEADER = ["id", "text", "score"]


def workbook(
    folder: Path, *rows: Iterable[object], change: Callable[[Worksheet], None] | None = None
) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    if change:
        change(book.active)
    path = folder / "rows.xlsx"
    book.save(path)
    return path


def with_parts(path: Path, **parts: bytes) -> Path:
    """The same archive with some parts replaced or added; names have __ for / and end in _xml."""
    contents = {name.replace("__", "/").replace("_xml", ".xml"): content for name, content in parts.items()}
    with zipfile.ZipFile(path) as old:
        kept = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in {**kept, **contents}.items():
            new.writestr(name, content)
    return path


def sheet_xml(rows: str, before: str = "") -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'{before}<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'.encode()


def replaced(folder: Path, rows: str, before: str = "") -> Path:
    return with_parts(workbook(folder, HEADER), xl__worksheets__sheet1_xml=sheet_xml(rows, before))


# --- values ----------------------------------------------------------------------------------------------


def test_cells_keep_their_types_and_rows_their_numbers(tmp_path):
    path = workbook(
        tmp_path, HEADER, ["a", "one\ntwo", 2], ["b", " 天气 ", 1.5], ["c", True, None], ["d", 0, -3]
    )
    rows = rows_of(path)
    assert detect(path, name="rows.xlsx") == Shape("xlsx", sheet="Sheet")
    assert [row.values for row in rows] == [
        {"id": "a", "text": "one\ntwo", "score": 2},
        {"id": "b", "text": " 天气 ", "score": 1.5},
        {"id": "c", "text": True, "score": None},
        {"id": "d", "text": 0, "score": -3},
    ]
    assert [(row.line, row.unit, row.cells) for row in rows] == [(n, "row", False) for n in (2, 3, 4, 5)]
    assert isinstance(rows[0].values["score"], int)


moment = datetime.fromisoformat  # without a zone, as sheets have them
TIMES = {
    "a day": (date(2024, 2, 29), "2024-02-29"),
    "a moment": (moment("2024-01-15 10:30:05"), "2024-01-15T10:30:05"),
    "midnight": (moment("2024-01-15 00:00"), "2024-01-15"),
    "a time": (time(10, 30), "10:30:00"),
    "a span": (timedelta(hours=26, minutes=5), "1 day, 2:05:00"),
    "before March 1900": (date(1900, 2, 1), "1900-02-01"),
}


@pytest.mark.parametrize(("value", "text"), TIMES.values(), ids=TIMES)
def test_times_become_iso_text(tmp_path, value, text):
    assert values_of(workbook(tmp_path, ["at"], [value])) == [{"at": text}]


def test_days_may_be_counted_from_1904(tmp_path):
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.MAC_EPOCH
    book.active.append(["at"])
    book.active.append([moment("2024-01-15 10:30")])
    book.save(tmp_path / "rows.xlsx")
    assert values_of(tmp_path / "rows.xlsx") == [{"at": "2024-01-15T10:30:00"}]


FORMATS = {
    "yyyy-mm-dd": "2024-01-15T12:00:00",
    '[$-804]yyyy"年"m"月"d"日"': "2024-01-15T12:00:00",
    "0.00": 45306.5,
    '0 "days"': 45306.5,
    "[Red]0.0": 45306.5,
    "General": 45306.5,
    "@": 45306.5,
    "#,##0;[Red]-#,##0": 45306.5,
    "[h]:mm": "45306 days, 12:00:00",
    "0.00E+00": 45306.5,
}


@pytest.mark.parametrize(("code", "value"), FORMATS.items())
def test_the_number_format_alone_makes_a_time_of_a_number(tmp_path, code, value):
    def change(sheet: Worksheet) -> None:
        sheet["A2"].number_format = code

    assert values_of(workbook(tmp_path, ["at"], [45306.5], change=change)) == [{"at": value}]


def test_what_openpyxl_reads_is_what_is_read(tmp_path):
    rows = [[f"r{n}", f"text {n} 天" if n % 3 else None, n / 4 if n % 2 else n] for n in range(200)]
    path = workbook(tmp_path, HEADER, *rows)
    sheet = openpyxl.load_workbook(path, read_only=True).worksheets[0]
    assert [list(row.values()) for row in values_of(path)] == [
        list(row) for row in sheet.iter_rows(2, values_only=True)
    ]


def test_line_ends_from_windows_and_texts_in_pieces_are_whole(tmp_path):
    rows = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="str"><v>text</v></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><r><t>one </t></r><r><rPr/><t>two</t></r><rPh><t>x</t></rPh></is></c>'
        '<c r="B2" t="str"><v>three_x000D_\nfour_x</v></c></row>'
    )
    assert values_of(replaced(tmp_path, rows)) == [{"id": "one two", "text": "three\r\nfour_x"}]


def test_cells_need_not_say_where_they_are(tmp_path):
    cell = '<c t="str"><v>{}</v></c>'
    rows = "".join(f"<row>{cell.format(a)}{cell.format(b)}</row>" for a, b in [("id", "x"), ("a", "b")])
    assert [(row.line, row.values) for row in rows_of(replaced(tmp_path, rows))] == [
        (2, {"id": "a", "x": "b"})
    ]


def test_a_prefix_of_tags_changes_nothing(tmp_path):
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    cells = (
        '<x:row r="1"><x:c t="str"><x:v>id</x:v></x:c></x:row><x:row r="3"><x:c><x:v>7</x:v></x:c></x:row>'
    )
    xml = f'<x:worksheet xmlns:x="{space}"><x:sheetData>{cells}</x:sheetData></x:worksheet>'
    path = with_parts(workbook(tmp_path, HEADER), xl__worksheets__sheet1_xml=xml.encode())
    assert [(row.line, row.values) for row in rows_of(path)] == [(3, {"id": 7})]


# --- sheets ----------------------------------------------------------------------------------------------


def two_sheets(folder: Path, state: str = "visible") -> Path:
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    for title, rows in (("Old", [["id"], ["a"]]), ("New", [["id"], ["b"]])):
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book["Old"].sheet_state = state
    book.save(folder / "rows.xlsx")
    return folder / "rows.xlsx"


def test_the_first_sheet_with_content_is_read_unless_another_is_named(tmp_path):
    path = two_sheets(tmp_path)
    assert detect(path, name="rows.xlsx").sheet == "Old"
    assert values_of(path) == [{"id": "a"}]
    assert [row.values for row in rows_of(path, Shape("xlsx"))] == [{"id": "a"}]
    assert [row.values for row in rows_of(path, Shape("xlsx", sheet="New"))] == [{"id": "b"}]


def test_a_hidden_sheet_comes_last(tmp_path):
    assert detect(two_sheets(tmp_path, "hidden"), name="rows.xlsx").sheet == "New"


def test_a_sheet_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    error = refusal(two_sheets(tmp_path), Shape("xlsx", sheet="Newer"))
    assert error.reason == "there is no sheet 'Newer'; found: Notes, Old, New"


def test_a_workbook_without_content_is_refused(tmp_path):
    assert "no sheet of the workbook holds anything" in refusal(workbook(tmp_path)).reason


def test_empty_rows_and_columns_at_the_end_do_not_count(tmp_path):
    def change(sheet: Worksheet) -> None:
        sheet["F40"].number_format = "0.00"
        sheet["C9"].font = openpyxl.styles.Font(bold=True)

    path = workbook(tmp_path, [], ["id", "x"], ["a", 1], [], ["b", 2], [None, ""], change=change)
    assert [(row.line, row.values) for row in rows_of(path)] == [
        (3, {"id": "a", "x": 1}),
        (5, {"id": "b", "x": 2}),
    ]


def test_a_header_alone_is_a_sheet_without_rows(tmp_path):
    assert rows_of(workbook(tmp_path, HEADER)) == []


def test_a_leading_index_without_a_name_is_dropped(tmp_path):
    assert values_of(workbook(tmp_path, [None, "id", "x"], [0, "a", 1])) == [{"id": "a", "x": 1}]


def test_a_formula_in_a_column_without_a_name_does_not_matter(tmp_path):
    assert values_of(workbook(tmp_path, ["id", "x"], ["a", 1, "=B2*2"])) == [{"id": "a", "x": 1}]


REFUSED = {
    "a formula": (
        [HEADER, ["a", "x", 1], ["b", "y", "=1+1"]],
        (3, "score"),
        "holds a formula; copy the column",
    ),
    "a formula as a name": ([["id", "=A1"], ["a", 1]], (1, ""), "paste it as values"),
    "an error": ([HEADER, ["a", "x", "#N/A"]], (2, "score"), "holds the error #N/A; correct"),
    "a name twice": ([["id", "x", "id"], ["a", 1, "b"]], (1, "id"), "names this column twice"),
    "a name like a formula": ([["id", "@x"], ["a", 1]], (1, "@x"), "begins like a formula"),
    "two blocks": ([["id", "x", None, "id", "x"], ["a", 1, None, "b", 2]], (1, ""), "keep one table"),
    "a title": ([["Results"], ["id", "x"], ["a", 1]], (1, ""), "the first row is no header"),
    "a title in the middle": (
        [[None, None, "Results"], HEADER, ["a", "x", 1]],
        (1, ""),
        "delete the lines above",
    ),
    "the header again": ([HEADER, ["a", "x", 1], HEADER], (3, ""), "the header stands here again"),
}


@pytest.mark.parametrize(("rows", "place", "reason"), REFUSED.values(), ids=REFUSED)
def test_it_refuses_a_cell_or_header_with_its_row_and_column(tmp_path, rows, place, reason):
    error = refusal(workbook(tmp_path, *rows))
    assert place_of(error) == ("row", *place)
    assert reason in error.reason


def test_the_message_says_row_and_column(tmp_path):
    error = refusal(workbook(tmp_path, HEADER, ["a", "x", "=1+1"]))
    assert str(error).startswith("rows.xlsx, row 2, column score: the cell holds a formula")


def test_a_text_that_only_looks_like_a_formula_is_a_text(tmp_path):
    rows = '<row><c t="str"><v>id</v></c></row><row><c t="inlineStr"><is><t>=1+1</t></is></c></row>'
    assert values_of(replaced(tmp_path, rows)) == [{"id": "=1+1"}]


BAD_CELLS = {
    "a number beyond doubles": ("<c><v>1e999</v></c>", "is not a finite number"),
    "a day beyond the calendar": ('<c s="1"><v>99999999</v></c>', "is no date; write it as text"),
    "a NUL": ('<c t="str"><v>a_x0000_</v></c>', "a NUL stands at character 2"),
    "half of a surrogate pair": ('<c t="str"><v>_xD83D_</v></c>', "half of a surrogate pair"),
}


@pytest.mark.parametrize(("cell", "reason"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_it_refuses_values_that_nothing_else_would_take(tmp_path, cell, reason):
    def change(sheet: Worksheet) -> None:
        sheet["A1"].number_format = "yyyy-mm-dd"

    path = workbook(tmp_path, HEADER, change=change)
    rows = f'<row r="1"><c t="str"><v>x</v></c></row><row r="2">{cell}</row>'
    error = refusal(with_parts(path, xl__worksheets__sheet1_xml=sheet_xml(rows)))
    assert place_of(error) == ("row", 2, "x")
    assert reason in error.reason


# --- damage and traps ------------------------------------------------------------------------------------

TRAPS = {
    "XML that is none": ("<row><c></row>", ""),
    "a document type": ("<row/>", '<!DOCTYPE x [<!ENTITY a "aaaaaaaa">]>'),
    "a file from outside": ("<row/>", '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
    "depth": ("<x>" * 100_000, ""),
    "a long text": (f"<row><c t='str'><v>{'a' * (2 * xml_parts.MAX_TEXT)}</v></c></row>", ""),
    "a long tag": (f"<row a='{'a' * (2 * xml_parts.MAX_TAG)}'/>", ""),
    "rows without end": ('<row r="1048577"/>', ""),
    "rows in disorder": ('<row r="2"/><row r="1"/>', ""),
    "a column far out": ('<row><c r="ZZZ1"><v>1</v></c></row>', ""),
    "a row with a strange number": ('<row r="x"/>', ""),
    "a text that is not there": ('<row><c t="s"><v>99</v></c></row>', ""),
    "a number that is none": ("<row><c><v>one</v></c></row>", ""),
    "a huge integer": (f"<row><c><v>{'9' * 5000}</v></c></row>", ""),
}


@pytest.mark.parametrize(("rows", "before"), TRAPS.values(), ids=TRAPS)
def test_a_sheet_that_excel_would_not_write_is_damaged(tmp_path, rows, before):
    path = replaced(tmp_path, rows, before)
    error = refusal(path, Shape("xlsx", sheet="Sheet"))
    assert any(
        word in error.reason for word in ("damaged or cut off; copy or save it again", "not a finite number")
    )
    assert len(rows_of(workbook(tmp_path, HEADER, ["a", "x", 1]))) == 1


def test_a_workbook_cut_off_anywhere_is_refused(tmp_path):
    whole = workbook(tmp_path, HEADER, ["a", "x", 1]).read_bytes()
    for size in range(10, len(whole), 97):
        assert "damaged" in refusal(made(tmp_path, whole[:size], "cut.xlsx")).reason


def test_a_changed_byte_is_noticed(tmp_path):
    path = workbook(tmp_path, HEADER, *([f"r{n}", "x" * n, n] for n in range(50)))
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        content[archive.getinfo("xl/worksheets/sheet1.xml").header_offset + 200] ^= 0xFF
    assert "damaged" in refusal(made(tmp_path, bytes(content), "changed.xlsx")).reason


def test_a_missing_part_is_damage(tmp_path):
    path = workbook(tmp_path, HEADER)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(tmp_path / "less.xlsx", "w") as new:
        for name in old.namelist():
            if name != "xl/workbook.xml":
                new.writestr(name.replace("_rels/workbook", "_rels/x"), old.read(name))
        new.writestr("xl/workbook.xml", b"")
    assert "damaged" in refusal(tmp_path / "less.xlsx").reason


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    content = bomb("xl/workbook.xml", 200)
    assert len(content) < 250_000
    error = refusal(made(tmp_path, content, "bomb.xlsx"))
    assert "to 200 MB when unpacked, which is not done; save the data as CSV or JSONL" in error.reason


def test_a_large_sheet_of_few_different_values_is_no_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "HARMLESS", 0)
    row = '<c t="str"><v>the same words again</v></c><c><v>2</v></c>'
    rows = f"<row>{row.replace('<v>2', '<v>3')}</row>" + "".join(
        f'<row r="{n}">{row}</row>' for n in range(2, 5000)
    )
    path = replaced(tmp_path, rows)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.getinfo("xl/worksheets/sheet1.xml")
    assert sheet.file_size > 20 * sheet.compress_size
    assert len(rows_of(path)) == 4998


@pytest.mark.parametrize("part", ["mimetype", "word/document.xml", "xl/workbook.bin"])
def test_other_office_files_are_to_be_saved_as_xlsx(tmp_path, part):
    with zipfile.ZipFile(tmp_path / "rows.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(part, "x")
    assert "save it as .xlsx" in refusal(tmp_path / "rows.xlsx").reason
