"""The files of SFT on demonstrations: episodes in, weights and a result out."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from training.rl.sft.config import SftConfig
from training.rl.training_data import SPEC, TrainingDataError, find_weights
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm

ROWS = "demonstrations.jsonl"  # kept episodes of training tasks
WEIGHTS = "policy"  # the folder of the trained policy


@dataclasses.dataclass(frozen=True)
class SftSpec:
    """What to train from, with which numbers."""

    base: Path
    seed: int
    sft: SftConfig
    algorithm: WebRLConfig


def read_sft_spec(directory: Path) -> SftSpec:
    """Read `spec.json`.

    Raises:
        TrainingDataError: Missing, not JSON, or a field is unknown or out of range.
    """
    try:
        raw = json.loads((directory / SPEC).read_text())
        return SftSpec(
            base=find_weights(directory, raw["base"]),
            seed=int(raw["seed"]),
            sft=SftConfig(**raw["sft"]),
            algorithm=WebRLConfig(**upgrade_algorithm(raw["algorithm"])),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingDataError(f"{directory / SPEC}: {error}") from error
