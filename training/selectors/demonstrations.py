"""People's demonstrations as SFT reads them: their own steps, not the agent's."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from django.db.models import QuerySet

from curriculum.models import Task
from rollouts.browser.errors import is_failure
from rollouts.models import Step, Takeover
from training.rl.types import Trajectory as Episode
from training.selectors.loop import read_episodes


def list_demonstration_ids(run_id: int) -> list[int]:
    """Return the kept demonstrations of a run's training tasks, oldest first.

    Tasks that turned out to resemble a test task are left out.
    """
    rows = _kept(run_id).filter(trajectory__task__split=Task.Split.TRAIN)
    rows = rows.exclude(trajectory__task__status=Task.Status.FILTERED)
    return list(rows.order_by("trajectory_id").values_list("trajectory_id", flat=True))


def count_held_out(run_id: int) -> int:
    """Count the kept demonstrations that no training may use."""
    return _kept(run_id).count() - len(list_demonstration_ids(run_id))


def _kept(run_id: int) -> QuerySet[Takeover]:
    return Takeover.objects.filter(
        kept_at__isnull=False, trajectory__phase__run_id=run_id
    )


def read_demonstrations(run_id: int) -> Iterator[Episode]:
    """Yield each demonstration with the steps that are worth imitating.

    The agent's steps, and steps of the person that could not be carried out, are not
    learnt. They stay in the other steps' history, which is what the person saw.
    """
    ids = list_demonstration_ids(run_id)
    first = dict(
        Takeover.objects.filter(trajectory_id__in=ids).values_list(
            "trajectory_id", "forked_at"
        )
    )
    failed = _list_failed_steps(ids)
    for episode in read_episodes(ids):
        own = episode.transitions[first[episode.trajectory_id] :]
        good = tuple(step for step in own if step.step_id not in failed)
        yield dataclasses.replace(episode, transitions=good)


def _list_failed_steps(ids: list[int]) -> set[int]:
    rows = Step.objects.filter(trajectory_id__in=ids).exclude(error="")
    told = rows.values_list("pk", "error")
    return {pk for pk, error in told if is_failure(error)}
