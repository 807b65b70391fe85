"""The curriculum's filter: tasks by the critic's value of their first page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.rl import checkpoints
from training.rl.critic import estimate_values, load_critic
from training.rl.encoding import Encoder

Task = dict[str, Any]
# Paper, section 3.1: neither too easy nor out of reach.
VALUE_LOW, VALUE_HIGH = 0.05, 0.75


class ValueBand:
    """Keeps tasks by the critic's values of their first pages."""

    def __init__(
        self,
        critic: Path,
        pages: Mapping[str, str],
        *,
        max_prompt_tokens: int,
        max_action_tokens: int,
    ) -> None:
        """Load the critic once.

        Args:
            critic: Checkpoint directory.
            pages: The first page by start address.
            max_prompt_tokens: The policy's, which acts on the same pages.
            max_action_tokens: The policy's.
        """
        self._critic, self._pages = load_critic(critic), pages
        self._encoder = Encoder(
            checkpoints.load_tokenizer(critic),
            max_prompt_tokens=max_prompt_tokens,
            max_action_tokens=max_action_tokens,
        )

    def keep(self, tasks: Sequence[Task], wanted: int) -> list[Task]:
        """Return `wanted` of the candidates; all if there are fewer."""
        return keep_nearest(tasks, self._estimate(tasks), wanted)

    def _estimate(self, tasks: Sequence[Task]) -> list[float]:
        prompts = [
            self._encoder.encode_prompt(
                task["intent"], (), (), self._pages.get(task["start_url"], "")
            )
            for task in tasks
        ]
        return estimate_values(
            self._critic,
            prompts,
            pad_id=self._encoder.tokenizer.pad_token_id,
            budget=8 * self._encoder.max_prompt_tokens,
        )


def keep_nearest(
    tasks: Sequence[Task], values: Sequence[float], wanted: int
) -> list[Task]:
    """The first `wanted` tasks in the band, filled up with the nearest outside it.

    Args:
        tasks: Candidates in order.
        values: V of each, in [0, 1].
        wanted: Tasks to return, in the order of the candidates.
    """
    order = sorted(range(len(tasks)), key=lambda place: distance(values[place]))
    return [tasks[place] for place in sorted(order[:wanted])]


def distance(value: float) -> float:
    """How far a value lies outside the band; 0 inside."""
    return max(VALUE_LOW - value, value - VALUE_HIGH, 0.0)
