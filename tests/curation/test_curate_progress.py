"""manage.py curate: how far it is, on a terminal; and that nothing is left half done where it is stopped."""

import io
import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from django.core.management import CommandError, call_command

from curation.domain import recipes
from curation.management import bar
from curation.management.bar import Bar
from curation.services import directory, from_files
from curation.services.from_files import Label
from curation.services.watching import Watcher
from tests.curation.file_releases import ROOT, tree, write_input

pytestmark = pytest.mark.files


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def given(tmp_path):
    folder = tmp_path / "input"
    folder.mkdir()
    return write_input(folder)


def curate(given, out, *options, **streams) -> None:
    files = (f"--responses={given[0]}", f"--scores={given[1]}")
    call_command("curate", "--recipe=writing-preference", *files, f"--out={out}", *options, **streams)


def shown_on_a_terminal(given, out, *options: str) -> str:
    terminal = Terminal()
    curate(given, out, *options, stdout=io.StringIO(), stderr=terminal)
    return terminal.getvalue()


# --- what is shown ------------------------------------------------------------------------------------------


def test_a_terminal_is_shown_each_stage_in_one_line_that_goes_away(given, tmp_path):
    shown = shown_on_a_terminal(given, tmp_path / "D")
    stages = (
        "Reading R.jsonl",
        "Reading S.jsonl",
        "Measuring agreement of 36 scores",
        "Drawing 3 clusters anew",
        "Measuring 12 texts",
        "Comparing texts",
        "Forming pairs of 12 responses",
        "Writing",
    )
    places = [shown.index(stage) for stage in stages]
    assert places == sorted(places)
    assert "\n" not in shown
    assert shown.endswith("\r")
    assert not shown.rsplit("\r", 2)[-2].strip()


def test_each_long_step_says_how_far_it_is(given, tmp_path):
    told: dict[str, list[int]] = {}

    class Told(Watcher):
        listens = True

        def stage(self, name: str, total: int = 0) -> None:
            told[name] = [total]

        def reach(self, done: int) -> None:
            next(reversed(told.values())).append(done)

    files = {"responses": given[0], "scores": given[1]}
    recipe = recipes.recipe("writing-preference", {})
    from_files.release(files, tmp_path / "D", recipe=recipe, label=Label("x", "0.1.0"), watcher=Told())
    assert told["Measuring 12 texts"] == [12, *range(12)]
    assert told["Comparing texts"] == [3, *range(3)]
    drawn = told["Drawing 3 clusters anew"]
    assert drawn[0] == drawn[-1] == 2000


def test_nothing_is_shown_with_json_or_where_there_is_no_terminal(given, tmp_path):
    assert shown_on_a_terminal(given, tmp_path / "D", "--json") == ""
    plain = io.StringIO()
    curate(given, tmp_path / "E", stdout=io.StringIO(), stderr=plain)
    assert plain.getvalue() == ""


def test_watching_changes_no_byte(given, tmp_path):
    shown_on_a_terminal(given, tmp_path / "D")
    curate(given, tmp_path / "E", stdout=io.StringIO())
    assert tree(tmp_path / "D") == tree(tmp_path / "E")


def test_a_refusal_takes_the_bar_away_first(given, tmp_path):
    given[1].write_text('{"response_id": "pa", "annotator": "Ann", "score": 1}\n{"response_id": "pa"}\n')
    terminal = Terminal()
    with pytest.raises(CommandError, match="line 2"):
        curate(given, tmp_path / "D", stderr=terminal)
    assert terminal.getvalue().endswith("\r")


def test_a_bar_fills_and_never_overflows():
    assert bar.line("Writing", 0, 10) == "Writing [........................]   0 %  0 of 10"
    assert bar.line("Writing", 5, 10) == "Writing [############............]  50 %  5 of 10"
    assert bar.line("Writing", 11, 10) == "Writing [########################] 100 %  11 of 10"
    assert bar.line("Forming pairs", 0, 0) == "Forming pairs ..."
    assert len(bar.line("Reading " + "x" * 200, 999_999_999, 1_000_000_000)) <= bar.MOST
    assert len(bar.line("Reading " + "x" * 200, 0, 0)) <= bar.MOST


def test_a_bar_is_written_ten_times_a_second_at_most_and_covers_what_was_there():
    written: list[str] = []
    now = 0.0
    shown = Bar(written.append, lambda: now)
    shown.stage("Reading a long name", 100)
    for done in range(50):
        now += 0.01
        shown.reach(done)
    assert len(written) in (5, 6)  # at the start, and in each tenth of half a second
    shown.stage("Short")
    assert len(written[-1]) == len(written[-2])


# --- what is left where it is stopped -----------------------------------------------------------------------


def test_stopped_while_it_writes_it_leaves_nothing(given, tmp_path, monkeypatch):
    def stopped(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(directory.os, "fsync", stopped)
    with pytest.raises(CommandError, match=r"Stopped\. Nothing was written\.") as caught:
        curate(given, tmp_path / "new" / "D")
    assert caught.value.returncode == 130
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("at", range(12))  # six entries are set aside, six moved in
def test_stopped_at_any_move_it_leaves_the_release_that_force_was_to_replace(
    given, tmp_path, monkeypatch, at
):
    out = tmp_path / "D"
    curate(given, out)
    before = tree(out)
    rename, moves = type(out).rename, 0

    def dying(self, target):
        nonlocal moves
        moves += 1
        if moves == at + 1:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(type(out), "rename", dying)
    with pytest.raises(CommandError, match="Stopped"):
        curate(given, out, "--force", "--version=0.2.0")
    assert tree(out) == before


def test_an_interrupt_from_the_keyboard_ends_it_with_a_sentence(given, tmp_path):
    """On a terminal of its own, stopped while it waits for input that does not come."""
    os.mkfifo(tmp_path / "never.jsonl")
    main, terminal = pty.openpty()
    command = [
        sys.executable,
        "manage.py",
        "curate",
        "--recipe=writing-preference",
        f"--out={tmp_path / 'D'}",
    ]
    files = (f"--responses={given[0]}", f"--scores={tmp_path / 'never.jsonl'}")
    process = subprocess.Popen(
        [*command, *files], cwd=ROOT, stderr=terminal, stdout=subprocess.DEVNULL, env={}
    )
    os.close(terminal)
    shown = b""
    while b"Reading R.jsonl" not in shown:
        shown += os.read(main, 1000)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    shown += os.read(main, 10_000)
    os.close(main)
    assert b"Stopped. Nothing was written." in shown
    assert b"Traceback" not in shown
    assert not (tmp_path / "D").exists()
