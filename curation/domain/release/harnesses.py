"""Ready files for lm-evaluation-harness and inspect-ai. Both read the release where it lies and fetch nothing."""

import json
import re

from curation.domain.release.rows import QUESTION

ODD = re.compile(r"[^a-z0-9]+")


def task_name(name: str) -> str:
    """The name of the release as a name of a task and of a function."""
    return f"plumb_{ODD.sub('_', name.lower()).strip('_')}"


def lm_eval(name: str, version: str) -> str:
    """A task of lm-evaluation-harness, by the likelihood of either response. Run in the folder of the release:
    lm_eval --include_path lm_eval --tasks NAME."""
    return f"""\
task: {task_name(name)}
dataset_path: json
dataset_kwargs:
  data_files:
    test: data/preference/test.jsonl
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{chosen[0].content}}}}\\n\\n"
doc_to_choice: "{{{{[chosen[1].content, rejected[1].content]}}}}"
target_delimiter: ""
doc_to_target: 0
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
metadata:
  version: {json.dumps(version)}
"""


def inspect_task(name: str) -> str:
    """A task of inspect-ai, which asks for A or B. Run: inspect eval inspect/task.py --model MODEL."""
    return f'''\
"""{QUESTION} Run in the folder of the release: inspect eval inspect/task.py --model MODEL"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

ROWS = Path(__file__).resolve().parent.parent / "data/inspect/test.jsonl"


@task
def {task_name(name)}() -> Task:
    return Task(dataset=json_dataset(str(ROWS)), solver=multiple_choice(), scorer=choice())
'''
