"""First stage: repeat random token sequences.

A small model does not learn to look an element's id up on a page from pages alone: it
stays at chance for thousands of steps. Copying random sequences makes the attention
heads that look up what followed an earlier token; reading then comes quickly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn import functional

BATCH = 64
LEARNING_RATE = 2e-3
WARM_UP = 50


def repeated_sequences(
    generator: torch.Generator, vocabulary_size: int, length: int
) -> torch.Tensor:
    """Random sequences of `length` tokens, each written twice; (BATCH, 2 * length)."""
    half = torch.randint(8, vocabulary_size, (BATCH, length), generator=generator)
    return torch.cat([half, half], dim=1)


def train_induction(model: Any, *, steps: int, seed: int) -> Iterator[tuple[int, float]]:
    """Train in place; yields (step, accuracy on the repeats) every 25 steps."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
    for step in range(steps):
        rate = LEARNING_RATE * schedule(step, steps)
        for group in optimizer.param_groups:
            group["lr"] = rate
        length = 24 + 8 * (step % 4)
        ids = repeated_sequences(generator, model.config.vocab_size, length)
        logits = model(input_ids=ids).logits[:, length - 1 : -1]
        targets = ids[:, length:]
        loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 25 == 0 or step == steps - 1:
            yield step, float((logits.argmax(-1) == targets).float().mean())


def schedule(step: int, steps: int) -> float:
    """Linear warm-up, then cosine down to a tenth; a factor in (0, 1]."""
    if step < WARM_UP:
        return (step + 1) / WARM_UP
    progress = (step - WARM_UP) / max(1, steps - WARM_UP)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * progress))
