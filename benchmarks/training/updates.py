"""Tokens a second of four ways to train on the same steps.

Each way runs the same number of optimiser steps with AdamW and clipped gradients. The
first optimiser step warms up and is not timed.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import PreTrainedTokenizerFast, TrainerCallback

from benchmarks.training.plain import plain_log_probabilities
from benchmarks.training.sizes import BOS, EOS, PAD, Size
from training.rl.batching import collate
from training.rl.encoding import Example
from training.rl.phase.updates import PolicyRow, PolicyTrainer
from training.rl.sft.config import SftConfig
from training.rl.sft.imitation import imitate
from training.rl.trainers import training_arguments
from training.rl.webrl_config import WebRLConfig

RATE = 1e-5
SEED = 0


class Stopwatch(TrainerCallback):
    """Seconds of a training from the end of its first optimiser step on."""

    def __init__(self) -> None:
        """Nothing is timed yet."""
        self._started: float | None = None
        self.seconds = 0.0

    def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        """Start after the first step; after later ones note the time since then."""
        if self._started is None:
            self._started = time.perf_counter()
        self.seconds = time.perf_counter() - self._started


def time_update(size: Size) -> float:
    """Tokens a second of a phase's update with WebRL's loss."""
    examples, watch = size.examples(), Stopwatch()
    rows = [make_row(example) for example in examples]
    with tempfile.TemporaryDirectory() as folder:
        config = _config(size)
        PolicyTrainer(
            size.build(),
            rows,
            args=training_arguments(
                Path(folder), config, learning_rate=RATE, epochs=1, seed=SEED
            ),
            config=config,
            pad_id=PAD,
            seed=SEED,
            report=lambda name, step, value: None,
            callbacks=[watch],
        ).train()
    return _timed_tokens(size, examples) / watch.seconds


def time_imitation(size: Size) -> float:
    """Tokens a second of our SFT."""
    examples, watch = size.examples(), Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        imitate(
            size.build(),
            examples,
            pad_id=PAD,
            directory=Path(folder),
            sft=SftConfig(learning_rate=RATE, batch_size=size.batch),
            algorithm=_config(size),
            seed=SEED,
            report=lambda name, step, value: None,
            callbacks=[watch],
        )
    return _timed_tokens(size, examples) / watch.seconds


def time_sft_trainer(size: Size) -> float:
    """Tokens a second of TRL's SFTTrainer on the same steps."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    examples, watch = size.examples(), Stopwatch()
    rows = [
        {
            "input_ids": list(example.ids),
            "completion_mask": [0] * example.prompt_length + [1] * _actions(example),
        }
        for example in examples
    ]
    with tempfile.TemporaryDirectory() as folder:
        SFTTrainer(
            size.build(),
            args=SFTConfig(
                output_dir=folder,
                learning_rate=RATE,
                num_train_epochs=1,
                per_device_train_batch_size=size.micro_batch,
                gradient_accumulation_steps=size.batch // size.micro_batch,
                max_length=None,
                activation_checkpointing=False,
                bf16=False,
                use_cpu=not torch.cuda.is_available(),
                save_strategy="no",
                report_to=[],
                disable_tqdm=True,
                seed=SEED,
            ),
            train_dataset=Dataset.from_list(rows),
            processing_class=_tokenizer(),
            callbacks=[watch],
        ).train()
    return _timed_tokens(size, examples) / watch.seconds


def time_plain_loop(size: Size) -> float:
    """Tokens a second of a hand-written loop: random order, logits everywhere."""
    model, examples = size.build(), size.examples()
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0.0)
    seconds = 0.0
    for first in range(0, size.steps, size.batch):
        start = time.perf_counter()
        index = range(first, min(first + size.batch, size.steps))
        _plain_step(model, optimizer, examples, index, size)
        seconds += (time.perf_counter() - start) if first else 0.0
    return _timed_tokens(size, examples) / seconds


def _plain_step(
    model: Any,
    optimizer: torch.optim.Optimizer,
    examples: Sequence[Example],
    index: range,
    size: Size,
) -> None:
    for start in range(index.start, index.stop, size.micro_batch):
        chosen = range(start, min(start + size.micro_batch, index.stop))
        batch = collate(examples, chosen, pad_id=PAD)
        summed = plain_log_probabilities(model, batch)  # (B,)
        # Equation 7 with a reference of 0 nats and an advantage of 0.5.
        loss = ((0.2 * summed - 0.5) ** 2).sum() / len(index)
        torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()


def _config(size: Size) -> WebRLConfig:
    return WebRLConfig(
        batch_size=size.batch, micro_batch_size=size.micro_batch, precision="float32"
    )


def _timed_tokens(size: Size, examples: Sequence[Example]) -> float:
    """Tokens of all optimiser steps but the first; each trainer has its own order."""
    steps = -(-size.steps // size.batch)
    return sum(len(example.ids) for example in examples) * (steps - 1) / steps


def _tokenizer() -> PreTrainedTokenizerFast:
    """Only knows the tokens for padding and end; the rows are encoded already."""
    words = {"[PAD]": PAD, "[BOS]": BOS, "[EOS]": EOS}
    roles = dict(zip(("pad_token", "bos_token", "eos_token"), words, strict=True))
    model = WordLevel(words, "[PAD]")
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(model), **roles)


def make_row(example: Example) -> PolicyRow:
    nats = (-1.0,) * _actions(example)
    return PolicyRow(example, advantage=0.5, reference=nats, behaviour=nats)


def _actions(example: Example) -> int:
    return len(example.ids) - example.prompt_length
