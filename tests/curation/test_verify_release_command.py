"""manage.py verify_release: any change is found."""

import ast
import json
import os
import random
import shutil
import sys
from hashlib import sha256
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from curation.domain.release.merkle import Tree, root_of_roots
from curation.services import verification, verify_script
from tests.curation.file_releases import manage, tree, write_input

pytestmark = pytest.mark.files

PAIRS = "data/pairs/test.jsonl"
EDITS = 2000


@pytest.fixture(scope="module")
def untouched(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    responses, scores = write_input(folder)
    options = ["--recipe=writing-preference", f"--responses={responses}", f"--scores={scores}"]
    call_command(
        "curate", *options, f"--out={folder / 'D'}", "--param=length_symmetry=off", stdout=StringIO()
    )
    return folder / "D"


@pytest.fixture
def release(untouched, tmp_path) -> Path:
    """A release to spoil."""
    return Path(shutil.copytree(untouched, tmp_path / "D"))


def found_in(folder: Path) -> str:
    verdict = verification.verify(folder)
    assert verdict.outcome == "differs"
    assert verdict.reason
    return verdict.path


def reseal(folder: Path) -> None:
    """Make manifest and checksums agree with the files again, as a forger would."""
    stated = json.loads((folder / "manifest.json").read_bytes())
    for path in stated["files"]:
        content = (folder / path).read_bytes()
        facts = {"bytes": len(content), "rows": content.count(b"\n"), "sha256": sha256(content).hexdigest()}
        if path.startswith("data/"):
            tree = Tree()
            tree.extend(content.split(b"\n")[:-1])
            facts["merkle_root"] = tree.root()
        stated["files"][path] = facts
    roots = {path: facts["merkle_root"] for path, facts in stated["files"].items() if "merkle_root" in facts}
    stated["merkle_root"] = root_of_roots(roots)
    (folder / "manifest.json").write_text(json.dumps(stated), "utf-8")
    sums = {
        path: sha256((folder / path).read_bytes()).hexdigest() for path in [*stated["files"], "manifest.json"]
    }
    (folder / "SHA256SUMS").write_text("".join(f"{sums[path]}  {path}\n" for path in sorted(sums)))


# --- exit codes ------------------------------------------------------------------------------------------


def test_exit_code_0_1_and_3(release, tmp_path):
    done = manage("verify_release", release, folder=tmp_path)
    assert done.returncode == 0
    assert "verified" in done.stdout
    path = release / PAIRS
    path.write_bytes(path.read_bytes().replace(b"harbour", b"Harbour", 1))
    done = manage("verify_release", release, folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert PAIRS in done.stderr
    done = manage("verify_release", tmp_path / "none", folder=tmp_path)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


def test_settings_are_nothing_to_it_whatever_they_say(release, tmp_path):
    nonsense = {
        "SECRET_KEY_FILE": "/nowhere",
        "DATABASE_URL": "nonsense",
        "REDIS_URL": "nonsense",
        "ALLOWED_HOSTS": "*",
        "DEBUG": "perhaps",
        "LOG_LEVEL": "loud",
    }
    done = manage("verify_release", release, folder=tmp_path, **nonsense)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_folder_is_an_error_of_usage(tmp_path):
    assert manage("verify_release", folder=tmp_path).returncode == 2


def test_a_release_is_verified_through_a_link_to_it(release, tmp_path):
    (tmp_path / "link").symlink_to(release)
    assert verification.verify(tmp_path / "link").ok


def test_verifying_needs_the_standard_library_alone():
    """But for the signature, and that is not checked where there is nothing to check it with."""
    code = ast.parse(verify_script.script().decode())
    imported = {name.name for node in code.body if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module for node in code.body if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


# --- changes ---------------------------------------------------------------------------------------------


def test_every_one_of_2000_random_single_byte_edits_is_found(release):
    rng = random.Random(20261129)
    files = sorted(tree(release))
    for _ in range(EDITS):
        path = release / rng.choice(files)
        content = path.read_bytes()
        place = rng.randrange(len(content))
        changed = bytes([content[place] ^ rng.randrange(1, 256)])
        path.write_bytes(content[:place] + changed + content[place + 1 :])
        assert verification.verify(release).outcome == "differs", (path, place)
        path.write_bytes(content)
    assert verification.verify(release).ok


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        PAIRS,
        "data/judgements/test.jsonl",
        "rejected.jsonl",
        "funnel.json",
        "manifest.json",
        "SHA256SUMS",
    ],
)
def test_a_changed_a_shortened_an_emptied_and_a_missing_file_is_named(release, path):
    content = (release / path).read_bytes()
    for changed in (content[:-1], content + b"\n", b""):
        (release / path).write_bytes(changed)
        assert found_in(release) == path
    (release / path).unlink()
    assert found_in(release) == path


def test_a_checksum_of_another_file_is_blamed_on_the_checksums(release):
    sums = (release / "SHA256SUMS").read_text()
    digest = sums[:1]
    (release / "SHA256SUMS").write_text(("0" if digest != "0" else "1") + sums[1:])
    assert found_in(release) == "SHA256SUMS"
    (release / "SHA256SUMS").write_text(sums.replace("README.md", "README.mc"))
    assert found_in(release) == "SHA256SUMS"
    (release / "SHA256SUMS").write_text("".join(reversed(sums.splitlines(keepends=True))))
    assert found_in(release) == "SHA256SUMS"


@pytest.mark.parametrize(
    "name", ["extra.txt", ".hidden", "data/extra.jsonl", "data/pairs/.DS_Store", "a\nb", "ü"]
)
def test_a_file_that_does_not_belong_is_named(release, name):
    (release / name).write_text("x")
    assert found_in(release) == verification.printable(name)


def test_an_empty_folder_does_not_belong_either(release):
    (release / "leftover").mkdir()
    assert found_in(release) == "leftover"


def test_a_name_that_is_no_text_is_shown_without_harm(release, tmp_path):
    (release / os.fsdecode(b"\xff\x1b[31m")).write_text("x")
    done = manage("verify_release", release, folder=tmp_path)
    assert done.returncode == 1
    assert "\x1b" not in done.stderr


def test_a_link_in_place_of_a_file_or_folder_is_found_and_not_followed(release, tmp_path):
    outside = tmp_path / "outside.md"
    (release / "README.md").rename(outside)
    (release / "README.md").symlink_to(outside)
    assert found_in(release) == "README.md"
    (release / "README.md").unlink()
    outside.rename(release / "README.md")
    (release / "data").rename(tmp_path / "data")
    (release / "data").symlink_to(tmp_path / "data")
    assert found_in(release) == "data"


def test_a_pipe_in_place_of_a_file_is_found_without_waiting_for_it(release):
    (release / "README.md").unlink()
    os.mkfifo(release / "README.md")
    assert found_in(release) == "README.md"


# --- consistent forgeries --------------------------------------------------------------------------------


AUDIT = {"state": "done", "exceeded": [{"key": "leaks", "value": 1, "limit": 0}], "reason": "Meant so."}


@pytest.mark.parametrize(
    ("change", "is_sound"),
    [
        ({}, True),
        ({"reason": ""}, False),
        ({"reason": "  "}, False),
        ({"reason": "", "exceeded": []}, True),
        ({"reason": "", "exceeded": [], "state": "not_done"}, False),
        ({"state": "failed"}, True),
    ],
)
def test_a_release_outside_the_limits_of_its_audit_gives_a_reason(release, change, is_sound):
    stated = json.loads((release / "manifest.json").read_bytes())
    (release / "manifest.json").write_text(json.dumps(stated | {"audit": AUDIT | change}), "utf-8")
    reseal(release)
    verdict = verification.verify(release)
    assert verdict.ok == is_sound
    assert is_sound or "gives no reason" in verdict.reason


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda stated: stated["counts"].update(pairs=0), "manifest.json"),
        (lambda stated: stated["counts"].update(judgements=1), "manifest.json"),
        (lambda stated: stated["funnel"].update(candidates=0), "manifest.json"),
        (lambda stated: stated["funnel"].update(accepted=-1), "manifest.json"),
        (lambda stated: stated["funnel"]["rejected"].update(gap=True), "manifest.json"),
        (lambda stated: stated.update(format=3), "manifest.json"),
        (
            lambda stated: stated["files"].update({"manifest.json": stated["files"]["README.md"]}),
            "manifest.json",
        ),
        (lambda stated: stated["files"].update(SHA256SUMS=stated["files"]["README.md"]), "SHA256SUMS"),
        (lambda stated: stated.update(files=[]), "manifest.json"),
        (lambda stated: stated["funnel"].update(removed=5), "funnel.json"),
    ],
)
def test_counts_that_do_not_fit_are_found_under_fitting_checksums(release, change, path):
    stated = json.loads((release / "manifest.json").read_bytes())
    change(stated)
    (release / "manifest.json").write_text(json.dumps(stated))
    if isinstance(stated["files"], dict):
        reseal(release)
    else:
        sums = (release / "SHA256SUMS").read_text().splitlines(keepends=True)
        digest = sha256((release / "manifest.json").read_bytes()).hexdigest()
        fitting = [f"{digest}  manifest.json\n" if "manifest.json" in line else line for line in sums]
        (release / "SHA256SUMS").write_text("".join(fitting))
    assert found_in(release) == path


