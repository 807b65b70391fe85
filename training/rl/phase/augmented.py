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
from training.rl.webrl_config import WebRLConfig


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


def choose_copies(copies: Sequence[StepRow], config: WebRLConfig) -> list[StepRow]:
    """Return the copies to train on.

    With `skip_familiar_copies`, copies of good steps that the policy would repeat
    anyway are left out: their perplexity is below the band of the replay.

    Args:
        copies: With perplexities, if any are to be left out.
        config: Of the run.
    """
    if not config.skip_familiar_copies:
        return list(copies)
    return [row for row in copies if not _is_familiar(row, config.perplexity_low)]


def _is_familiar(row: StepRow, low: float) -> bool:
    # A likely action that was bad has much to teach.
    is_good = row.advantage is None or row.advantage > 0
    return is_good and row.perplexity is not None and row.perplexity < low


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
    examples = encode_trajectory(encoder, augmented)
    steps = zip(part, augmented.transitions, examples, strict=False)
    for row, step, example in steps:
        # Nor has one whose answer would be cut: it would teach a call without its end.
        if row.was_used and encoder.takes_whole(step.output):
            # These tokens were never sampled: pi_ref is used as the behaviour policy.
            yield dataclasses.replace(row, example=example, reference=(), recorded=())
