"""How much memory reading takes, in a process of its own: it does not grow with the file."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.domain.source_files import bomb

STATUS = Path("/proc/self/status")
pytestmark = [
    pytest.mark.files,
    pytest.mark.skipif(
        not STATUS.exists(), reason="the peak of memory is read from /proc, which is not here"
    ),
]
ROOT = Path(__file__).resolve().parents[2]

CHILD = """
import json, sys
from pathlib import Path
from annotation.domain.records import InputError
from annotation.domain.sources import detect, members, read_any

def memory(kind):
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(kind)) / 1024

def read(path, into):
    count = 0
    try:
        for name, member in members(path, name=path.name, into=into):
            for _ in read_any(member, detect(member, name=name), name=name):
                count += 1
    except InputError as error:
        return count, str(error)
    return count, ""

into = Path(sys.argv[1]) / "into"
into.mkdir()
read(Path(sys.argv[1]) / "small.csv", into)
start = memory("VmRSS")
found = {}
for path in sorted(Path(sys.argv[1]).glob("*.*")):
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
    rows, error = read(path, into)
    found[path.name] = (rows, error, memory("VmHWM") - start)
print(json.dumps(found))
"""

MEGABYTE = "x" * 1_000_000
LINE = 60  # megabytes
SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
ROW = (
    '<row r="{n}" ht="45" customHeight="1"><c r="A{n}"><v>{n}</v></c>'
    '<c r="B{n}" t="inlineStr"><is><t>text {n}</t></is></c></row>'
)
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def write(path: Path, before: str, after: str, times: int, piece: str = MEGABYTE) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(before)
        for _ in range(times):
            file.write(piece)
        file.write(after)


def write_workbook(path: Path, rows: int) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        book = f'<workbook xmlns:r="{RELATIONS}"><sheets><sheet name="S" r:id="a"/></sheets></workbook>'
        archive.writestr("xl/workbook.xml", book)
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships><Relationship Id="a" Type="/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        with archive.open("xl/worksheets/sheet1.xml", "w") as sheet:
            head = ROW.format(n=1).replace('<c r="A1"><v>1</v>', '<c r="A1" t="str"><v>id</v>')
            sheet.write((SHEET + head).encode())
            for n in range(2, rows + 2):
                sheet.write(ROW.format(n=n).encode())
            sheet.write(b"</sheetData></worksheet>")


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict[str, tuple[int, str, float]]:
    folder = tmp_path_factory.mktemp("large")
    row = json.dumps({"id": "a", "text": "天气 " * 100}, ensure_ascii=False)
    write(folder / "small.csv", "id,text\n", "", 10, "a,x\n")
    write(folder / "line.jsonl", '{"id": "a"}\n{"id": "', '"}\n', LINE)
    write(folder / "line.csv", "id,text\na,1\nb,", "\n", LINE)
    write(folder / "quote.csv", 'id,text\na,1\nb,"', "\n", LINE * 1000, "x" * 999 + "\n")
    write(folder / "item.json", '[{"id": "a"}, {"id": "', '"}]', LINE)
    write(folder / "object.json", '{"id": "', '"}', LINE)
    write(folder / "deep.json", "", "", LINE, "[" * 1_000_000)
    write(folder / "rows.jsonl", "", "", 20_000, row + "\n")
    write(folder / "rows.json", '{"data": [' + row, "]}", 20_000, ",\n" + row)
    write(folder / "rows.csv", "id,text\n", "", 20_000, "a,天气天气天气天气天气\n")
    write_workbook(folder / "rows.xlsx", 10_000)
    (folder / "bomb.xlsx").write_bytes(bomb("xl/workbook.xml", 200))
    (folder / "bomb.zip").write_bytes(bomb("rows.csv", 200))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, folder], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


REFUSED = {
    "line.jsonl": (1, "line 2: the line is longer than 32 MiB", 45),
    "line.csv": (1, "line 3: the line is longer than 32 MiB", 45),
    "quote.csv": (1, "line 3, column 1: the row that starts here is longer than 8 MiB", 90),
    "item.json": (1, "item 2: the item is longer than 32 MiB", 45),
    "object.json": (0, "item 1: the item is longer than 32 MiB", 45),
    "deep.json": (0, "item 1: the value is nested too deep", 10),
    "bomb.xlsx": (0, "to 200 MB when unpacked", 10),
    "bomb.zip": (0, "to 200 MB when unpacked", 10),
}


@pytest.mark.parametrize(("name", "expected"), REFUSED.items(), ids=REFUSED)
def test_what_would_fill_the_memory_is_refused_before_it_does(found, name, expected):
    rows, error, grown = found[name]
    count, reason, most = expected
    assert (rows, reason in error) == (count, True), error
    assert grown < most


@pytest.mark.parametrize(
    ("name", "count"),
    [("rows.jsonl", 20_000), ("rows.json", 20_001), ("rows.csv", 20_000), ("rows.xlsx", 10_000)],
)
def test_rows_are_read_one_by_one(found, name, count):
    rows, error, grown = found[name]
    assert (rows, error) == (count, "")
    assert grown < 15
