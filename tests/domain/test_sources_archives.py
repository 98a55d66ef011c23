"""Zip archives of several files: what is taken out of them, under which names, and what is not trusted."""

import stat
import struct
import zipfile
from pathlib import Path

import openpyxl
import pytest

from annotation.domain.records import InputError
from annotation.domain.sources import archives, detect, members
from tests.domain.source_files import bomb, made, values_of

pytestmark = pytest.mark.files


@pytest.fixture
def into(tmp_path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def zipped(folder: Path, files: dict[str, bytes] | list[tuple[str | zipfile.ZipInfo, bytes]]) -> Path:
    path = folder / "files.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items() if isinstance(files, dict) else files:
            archive.writestr(name, content)
    return path


def refusal(path: Path, into: Path) -> InputError:
    """Nothing is left behind, and nothing stands outside of the folder."""
    around = sorted(into.parent.iterdir())
    with pytest.raises(InputError) as caught:
        members(path, name=path.name, into=into)
    assert list(into.iterdir()) == []
    assert sorted(into.parent.iterdir()) == around
    assert ";" in caught.value.reason
    assert hasattr(caught.value.reason, "template")
    return caught.value


def test_the_tables_of_an_archive_come_in_its_order_under_random_names(tmp_path, into):
    files = {"b/anna.jsonl": b'{"id": 1}\n', "a/bert.csv": b"id\n2\n"}
    found = members(zipped(tmp_path, files), name="files.zip", into=into)
    assert [name for name, _ in found] == ["b/anna.jsonl", "a/bert.csv"]
    assert [path.read_bytes() for _, path in found] == list(files.values())
    assert all(
        path.parent == into and "anna" not in path.name and "bert" not in path.name for _, path in found
    )
    assert [values_of(path) for _, path in found] == [[{"id": 1}], [{"id": "2"}]]


def test_what_is_no_table_is_left_out(tmp_path, into):
    names = ("README.md", "a/.DS_Store", "__MACOSX/a/._x.csv", "._x.csv", "a/picture.png", ".hidden.csv")
    litter = dict.fromkeys(names, b"x")
    found = members(zipped(tmp_path, {**litter, "a/": b"", "a/x.csv": b"id\n1\n"}), name="z", into=into)
    assert [name for name, _ in found] == ["a/x.csv"]


@pytest.mark.parametrize("name", ["rows.csv", "rows.bin", "rows.xlsx"])
def test_any_other_file_is_its_only_member(tmp_path, into, name):
    path = made(tmp_path, "id\n1\n", name)
    assert members(path, name="mine.csv", into=into) == [("mine.csv", path)]


def test_a_workbook_is_no_archive_of_files(tmp_path, into):
    openpyxl.Workbook().save(tmp_path / "rows.xlsx")
    path = tmp_path / "rows.xlsx"
    assert members(path, name="rows.xlsx", into=into) == [("rows.xlsx", path)]


def test_a_workbook_may_lie_in_an_archive(tmp_path, into):
    book = openpyxl.Workbook()
    book.active.append(["id"])
    book.active.append([1])
    book.save(tmp_path / "rows.xlsx")
    found = members(
        zipped(tmp_path, {"rows.xlsx": (tmp_path / "rows.xlsx").read_bytes()}), name="z", into=into
    )
    assert values_of(found[0][1]) == [{"id": 1}]


@pytest.mark.parametrize(
    ("name", "encoding"), [("张三", "utf-8"), ("张三", "gb18030"), ("Andrés", "utf-8"), ("Andrés", "cp437")]
)
def test_names_of_old_programs_are_read(tmp_path, into, name, encoding):
    written = name.encode(encoding)
    path = zipped(tmp_path, {"#" * len(written) + ".csv": b"id\n1\n"})
    path.write_bytes(path.read_bytes().replace(b"#" * len(written), written))
    assert [label for label, _ in members(path, name="z", into=into)] == [f"{name}.csv"]


@pytest.mark.parametrize(
    "name", ["CON.csv", "a" * 300 + ".csv", "NUL.csv", "a b;c&d.csv", "-rf.csv", "12:30.csv"]
)
def test_a_name_that_only_some_systems_fear_decides_nothing(tmp_path, into, name):
    found = members(zipped(tmp_path, {name: b"id\n1\n"}), name="z", into=into)
    assert [label for label, _ in found] == [name]
    assert [path.parent for _, path in found] == [into]


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("link.csv")
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


HOSTILE = {
    "a parent": ("../evil.csv", "leads elsewhere; pack the files again"),
    "a parent within": ("a/../../evil.csv", "'a/../../evil.csv', which leads elsewhere"),
    "an absolute path": ("/etc/evil.csv", "leads elsewhere"),
    "a drive": ("C:\\evil.csv", "leads elsewhere"),
    "backslashes": ("..\\evil.csv", "leads elsewhere"),
    "a link": (link(), "'link.csv' in the archive is a link to another file; pack"),
    "an archive within": ("inner.zip", "holds another archive, 'inner.zip'; unpack"),
    "a packed table within": ("rows.csv.gz", "holds another archive"),
}


@pytest.mark.parametrize(("name", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_path_that_leads_elsewhere_is_refused_with_the_whole_archive(tmp_path, into, name, reason):
    path = zipped(tmp_path, [("good.csv", b"id\n1\n"), (name, b"id\n1\n")])
    error = refusal(path, into)
    assert error.source == "files.zip"
    assert reason in error.reason


def test_a_nul_in_a_name_is_refused(tmp_path, into):
    path = zipped(tmp_path, {"good.csv?.exe.csv": b"id\n1\n"})
    path.write_bytes(path.read_bytes().replace(b"good.csv?", b"good.csv\0"))
    assert "'good.csv\\x00.exe.csv', which leads elsewhere" in refusal(path, into).reason


def test_an_archive_under_the_name_of_a_table_is_refused_and_what_came_before_is_gone(tmp_path, into):
    inner = zipped(tmp_path, {"x.csv": b"id\n1\n"}).read_bytes()
    path = zipped(tmp_path, {"good.csv": b"id\n1\n", "x.csv": inner})
    assert "holds another archive, 'x.csv'" in refusal(path, into).reason


def test_two_files_of_one_name_are_refused(tmp_path, into):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = zipped(tmp_path, [("x.csv", b"id\n1\n"), ("x.csv", b"id\n2\n")])
    assert "two files named 'x.csv'; rename one" in refusal(path, into).reason


def test_an_archive_without_a_table_is_refused(tmp_path, into):
    assert "holds no table; it may hold .csv" in refusal(zipped(tmp_path, {"README.md": b"x"}), into).reason
    assert "holds no table" in refusal(zipped(tmp_path, {}), into).reason


def test_too_many_files_are_refused_before_their_list_is_read(tmp_path, into, monkeypatch):
    path = zipped(tmp_path, {f"{number}.csv": b"id\n1\n" for number in range(11)})
    assert len(members(path, name="z", into=into)) == 11
    for file in into.iterdir():
        file.unlink()
    monkeypatch.setattr(archives, "MAX_MEMBERS", 10)
    assert "too many files; the most is 10" in refusal(path, into).reason


def test_a_list_of_files_that_is_too_long_is_refused(tmp_path, into, monkeypatch):
    path = zipped(tmp_path, {"x.csv": b"id\n1\n"})
    monkeypatch.setattr(archives, "MAX_DIRECTORY", 10)
    assert "too many files" in refusal(path, into).reason


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, into):
    path = made(tmp_path, bomb("rows.csv", 200), "bomb.zip")
    assert "would grow from" in refusal(path, into).reason
    small = made(tmp_path, bomb("rows.csv", 10), "small.zip")
    assert members(small, name="z", into=into)[0][1].stat().st_size == 10_000_000


def test_a_bomb_that_lies_about_its_size_writes_no_more_than_it_says(tmp_path, into):
    content = bomb("rows.csv", 200)
    lying = content.replace((200_000_000).to_bytes(4, "little"), (1_000_000).to_bytes(4, "little"))
    assert "damaged" in refusal(made(tmp_path, lying, "bomb.zip"), into).reason


def test_an_archive_with_a_password_is_refused(tmp_path, into):
    path = zipped(tmp_path, {"x.csv": b"id\n1\n"})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    assert "protected by a password; save it without" in refusal(path, into).reason


def test_an_archive_cut_off_or_changed_is_damaged(tmp_path, into):
    whole = zipped(tmp_path, {"x.csv": b"id\n" + b"1\n" * 1000, "y.csv": b"id\n1\n"}).read_bytes()
    for size in range(10, len(whole), 23):
        assert "damaged" in refusal(made(tmp_path, whole[:size], "cut.zip"), into).reason
    changed = bytearray(whole)
    changed[45] ^= 0xFF
    assert "damaged" in refusal(made(tmp_path, bytes(changed), "changed.zip"), into).reason


@pytest.mark.parametrize("offset", [10_000, 2**63 - 1, 2**64 - 1])
def test_an_archive_that_points_behind_its_end_is_damaged(tmp_path, into, offset):
    whole = zipped(tmp_path, {"x.csv": b"id\n1\n"}).read_bytes()
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, offset, 1)
    at = whole.rindex(b"PK\x05\x06")
    assert "damaged" in refusal(made(tmp_path, whole[:at] + locator + whole[at:], "end.zip"), into).reason
    member = bytearray(whole)
    begin = member.index(b"PK\x01\x02") + 42
    member[begin : begin + 4] = struct.pack("<L", min(offset, 2**32 - 2))
    assert "damaged" in refusal(made(tmp_path, bytes(member), "member.zip"), into).reason


def test_an_archive_is_no_table(tmp_path):
    path = zipped(tmp_path, {"x.csv": b"id\n1\n"})
    with pytest.raises(InputError, match="a zip archive and no table; unpack it first"):
        detect(path, name="files.csv")
