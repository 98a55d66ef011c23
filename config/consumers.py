"""Makes or repairs .consumers: the programs that releases are made for, in two environments apart from Plumb's.

Run by the Python of .venv: python -m config.consumers. Torch is taken as a build for CPUs where pip's own settings
lead to one, some 200 MB; else as the registry has it, which on Linux brings several gigabytes of libraries for GPUs.
"""

import hashlib
import sys
import venv
from pathlib import Path

from config.bootstrap import ROOT, VENV, CannotInstall, attempt, check_space, one_at_a_time, run, say

FOLDER = ROOT / ".consumers"
LISTS = {"main": "requirements-consumers.txt", "rewardbench": "requirements-consumers-rewardbench.txt"}
TORCH = "requirements-consumers-torch.txt"
TORCH_FOR_CPU = "requirements-consumers-cpu.txt"
# The lists are complete; some of what they name is given away as source alone.
LOCKED = ["--no-deps", "--require-hashes"]


def main() -> int:
    try:
        with one_at_a_time():
            for name in LISTS:
                if not is_current(name):
                    install(name)
    except CannotInstall as problem:
        sys.stderr.write(f"{problem.output[-4000:]}{problem}\n")
        return 1
    return 0


def is_current(name: str) -> bool:
    stamp = FOLDER / name / ".plumb"
    return stamp.exists() and stamp.read_text() == digest(name)


def digest(name: str) -> str:
    """Of the files and of the place, as in bootstrap."""
    total = hashlib.sha256(str(ROOT).encode())
    for path in (LISTS[name], TORCH, TORCH_FOR_CPU, "config/consumers.py"):
        total.update(b"%s\0%s\0" % (path.encode(), (ROOT / path).read_bytes()))
    return total.hexdigest()


def install(name: str) -> None:
    folder = FOLDER / name
    say(f"Installing the programs that read releases into {folder}.")
    venv.create(folder, clear=True)
    by_uv = [str(VENV / "bin/uv"), "pip", "install", "--python", str(folder / "bin/python"), *LOCKED]
    otherwise = "They cannot be installed: check the network and the disk, then run the same command again."
    run([*by_uv, "-r", str(ROOT / LISTS[name])], otherwise=otherwise)
    if attempt(_by_pip(folder, ROOT / TORCH_FOR_CPU)) is not None:
        check_space("dev")
        run([*by_uv, "-r", str(ROOT / TORCH)], otherwise=otherwise)
    (folder / ".plumb").write_text(digest(name))


def _by_pip(folder: Path, file: Path) -> list[str]:
    python = [sys.executable, "-I", "-m", "pip", "--python", str(folder / "bin/python")]
    return [*python, "install", *LOCKED, "--only-binary", ":all:", "-r", str(file)]


if __name__ == "__main__":
    sys.exit(main())
