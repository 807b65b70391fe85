"""The curriculum's filter: tasks whose first state the critic finds worth it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.rl import checkpoints
from training.rl.critic import estimate_values, load_critic
from training.rl.encoding import Encoder
from training.rl.starter.pipeline import ACTION_TOKENS, PAGE_TOKENS

# Paper, section 3.1: neither too easy nor out of reach.
VALUE_LOW, VALUE_HIGH = 0.05, 0.75


def keep_in_band(
    tasks: Sequence[dict[str, Any]],
    pages: Mapping[str, str],
    critic: Path,
    wanted: int,
) -> list[dict[str, Any]]:
    """The first `wanted` tasks in the band, filled up with the nearest outside it.

    Args:
        tasks: Candidates in order; at least `wanted`.
        pages: The first page by start address.
        critic: Checkpoint directory.
        wanted: Tasks to return.
    """
    encoder = Encoder(
        checkpoints.load_tokenizer(critic),
        max_prompt_tokens=PAGE_TOKENS,
        max_action_tokens=ACTION_TOKENS,
    )
    prompts = [
        encoder.encode_prompt(task["intent"], (), (), pages.get(task["start_url"], ""))
        for task in tasks
    ]
    values = estimate_values(
        load_critic(critic),
        prompts,
        pad_id=encoder.tokenizer.pad_token_id,
        budget=8 * PAGE_TOKENS,
    )
    order = sorted(range(len(tasks)), key=lambda place: distance(values[place]))
    return [tasks[place] for place in sorted(order[:wanted])]


def distance(value: float) -> float:
    """How far a value lies outside the band; 0 inside."""
    return max(VALUE_LOW - value, value - VALUE_HIGH, 0.0)
