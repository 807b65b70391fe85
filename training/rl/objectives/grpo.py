"""M-GRPO: clipped policy gradient with advantages relative to a group of attempts.

    A_i = (R_i - mean(R)) / (std(R) + 1e-4)              over the attempts of one task
    L = mean over tokens of -min(rho A, clip(rho, 1 - eps, 1 + eps) A) + beta_KL * KL
    rho = pi_theta / pi_behaviour,  KL = exp(d) - 1 - d,  d = log pi_ref - log pi_theta

Source: WebAgent-R1, arXiv 2505.16421 (beta_KL 0.001; the mean runs over episodes, then
over an episode's actions, then over an action's tokens); eps 0.2 as in PPO.
Deviations: the behaviour policy is the phase's, so that the data is on-policy only for
the first optimiser step; the clip bounds the later ones. Replayed steps are not used.
A token's log-ratios are bounded by 20 nats, so that no exponential overflows.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import torch

from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig

# eps of PPO, arXiv 1707.06347.
CLIP = 0.2
# beta_KL of WebAgent-R1.
KL_WEIGHT = 0.001
# The 1e-4 of GRPO's denominator: a group with equal rewards has std 0.
STD_FLOOR = 1e-4
# A token's log-ratio counts up to here, in nats. Without a bound exp overflows in
# float32 from 88 on, and one such token makes every gradient of the step NaN.
MAX_LOG_RATIO = 20.0
ALL_ALIKE = "all attempts of the task had the same outcome"


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Clipped surrogate and KL penalty, mean over each action's tokens, (B,)."""
    ratio = _bound(actions.log_probabilities - actions.behaviour).exp()  # (B, A)
    advantage = actions.advantage[:, None]  # (B, 1)
    clipped = ratio.clamp(1 - CLIP, 1 + CLIP)  # (B, A)
    per_token = -torch.minimum(ratio * advantage, clipped * advantage)  # (B, A)
    if config.use_kl:
        # Per token, non-negative, low variance: the estimator k3 of Schulman (2020).
        difference = _bound(actions.reference - actions.log_probabilities)  # (B, A)
        per_token = per_token + KL_WEIGHT * (difference.exp() - 1 - difference)
    return (per_token * actions.mask).sum(dim=1) / actions.token_count  # (B,)


def _bound(log_ratio: torch.Tensor) -> torch.Tensor:
    return log_ratio.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO)  # (B, A)


def targets(episodes: Sequence[Episode], config: WebRLConfig) -> list[list[Target]]:
    """One advantage for each episode; its steps share the weight of one episode."""
    groups: dict[int, list[float]] = {}
    for episode in episodes:
        groups.setdefault(episode.task_id, []).append(episode.outcome)
    spreads = {task_id: statistics.pstdev(group) for task_id, group in groups.items()}
    # Weights of the steps that count have mean 1, so that the learning rate and the
    # bound of the gradient mean the same as elsewhere.
    lengths = [len(one.values) for one in episodes if spreads[one.task_id] > 0]
    mean_length = statistics.fmean(lengths) if lengths else 0.0
    found = []
    for episode in episodes:
        group, spread = groups[episode.task_id], spreads[episode.task_id]
        target = Target(
            # A_i of the module docstring's formula; one for all steps of the episode.
            (episode.outcome - statistics.fmean(group)) / (spread + STD_FLOOR),
            weight=mean_length / len(episode.values),
            left_out="" if spread > 0 else ALL_ALIKE,
        )
        found.append([target] * len(episode.values))
    return found


OBJECTIVE = Objective(
    name="grpo",
    paper="M-GRPO of WebAgent-R1, arXiv 2505.16421",
    formula="-min(rho A, clip(rho, 0.8, 1.2) A) + 0.001 KL, A = (R - mean) / std",
    targets=targets,
    loss=loss,
    test="tests/training/rl/objectives/test_grpo.py",
    has_kl=True,
    reads_values=False,
)
