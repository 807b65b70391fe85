"""Imitation: maximum likelihood on every step, regardless of its episode's outcome.

    L = -log pi(a | s, I)

In a phase it is the control: it sees the same steps but no reward. Cloning
demonstrations before the first phase is `training.rl.sft`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Negative log-likelihood of each action, (B,)."""
    return -actions.log_probability  # (B,)


def targets(episodes: Sequence[Episode], config: WebRLConfig) -> list[list[Target]]:
    """Equal weight for every step."""
    return [[Target(1.0) for _ in episode.values] for episode in episodes]


OBJECTIVE = Objective(
    name="sft",
    paper="Imitation; the control without reward",
    formula="-log pi(a | s, I)",
    targets=targets,
    loss=loss,
    test="tests/training/rl/objectives/test_likelihood.py",
    reads_reference=False,
    reads_values=False,
)
