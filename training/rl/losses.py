"""The losses of critic and policy, as functions on tensors."""

from __future__ import annotations

import torch
from torch.nn import functional

# Released code: positive steps aim at +1, negative ones at -0.6 and are masked out;
# the constraint is tighter where the reference already likes the action.
REFERENCE_POSITIVE_TARGET = 1.0
REFERENCE_BETA = 1.0
REFERENCE_CONFIDENT_BETA = 5.0
REFERENCE_CONFIDENCE = 0.8


def policy_loss(
    log_ratio: torch.Tensor, advantage: torch.Tensor, beta: float
) -> torch.Tensor:
    """Squared error between beta * log(pi / pi_ref) and the advantage (paper, eq. 7).

    Args:
        log_ratio: log pi_theta - log pi_ref of each action, summed over tokens, (B,).
        advantage: A*(s, a, I), (B,).
        beta: Strength of the KL constraint, > 0.

    Returns:
        Loss of each row, (B,). Its minimum is pi = pi_ref * exp(A / beta).
    """
    return (beta * log_ratio - advantage) ** 2


def reference_policy_loss(
    log_ratio: torch.Tensor,
    advantage: torch.Tensor,
    token_count: torch.Tensor,
    reference_log_probability: torch.Tensor,
) -> torch.Tensor:
    """The released code's loss: smooth L1 on steps with advantage >= 0, else zero.

    Args:
        log_ratio: Summed log-ratio, (B,).
        advantage: As `reference_advantages` computes it, (B,).
        token_count: Action tokens of each row, (B,).
        reference_log_probability: Summed log pi_ref of each action, (B,).

    Returns:
        Loss of each row, (B,).
    """
    per_token = log_ratio / token_count
    likelihood = (reference_log_probability / token_count).exp()
    confident = likelihood >= REFERENCE_CONFIDENCE
    beta = torch.where(confident, REFERENCE_CONFIDENT_BETA, REFERENCE_BETA)
    cap = REFERENCE_POSITIVE_TARGET / per_token.detach().abs().clamp_min(1e-8)
    beta = torch.minimum(beta.to(cap), cap)
    target = torch.full_like(per_token, REFERENCE_POSITIVE_TARGET)
    loss = functional.smooth_l1_loss(beta * per_token, target, reduction="none") / beta
    return loss * (advantage >= 0)


def critic_loss(logits: torch.Tensor, outcome: torch.Tensor) -> torch.Tensor:
    """Binary cross-entropy of both heads against the episode's outcome (paper, eq. 8).

    Args:
        logits: Two heads' logits of success, (B, 2).
        outcome: 0 or 1, (B,).

    Returns:
        Loss of each row, averaged over the heads, (B,).
    """
    target = outcome[:, None].expand_as(logits)
    loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return loss.mean(dim=1)
