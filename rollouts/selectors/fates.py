"""Episodes and successes of tasks, by task and by phase."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection

from django.db.models import Count, Min, Q, QuerySet

from rollouts.models import Trajectory

# The evaluators decide; where a task has none, the reward model does.
SOLVED = Q(outcome=True) | Q(outcome__isnull=True, reward__gt=0)


@dataclasses.dataclass(frozen=True, slots=True)
class Fate:
    """Finished episodes of a task, those that solved it, and the first such phase.

    `solved_in` is the phase's number, None while nothing has solved the task.
    """

    episodes: int
    solved: int
    solved_in: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class ListCounts:
    """What became of the episodes of a list.

    Attributes:
        judged: Those with an outcome; solved: judged true by the evaluators.
        scored: Those with a reward; rewarded: reward above 0.
        judged_tasks, scored_tasks: How many tasks these are of.
        broken: Ended by a failure of the site or the browser; neither counts.
        unended: Queued or running.
    """

    judged: int
    solved: int
    judged_tasks: int
    scored: int
    rewarded: int
    scored_tasks: int
    broken: int
    unended: int


@dataclasses.dataclass(frozen=True, slots=True)
class PhaseAttempt:
    """A task's finished episodes of one purpose in one phase."""

    phase_id: int
    phase: str
    purpose_key: str
    purpose: str
    at: dt.datetime
    episodes: int
    solved: int


def read_fates(task_ids: Collection[int]) -> dict[int, Fate]:
    """Return the fate of each task that has finished episodes, in one query."""
    rows = (
        Trajectory.objects.filter(
            task_id__in=task_ids, status=Trajectory.Status.FINISHED
        )
        .exclude(purpose=Trajectory.Purpose.BY_HAND)
        .values_list("task_id")
        .annotate(
            episodes=Count("pk"),
            solved=Count("pk", filter=SOLVED),
            solved_in=Min("phase__number", filter=SOLVED),
        )
        .order_by("task_id")
    )
    return {row[0]: Fate(*row[1:]) for row in rows}


def list_attempts(task_id: int, limit: int = 100) -> list[PhaseAttempt]:
    """Return the phases that attempted a task, oldest first, in one query."""
    rows = (
        Trajectory.objects.filter(task_id=task_id, status=Trajectory.Status.FINISHED)
        .values_list("phase_id", "phase__run__name", "phase__number", "purpose")
        .annotate(
            at=Min("ended_at"), episodes=Count("pk"), solved=Count("pk", filter=SOLVED)
        )
        .order_by("at", "phase_id")[:limit]
    )
    names = dict(Trajectory.Purpose.choices)
    return [
        PhaseAttempt(
            phase, f"{run} phase {number}", purpose, str(names[purpose]), *numbers
        )
        for phase, run, number, purpose, *numbers in rows
        if numbers[0] is not None
    ]


def count_list(episodes: QuerySet[Trajectory]) -> ListCounts:
    """Count the episodes of a list by what became of them, in one query."""
    judged, scored = Q(outcome__isnull=False), Q(reward__isnull=False)
    status = Trajectory.Status
    return ListCounts(
        **episodes.order_by().aggregate(
            judged=Count("pk", filter=judged),
            solved=Count("pk", filter=Q(outcome=True)),
            judged_tasks=Count("task_id", filter=judged, distinct=True),
            scored=Count("pk", filter=scored),
            rewarded=Count("pk", filter=Q(reward__gt=0)),
            scored_tasks=Count("task_id", filter=scored, distinct=True),
            broken=Count("pk", filter=Q(status=status.FAILED)),
            unended=Count("pk", filter=Q(status__in=(status.QUEUED, status.RUNNING))),
        )
    )
