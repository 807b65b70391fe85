"""Copies of a phase's steps with other names and numbers, as additional training data.

Not in the paper. A copy has its step's advantage and weight; pi_ref is computed for
the copy's own tokens. The critic learns only from what was recorded.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence

from training.rl.encoding import Encoder
from training.rl.phase.augmentation import acts_alike, augment, collect_words
from training.rl.phase.scoring import encode_trajectory
from training.rl.phase.steps import StepRow
from training.rl.types import Trajectory


def augment_steps(
    encoder: Encoder,
    trajectories: Sequence[Trajectory],
    parts: Sequence[Sequence[StepRow]],
    *,
    copies: int,
    seed: int,
) -> list[StepRow]:
    """Return copies of the used steps, still without pi_ref; the seed determines them.

    Args:
        encoder: Of the policy.
        trajectories: All that the phase trains on.
        parts: The rows of each trajectory, in order.
        copies: Of each used step, each with other names.
        seed: Of all draws.
    """
    if not copies:
        return []
    words, rng = collect_words(trajectories), random.Random(seed)
    return [
        row
        for _ in range(copies)
        for trajectory, part in zip(trajectories, parts, strict=True)
        if any(row.was_used for row in part)
        for row in _copy(encoder, trajectory, augment(rng, trajectory, words), part)
    ]


def _copy(
    encoder: Encoder,
    recorded: Trajectory,
    augmented: Trajectory,
    part: Sequence[StepRow],
) -> Iterator[StepRow]:
    # Training would also learn an answer that no longer asks for its action.
    if not acts_alike(recorded, augmented):
        return
    # A longer name may leave no room for the last prompt; that step then has no copy.
    for row, example in zip(part, encode_trajectory(encoder, augmented), strict=False):
        if row.was_used:
            # These tokens were never sampled: pi_ref is used as the behaviour policy.
            yield dataclasses.replace(row, example=example, reference=(), recorded=())
