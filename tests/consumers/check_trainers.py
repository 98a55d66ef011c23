"""TRL's trainers, on a tiny random model on the CPU: that they take the pairs, and with the prompt.

The build of torch for CPUs is used where the machine has one (config/consumers.py); what is checked is the same.
"""

import datasets
import pytest
import torch
from trl import DPOConfig, DPOTrainer, RewardConfig, RewardTrainer

from tests.consumers import tiny_models
from tests.consumers.folders import PREFERENCE

STEP = {
    "max_steps": 1,
    "per_device_train_batch_size": 4,
    "max_length": None,
    "use_cpu": True,
    "bf16": False,
    "report_to": "none",
    "save_strategy": "no",
    "disable_tqdm": True,
    "logging_steps": 1,
}


@pytest.fixture
def pairs(trainable):
    return datasets.load_dataset(str(trainable.path), "preference", split="test")


def weights(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat([part.detach().flatten().clone() for part in model.parameters()])


def test_a_reward_model_learns_from_it_and_reads_the_prompt_on_both_sides(trainable, pairs, tmp_path):
    model, tokenizer = tiny_models.scorer(), tiny_models.tokenizer()
    trainer = RewardTrainer(
        model=model,
        args=RewardConfig(output_dir=str(tmp_path), **STEP),
        train_dataset=pairs,
        processing_class=tokenizer,
    )
    expected = trainable.rows(PREFERENCE)
    assert len(trainer.train_dataset) == len(expected)
    for row, read in zip(expected, trainer.train_dataset, strict=True):
        for side in ("chosen", "rejected"):
            prompt, answer = (message["content"] for message in row[side])
            assert tokenizer.decode(read[f"{side}_ids"]) == f"<|user|>{prompt}<eos><|assistant|>{answer}<eos>"
        assert read["margin"] == pytest.approx(row["margin"])
    before = weights(model)
    loss = trainer.train().training_loss
    assert 0 < loss < float("inf")
    assert not torch.equal(before, weights(model))


def test_dpo_finds_the_prompt_in_what_both_sides_have_in_common(trainable, pairs, tmp_path):
    model, tokenizer = tiny_models.writer(tmp_path), tiny_models.tokenizer()
    trainer = DPOTrainer(
        model=model,
        args=DPOConfig(output_dir=str(tmp_path), **STEP),
        train_dataset=pairs,
        processing_class=tokenizer,
    )
    expected = trainable.rows(PREFERENCE)
    assert len(trainer.train_dataset) == len(expected)
    for row, read in zip(expected, trainer.train_dataset, strict=True):
        prompt = row["chosen"][0]["content"]
        assert tokenizer.decode(read["prompt_ids"]) == f"<|user|>{prompt}<eos><|assistant|>"
        for side in ("chosen", "rejected"):
            assert tokenizer.decode(read[f"{side}_ids"]) == f"{row[side][1]['content']}<eos>"
    before = weights(model)
    trainer.train()
    assert not torch.equal(before, weights(model))
