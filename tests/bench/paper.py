"""P4: from files to a release, each in a process of its own: manage.py curate, and the same written in pandas.

The responses of a prompt are as many as in WritingPreferenceBench (4,684 to 321 prompts, of which 1,800 pairs are
published), and so are the pairs of a prompt; there are some times as many of both. Ours computes agreement with its
intervals and writes a card besides; copies for other loaders are left out, as the peer has none. Neither writes
Parquet, as a release has none.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from tests.bench.measure import Line
from tests.bench.pair_samples import PEOPLE, Sample
from tests.bench.samples import EACH, SEED
from tests.bench.sizes import Sizes
from tests.children import ROOT

A_PROMPT = 14  # responses
PAIRS = 6  # of a prompt, at most
PEER = "pandas, written plainly"
WORDS = 5000  # different ones
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Facts = Mapping[str, float]


def lines(sizes: Sizes) -> Iterator[Line]:
    with tempfile.TemporaryDirectory(prefix="plumb-bench-") as name:
        folder = Path(name)
        _write_files(folder, sizes.paper)
        turns = [(_ours(folder), _peers(folder)) for _ in range(sizes.runs)]
        differs, pairs = _differences(folder)
    ours, peers = (_medians(found) for found in zip(*turns, strict=True))
    line = partial(Line, case="P4", size=f"{sizes.paper:,} responses", differs=differs)
    for what, measure, unit, target in (
        (f"files to a release of {pairs:,} pairs, clock", "wall", "ms", 0.6),
        ("the same, CPU", "cpu", "ms", None),
        ("the same, process", "mib", "MiB", 0.5),
    ):
        yield line(
            what=what,
            ours=ours[measure],
            peer=PEER,
            peers=peers[measure],
            ratio=ours[measure] / peers[measure],
            target=target,
            unit=unit,
        )


def _write_files(folder: Path, responses: int) -> None:
    random = np.random.default_rng(SEED)
    sample = Sample.of(responses, A_PROMPT)
    words = ["".join(random.choice(list(LETTERS), size)) for size in random.integers(2, 10, WORDS).tolist()]
    drawn = random.integers(0, WORDS, int(sample.lengths.sum()))
    ends = np.cumsum(sample.lengths)
    texts = [
        " ".join([words[word] for word in drawn[end - size : end].tolist()]) + "."
        for size, end in zip(sample.lengths.tolist(), ends.tolist(), strict=True)
    ]
    prompt = [f"p{number:07}" for number in sample.prompt.tolist()]
    ids = np.array([f"r{number:07}" for number in range(responses)], dtype=object)
    pd.DataFrame(
        {
            "id": ids,
            "prompt_id": prompt,
            "prompt": [f"Write a story about {words[place % WORDS]}." for place in sample.prompt.tolist()],
            "text": texts,
            "language": "en",
        }
    ).to_parquet(folder / "responses.parquet", index=False)
    people = np.array(PEOPLE, dtype=object)
    pd.DataFrame(
        {
            "response_id": np.repeat(ids, EACH),
            "annotator": people[sample.who[sample.prompt].ravel()],
            "score": sample.panel.ravel(),
        }
    ).to_parquet(folder / "scores.parquet", index=False)


def _ours(folder: Path) -> dict[str, float]:
    shutil.rmtree(folder / "ours", ignore_errors=True)
    files = [f"--{name}={folder / name}.parquet" for name in ("responses", "scores")]
    how = ["--recipe=writing-preference", f"--param=max_pairs_per_prompt={PAIRS}", "--json", "--no-copies"]
    return _alone([str(ROOT / "manage.py"), "curate", *files, *how, f"--out={folder / 'ours'}"])


def _peers(folder: Path) -> dict[str, float]:
    return _alone(["-m", "tests.bench.paper_pandas", str(folder), str(folder / "peers"), str(PAIRS)])


def _alone(arguments: list[str]) -> dict[str, float]:
    """Clock and CPU in ms, and the most that was resident."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL)
    most = 0.0
    while True:
        # What wait4 says of memory may be that of the process before it became this program.
        most = max(most, resident(process.pid))
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        time.sleep(0.01)
    wall = time.monotonic() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return {"wall": 1000 * wall, "cpu": 1000 * (usage.ru_utime + usage.ru_stime), "mib": most}


def resident(pid: int) -> float:
    """The most MiB so far; 0 where the process has ended."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(found[0].split()[1]) / 1024 if found else 0.0


def _medians(found: tuple[Facts, ...]) -> dict[str, float]:
    return {name: median(each[name] for each in found) for name in found[0]}


def _differences(folder: Path) -> tuple[float, int]:
    """How many lines of what both wrote are not the same, and how many pairs there are."""
    ours, peers = _pairs(folder / "ours/data/pairs/test.jsonl"), _pairs(folder / "peers/pairs.jsonl")
    differs = abs(len(ours) - len(peers)) + sum(one != other for one, other in zip(ours, peers, strict=False))
    for mine, theirs in (
        ("rejected.jsonl", "rejected.jsonl"),
        ("data/judgements/test.jsonl", "judgements.jsonl"),
    ):
        differs += len(_rows(folder / "ours" / mine) ^ _rows(folder / "peers" / theirs))
    return float(differs), len(ours)


def _pairs(path: Path) -> list[dict[str, object]]:
    """In the order of the file, without what only ours says of a pair."""
    names = (
        "id",
        "chosen",
        "rejected",
        "votes_for",
        "votes_against",
        "k",
        "length_chosen",
        "length_rejected",
    )
    names = (*names, "chosen_text", "rejected_text")
    return [{name: row[name] for name in names} for row in _read(path)]


def _rows(path: Path) -> set[tuple[object, ...]]:
    return {tuple(value for name, value in row.items() if name != "canary") for row in _read(path)}


def _read(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as file:
        yield from (
            json.loads(line) for line in file if line.strip()
        )  # of no rows pandas writes an empty line
