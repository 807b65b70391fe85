"""The training loop of the recipe's own stages: masked next-token prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch

from training.rl.starter.curricula.sequences import MaskedSequence
from training.rl.starter.two_processes import TwoProcesses

WARM_UP = 40  # optimiser steps


class Curriculum(Protocol):
    """An endless source of batches that learns how well the model does."""

    def next_batch(self) -> Sequence[MaskedSequence]:
        """The next batch."""
        ...

    def report(self, accuracy: float) -> None:
        """Share of the last batch's lookups (else targets) that were right."""
        ...


def fit(
    model: Any,
    curriculum: Curriculum,
    *,
    steps: int,
    learning_rate: float,
    on_step: Callable[[int, float, float], None],
) -> None:
    """Train in place for `steps` batches with warm-up and a final decay.

    Args:
        model: A causal language model.
        curriculum: Where batches come from.
        steps: Optimiser steps.
        learning_rate: Peak.
        on_step: Called with (step, loss, accuracy as reported to the curriculum).
    """
    optimizer = torch.optim.AdamW(
        # beta_2 of 0.98 forgets in 50 steps: a curriculum's level changes that fast.
        model.parameters(),
        lr=learning_rate,
        weight_decay=0.0,
        betas=(0.9, 0.98),
    )
    model.train()
    threads = torch.get_num_threads()
    # One thread here and one in the child; see `two_processes`.
    torch.set_num_threads(1)
    with TwoProcesses(model) as both:
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * schedule(step, steps)
            loss, accuracy = both.backward(curriculum.next_batch())
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            curriculum.report(accuracy)
            on_step(step, loss, accuracy)
    torch.set_num_threads(threads)


def schedule(step: int, steps: int) -> float:
    """Warm-up, constant, and a cosine over the last fifth; a factor in (0, 1]."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    start = int(0.8 * steps)
    if step < start:
        return 1.0
    # From 1 to 0.05: half a cosine over [0, 1].
    progress = (step - start) / max(1, steps - start)
    return 0.05 + 0.475 * (1 + math.cos(math.pi * progress))
