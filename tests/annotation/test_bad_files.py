"""Files that cannot be taken: each gets a sentence with its place and what to do, and nothing is written."""

import io
import json
import re
import tracemalloc
import unicodedata
import zipfile
from collections.abc import Callable

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.domain.records import InputError
from annotation.models import (
    Assignment,
    Flag,
    Genre,
    Membership,
    Prompt,
    Response,
    Score,
    User,
)
from annotation.services import imports, imports_run
from tests.factories import NOW, make_prompt, make_response

pytestmark = pytest.mark.django_db
TABLES = (Genre, Prompt, Response, Score, Assignment, Membership, User, Flag)
STORY = "The river forgot its bridge, and the town forgot the river."
MEMORY = 160 * 1024**2  # bytes that reading one of these files may add: a line or a value may be 32 MiB long


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


@pytest.fixture
def project(project):
    prompt = make_prompt(project, "p0")
    for name in ("r1", "r2", "Straße", "é"):
        make_response(prompt, name)
    return project


# --- Makers ------------------------------------------------------------------------------------------

HEAD = "response_id,annotator,score\n"
GOOD = {"id": "n1", "prompt_id": "p1", "text": STORY}


def csv_of(*rows: str, head: str = HEAD, encoding: str = "utf-8") -> bytes:
    return (head + "".join(row + "\n" for row in rows)).encode(encoding)


def scores(*rows: str) -> bytes:
    return csv_of("r1,ann,2", *rows)


def jsonl(*rows: dict[str, object] | str) -> bytes:
    lines = [json.dumps(row) if isinstance(row, dict) else row for row in rows]
    return "".join(line + "\n" for line in [json.dumps(GOOD), *lines]).encode("utf-8", "surrogatepass")


def text_of(**columns: object) -> bytes:
    return jsonl({**GOOD, "id": "n2", **columns})


def literal(column: str, value: str) -> bytes:
    parts = {"id": '"n2"', "prompt_id": '"p1"', "text": json.dumps(STORY), column: value}
    return jsonl("{" + ", ".join(f'"{name}": {written}' for name, written in parts.items()) + "}")


