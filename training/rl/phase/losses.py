"""The critic's loss, and how far a policy is from its reference.

The losses of policies are in `training.rl.objectives`.

Deviation from the paper: eq. 8 has one V; here two heads share the loss (as in the
released code), and the smaller one is taken only when V is read.
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
    # -R log V - (1 - R) log(1 - V), from logits: log(sigmoid) alone underflows. (B, 2)
    loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return loss.mean(dim=1)  # (B,)


def kl_estimate(log_ratio: torch.Tensor) -> torch.Tensor:
    """Non-negative estimate of KL(pi_ref || pi) from actions of pi_ref, (B,).

    exp(x) - 1 - x with x = log pi - log pi_ref has that mean for actions drawn from
    pi_ref and a low variance (Schulman, "Approximating KL divergence", 2020). The
    ratio is capped: one replayed action must not hide all others.
    """
    # exp(5) - 6 = 142 nats is far beyond any useful update; below -20 the
    # term is linear in x, and the cap only keeps the number readable.
    capped = log_ratio.clamp(-20, 5)
    return capped.exp() - 1 - capped  # (B,), >= 0
