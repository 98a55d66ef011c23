"""A tokenizer and a model of some thousand random weights, made here: there is no hub to fetch any from."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    LlamaForSequenceClassification,
    PreTrainedTokenizerFast,
)

SPECIAL = ("<pad>", "<eos>", "<|user|>", "<|assistant|>")
TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<eos>{% endfor %}"
TEMPLATE += "{% if add_generation_prompt %}<|assistant|>{% endif %}"


def tokenizer() -> PreTrainedTokenizerFast:
    """One token for each byte, so that nothing is unknown and what was read can be had back as it was."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    names = {name: place for place, name in enumerate((*SPECIAL, *letters))}
    made = Tokenizer(models.BPE(vocab=names, merges=[]))
    made.add_special_tokens(list(SPECIAL))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        eos_token="<eos>",
        model_input_names=["input_ids", "attention_mask"],
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def config(**options: object) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=len(SPECIAL) + 256,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=4096,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
        **options,
    )


def scorer() -> LlamaForSequenceClassification:
    torch.manual_seed(1)
    return LlamaForSequenceClassification(config(num_labels=1))


def writer(folder: Path) -> LlamaForCausalLM:
    """Loaded from the folder, from which DPO loads it once more, as the model of reference."""
    torch.manual_seed(1)
    LlamaForCausalLM(config()).save_pretrained(folder)
    return LlamaForCausalLM.from_pretrained(folder)


def saved(folder: Path) -> Path:
    """A scorer and its tokenizer, as programs load them from a folder."""
    scorer().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder
