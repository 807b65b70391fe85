"""What a phase trains on: its own episodes, replayed ones, and demonstrations."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from training.rl import training_data
from training.rl.encoding import Encoder
from training.rl.phase.steps import Source, StepRow, encode_readable
from training.rl.types import Trajectory
from training.rl.webrl_config import WebRLConfig


@dataclasses.dataclass(frozen=True)
class Material:
    """Trajectories and their steps; the phase's own come first.

    Attributes:
        trajectories: Cut to the steps whose prompts fit.
        steps: The rows of each trajectory, in order.
        own: How many of the trajectories are the phase's own.
    """

    trajectories: list[Trajectory]
    steps: list[list[StepRow]]
    own: int


def read_material(
    directory: Path, encoder: Encoder, config: WebRLConfig, *, uses_replay: bool
) -> Material:
    """Read and encode a training directory's episodes.

    Args:
        directory: The training directory.
        encoder: Of the policy.
        config: Says whether earlier successes and demonstrations join.
        uses_replay: Whether the objective learns from another policy's steps.

    Raises:
        TrainingDataError: A file is malformed, or nothing of the phase's own fits.
    """
    sources: dict[Source, str] = {"fresh": training_data.FRESH}
    if uses_replay and config.use_replay:
        sources["replay"] = training_data.REPLAY
    if uses_replay and config.use_demonstrations:
        sources["shown"] = training_data.DEMONSTRATIONS
    parts = [
        _read(directory / name, encoder, source) for source, name in sources.items()
    ]
    own = len(parts[0][0])
    if not own:
        raise training_data.TrainingDataError(
            f"{directory / training_data.FRESH} holds no scored trajectory whose "
            f"prompts fit into {config.max_prompt_tokens} tokens: there is "
            "nothing to train on. Too long ones fit with a larger "
            "max_prompt_tokens."
        )
    return Material(
        [trajectory for found, _ in parts for trajectory in found],
        [rows for _, found in parts for rows in found],
        own,
    )


def _read(
    path: Path, encoder: Encoder, source: Source
) -> tuple[list[Trajectory], list[list[StepRow]]]:
    found = training_data.read_trajectories(path)
    scored = [t for t in found if t.reward is not None and t.transitions]
    return encode_readable(encoder, scored, source)
