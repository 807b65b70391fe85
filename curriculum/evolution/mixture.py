"""Which tasks a phase attempts: how many evolved ones, and which of the seeds.

The paper attempts 500 instructions a phase and does not say how many of them are seeds.
Seeds whose value under the critic is in the curriculum's band are as hard as evolved
tasks have to be; they can be drawn more often than others. Alternatively templates take
turns, so that those with few tasks are attempted as well.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

# Weight of a seed outside the band; it is 1 inside and for seeds without a value.
OUTSIDE_WEIGHT = 0.25


def weigh_seed(value: float | None, low: float, high: float) -> float:
    """Return a seed's weight in the draw, by the critic's value of its first page."""
    is_inside = value is None or low <= value <= high
    return 1.0 if is_inside else OUTSIDE_WEIGHT


def draw_weighted(
    task_ids: Sequence[int], weights: Mapping[int, float], rng: random.Random
) -> list[int]:
    """Order tasks at random, heavier ones earlier (Efraimidis and Spirakis 2006).

    The first n of the order are a draw of n without replacement.

    Args:
        task_ids: The tasks to order.
        weights: Above 0; 1 where a task has none.
        rng: Source of the draw; the same one draws the same order.
    """
    keys = {task: rng.random() ** (1 / weights.get(task, 1.0)) for task in task_ids}
    return sorted(task_ids, key=lambda task: keys[task], reverse=True)


def take_turns(task_ids: Sequence[int], templates: Mapping[int, str]) -> list[int]:
    """Order tasks so that templates take turns; within a template the order stays.

    The first n of the order have each template equally often, as far as it has tasks.

    Args:
        task_ids: The tasks to order.
        templates: The template's key of each; tasks without one count as one template.
    """
    groups: dict[str, list[int]] = {}
    for task in task_ids:
        groups.setdefault(templates[task], []).append(task)
    turns = itertools.zip_longest(*groups.values())
    return [task for turn in turns for task in turn if task is not None]


def count_evolved(wanted: int, available: int, share: float) -> int:
    """Return the largest number of evolved tasks in a phase of `wanted` tasks."""
    return min(available, int(share * wanted))
