"""Attempts spread evenly over templates, so that rare ones are learnt as well.

In a plain draw, eleven of the shop's thirty templates have fewer than 25 tasks, and
some only one. Here all templates have equally many episodes: if a template has few
tasks, each of these is attempted more often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

Task = dict[str, Any]
# Further attempts at one task add little.
ATTEMPT_LIMIT = 10


def draw_evenly(tasks: Sequence[Task], wanted: int, phase: int) -> list[list[Task]]:
    """Each template's candidates: twice what a phase needs, different in each phase.

    Args:
        tasks: All tasks, in the seed's order.
        wanted: Tasks that the phase attempts in all.
        phase: From 1 on.
    """
    by_template: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_template[task["template_key"]].append(task)
    each = tasks_each(wanted, len(by_template))
    return [
        [group[place % len(group)] for place in window(each, phase, len(group))]
        for group in by_template.values()
    ]


def window(each: int, phase: int, count: int) -> range:
    """Places of a phase's candidates, each task once; beyond `count` they wrap."""
    first = (phase - 1) * each
    return range(first, first + min(2 * each, count))


def tasks_each(wanted: int, templates: int) -> int:
    """Tasks of each template, at least one."""
    return max(round(wanted / templates), 1)


def deal_attempts(
    groups: Sequence[Sequence[Task]], each: int, attempts: int
) -> dict[int, list[Task]]:
    """The tasks by their number of attempts.

    Args:
        groups: The chosen tasks of each template, `each` at most.
        each: Tasks of a template that has enough of them.
        attempts: Attempts at each of those.
    """
    found: dict[int, list[Task]] = defaultdict(list)
    for group in groups:
        times = min(-(-each * attempts // len(group)), ATTEMPT_LIMIT)
        found[max(times, attempts)] += group
    return dict(sorted(found.items()))
