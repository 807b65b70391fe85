"""Returns and advantages of one episode's steps.

Paper, equation 9 (two-point generalised advantage estimate, lambda = 0.5):

    A(s_t, a_t) = lambda * (r_t + V(s_{t+1}) - V(s_t)) + (1 - lambda) * (R - V(s_t))

where R is the outcome in {0, 1}, r_t is 0 before the last step and R at it, and V is
0 after the last step. gamma is 1: the paper has 0.9 in a table but in no equation.
`reference_advantages` is the released code's and differs from eq. 9 in every term.
"""

from __future__ import annotations

from collections.abc import Sequence

# The released code's discount, and the cost that it subtracts from every step: in a
# failed episode a step that does not change V is bad.
REFERENCE_STEP_COST = 0.05
REFERENCE_GAMMA = 0.9


def two_point_advantages(
    values: Sequence[float], outcome: float, gae_lambda: float
) -> list[float]:
    """Advantage of each step (paper, equation 9).

    Args:
        values: V(s_t) for each step, in [0, 1].
        outcome: The trajectory's reward, 0 or 1.
        gae_lambda: Weight of the one-step part, in [0, 1].
    """
    # V(s_{t+1}); the last one is 0, since nothing can be won after the end.
    following = [*values[1:], 0.0]
    # r_t: only the last step has a reward.
    rewards = [0.0] * (len(values) - 1) + [outcome]
    return [
        # eq. 9: the one-step part from V, and the part from the outcome.
        gae_lambda * (reward + after - value) + (1 - gae_lambda) * (outcome - value)
        for value, after, reward in zip(values, following, rewards, strict=True)
    ]


def reference_advantages(
    values: Sequence[float], final_value: float, outcome: float
) -> list[float]:
    """Advantage of each step as the released code computes it, within [-1, 1].

    Every step's reward is the outcome, discounted returns sum it again, and the
    state after the last step is the last page (its value is `final_value`).
    """
    # The released code values the last page like any other; eq. 9 has 0 there.
    following = [*values[1:], final_value]
    returns: list[float] = []
    running = 0.0
    for _ in values:
        running = outcome + REFERENCE_GAMMA * running  # G_t = R + 0.9 G_{t+1}
        returns.append(running)
    returns.reverse()
    return [
        # In a success R + G >= 2, so that it keeps at least 0.95 for every V.
        max(-1.0, min(1.0, after - value - REFERENCE_STEP_COST + outcome + total))
        for value, after, total in zip(values, following, returns, strict=True)
    ]
