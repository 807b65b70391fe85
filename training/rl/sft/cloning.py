"""Behaviour cloning on demonstrations, over TRL's SFTTrainer.

The only file that knows TRL. The loss is on the action's tokens only, with a cosine
schedule and 10 % warm-up (paper, table 6).

Not stated in the paper and chosen here: a row is one demonstrated step with its own
page, so that training reads what acting reads; a batch's mean is over tokens, as TRL's.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase, TrainerCallback

from training.rl.encoding import Example
from training.rl.resume import SafeCheckpoints, find_newest

WARM_UP_SHARE = 0.1  # of all optimiser steps (paper, table 6)
IGNORED = -100  # the label that cross-entropy leaves out


def train_sft(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    examples: Sequence[Example],
    *,
    directory: Path,
    learning_rate: float = 1e-5,
    epochs: float = 1,
    batch_size: int = 128,
    micro_batch_size: int = 1,
    seed: int = 0,
    callbacks: Sequence[TrainerCallback] = (),
) -> list[float]:
    """Train in place; returns the loss of each optimiser step.

    Args:
        model: A causal language model.
        tokenizer: Its tokenizer.
        examples: Prompts with the demonstrated actions, already within the limits.
        directory: Scratch space of the trainer.
        learning_rate: Peak (paper: 1e-5 for 8B).
        epochs: Passes over the demonstrations (paper: 1).
        batch_size: Demonstrated steps per optimiser step (paper: 128).
        micro_batch_size: Rows per forward pass; divides `batch_size`.
        seed: Order of the rows.
        callbacks: Watch the trainer; a checkpoint that one has it save in `directory`
            is where the next call goes on.
    """
    # TRL reports each trainer's construction to its makers unless told otherwise.
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    rows = [
        {
            "input_ids": list(e.ids),  # (P + A,)
            # Not shifted: the model shifts labels against logits itself. (P + A,)
            "labels": [IGNORED] * e.prompt_length + list(e.ids[e.prompt_length :]),
        }
        for e in examples
    ]
    on_gpu = torch.cuda.is_available()

    class Cloning(SafeCheckpoints, SFTTrainer):
        """TRL's trainer with checkpoints that are whole."""

    trainer = Cloning(
        model=model,
        callbacks=list(callbacks),
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows),
        args=SFTConfig(
            output_dir=str(directory),
            learning_rate=learning_rate,
            lr_scheduler_type="cosine",
            warmup_steps=WARM_UP_SHARE,  # below 1 it is a share
            num_train_epochs=epochs,
            per_device_train_batch_size=micro_batch_size,
            gradient_accumulation_steps=batch_size // micro_batch_size,
            completion_only_loss=True,  # the action's tokens
            max_length=None,  # the encoder has cut already
            activation_checkpointing=on_gpu,
            bf16=on_gpu,
            use_cpu=not on_gpu,
            seed=seed,
            logging_steps=1,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            dataset_kwargs={"skip_prepare_dataset": True},  # rows are token ids
        ),
    )
    trainer.train(resume_from_checkpoint=find_newest(directory))
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
