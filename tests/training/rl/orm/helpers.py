"""A reward model's training directory for tests."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from tests.training.rl.tiny import CLICK, PAGE
from training.rl import checkpoints
from training.rl.orm.data import JudgedEpisode

ALGORITHM = {
    "batch_size": 8,
    "micro_batch_size": 4,
    "max_prompt_tokens": 200,
    "max_action_tokens": 16,
}


def judge(number: int, *, is_held_out: bool = False) -> JudgedEpisode:
    """Successes clicked; failures did nothing of the kind."""
    is_success = number % 2 == 0
    return JudgedEpisode(
        trajectory_id=number,
        instruction=f"Find the Blue Oak Lamp {number}",
        actions=(CLICK,) if is_success else ('do(action="Go Back")',),
        final_observation=PAGE if is_success else "<p>Price</p>",
        site=("shop", "forum")[number % 4 // 2],
        is_success=is_success,
        is_held_out=is_held_out,
    )


def write(directory: Path, episodes: list[JudgedEpisode]) -> None:
    lines = (json.dumps(dataclasses.asdict(one)) + "\n" for one in episodes)
    (directory / "verdicts.jsonl").write_text("".join(lines))


def write_orm_directory(folder: Path, model, tokenizer, **orm: Any) -> Path:
    """Thirty-two judged episodes to learn from, and four that measure."""
    base = folder / "base"
    checkpoints.save_checkpoint(base, model, tokenizer)
    directory = folder / "orm-people"
    directory.mkdir()
    write(
        directory,
        [
            *(judge(n) for n in range(32)),
            *(judge(n, is_held_out=True) for n in (40, 41, 42, 43)),
        ],
    )
    orm = {"learning_rate": 0.01, "epochs": 15} | orm
    spec = {"base": str(base), "seed": 1, "orm": orm, "algorithm": ALGORITHM}
    (directory / "spec.json").write_text(json.dumps(spec))
    return directory
