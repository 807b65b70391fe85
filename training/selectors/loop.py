"""Rows as training reads them, and what the loop needs to know of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from curriculum.models import Phase, Task
from rollouts.models import Step, Trajectory
from rollouts.selectors.judges import list_people_say
from training.models import Experience
from training.rl.orm.config import OrmConfig
from training.rl.types import Trajectory as Episode
from training.rl.types import Transition

CHUNK = 100


def list_fresh_ids(phase_id: int) -> list[int]:
    """Return the phase's scored episodes, in the order in which they were queued.

    Tasks that turned out to resemble a test task meanwhile are left out.
    """
    rows = _exclude_filtered(Trajectory.objects.all()).filter(
        phase_id=phase_id,
        purpose=Trajectory.Purpose.COLLECT,
        status=Trajectory.Status.FINISHED,
        reward__isnull=False,
    )
    return list(rows.order_by("pk").values_list("pk", flat=True))


def list_replay_ids(phase: Phase) -> list[int]:
    """Return the successes of the run's earlier phases: the replay buffer.

    As in `list_fresh_ids`, tasks that resemble a test task are left out.
    """
    rewards = find_rewards(phase)
    rows = _exclude_filtered(_list_scored(phase)).filter(phase__number__lt=phase.number)
    ids = rows.order_by("pk").values_list("pk", flat=True)
    return [pk for pk in ids if rewards[pk] == 1]


def _exclude_filtered(rows: QuerySet[Trajectory]) -> QuerySet[Trajectory]:
    return rows.exclude(task__status=Task.Status.FILTERED)


def find_rewards(phase: Phase) -> dict[int, float]:
    """Return R of the run's scored episodes up to this phase, 0 or 1.

    It is the reward model's verdict, as in the paper; or, if the run's settings say so,
    people's verdict, or else the evaluators' outcome.
    """
    rows = _list_scored(phase).values_list("pk", "reward", "outcome")
    if not asks_evaluators(phase.run.config):
        return {pk: reward for pk, reward, _ in rows if reward is not None}
    said = {one.trajectory_id: one.is_success for one in list_people_say(phase.run_id)}
    return {
        pk: float(said.get(pk, reward if outcome is None else outcome) or 0.0)
        for pk, reward, outcome in rows
    }


def list_failed_task_ids(phase: Phase) -> list[int]:
    """Return the tasks that the phase attempted and never solved, by `find_rewards`."""
    rewards = find_rewards(phase)
    rows = list(_list_scored(phase).filter(phase=phase).values_list("pk", "task_id"))
    solved = {task_id for pk, task_id in rows if rewards[pk] == 1}
    return sorted({task_id for _, task_id in rows} - solved)


def list_solved_task_ids(phase: Phase) -> set[int]:
    """Return what the run has solved up to this phase, by `find_rewards`."""
    rewards = find_rewards(phase)
    rows = _list_scored(phase).values_list("pk", "task_id")
    return {task_id for pk, task_id in rows if rewards[pk] == 1}


def tally_templates(phase: Phase) -> dict[str, tuple[int, int]]:
    """Return how many attempts the phase before solved, of how many, by template."""
    rewards = find_rewards(phase)
    rows = _list_scored(phase).filter(phase__number=phase.number - 1)
    found: dict[str, tuple[int, int]] = {}
    for pk, key in rows.values_list("pk", "task__template_key"):
        solved, attempts = found.get(key, (0, 0))
        found[key] = (solved + int(rewards[pk] == 1), attempts + 1)
    return found


def asks_evaluators(config: Mapping[str, Any]) -> bool:
    """Return whether a run of this configuration trains on the evaluators' outcomes.

    Pages use it for runs whose other settings a later version may not know.
    """
    rewards: str = config.get("orm", {}).get("rewards", OrmConfig.rewards)
    return rewards == "evaluators"


def _list_scored(phase: Phase) -> QuerySet[Trajectory]:
    """Return what the run collected and scored, this phase's episodes included."""
    return Trajectory.objects.filter(
        phase__run_id=phase.run_id,
        phase__number__lte=phase.number,
        purpose=Trajectory.Purpose.COLLECT,
        status=Trajectory.Status.FINISHED,
        reward__isnull=False,
    )


def map_first_values(phase: Phase) -> dict[int, float]:
    """Return V of each task's first page, as the run's newest critic saw it.

    Tasks that no earlier phase of the run has trained on have none.
    """
    rows = Experience.objects.filter(
        training_run__phase__run_id=phase.run_id,
        training_run__phase__number__lt=phase.number,
        step__index=0,
        value__isnull=False,
    )
    # The last of a task stays.
    ordered = rows.order_by("training_run__phase__number", "pk")
    found = ordered.values_list("step__trajectory__task_id", "value")
    return {task_id: value for task_id, value in found if value is not None}


def read_episodes(
    ids: Iterable[int], rewards: Mapping[int, float] | None = None
) -> Iterator[Episode]:
    """Yield episodes with the steps of their last attempt; two queries a chunk.

    Their rewards are `rewards`, from `find_rewards`, or the reward model's verdicts.
    """
    given = rewards or {}
    for chunk in _chunks(ids, CHUNK):
        rows = Trajectory.objects.filter(pk__in=chunk).select_related("task")
        steps: dict[tuple[int, int], list[Step]] = {}
        for step in Step.objects.filter(trajectory_id__in=chunk).order_by("index"):
            steps.setdefault((step.trajectory_id, step.attempt), []).append(step)
        for row in rows.order_by("pk"):
            reward = given.get(row.pk, row.reward)
            yield _build_episode(row, steps.get((row.pk, row.attempt), []), reward)


def _build_episode(
    row: Trajectory, steps: Sequence[Step], reward: float | None
) -> Episode:
    outputs = tuple(step.output for step in steps)
    errors = tuple(step.error for step in steps)
    return Episode(
        trajectory_id=row.pk,
        task_id=row.task_id,
        instruction=row.task.instruction,
        transitions=tuple(
            Transition(
                step_id=step.pk,
                history=outputs[:index],
                errors=errors[:index],
                observation=step.observation,
                output=step.output,
                token_ids=tuple(step.token_ids),
                token_log_probabilities=tuple(step.token_log_probabilities),
            )
            for index, step in enumerate(steps)
        ),
        final_observation=row.final_observation,
        reward=reward,
    )


def list_unvalued_tasks(phase_id: int) -> list[Task]:
    """Return the proposed tasks that still lack the critic's value."""
    return list(
        Task.objects.filter(
            born_in_id=phase_id,
            status=Task.Status.PROPOSED,
            value_estimate__isnull=True,
        ).order_by("pk")
    )


def _chunks(ids: Iterable[int], size: int) -> Iterator[list[int]]:
    numbers = iter(ids)
    while chunk := list(itertools.islice(numbers, size)):
        yield chunk
