"""What is lost by a critic, and how far a policy is from its reference.

The losses of policies are in `training.rl.objectives`.
"""

from __future__ import annotations

import torch
from torch.nn import functional


def critic_loss(logits: torch.Tensor, outcome: torch.Tensor) -> torch.Tensor:
    """Binary cross-entropy of both heads against the episode's outcome (paper, eq. 8).

    Args:
        logits: Two heads' logits of success, (B, 2).
        outcome: 0 or 1, (B,).

    Returns:
        Loss of each row, averaged over the heads, (B,).
    """
    target = outcome[:, None].expand_as(logits)  # (B, 2)
    loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return loss.mean(dim=1)


def kl_estimate(log_ratio: torch.Tensor) -> torch.Tensor:
    """Non-negative estimate of KL(pi_ref || pi) from actions of pi_ref, (B,).

    exp(x) - 1 - x with x = log pi - log pi_ref has that mean for actions drawn from
    pi_ref and a low variance (Schulman, "Approximating KL divergence", 2020). The
    ratio is capped: one replayed action must not hide all others.
    """
    capped = log_ratio.clamp(-20, 5)
    return capped.exp() - 1 - capped
