"""WebRL as published: the KL-constrained update.

    L = (beta * log(pi_theta(a | s, I) / pi_ref(a | s, I)) - A(s, a, I))^2      (eq. 7)

Source: arXiv 2411.02337. A is the two-point estimate of equation 9. Its minimum is
pi_theta = pi_ref * exp(A / beta) (eq. 5), for any sampling policy.
Options that the paper does not have: `far_rows` "huber" counts an error above 1
linearly, and `cap_targets` keeps the action's target probability at most 1.
|A| <= 1, so that no row is far before the first update.
Without KL (`use_kl` off, the paper's ablation): policy gradient with the critic as
baseline, L = -A(s, a, I) log pi_theta(a | s, I).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

from training.rl.objectives.advantages import two_point_advantages
from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig

# An error above this is far: an advantage alone cannot cause it.
FAR = 1.0


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Squared error between beta times the log-ratio and the advantage, (B,)."""
    if not config.use_kl:
        # Unbounded below for A < 0: a bad action's probability can fall to 0.
        return -actions.advantage * actions.log_probability  # (B,)
    # eq. 7: 0 where pi_theta = pi_ref * exp(A / beta), the optimum of eq. 5.
    error = config.beta * actions.log_ratio - reachable(actions, config)  # (B,)
    if config.far_rows == "huber":
        # Twice the library's loss, so that it equals the square up to FAR.
        return 2 * functional.huber_loss(
            error, torch.zeros_like(error), reduction="none", delta=FAR
        )
    return error**2  # (B,)


def reachable(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """The advantage, capped if the configuration says so, (B,).

    log pi <= 0, so that beta * log(pi / pi_ref) never exceeds -beta * log pi_ref.
    """
    if not config.cap_targets:
        return actions.advantage
    # What is left between pi_ref(a | s, I) and probability 1.
    room = -config.beta * actions.reference.sum(dim=1)  # (B,)
    return torch.minimum(actions.advantage, room)  # (B,)


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
