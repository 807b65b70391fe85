"""The training loop of the recipe's own stages: masked next-token prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import torch

from training.rl.starter.curricula.sequences import MaskedSequence
from training.rl.starter.optimizers import Kind, Optimizers
from training.rl.starter.two_processes import TwoProcesses

if TYPE_CHECKING:
    from transformers import PreTrainedModel

WARM_UP = 40  # optimiser steps
DECAY_SHARE = 0.4
LAST_FACTOR = 0.03


class Curriculum(Protocol):
    """An endless source of batches that is informed of the model's accuracy."""

    def next_batch(self) -> Sequence[MaskedSequence]:
        """The next batch."""
        ...

    def report(self, accuracy: float) -> None:
        """Take the share of the last batch's lookups (else targets) that were right."""
        ...


def fit(
    model: PreTrainedModel,
    curriculum: Curriculum,
    *,
    steps: int,
    learning_rate: float,
    on_step: Callable[[int, float, float], None],
    kind: Kind = "adamw",
) -> None:
    """Train in place for `steps` batches with warm-up and a final decay.

    Args:
        model: A causal language model.
        curriculum: Where batches come from.
        steps: Optimiser steps.
        learning_rate: Peak.
        on_step: Called with (step, loss, accuracy as reported to the curriculum).
        kind: The optimiser of the matrices; see `optimizers`.
    """
    optimizers = Optimizers(model, kind, learning_rate)
    model.train()
    threads = torch.get_num_threads()
    # One thread here and one in the child; see `two_processes`.
    torch.set_num_threads(1)
    with TwoProcesses(model) as both:
        for step in range(steps):
            optimizers.scale(schedule(step, steps))
            loss, accuracy = both.backward(curriculum.next_batch())
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizers.step()
            curriculum.report(accuracy)
            on_step(step, loss, accuracy)
    torch.set_num_threads(threads)


def schedule(step: int, steps: int) -> float:
    """Warm-up, constant, and a linear decay over DECAY_SHARE; a factor in (0, 1]."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    return max(LAST_FACTOR, min(1.0, (steps - step) / (DECAY_SHARE * steps)))
