"""DigiRL: maximum likelihood on steps that pass two hard filters.

    A_step = lambda^(T-t) R + (1 - lambda^(T-t)) (V(s_{t+1}) + r_t - V(s_t))
    L = -log pi(a | s, I)    where A_step > 1 / H and R - V(I) >= quantile

Source: Bai and others, arXiv 2406.11896, section 4.
Deviations: V(I), the value of an instruction, is the critic's value of its first page;
H is the length of the phase's longest episode; the quantile is `kept_quantile` (the
authors' code keeps the best tenth, that is 0.9).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from training.rl.objectives.filtered_bc import quantile
from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig

POOR_EPISODE = "the episode's outcome is no surprise: R - V(I) is below the quantile"
POOR_STEP = "the step's advantage is at most 1 / H"


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Negative log-likelihood of each action, (B,)."""
    return -actions.log_probability  # (B,)


def targets(episodes: Sequence[Episode], config: WebRLConfig) -> list[list[Target]]:
    """Doubly robust advantages; a step that fails a filter is left out."""
    # H of the step filter: the longest episode that was seen.
    horizon = max(len(episode.values) for episode in episodes)
    # R - V(I): the successes that were expected least are imitated.
    surprises = [episode.outcome - episode.values[0] for episode in episodes]
    cutoff = quantile(surprises, config.kept_quantile)
    found = []
    for episode, surprise in zip(episodes, surprises, strict=True):
        advantages = step_advantages(episode, config.gae_lambda)
        poor = POOR_EPISODE if surprise < cutoff else ""
        found.append([_judge(a, poor, horizon) for a in advantages])
    return found


def step_advantages(episode: Episode, decay: float) -> list[float]:
    """Doubly robust advantage of each step; V is 0 after the last one."""
    last = len(episode.values) - 1
    found = []
    for t, value in enumerate(episode.values):
        after = 0.0 if t == last else episode.values[t + 1]
        reward = episode.outcome if t == last else 0.0
        # Near the end the outcome has most weight; far from it the critic has.
        trust = decay ** (last - t)
        # Doubly robust estimate of DigiRL, section 4.
        found.append(trust * episode.outcome + (1 - trust) * (after + reward - value))
    return found


def _judge(advantage: float, poor_episode: str, horizon: int) -> Target:
    poor_step = POOR_STEP if advantage <= 1 / horizon else ""
    return Target(advantage, left_out=poor_episode or poor_step)


OBJECTIVE = Objective(
    name="digirl",
    paper="DigiRL, arXiv 2406.11896",
    formula="-log pi(a | s, I) where A_step > 1 / H and R - V(I) >= quantile",
    targets=targets,
    loss=loss,
    test="tests/training/rl/objectives/test_digirl.py",
    uses_replay=True,
    reads_reference=False,
)
