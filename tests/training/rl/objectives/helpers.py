"""Actions of a few tokens, written out."""

from __future__ import annotations

import torch

from training.rl.objectives.types import Actions


def make_actions(
    log_probabilities: list[list[float]],
    advantage: list[float],
    *,
    reference: list[list[float]] | None = None,
    behaviour: list[list[float]] | None = None,
    lengths: list[int] | None = None,
) -> Actions:
    """Actions in float64; the reference is the behaviour unless told otherwise."""
    current = torch.tensor(log_probabilities, dtype=torch.float64)
    behaviour = behaviour or reference or log_probabilities
    counts = torch.tensor(lengths or [current.shape[1]] * current.shape[0])
    return Actions(
        log_probabilities=current.requires_grad_(),
        reference=torch.tensor(reference or behaviour, dtype=torch.float64),
        behaviour=torch.tensor(behaviour, dtype=torch.float64),
        advantage=torch.tensor(advantage, dtype=torch.float64),
        mask=torch.arange(current.shape[1])[None, :] < counts[:, None],
    )