def test_rows_that_do_not_fit_the_funnel_are_found_under_fitting_checksums(release):
    path = release / "rejected.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"identical_text"', b'"gap"', 1))
    reseal(release)
    assert found_in(release) == "rejected.jsonl"
    path.write_bytes(b"")
    reseal(release)
    assert found_in(release) == "rejected.jsonl"


def test_a_path_out_of_the_folder_is_missing_and_never_opened(release, tmp_path):
    (tmp_path / "secret").write_text("x")
    stated = json.loads((release / "manifest.json").read_bytes())
    stated["files"]["../secret"] = {"bytes": 1, "rows": 0, "sha256": sha256(b"x").hexdigest()}
    (release / "manifest.json").write_text(json.dumps(stated))
    reseal(release)
    assert found_in(release) == "../secret"


@pytest.mark.parametrize(
    "content", ["[" * 100_000, "{}", "[]", "null", '{"format": 1}', "\ud800".encode("utf-8", "surrogatepass")]
)
def test_a_manifest_that_is_none_is_named(release, content):
    raw = content if isinstance(content, bytes) else content.encode()
    (release / "manifest.json").write_bytes(raw)
    lines = (release / "SHA256SUMS").read_text().splitlines(keepends=True)
    fitting = [
        f"{sha256(raw).hexdigest()}  manifest.json\n" if "manifest" in line else line for line in lines
    ]
    (release / "SHA256SUMS").write_text("".join(fitting))
    assert found_in(release) == "manifest.json"


# --- what cannot be read ---------------------------------------------------------------------------------


def test_what_is_no_release_is_unreadable(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "none", tmp_path / "file", tmp_path / "empty", tmp_path):
        verdict = verification.verify(folder)
        assert (verdict.outcome, verdict.ok) == ("unreadable", False)
        assert str(verdict)
        with pytest.raises(CommandError) as caught:
            call_command("verify_release", str(folder))
        assert caught.value.returncode == 3


def test_a_file_that_cannot_be_read_is_named(release, monkeypatch):
    def locked(path: str, flags: int) -> int:
        if str(path).endswith(PAIRS):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags)

    real = os.open
    monkeypatch.setattr(verification.os, "open", locked)
    verdict = verification.verify(release)
    assert (verdict.outcome, verdict.path, verdict.reason) == ("unreadable", PAIRS, "Permission denied")
