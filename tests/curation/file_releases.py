"""Input files for the commands that only have files, and the commands run as a person runs them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What a release takes along for loaders, catalogues and proof, whatever its recipe.
PAPERS = {
    "CITATION.cff",
    "DATASHEET.md",
    "README.md",
    "SHA256SUMS",
    "croissant.json",
    "datapackage.json",
    "manifest.json",
    "prov.json",
    "verify_release.py",
}
TEXTS = ("A morning in the harbour, told slowly.", "Boats.", "The harbour  wakes; nobody speaks.", "Boats. ")
SCORES = {"a": (3, 3, 2), "b": (1, 1, 1), "c": (2, 3, 2), "d": (0, 1, 1)}


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def responses() -> list[dict[str, object]]:
    return [
        {
            "id": f"{prompt}{side}",
            "prompt_id": prompt,
            "text": text,
            "prompt": f"Prompt {prompt}",
            "language": "en",
        }
        for prompt in ("p", "q", "é")
        for side, text in zip("abcd", TEXTS, strict=True)
    ]


def scores() -> list[dict[str, object]]:
    return [
        {
            "response_id": f"{prompt}{side}",
            "annotator": annotator,
            "score": score,
            "at": "2026-03-01T10:00:00+01:00",
        }
        for prompt in ("p", "q", "é")
        for side, given in SCORES.items()
        for annotator, score in zip(("Zoe", "Ann", "Ben"), given, strict=True)
    ]


def write_input(folder: Path) -> tuple[Path, Path]:
    return write_rows(folder / "R.jsonl", responses()), write_rows(folder / "S.jsonl", scores())


def copies_of(name: str) -> set[str]:
    """What trainers and harnesses read of a release that has pairs."""
    task = f"lm_eval/plumb_{name.replace('-', '_')}.yaml"
    return {
        "data/preference/test.jsonl",
        "data/inspect/test.jsonl",
        "data/judge/test.jsonl",
        "inspect/task.py",
        task,
    }


def unmarked(row: dict) -> dict:
    """The row without its canary."""
    assert len(row["canary"]) == 36
    return {name: value for name, value in row.items() if name != "canary"}


def manage(
    *arguments: object, folder: Path, program: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """manage.py from `folder`, in an environment that is empty but for what is given."""
    command = [sys.executable, str(program / "manage.py"), *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below the folder."""
    found = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent) / name
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found
