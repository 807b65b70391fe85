"""What a reward model says of recorded episodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

THRESHOLD = 0.5  # paper, section 3.2: YES where P(YES) > P(NO)


def score(directory: Path, rows: Sequence[dict[str, Any]]) -> list[float]:
    """P(YES) of each episode under the reward model of a folder."""
    from training.rl.orm.reward_model import RewardModel
    from training.rl.starter.episodes import parse_trajectory
    from training.rl.starter.pipeline import PAGE_TOKENS

    model = RewardModel(directory, max_prompt_tokens=PAGE_TOKENS, budget=8192)
    return model.score([parse_trajectory(row["trajectory"]) for row in rows])


def judge(directory: Path, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same episodes with the reward model's verdicts as outcomes."""
    return [
        {**row, "outcome": probability > THRESHOLD}
        for row, probability in zip(rows, score(directory, rows), strict=True)
    ]
