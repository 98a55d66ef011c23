"""Harnesses that ask a model: lm-evaluation-harness with its dummy model, inspect-ai with the task of the release."""

import importlib.util
import json

import yaml
from inspect_ai.dataset import json_dataset

from tests.consumers.folders import PREFERENCE, run, said


def test_lm_eval_asks_for_every_pair_after_its_prompt(trainable, tmp_path):
    name = trainable.task()
    done = run(
        *("lm_eval", "--model", "dummy", "--include_path", "lm_eval", "--tasks", name),
        *("--output_path", tmp_path, "--log_samples"),
        folder=trainable.path,
    )
    assert done.returncode == 0, said(done)
    (results,) = tmp_path.rglob("results_*.json")
    told = json.loads(results.read_bytes())
    expected = trainable.rows(PREFERENCE)
    assert told["n-samples"][name]["effective"] == len(expected)
    assert (
        told["versions"][name]
        == yaml.safe_load((trainable.path / f"lm_eval/{name}.yaml").read_bytes())["metadata"]["version"]
    )
    assert 0 <= told["results"][name]["acc,none"] <= 1
    (samples,) = tmp_path.rglob(f"samples_{name}_*.jsonl")
    asked = [json.loads(line) for line in samples.read_bytes().splitlines()]
    assert len(asked) == len(expected)
    for row, sample in zip(expected, sorted(asked, key=lambda found: found["doc_id"]), strict=True):
        arguments = sample["arguments"]
        for number, side in enumerate(("chosen", "rejected")):
            given = arguments[f"gen_args_{number}"]
            prompt, answer = (message["content"] for message in row[side])
            assert (given["arg_0"], given["arg_1"]) == (f"{prompt}\n\n", answer)


def test_inspect_reads_every_choice(trainable):
    for path in trainable.tables("data/inspect/*.jsonl"):
        rows = trainable.rows(path)
        pairs = {row["id"]: row for row in trainable.rows(path.replace("inspect", "pairs"))}
        samples = list(json_dataset(str(trainable.path / path)))
        assert len(samples) == len(rows) == len(pairs)
        for sample, row in zip(samples, rows, strict=True):
            right = "AB".index(sample.target)
            pair = pairs[sample.id]
            assert sample.choices[right] == pair["chosen_text"]
            assert sample.choices[1 - right] == pair["rejected_text"]
            assert pair["prompt"] in sample.input
            assert sample.metadata == row["metadata"]
        assert {sample.target for sample in samples} == {"A", "B"}


def test_the_task_of_inspect_can_be_imported_and_made(trainable):
    spec = importlib.util.spec_from_file_location("task", trainable.path / "inspect/task.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    task = getattr(module, trainable.task())()
    assert len(task.dataset) == len(trainable.rows("data/inspect/test.jsonl"))
    listed = run("inspect", "list", "tasks", "inspect/task.py", folder=trainable.path)
    assert f"inspect/task.py@{trainable.task()}" in listed.stdout, said(listed)
