"""The plain way to an action's log-probability: logits of every token."""

from __future__ import annotations

from typing import Any

import torch

from training.rl.batching import Batch


def plain_log_probabilities(model: Any, batch: Batch) -> torch.Tensor:
    """Summed log-probability of each action by the full log-softmax, (B,)."""
    logits = model(input_ids=batch.ids, attention_mask=batch.attention_mask).logits
    logs = logits[:, :-1].float().log_softmax(-1)  # (B, T - 1, V)
    taken = logs.gather(2, batch.ids[:, 1:, None])[..., 0]  # (B, T - 1)
    summed: torch.Tensor = (taken * batch.action_mask).sum(1)
    return summed
