"""WebRL as published: the KL-constrained update.

    L = (beta * log(pi_theta(a | s, I) / pi_ref(a | s, I)) - A(s, a, I))^2      (eq. 7)

Source: arXiv 2411.02337. A is the two-point estimate of equation 9. Its minimum is
pi_theta = pi_ref * exp(A / beta) (eq. 5), for any sampling policy.
Without KL (`use_kl` off, the paper's ablation): policy gradient with the critic as
baseline, L = -A(s, a, I) log pi_theta(a | s, I).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from training.rl.objectives.advantages import two_point_advantages
from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Squared error between beta times the log-ratio and the advantage, (B,)."""
    if not config.use_kl:
        return -actions.advantage * actions.log_probability
    return (config.beta * actions.log_ratio - actions.advantage) ** 2


def targets(episodes: Sequence[Episode], config: WebRLConfig) -> list[list[Target]]:
    """Every step counts, with its two-point advantage."""
    return [
        [
            Target(advantage)
            for advantage in two_point_advantages(
                episode.values, episode.outcome, config.gae_lambda
            )
        ]
        for episode in episodes
    ]


OBJECTIVE = Objective(
    name="webrl_paper",
    paper="WebRL, arXiv 2411.02337, equations 7 and 9",
    formula="(beta log(pi / pi_ref) - A)^2",
    targets=targets,
    loss=loss,
    test="tests/training/rl/objectives/test_webrl.py",
    uses_replay=True,
    has_kl=True,
)
