"""Advantage-weighted regression.

    L = -log pi(a | s, I) * min(exp(A / beta), w_max),    A = gamma^(T - t) R - V(s)

Source: Peng and others, arXiv 1910.00177 (w_max 20); gamma 0.9 as in WebRL, table 4.
Deviation: V is the phase's classifying critic (WebRL, eq. 8), not a regression on
TD(lambda) returns, so that all objectives share one critic.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig

GAMMA = 0.9
# exp(A / beta) is unbounded: without the cap one step can outweigh the whole batch.
MAX_WEIGHT = 20.0


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Weighted negative log-likelihood of each action, (B,)."""
    # Unlike in WebRL's eq. 7, every weight is positive: a bad action becomes less
    # likely only because others become more likely.
    weight = (actions.advantage / config.beta).exp().clamp_max(MAX_WEIGHT)  # (B,)
    return -weight * actions.log_probability  # (B,)


def targets(episodes: Sequence[Episode], config: WebRLConfig) -> list[list[Target]]:
    """Discounted return minus value, for every step."""
    return [
        [
            # A_t = gamma^(T - t) R - V(s_t), T the last step.
            Target(GAMMA ** (len(episode.values) - 1 - t) * episode.outcome - value)
            for t, value in enumerate(episode.values)
        ]
        for episode in episodes
    ]


OBJECTIVE = Objective(
    name="awr",
    paper="AWR, arXiv 1910.00177",
    formula="-log pi(a | s, I) * min(exp((gamma^(T-t) R - V(s)) / beta), 20)",
    targets=targets,
    loss=loss,
    test="tests/training/rl/objectives/test_awr.py",
    uses_replay=True,
    reads_reference=False,
)
