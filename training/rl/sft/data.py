"""The files of SFT on demonstrations: episodes in, weights and a result out."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

from rollouts.interchange.sft import PromptRow
from rollouts.policies.trained_prompts import PLAIN, TrainedPrompt
from training.rl.sft.config import SftConfig
from training.rl.training_data import SPEC, TrainingDataError, find_weights
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm

ROWS = "demonstrations.jsonl"  # kept episodes of training tasks
PROMPTS = "prompts.jsonl"  # or rows of a file: whole prompts with their answers
LEFT_OUT = "left_out_steps"  # in the result: answers longer than the limit
WEIGHTS = "policy"  # the folder of the trained policy


@dataclasses.dataclass(frozen=True)
class SftSpec:
    """What to train from, with which numbers."""

    base: Path
    seed: int
    sft: SftConfig
    algorithm: WebRLConfig
    # How the prompts of demonstrations are written.
    prompt: TrainedPrompt = PLAIN


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
            prompt=TrainedPrompt(**raw.get("prompt", {})),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingDataError(f"{directory / SPEC}: {error}") from error


def read_prompt_rows(path: Path) -> Iterator[PromptRow]:
    """Yield the rows of `prompts.jsonl`, which has each row's place in its file.

    Raises:
        TrainingDataError: A line is malformed; the message gives its number.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield PromptRow(**json.loads(line))
            except (ValueError, TypeError) as error:
                raise TrainingDataError(f"{path}, line {number}: {error}") from error
