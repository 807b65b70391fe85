"""A reward model's verdicts on recorded episodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.acting import LIMITS

THRESHOLD = 0.5  # paper, section 3.2: YES where P(YES) > P(NO)


def score(
    directory: Path,
    rows: Sequence[dict[str, Any]],
    max_prompt_tokens: int = LIMITS["max_prompt_tokens"],
) -> list[float]:
    """P(YES) of each episode under the reward model of a folder."""
    from training.rl.orm.reward_model import RewardModel
    from training.rl.starter.episodes import parse_trajectory

    model = RewardModel(directory, max_prompt_tokens=max_prompt_tokens, budget=8192)
    found = model.score([parse_trajectory(row["trajectory"]) for row in rows])
    # An instruction may leave no room for a page: handled as in a phase's scoring.
    return [value or 0.0 for value in found]


def judge(
    directory: Path, rows: Sequence[dict[str, Any]], max_prompt_tokens: int
) -> list[dict[str, Any]]:
    """The same episodes with the reward model's verdicts as outcomes."""
    verdicts = score(directory, rows, max_prompt_tokens)
    return [
        {**row, "outcome": probability > THRESHOLD}
        for row, probability in zip(rows, verdicts, strict=True)
    ]
