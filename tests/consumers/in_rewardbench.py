"""Run by the Python of .consumers/rewardbench: what rewardbench makes of a file of pairs, and its scores.

python -m tests.consumers.in_rewardbench FILE FOLDER: writes FOLDER/read.jsonl, and FOLDER/model_outputs.jsonl.

The pipeline of rewardbench 0.1.4 sends its batches to "cuda" whatever there is, and so cannot run without a GPU. Here
they stay where they are; all else is rewardbench's own: its loader, its batches, its pipeline, its results.
"""

import json
import sys
from pathlib import Path

from rewardbench.rewardbench import Args, rewardbench
from rewardbench.utils import load_and_process_dataset
from transformers import BatchEncoding

from tests.consumers import tiny_models


def main(file: str, folder: Path) -> None:
    read = load_and_process_dataset(file, json=True, tokenizer=tiny_models.tokenizer())
    with (folder / "read.jsonl").open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in read)
    BatchEncoding.to = lambda self, *_where, **_how: self
    model = tiny_models.saved(folder / "model")
    rewardbench(
        Args(
            model=str(model),
            dataset=file,
            load_json=True,
            not_quantized=True,
            torch_dtype="float32",
            max_length=4096,
            output_dir=f"{folder}/results/",
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
