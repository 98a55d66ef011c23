"""A release in a folder, read by the standard library, so that what consumers read has something to be held against."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PREFERENCE = "data/preference/test.jsonl"


@dataclass(frozen=True)
class Folder:
    path: Path

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.path / "manifest.json").read_bytes())

    @cached_property
    def card(self) -> str:
        """The front matter, YAML."""
        return (self.path / "README.md").read_text(encoding="utf-8").split("---\n")[1]

    def rows(self, path: str) -> list[dict[str, Any]]:
        lines = (self.path / path).read_bytes().split(b"\n")
        assert lines.pop() == b""
        return [json.loads(line) for line in lines]

    def tables(self, pattern: str = "data/*/*.jsonl") -> list[str]:
        """The files of records that have some."""
        found = sorted(path.relative_to(self.path).as_posix() for path in self.path.glob(pattern))
        return [path for path in found if (self.path / path).stat().st_size]

    def task(self) -> str:
        """The name of its task of lm-evaluation-harness."""
        (path,) = (self.path / "lm_eval").iterdir()
        return path.stem


def run(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """A program of this environment, as somebody runs it in the folder of a release."""
    name, *arguments = map(str, command)
    beside = Path(sys.executable).with_name(name)
    return subprocess.run(
        [str(beside) if beside.exists() else name, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def said(done: subprocess.CompletedProcess[str]) -> str:
    return done.stdout + done.stderr
