"""Files that are something else, whatever their name says; and how a shape is kept."""

import bz2
import gzip
import io
import lzma
import tarfile

import openpyxl
import pytest

from annotation.domain.records import InputError, Record
from annotation.domain.sources import Shape, detect
from tests.domain.source_files import made, refusal, rows_of

pytestmark = pytest.mark.files

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def tar() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("x.csv"))
    return content.getvalue()


FOREIGN = {
    "PNG": (b"\x89PNG\r\n\x1a\n" + bytes(100), "is a picture; export the data"),
    "JPEG": (b"\xff\xd8\xff\xe0" + bytes(100), "is a picture"),
    "GIF": (b"GIF89a" + bytes(100), "is a picture"),
    "WebP": (b"RIFF\x00\x00\x00\x00WEBP" + bytes(100), "is a picture"),
    "PDF": (b"%PDF-1.7\n" + bytes(100), "is a PDF; export the data"),
    "old Excel": (
        OLE + bytes(600) + "Workbook".encode("utf-16-le"),
        "an old Excel or Word file; save it as .xlsx",
    ),
    "a password": (
        OLE + bytes(1024**2 - 20) + "EncryptedPackage".encode("utf-16-le"),
        "by a password; save it",
    ),
    "gzip": (gzip.compress(b"id\n1\n"), "is packed (gzip); unpack it first"),
    "bzip2": (bz2.compress(b"id\n1\n"), "is packed (bzip2); unpack"),
    "xz": (lzma.compress(b"id\n1\n"), "is packed (xz); unpack"),
    "Zstandard": (b"\x28\xb5\x2f\xfd\x04\x00\xff\xff" + bytes(9), "is packed (Zstandard)"),
    "7z": (b"7z\xbc\xaf\x27\x1c\x00\x04" + bytes(30), "is packed (7z)"),
    "tar": (tar(), "is packed (tar); unpack"),
    "SQLite": (b"SQLite format 3\x00" + bytes(100), "SQLite files are not read; save"),
    "a web page": (
        b"\n<!DOCTYPE html><html><table><tr><td>id</td></tr></table>",
        "a web page or XML; open it in",
    ),
    "a table of a web page": (b"<table border=1><tr><td>id</td></tr></table>", "a web page or XML"),
    "Excel's XML": ("\ufeff<?xml version='1.0'?><Workbook></Workbook>".encode(), "a web page or XML"),
    "a drawing": (b"<svg onload=alert(1)>", "a web page or XML"),
    "a page in UTF-16": ("<html><body>id</body></html>".encode("utf-16"), "a web page or XML"),
}


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.xlsx", "rows.json", "rows.parquet"])
@pytest.mark.parametrize(("content", "reason"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_table_is_refused_by_its_content(tmp_path, name, content, reason):
    assert reason in refusal(made(tmp_path, content, name)).reason


@pytest.mark.parametrize(
    "start", ["GIF", "%", "BZh", "7z", "ORC", "Obj", "MM", "PK", "<div>", "PAR", "{x}", "[x]"]
)
def test_a_table_may_begin_with_the_same_letters(tmp_path, start):
    assert len(rows_of(made(tmp_path, f"{start},x\na,1\n"))) == 1


def test_a_workbook_under_another_name_is_a_workbook(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["id"])
    book.save(tmp_path / "rows.csv")
    assert detect(tmp_path / "rows.csv", name="rows.csv").format == "xlsx"


def test_500_kb_of_markup_in_a_text_is_text(tmp_path):
    text = "<div>" * 100_000
    assert rows_of(made(tmp_path, f"id,text\na,{text}\n"))[0].values["text"] == text


def test_a_missing_file_and_a_folder_are_refused_in_a_sentence(tmp_path):
    for path in (tmp_path / "no.csv", tmp_path):
        with pytest.raises(InputError, match="the file cannot be read: "):
            detect(path, name="no.csv")


# --- places and shapes -----------------------------------------------------------------------------------


def test_the_message_names_the_unit_and_the_column_as_the_file_has_it():
    record = Record(5, {"score": "4"}, "x.xlsx", unit="row", labels={"score": "Note (0-3)"})
    error = record.error("score", "4 is not a score")
    assert str(error) == "x.xlsx, row 5, column Note (0-3): 4 is not a score"
    assert str(record.error("id", "is missing")) == "x.xlsx, row 5, column id: is missing"
    assert str(InputError("no", line=3, unit="item")) == "item 3: no"


@pytest.mark.parametrize(
    "shape",
    [
        Shape("jsonl", "gb18030"),
        Shape("delimited", "cp1252", ";"),
        Shape("xlsx", sheet="Tabelle 1"),
        Shape("parquet"),
    ],
)
def test_a_shape_is_kept_and_found_again(shape):
    assert Shape.from_dict(shape.as_dict()) == shape


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ({}, "format"),
        ({"format": "ods"}, "format"),
        ({"format": "jsonl", "encoding": "latin-9"}, "encoding"),
        ({"format": "jsonl"}, "encoding"),
        ({"format": "parquet", "encoding": "utf-8"}, "encoding"),
        ({"format": "delimited", "encoding": "utf-8"}, "delimiter"),
        ({"format": "delimited", "encoding": "utf-8", "delimiter": "x"}, "delimiter"),
        ({"format": "json", "encoding": "utf-8", "delimiter": ","}, "delimiter"),
        ({"format": "xlsx", "sheet": 1}, "sheet"),
        ({"format": "xlsx", "skip": "1"}, "skip"),
    ],
)
def test_a_shape_that_cannot_be_is_refused(values, column):
    with pytest.raises(InputError) as caught:
        Shape.from_dict(values)
    assert caught.value.column == column
    assert ";" in caught.value.reason