def sheet(*rows: list[object], head: tuple[str, ...] = ("response_id", "annotator", "score")) -> bytes:
    book = openpyxl.Workbook()
    for row in (list(head), ["r1", "ann", 2], *rows):
        book.active.append(row)
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def parquet(**columns: list[object]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def archive(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            packed.writestr(name, content)
    return file.getvalue()


def bomb_in_a_workbook() -> bytes:
    """200 MB of blanks in a sheet of some 200 kB."""
    whole = io.BytesIO(sheet())
    file = io.BytesIO()
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in source.namelist():
            if name == "xl/worksheets/sheet1.xml":
                with packed.open(name, "w") as member:
                    for _ in range(200):
                        member.write(b" " * 1024**2)
            else:
                packed.writestr(name, source.read(name))
    return file.getvalue()


def two_blocks() -> bytes:
    return sheet(head=("response_id", "annotator", "score", None, "response_id", "score"))


NFD = unicodedata.normalize("NFD", "é")
Maker = Callable[[], bytes]

# By name: the content, its place (unit, line, column; None where it is the file as a whole), a part of the reason.
BAD: dict[str, tuple[Maker, tuple[str, int | None, str | None], str]] = {
    # --- what is no table at all ---
    "nothing.csv": (lambda: b"", ("line", 1, ""), "empty"),
    "blank.jsonl": (lambda: b"\n\n  \n", ("line", 1, ""), "empty"),
    "picture.csv": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(64), ("line", None, ""), ""),
    "paper.csv": (lambda: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", ("line", None, ""), "PDF"),
    "old.xls": (lambda: bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), ("line", None, ""), ".xlsx"),
    "packed.csv.gz": (lambda: b"\x1f\x8b\x08\x00" + bytes(40), ("line", None, ""), "unpack"),
    "page.csv": (lambda: b"<!DOCTYPE html>\n<html><body><table>", ("line", None, ""), "web page"),
    "cut.parquet": (lambda: parquet(score=[1, 2])[:-20], ("line", None, ""), ""),
    "cut.xlsx": (lambda: sheet()[:-400], ("line", None, ""), "damaged"),
    # --- encodings ---
    "half of an utf-16.tsv": (lambda: "a\tb\n".encode("utf-16")[:-1], ("line", None, None), "utf-16"),
    "not utf-8 after much.jsonl": (
        lambda: jsonl() + b'{"id": "n2", "text": "caf\xff\xfe\x81"}\n',
        ("line", None, None),
        "",
    ),
    # --- headers ---
    "header again.csv": (lambda: scores("response_id,annotator,score"), ("line", 3, None), "header"),
    "two names.csv": (
        lambda: csv_of("r1,a,2,1", head="response_id,annotator,score,score\n"),
        ("line", 1, "score"),
        "twice",
    ),
    "formula first.csv": (lambda: b"=cmd|' /C calc'!A0,score\nx,1\n", ("line", 1, None), "formula"),
    "title above.csv": (lambda: b"Ratings of May,,\n" + csv_of("r1,ann,2"), ("line", 1, None), "header"),
    "no score column.csv": (
        lambda: csv_of("r1,ann", head="response_id,annotator\n"),
        ("line", None, ""),
        "column",
    ),
    "two blocks.xlsx": (two_blocks, ("row", 1, None), "side by side"),
    # --- rows ---
    "semicolon in the middle.csv": (lambda: scores("r2;ann;1"), ("line", 3, None), "1 cell"),
    "cell too many.csv": (lambda: scores("r2,ann,1,fine, thanks"), ("line", 3, None), "5 cells"),
    "open quote.csv": (lambda: scores('r2,"ann,1'), ("line", 3, None), "quote"),
    "nul.csv": (lambda: csv_of("r1,ann,2", "r\x002,ann,1"), ("line", 3, None), "NUL"),
    # --- scores ---
    "four.csv": (lambda: scores("r2,ann,4"), ("line", 3, "score"), "4"),
    "minus one.csv": (lambda: scores("r2,ann,-1"), ("line", 3, "score"), "-1"),
    "a half.csv": (lambda: scores("r2,ann,1.5"), ("line", 3, "score"), "1.5"),
    "two point zero one.csv": (lambda: scores("r2,ann,2.01"), ("line", 3, "score"), "2.01"),
    "true.csv": (lambda: scores("r2,ann,TRUE"), ("line", 3, "score"), "TRUE"),
    "a word.csv": (lambda: scores("r2,ann,good"), ("line", 3, "score"), "good"),
    "no annotator.csv": (lambda: scores("r2,,1"), ("line", 3, "annotator"), ""),
    "unknown response.csv": (lambda: scores("r9,ann,1"), ("line", 3, "response_id"), "no response"),
    "other case.csv": (lambda: scores("R1,ann,1"), ("line", 3, "response_id"), "no response"),
    "other form.csv": (lambda: scores(f"{NFD},ann,1"), ("line", 3, "response_id"), "no response"),
    "annotator in other case.csv": (lambda: scores("r2,Ann,1"), ("line", 3, "annotator"), "case"),
    "two scores.csv": (lambda: scores("r1,ann,1"), ("line", 3, "score"), "2 on line 2"),
    "true.jsonl": (
        lambda: (
            b'{"response_id": "r1", "annotator": "a", "score": 2}\n'
            b'{"response_id": "r2", "annotator": "a", "score": true}\n'
        ),
        ("line", 2, "score"),
        "true",
    ),
    "nan.jsonl": (
        lambda: (
            b'{"response_id": "r1", "annotator": "a", "score": 2}\n'
            b'{"response_id": "r2", "annotator": "a", "score": NaN}\n'
        ),
        ("line", 2, "score"),
        "NaN",
    ),
    "infinity.jsonl": (
        lambda: (
            b'{"response_id": "r1", "annotator": "a", "score": 2}\n'
            b'{"response_id": "r2", "annotator": "a", "score": Infinity}\n'
        ),
        ("line", 2, "score"),
        "Infinity",
    ),
    "four.xlsx": (lambda: sheet(["r2", "ann", 4]), ("row", 3, "score"), "4"),
    "formula.xlsx": (lambda: sheet(["r2", "ann", "=1+1"]), ("row", 3, "score"), "formula"),
    "true.xlsx": (lambda: sheet(["r2", "ann", True]), ("row", 3, "score"), "true"),
    "a day.xlsx": (lambda: sheet(["r2", "ann", NOW.replace(tzinfo=None)]), ("row", 3, "score"), "2026"),
    "nan.parquet": (
        lambda: parquet(response_id=["r1", "r2"], annotator=["a", "a"], score=[1.0, float("nan")]),
        ("row", 2, "score"),
        "NaN",
    ),
    "four.parquet": (
        lambda: parquet(response_id=["r1", "r2"], annotator=["a", "a"], score=pa.array([1, 4], pa.int8())),
        ("row", 2, "score"),
        "4",
    ),
    # --- texts ---
    "true text.jsonl": (lambda: text_of(text=True), ("line", 2, "text"), "true"),
    "null text.jsonl": (lambda: text_of(text=None), ("line", 2, "text"), "missing"),
    "blank text.jsonl": (lambda: text_of(text=" \n"), ("line", 2, "text"), "empty"),
    "number as text.jsonl": (lambda: text_of(text=5), ("line", 2, "text"), "5"),
    "half a pair.jsonl": (lambda: literal("text", '"\\ud83d"'), ("line", 2, "text"), "U+D83D"),
    "nul in text.jsonl": (lambda: literal("text", '"a\\u0000b"'), ("line", 2, "text"), "NUL"),
    "no prompt.jsonl": (lambda: text_of(prompt_id=None), ("line", 2, "prompt_id"), ""),
    "id twice.jsonl": (lambda: text_of(id="n1", text="Another."), ("line", 2, "id"), "line 1"),
    "id in other case.jsonl": (lambda: text_of(id="N1"), ("line", 2, "id"), "case"),
    "id in other form.jsonl": (
        lambda: jsonl({**GOOD, "id": "né"}, {**GOOD, "id": "n" + NFD}),
        ("line", 3, "id"),
        "Unicode form",
    ),
    "stored id in other case.jsonl": (lambda: text_of(id="R1"), ("line", 2, "id"), "is stored"),
    "prompt in other case.jsonl": (lambda: text_of(prompt_id="P1"), ("line", 2, "prompt_id"), "case"),
    "padded id.jsonl": (lambda: text_of(id="n2 "), ("line", 2, "id"), "white space"),
    "another prompt text.jsonl": (
        lambda: jsonl(
            *({**GOOD, "id": f"n{n}", "prompt_id": "p2", "prompt": text} for n, text in ((2, "A"), (3, "B")))
        ),
        ("line", 3, "prompt"),
        "line 2",
    ),
    "stored with another text.jsonl": (
        lambda: text_of(id="r1", prompt_id="p0"),
        ("line", 2, "text"),
        "overwritten",
    ),
    "unknown genre.jsonl": (lambda: text_of(genre="haibun"), ("line", 2, "genre"), "it has"),
    "long language.jsonl": (lambda: text_of(language="x" * 40), ("line", 2, "language"), "40"),
    # --- JSON ---
    "doubled key.jsonl": (lambda: jsonl('{"id": "n2", "id": "n3"}'), ("line", 2, "id"), "twice"),
    "deep.jsonl": (lambda: literal("parameters", "[" * 5000 + "]" * 5000), ("line", 2, None), "deep"),
    "cut.jsonl": (lambda: jsonl('{"id": "n2", "text'), ("line", 2, None), "JSON"),
    "a number.jsonl": (lambda: jsonl("3"), ("line", 2, None), "object"),
    "open array.json": (
        lambda: b'[{"id": "n1", "prompt_id": "p1", "text": "Once."},',
        ("item", None, None),
        "",
    ),
    "deep.json": (lambda: b"[" * 5000 + b"]" * 5000, ("item", None, None), ""),
    "huge number.jsonl": (lambda: literal("length", "1" * 5000), ("line", 2, None), "5000 digits"),
    # --- size, archives, names ---
    "one long line.jsonl": (
        lambda: b'{"id": "n1", "prompt_id": "p1", "text": "' + b"x" * 60 * 1024**2 + b'"}\n',
        ("line", 1, ""),
        "MiB",
    ),
    "bomb.xlsx": (bomb_in_a_workbook, ("row", None, None), ""),
    "bomb.zip": (lambda: archive(("s.csv", bytes(300 * 1024**2))), ("line", None, None), ""),
    "outside.zip": (lambda: archive(("../../s.csv", csv_of("r1,a,1"))), ("line", None, None), "path"),
    "absolute.zip": (lambda: archive(("/etc/s.csv", csv_of("r1,a,1"))), ("line", None, None), "path"),
    "nested.zip": (lambda: archive(("in.zip", archive(("s.csv", b"a")))), ("line", None, None), "zip"),
    "nothing in it.zip": (archive, ("line", None, None), ""),
}


def counts() -> list[int]:
    return [table.objects.count() for table in TABLES]


def refusal(project, name: str, content: bytes) -> tuple[str, str, int | None, str, str]:
    """(file, unit, line, column, reason) of the first thing that was refused, at the upload or by the check."""
    try:
        found = imports.upload(project, [(name, [content])], by=None, now=NOW)
        job = imports.request(found, "check", by=None, now=NOW)
    except InputError as error:
        return error.source, error.unit, error.line, error.column, error.reason
    except Exception as error:  # a sentence without a place: what is missing is a column as a whole
        return name, "line", None, "", str(error)
    imports_run.execute(job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    assert job.state == "done", job.error
    assert job.report["problems"], "nothing was refused"
    problem = job.report["problems"][0]
    reason = problem["reason"]["template"].format(**problem["reason"]["values"])
    return problem["file"], problem["unit"], problem["line"], problem["column"], reason


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_a_sentence_with_its_place_and_nothing_is_written(project, name):
    make, (unit, line, column), words = BAD[name]
    content = make()
    before = counts()
    tracemalloc.start()
    file, given_unit, given_line, given_column, reason = refusal(project, name, content)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert file.startswith(name)
    if line is not None:
        assert (given_unit, given_line) == (unit, line), reason
    if column is not None:
        assert given_column == column, reason
    assert words in reason
    assert re.search(r"[a-z]", reason)
    assert peak < MEMORY
    assert counts() == before


def test_there_are_at_least_sixty_of_them():
    assert len(BAD) >= 60


# --- Near misses, which are fine ---------------------------------------------------------------------

FINE: dict[str, Maker] = {
    "two point zero.csv": lambda: scores("r2,ann,2.0"),
    "index.csv": lambda: csv_of("0,r1,ann,2", "1,r2,ann,1", head=",response_id,annotator,score\n"),
    "semicolons.csv": lambda: csv_of("r1;ann;2", "r2;ann;0", head="response_id;annotator;score\n"),
    "mark.csv": lambda: b"\xef\xbb\xbf" + scores("r2,ann,0"),
    "utf-16.csv": lambda: csv_of("r1,ann,2", "r2,änn,0", encoding="utf-16"),
    "latin.csv": lambda: csv_of("r1,ann,2", "Straße,ann,0", encoding="cp1252"),
    "lines within.csv": lambda: csv_of('r1,ann,2,"One\ntwo"', head="response_id,annotator,score,comment\n"),
    "sheet.xlsx": lambda: sheet(["r2", "ann", 0.0]),
    "table.parquet": lambda: parquet(response_id=["r1"], annotator=["a"], score=pa.array([2], pa.int8())),
    "markup.jsonl": lambda: text_of(text="<div>" * 100_000),
    "formula as text.jsonl": lambda: text_of(text="=SUM(A1:A2) was all he wrote."),
}


@pytest.mark.parametrize("name", FINE)
def test_a_file_that_only_looks_odd_is_taken(project, name):
    found = imports.upload(project, [(name, [FINE[name]()])], by=None, now=NOW)
    job = imports.request(found, "check", by=None, now=NOW)
    imports_run.execute(job.pk, clock=lambda: NOW)
    job.refresh_from_db()
    assert (job.state, job.report["refused"]) == ("done", 0), (job.error, job.report["problems"][:2])
    assert job.report["scores"] + job.report["responses"] > 0


def test_a_path_in_a_files_name_is_a_name_and_no_place(project, settings):
    found = imports.upload(project, [("../../../etc/passwd.csv", [scores()])], by=None, now=NOW)
    kept = settings.IMPORTS_DIR / found.files[0]["path"]
    assert kept.parent == settings.IMPORTS_DIR
    assert kept.exists()
    assert "/" not in found.files[0]["path"]
