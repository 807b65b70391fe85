"""Imitation of demonstrations: maximum likelihood of what was done.

    L = -1/n sum_t log pi(a_t | s, I, a_<t),   n tokens of the action

The trainer is that of a phase: batches by length, the vocabulary head on the action's
tokens only, adapters and bfloat16 as the algorithm's settings say. Cosine schedule
with 10 % warm-up (paper, table 6).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from training.rl import metric_names as names
from training.rl.batching import Batch
from training.rl.encoding import Example
from training.rl.policy import CausalLM, action_log_probabilities
from training.rl.resume import find_newest
from training.rl.sft.config import SftConfig
from training.rl.trainers import RowTrainer, training_arguments
from training.rl.webrl_config import WebRLConfig

WARM_UP_SHARE = 0.1


@dataclasses.dataclass(frozen=True, slots=True)
class DemonstratedStep:
    """One prompt with the action that was demonstrated."""

    example: Example


class ImitationTrainer(RowTrainer[CausalLM, DemonstratedStep]):
    """The mean negative log-likelihood of an action's tokens, action by action."""

    reports_gradient_norm = True

    def row_losses(
        self, model: CausalLM, batch: Batch, rows: list[DemonstratedStep]
    ) -> torch.Tensor:
        """Loss of each row, (B,)."""
        current, mask = action_log_probabilities(model, batch)  # (B, A), (B, A)
        # Divided by its length: a typed sentence counts no more than a click. (B,)
        loss = -current.sum(1) / mask.sum(1)
        self.collect(names.POLICY_LOSS, loss)
        return loss


def imitate(
    model: Any,
    examples: Sequence[Example],
    *,
    pad_id: int,
    directory: Path,
    sft: SftConfig,
    algorithm: WebRLConfig,
    seed: int,
    report: Callable[[str, int, float], None],
    callbacks: Sequence[TrainerCallback] = (),
) -> tuple[list[float], dict[str, torch.Tensor] | None]:
    """Train in place; returns the loss of each optimiser step, and `whole_weights`.

    Args:
        model: A causal language model, with or without an adapter.
        examples: Prompts with the demonstrated actions, already within the limits.
        pad_id: Padding token.
        directory: Where the trainer keeps its checkpoints; it resumes from the newest
            undamaged one.
        sft: Learning rate, passes and steps per optimiser step.
        algorithm: Micro-batch, precision and gradient norm.
        seed: Order of the rows.
        report: Receives (metric name, optimiser step, value).
        callbacks: Trainer callbacks.
    """
    config = dataclasses.replace(algorithm, batch_size=sft.batch_size)
    arguments = training_arguments(
        directory,
        config,
        learning_rate=sft.learning_rate,
        epochs=sft.epochs,
        seed=seed,
        schedule="cosine",
    )
    # Below 1 the library reads it as a share of all steps.
    arguments.warmup_steps = WARM_UP_SHARE
    trainer = ImitationTrainer(
        model,
        [DemonstratedStep(example) for example in examples],
        args=arguments,
        config=config,
        pad_id=pad_id,
        seed=seed,
        report=report,
        callbacks=callbacks,
    )
    trainer.train(resume_from_checkpoint=find_newest(directory))
    history = trainer.state.log_history
    losses = [entry["loss"] for entry in history if "loss" in entry]
    return losses, trainer.whole_weights()
