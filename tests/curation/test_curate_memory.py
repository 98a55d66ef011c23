"""Releases from files: what is held of the texts meanwhile, and what is read of the files."""

import io
import os
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from annotation.domain import shelf
from curation.domain import recipes
from curation.services import directory, from_files
from curation.services.from_files import Label
from curation.services.watching import Watcher
from tests.curation.file_releases import responses, scores, tree, write_input, write_rows

pytestmark = pytest.mark.files

MIB = 2**20
N_TEXTS = 300
SHORT, LONG = 35_000, 150_000  # characters of a text, in a few words: many would take long to trace
OF_KIND = {
    "writing-preference": {},
    "litbench": {"min_words": 0, "max_tokens": None},
    "weval": {"pairs": "all"},
}


@pytest.fixture
def given(tmp_path):
    folder = tmp_path / "input"
    folder.mkdir()
    return write_input(folder)


def release(files: dict[str, Path], out: Path, kind: str, watcher: Watcher | None = None) -> None:
    recipe = recipes.recipe(kind, OF_KIND[kind])
    from_files.release(files, out, recipe=recipe, label=Label("x", "0.1.0"), watcher=watcher)


def curate(given, out: Path, *options: str, **streams) -> None:
    files = (f"--responses={given[0]}", f"--scores={given[1]}")
    call_command("curate", "--recipe=writing-preference", *files, f"--out={out}", *options, **streams)


# --- memory -------------------------------------------------------------------------------------------------


def files_of(folder: Path, length: int) -> dict[str, Path]:
    """Material for every recipe, with texts of so many characters."""
    folder.mkdir()
    rows = [
        {
            "id": f"r{number:03}",
            "prompt_id": f"p{number // 5}",
            "text": f"{number} " + "o" * length + " boat" * (number % 7),
            "upvotes": 10 + number * 7 % 90,
            "posted_at": f"2026-03-{1 + number % 28:02}T10:00:00Z",
            "kept_requirements": 1 + number % 5,
        }
        for number in range(N_TEXTS)
    ]
    of_scores = [{key: row[key] for key in ("id", "prompt_id", "text")} for row in rows]
    given = [
        {"response_id": row["id"], "annotator": annotator, "score": place % 4}
        for place, row in enumerate(rows)
        for annotator in ("Ann", "Ben")
    ]
    return {
        "all": write_rows(folder / "R.jsonl", rows),
        "scored": write_rows(folder / "W.jsonl", of_scores),
        "scores": write_rows(folder / "S.jsonl", given),
    }


def peak(folder: Path, length: int, kind: str) -> int:
    files = files_of(folder, length)
    given = {"responses": files["all"]}
    if kind == "writing-preference":
        given = {"responses": files["scored"], "scores": files["scores"]}
    tracemalloc.start()
    try:
        release(given, folder / "D", kind)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", sorted(OF_KIND))
def test_memory_does_not_grow_with_the_length_of_the_texts(tmp_path, kind):
    peak(tmp_path / "first", SHORT, kind)  # what is made once
    short, long = peak(tmp_path / "short", SHORT, kind), peak(tmp_path / "long", LONG, kind)
    sizes = [(tmp_path / name / "W.jsonl").stat().st_size for name in ("short", "long")]
    assert sizes[1] - sizes[0] > 30 * MIB
    # A row or two: what a judge is asked holds both texts, and orjson sets aside eight bytes for a character.
    assert long - short < 6 * MIB


# --- what is read -------------------------------------------------------------------------------------------


class Meddler(Watcher):
    """Does something as soon as the responses were read."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act

    def stage(self, name: str, total: int = 0) -> None:
        if name.startswith("Measuring 12 texts"):
            self._act()


@pytest.mark.parametrize("act", [lambda path: path.write_text("{}\n"), lambda path: path.unlink()])
def test_a_file_that_changes_after_it_was_read_makes_no_difference(given, tmp_path, act):
    files = {"responses": given[0], "scores": given[1]}
    release(files, tmp_path / "D", "writing-preference")
    release(files, tmp_path / "E", "writing-preference", Meddler(lambda: act(given[0])))
    assert tree(tmp_path / "D") == tree(tmp_path / "E")


def piped(path: Path, content: bytes) -> Path:
    """A pipe into which the content is written as soon as it is read."""
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(content,), daemon=True).start()
    return path


@pytest.mark.parametrize("is_terminal", [False, True])
def test_files_may_be_pipes(given, tmp_path, is_terminal):
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return is_terminal

    curate(given, tmp_path / "D", stdout=io.StringIO())
    pipes = [piped(tmp_path / path.name, path.read_bytes()) for path in given]
    curate(pipes, tmp_path / "E", stdout=io.StringIO(), stderr=Stream())
    assert tree(tmp_path / "D") == tree(tmp_path / "E")


def test_parquet_through_a_pipe_is_refused(given, tmp_path):
    os.mkfifo(tmp_path / "R.parquet")
    with pytest.raises(CommandError, match=r"R\.parquet: a pipe can be read only.*; save it as a file"):
        curate((tmp_path / "R.parquet", given[1]), tmp_path / "D")
    assert not (tmp_path / "D").exists()


def test_every_layout_gives_the_same_bytes(given, tmp_path):
    curate(given, tmp_path / "D", stdout=io.StringIO())
    tables = tmp_path / "R.parquet", tmp_path / "S.parquet"
    for path, rows in zip(tables, (responses(), scores()), strict=True):
        pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=5)
    curate(tables, tmp_path / "E", stdout=io.StringIO())
    assert tree(tmp_path / "D") == tree(tmp_path / "E")


# --- where texts wait ---------------------------------------------------------------------------------------


def test_texts_wait_where_the_release_will_be_in_a_file_without_a_name(given, tmp_path, monkeypatch):
    seen = []

    class Spy(shelf.Shelf):
        def __init__(self, file) -> None:
            super().__init__(file)
            status = os.fstat(file.fileno())
            seen.append((status.st_nlink, status.st_dev == (tmp_path).stat().st_dev))

    monkeypatch.setattr(from_files, "Shelf", Spy)
    curate(given, tmp_path / "new" / "D", stdout=io.StringIO())
    assert seen == [(0, True)]
    assert sorted(entry.name for entry in (tmp_path / "new").iterdir()) == ["D"]


def test_a_full_disk_is_told_and_leaves_nothing(given, tmp_path, monkeypatch):
    def full(self, row):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shelf.Shelf, "lay", full)
    with pytest.raises(CommandError, match=r"D cannot be written: No space left on device\. Nothing new"):
        curate(given, tmp_path / "new" / "D")
    assert not (tmp_path / "new").exists()


def test_a_place_where_nothing_can_be_written_is_refused_before_anything_is_read(given, tmp_path):
    (tmp_path / "file").write_text("")
    files = {"responses": given[0], "scores": given[1]}
    with pytest.raises(directory.DirectoryError, match="cannot be written"):
        release(files, tmp_path / "file" / "D", "writing-preference", Meddler(pytest.fail))
