"""How a phase's attempts are spread over templates.

Evenly, so that rare templates are learnt as well: in a plain draw, eleven of the shop's
thirty templates have fewer than 25 tasks, and some only one. If a template has few
tasks, each of these is attempted more often.

Or by learnability, p (1 - p) with p the share of attempts that succeeded in the phase
before: a template that always or never succeeds teaches little (Foster et al. 2025,
arXiv 2502.12272).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from curriculum.evolution.mixture import rate_learnability

Task = dict[str, Any]
Row = dict[str, Any]
# Further attempts at one task add little.
ATTEMPT_LIMIT = 10


def group_by_template(tasks: Sequence[Task]) -> dict[str, list[Task]]:
    """The tasks of each template, in their order."""
    found: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        found[task["template_key"]].append(task)
    return dict(found)


def count_evenly(groups: Mapping[str, Any], wanted: int) -> dict[str, int]:
    """As many tasks of each template, at least one."""
    return dict.fromkeys(groups, max(round(wanted / len(groups)), 1))


def count_by_learnability(
    groups: Mapping[str, Any], wanted: int, attempted: Sequence[Row]
) -> dict[str, int]:
    """Tasks of each template in proportion to p (1 - p), at least one.

    Args:
        groups: By template.
        wanted: Tasks that the phase attempts in all.
        attempted: Episodes of the phase before: `template` and `outcome`.
    """
    tried = Counter(row["template"] for row in attempted)
    solved = Counter(row["template"] for row in attempted if row["outcome"])
    weights = {key: rate_learnability(solved[key], tried[key]) for key in groups}
    total = sum(weights.values())
    return {
        key: max(round(wanted * weight / total), 1) for key, weight in weights.items()
    }


def draw_candidates(group: Sequence[Task], each: int, phase: int) -> list[Task]:
    """Twice the tasks that a phase needs of a template, different in each phase."""
    return [group[place % len(group)] for place in window(each, phase, len(group))]


def draw_new_first(
    group: Sequence[Task], each: int, attempted: Sequence[Row]
) -> list[Task]:
    """The same, first the tasks that no phase has attempted."""
    keys = {row["key"] for row in attempted}
    return sorted(group, key=lambda task: task["key"] in keys)[: 2 * each]


def window(each: int, phase: int, count: int) -> range:
    """Places of a phase's candidates, each task once; beyond `count` they wrap."""
    first = (phase - 1) * each
    return range(first, first + min(2 * each, count))


def deal_attempts(
    groups: Sequence[Sequence[Task]], each: Sequence[int], attempts: int
) -> dict[int, list[Task]]:
    """The tasks by their number of attempts.

    Args:
        groups: The chosen tasks of each template.
        each: Tasks of each that the plan asks for; some templates have fewer.
        attempts: Attempts at each task of a template that has enough of them.
    """
    found: dict[int, list[Task]] = defaultdict(list)
    for group, wanted in zip(groups, each, strict=True):
        times = min(-(-wanted * attempts // len(group)), ATTEMPT_LIMIT)
        found[max(times, attempts)] += group
    return dict(sorted(found.items()))
