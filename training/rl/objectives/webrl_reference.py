"""WebRL as released: the authors' training code.

    L = SmoothL1(beta * log-ratio per token, +1) / beta     where A >= 0, else 0

Source: the released code, described in docs/algorithm.md. beta is 1, or 5 where the
reference already likes the action, and is capped by |1 / log-ratio per token|.
Deviation: the released code divides by the action tokens of the whole batch; here each
row is divided by its own, so that the result does not depend on the batch.
Without KL (`use_kl` off): maximum likelihood on the same steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

from training.rl.objectives.advantages import reference_advantages
from training.rl.objectives.types import Actions, Episode, Objective, Target
from training.rl.webrl_config import WebRLConfig

# The released code keeps only the sign of the advantage: +1 if it is not negative.
POSITIVE_TARGET = 1.0
BETA = 1.0
# A larger beta has a lower target: 1 / beta nats per token instead of 1.
CONFIDENT_BETA = 5.0
# Mean token probability under pi_ref from which an action is well known.
CONFIDENCE = 0.8
NEGATIVE = "the advantage is negative: the released code's loss is 0"


def loss(actions: Actions, config: WebRLConfig) -> torch.Tensor:
    """Smooth L1 towards +1 on steps with an advantage of at least 0, (B,)."""
    positive = actions.advantage >= 0  # (B,)
    if not config.use_kl:
        return -actions.log_probability * positive
    count = actions.token_count  # (B,)
    per_token = actions.log_ratio / count  # (B,)
    # Geometric mean of the reference's token probabilities.
    likelihood = (actions.reference.sum(dim=1) / count).exp()  # (B,)
    beta = torch.where(likelihood >= CONFIDENCE, CONFIDENT_BETA, BETA)  # (B,)
    # No gradient through the cap; 1e-8 where pi is still pi_ref and the ratio 0.
    cap = POSITIVE_TARGET / per_token.detach().abs().clamp_min(1e-8)
    beta = torch.minimum(beta.to(cap), cap)  # (B,)
    aim = torch.full_like(per_token, POSITIVE_TARGET)
    error = functional.smooth_l1_loss(beta * per_token, aim, reduction="none")
    # Division by beta keeps the gradient at the reference the same for every beta.
    return error / beta * positive  # (B,)


def targets(episodes: Sequence[Episode], config: WebRLConfig) -> list[list[Target]]:
    """The released code's advantages; negative ones are left out and have no loss."""
    return [
        [
            # Its mean is over a batch's positive steps: others would only cost time.
            Target(advantage, left_out="" if advantage >= 0 else NEGATIVE)
            for advantage in reference_advantages(
                episode.values, episode.final_value, episode.outcome
            )
        ]
        for episode in episodes
    ]


OBJECTIVE = Objective(
    name="webrl_reference",
    paper="The released code of WebRL, arXiv 2411.02337",
    formula="SmoothL1(beta log(pi / pi_ref) / tokens, 1) / beta where A >= 0",
    targets=targets,
    loss=loss,
    test="tests/training/rl/objectives/test_webrl.py",
    uses_replay=True,
    uses_final_value=True,
    has_kl=True,
)
