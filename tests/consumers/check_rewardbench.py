"""rewardbench, in an environment of its own: its loader and its scoring, with the prompt in what is scored."""

import json
import os
import subprocess

import pytest

from tests.consumers.folders import PREFERENCE, ROOT, Folder

PYTHON = str(ROOT / ".consumers/rewardbench/bin/python")


@pytest.mark.parametrize("name", ["scores", "bare", "upvotes", "ranked", "public"])
def test_the_prompt_is_in_the_conversation_that_is_scored(made, tmp_path, name):
    folder = Folder(made / name)
    done = subprocess.run(
        [PYTHON, "-m", "tests.consumers.in_rewardbench", str(folder.path / PREFERENCE), str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "HF_HOME": str(tmp_path / "hub")},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    expected = folder.rows(PREFERENCE)
    read = [json.loads(line) for line in (tmp_path / "read.jsonl").read_bytes().splitlines()]
    assert [row["id"] for row in read] == [row["id"] for row in expected]
    for row, found in zip(expected, read, strict=True):
        for side in ("chosen", "rejected"):
            prompt, answer = (message["content"] for message in row[side])
            assert found[f"text_{side}"] == f"<|user|>{prompt}<eos><|assistant|>{answer}<eos>"
    (outputs,) = tmp_path.rglob("*_outputs.jsonl")
    scored = [json.loads(line) for line in outputs.read_bytes().splitlines()]
    assert [row["id"] for row in scored] == [row["id"] for row in expected]
    assert len({row["scores_chosen"] for row in scored}) > 1
    assert {row["results"] for row in scored} <= {0, 1}
