"""Which tasks a phase attempts: how many evolved ones, and which of the seeds.

The paper attempts 500 instructions a phase and does not say how many of them are seeds.
Seeds whose value under the critic is in the curriculum's band are as hard as evolved
tasks have to be; they can be drawn more often than others. Alternatively templates take
turns, so that those with few tasks are attempted as well, or have shares by
learnability: a template that always or never succeeds teaches little (Foster et al.
2025, arXiv 2502.12272).
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


def rate_learnability(solved: int, attempts: int) -> float:
    """Return p (1 - p) with p the share of solved attempts, above 0 and at most 0.25.

    Jeffreys' prior: a template that never succeeded in ten attempts may yet do so.
    """
    rate = (solved + 0.5) / (attempts + 1)
    return rate * (1 - rate)


def share_by_weight(
    task_ids: Sequence[int], templates: Mapping[int, str], weights: Mapping[str, float]
) -> list[int]:
    """Order tasks so that templates have shares in proportion to their weights.

    Each template's first task comes before any second one. The tasks after these are
    shared out by weight in every part of the order, as far as a template has tasks;
    within a template the order stays.

    Args:
        task_ids: The tasks to order.
        templates: The template's key of each.
        weights: Of each template, above 0.
    """
    seen: dict[str, int] = {}
    places: dict[int, tuple[bool, float]] = {}
    for task in task_ids:
        key = templates[task]
        place = seen.get(key, 0)
        # The middle of the task's slot if slots were as long as 1 / weight.
        places[task] = (place > 0, (place + 0.5) / weights[key])
        seen[key] = place + 1
    return sorted(task_ids, key=lambda task: places[task])


def count_evolved(wanted: int, available: int, share: float) -> int:
    """Return the largest number of evolved tasks in a phase of `wanted` tasks."""
    return min(available, int(share * wanted))
