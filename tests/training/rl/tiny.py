"""Tiny models, a tiny tokenizer and a directory to train, built in moments."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from training.rl import checkpoints
from training.rl.critic import Critic
from training.rl.starter.tokenizer import train_tokenizer
from training.rl.types import Trajectory, Transition

PAGE = '<a id="0">Home</a><a id="1">Blue Oak Lamp</a><p>Price $24.50</p>'
CLICK = '# Element: Blue Oak Lamp\ndo(action="Click", element="1")'

LLAMA_CONTROLS = (
    *("<|begin_of_text|>", "<|end_of_text|>", "<|finetune_right_pad_id|>"),
    *("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
)
# Turns as Llama 3.1 writes them.
LLAMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'"
    " + message['content'] | trim + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)


def build_tokenizer() -> PreTrainedTokenizerFast:
    texts = [PAGE, CLICK, "Task Instruction: Find the Blue Oak Lamp", "YES", "NO"]
    texts += [f'element="{n}" id="{n}" {n}' for n in range(60)]
    return train_tokenizer(texts * 20, 600)


def build_llama_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer of bytes with Llama 3's control tokens, which begins texts."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({sign: n for n, sign in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(LLAMA_CONTROLS))
    begin = LLAMA_CONTROLS[0]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A", special_tokens=[(begin, tokenizer.token_to_id(begin))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=begin,
        # As the base model has it; a turn ends with another token.
        eos_token=LLAMA_CONTROLS[1],
        pad_token=LLAMA_CONTROLS[2],
        additional_special_tokens=list(LLAMA_CONTROLS),
        chat_template=LLAMA_TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def build_model(
    tokenizer: PreTrainedTokenizerFast, *, width: int = 16
) -> LlamaForCausalLM:
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=width,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            tie_word_embeddings=True,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def make_trajectory(number: int, reward: float | None, steps: int = 2) -> Trajectory:
    transitions = tuple(
        Transition(
            step_id=number * 100 + index,
            history=(CLICK,) * index,
            errors=("",) * index,
            observation=PAGE * (1 + number % 3),
            output=CLICK,
        )
        for index in range(steps)
    )
    return Trajectory(number, number, f"Find lamp {number}", transitions, PAGE, reward)


def write_training_directory(
    folder: Path,
    model: LlamaForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    trajectories: int = 6,
    **algorithm: Any,
) -> Path:
    """Write so many trajectories, half of them successes, and weights beside them."""
    checkpoints.save_checkpoint(folder / "p0", model, tokenizer)
    Critic(model.get_decoder(), None).save(folder / "c0", tokenizer)
    directory = folder / "train"
    directory.mkdir()
    config = {
        "policy_learning_rate": 1e-3,
        "critic_learning_rate": 1e-3,
        "batch_size": 4,
        "micro_batch_size": 2,
        "max_prompt_tokens": 200,
        "max_action_tokens": 16,
        "perplexity_high": 1000.0,
    }
    spec = {
        "config": config | algorithm,
        "seed": 7,
        "policy": str(folder / "p0"),
        "critic": str(folder / "c0"),
    }
    (directory / "spec.json").write_text(json.dumps(spec))
    fresh = [make_trajectory(number, number % 2) for number in range(trajectories)]
    write_lines(directory / "fresh.jsonl", fresh)
    write_lines(directory / "replay.jsonl", [make_trajectory(trajectories + 3, 1.0)])
    return directory


def write_lines(path: Path, trajectories: list[Trajectory]) -> None:
    lines = [json.dumps(dataclasses.asdict(t)) for t in trajectories]
    path.write_text("\n".join(lines))
