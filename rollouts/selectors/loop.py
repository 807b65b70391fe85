"""The phase loop's queries for episodes: counts and lists of ids."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Collection
from typing import Any

from django.db.models import Count, Max, Q

from rollouts.models import Step, Trajectory

Purpose = Trajectory.Purpose
Status = Trajectory.Status


@dataclasses.dataclass(frozen=True, slots=True)
class EpisodeCounts:
    """How many episodes of one purpose have each status."""

    queued: int = 0
    running: int = 0
    finished: int = 0
    failed: int = 0
    unscored: int = 0

    @property
    def total(self) -> int:
        return self.queued + self.running + self.finished + self.failed

    @property
    def left(self) -> int:
        return self.queued + self.running

    @property
    def ended(self) -> int:
        return self.finished + self.failed


def count_episodes(phase_id: int) -> dict[str, EpisodeCounts]:
    """Count the phase's episodes by purpose, in one query."""
    rows = (
        Trajectory.objects.filter(phase_id=phase_id)
        .order_by()
        .values("purpose")
        .annotate(
            **{
                status: Count("pk", filter=Q(status=status)) for status in Status.values
            },
            unscored=Count("pk", filter=Q(status="finished", reward=None)),
        )
    )
    names = [field.name for field in dataclasses.fields(EpisodeCounts)]
    counts = {
        row["purpose"]: EpisodeCounts(**{name: row[name] for name in names})
        for row in map(dict[str, Any], rows)
    }
    return {purpose: counts.get(purpose, EpisodeCounts()) for purpose in Purpose.values}


def was_evaluated(run_id: int, policy_uri: str) -> bool:
    """Say whether this or an earlier phase of the run has measured the policy."""
    mine = Trajectory.objects.filter(phase__run_id=run_id, status=Status.FINISHED)
    as_start = Q(purpose=Purpose.BASELINE, phase__policy_uri=policy_uri)
    as_result = Q(purpose=Purpose.EVALUATE, phase__next_policy_uri=policy_uri)
    return mine.filter(as_start | as_result).exists()


def list_unscored_ids(phase_id: int) -> list[int]:
    """Return the collected trajectories that the reward model has not read yet."""
    return list(
        Trajectory.objects.filter(
            phase_id=phase_id,
            purpose=Purpose.COLLECT,
            status=Status.FINISHED,
            reward=None,
        )
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def list_failure_reasons(phase_id: int, purpose: str, limit: int = 3) -> list[str]:
    """Return why episodes could not be carried out, the most frequent first."""
    rows = (
        Trajectory.objects.filter(
            phase_id=phase_id, purpose=purpose, status=Status.FAILED
        )
        .order_by()
        .values("failure_reason")
        .annotate(count=Count("pk"))
        .order_by("-count")
    )
    return [row["failure_reason"] for row in rows[:limit]]


def find_start_pages(phase_id: int, task_ids: Collection[int]) -> dict[int, str]:
    """Return each task's first observation in the phase's newest episode of it.

    Other runs may observe pages in another form. Only one page of each task is read,
    since they are long and a task may have many episodes.
    """
    firsts = Step.objects.filter(
        index=0,
        trajectory__phase_id=phase_id,
        trajectory__purpose=Purpose.COLLECT,
        trajectory__task_id__in=set(task_ids),
    )
    newest = firsts.order_by().values("trajectory__task_id").annotate(newest=Max("pk"))
    rows = Step.objects.filter(pk__in=[row["newest"] for row in newest])
    return dict(rows.values_list("trajectory__task_id", "observation"))


def find_last_steps(phase_ids: Collection[int]) -> dict[int, dt.datetime]:
    """Return when the newest step of each phase's running episodes was taken."""
    rows = (
        Step.objects.filter(
            trajectory__phase_id__in=phase_ids, trajectory__status=Status.RUNNING
        )
        .exclude(trajectory__purpose=Purpose.BY_HAND)
        .order_by()
        .values_list("trajectory__phase_id")
        .annotate(Max("created_at"))
    )
    return dict(rows)


def count_ended_since(phase_id: int, purpose: str, since: dt.datetime) -> int:
    """Count the phase's episodes of one purpose that ended after a moment."""
    ended = Trajectory.objects.filter(
        phase_id=phase_id, purpose=purpose, status__in=(Status.FINISHED, Status.FAILED)
    )
    return ended.filter(ended_at__gt=since).count()
