"""The training loop of the recipe's own stages: masked next-token prediction."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch.nn import functional

WARM_UP = 40
GIVEN, TARGET, LOOKUP = 0, 1, 2


@dataclasses.dataclass(frozen=True, slots=True)
class MaskedSequence:
    """Token ids, and the part of each.

    A token is GIVEN (not predicted), a TARGET, or a LOOKUP: a target whose answer must
    be found elsewhere in the sequence, such as an element's id. Lookups have a mean
    loss of their own, or the many easy targets around them would drown it.
    """

    ids: tuple[int, ...]
    parts: tuple[int, ...]


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
        model.parameters(), lr=learning_rate, weight_decay=0.0, betas=(0.9, 0.98)
    )
    model.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * schedule(step, steps)
        loss, accuracy = masked_loss(model, curriculum.next_batch())
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        curriculum.report(accuracy)
        on_step(step, float(loss.detach()), accuracy)


def masked_loss(
    model: Any, rows: Sequence[MaskedSequence]
) -> tuple[torch.Tensor, float]:
    """Mean loss of lookups plus mean loss of other targets, and the accuracy."""
    longest = max(len(row.ids) for row in rows)
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    parts = torch.zeros((len(rows), longest), dtype=torch.long)
    attention = torch.zeros((len(rows), longest), dtype=torch.long)
    for position, row in enumerate(rows):
        ids[position, : len(row.ids)] = torch.tensor(row.ids)
        parts[position, : len(row.ids)] = torch.tensor(row.parts)
        attention[position, : len(row.ids)] = 1
    hidden = model.get_decoder()(
        input_ids=ids, attention_mask=attention, use_cache=False
    ).last_hidden_state  # (B, T, H)
    wanted = parts[:, 1:] != GIVEN
    kinds = parts[:, 1:][wanted]
    logits = model.get_output_embeddings()(hidden[:, :-1][wanted])  # (N, V)
    targets = ids[:, 1:][wanted]
    losses = functional.cross_entropy(logits, targets, reduction="none")
    present = [kind for kind in (TARGET, LOOKUP) if bool((kinds == kind).any())]
    loss = torch.stack([losses[kinds == kind].mean() for kind in present]).sum()
    right = (logits.argmax(-1) == targets)[kinds == present[-1]]
    return loss, float(right.float().mean())


def schedule(step: int, steps: int) -> float:
    """Warm-up, constant, and a cosine over the last fifth; a factor in (0, 1]."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    start = int(0.8 * steps)
    if step < start:
        return 1.0
    progress = (step - start) / max(1, steps - start)
    return 0.05 + 0.475 * (1 + math.cos(math.pi * progress))
