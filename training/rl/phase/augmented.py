"""Copies of a phase's steps with other names and numbers, trained on beside them.

Not in the paper. A copy has its step's advantage and weight; pi_ref is computed for
the copy's own tokens. The critic learns from what was recorded alone.
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
    """Copies of the used steps, without pi_ref yet; the same for the same arguments.

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
    # An answer that no longer asks for its action would be learnt all the same.
    if not acts_alike(recorded, augmented):
        return
    # A longer name may leave no room for a last prompt: then that step has no copy.
    for row, example in zip(part, encode_trajectory(encoder, augmented), strict=False):
        if row.was_used:
            # These tokens were never sampled: pi_ref stands for the behaviour.
            yield dataclasses.replace(row, example=example, reference=(), recorded=())
