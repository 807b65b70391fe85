"""Filtered behaviour cloning: maximum likelihood on the better episodes.

    L = -log pi(a | s, I)    for episodes whose return is at or above a quantile

Source: WebRL, table 4 (arXiv 2411.02337): the 70th percentile.
Deviation: the return must be above zero too. With outcomes of 0 and 1 the quantile is
0 as soon as fewer than 30 % succeed, and "at or above 0" keeps every failure.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig

BELOW_QUANTILE = "the episode's return is below the quantile, or zero"


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Negative log-likelihood of each action, (B,)."""
    return -actions.log_probability  # (B,)


def targets(episodes: Sequence[Episode], config: WebRLConfig) -> list[list[Target]]:
    """Equal weight for every step of the episodes at or above the quantile."""
    cutoff = quantile([episode.outcome for episode in episodes], config.kept_quantile)
    return [
        [Target(1.0, left_out=_why_not(episode.outcome, cutoff))] * len(episode.values)
        for episode in episodes
    ]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value at or below which `share` of the values lie."""
    ordered = sorted(values)
    # No interpolation: with outcomes of 0 and 1 a mean of two would be neither.
    position = min(int(share * len(ordered)), len(ordered) - 1)
    return ordered[position]


def _why_not(outcome: float, cutoff: float) -> str:
    # The second condition is the deviation named in the module's docstring.
    return "" if outcome >= cutoff and outcome > 0 else BELOW_QUANTILE


OBJECTIVE = Objective(
    name="filtered_bc",
    paper="Filtered BC as in WebRL, arXiv 2411.02337, table 4",
    formula="-log pi(a | s, I) where R >= quantile and R > 0",
    targets=targets,
    loss=loss,
    test="tests/training/rl/objectives/test_likelihood.py",
    reads_reference=False,
    reads_values=False,
)
