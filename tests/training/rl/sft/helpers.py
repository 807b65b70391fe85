"""A directory of demonstrations for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.training.rl.tiny import make_trajectory, write_lines
from training.rl import checkpoints

ALGORITHM = {"micro_batch_size": 16, "max_prompt_tokens": 200, "max_action_tokens": 16}


def write_sft_directory(
    folder: Path, model, tokenizer, *, episodes: int, **sft: Any
) -> Path:
    """Demonstrations of two steps each, and the model that learns from them."""
    checkpoints.save_checkpoint(folder / "base", model, tokenizer)
    directory = folder / "sft-hand"
    directory.mkdir()
    spec = {
        "base": str(folder / "base"),
        "seed": 3,
        "sft": {"learning_rate": 1e-2, "epochs": 4, "batch_size": 128} | sft,
        "algorithm": ALGORITHM,
    }
    (directory / "spec.json").write_text(json.dumps(spec))
    write_lines(
        directory / "demonstrations.jsonl",
        [make_trajectory(n + 1, 1) for n in range(episodes)],
    )
    return directory
