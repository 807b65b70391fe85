"""Recorded episodes as plain values, for datasets and for rows of SFT."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from curriculum.models import Task
from curriculum.services.imported.runs import NO_WEIGHTS
from curriculum.services.imported.sites import NO_SITE
from curriculum.services.imported.tasks import IMPORTED_KEY
from rollouts.interchange.dataset import DatasetEpisode
from rollouts.interchange.episodes import FileEpisode, FileStep, FileTask
from rollouts.interchange.sft import write_rows
from rollouts.models import Step, Takeover, Trajectory
from rollouts.selectors.pages import filter_trajectories

CHUNK = 50


def read_for_dataset(**filters: Any) -> Iterator[DatasetEpisode]:
    """Yield the finished episodes that fit, oldest first, some at a time."""
    rows = filter_trajectories(**filters).filter(status=Trajectory.Status.FINISHED)
    # The list leaves the long fields out, which a dataset is about.
    rows = rows.defer(None).select_related("task__site", "phase__run")
    for chunk in _walk(rows):
        steps = _read_steps(chunk)
        first = _map_first_own_steps(chunk)
        for row in chunk:
            episode = _read_episode(row, steps.get(row.pk, []))
            yield DatasetEpisode(episode, first.get(row.pk, 0))


def list_sft_rows(**filters: Any) -> Iterator[dict[str, Any]]:
    """Yield WebRL's rows of the successes of training tasks among those that fit."""
    for one in read_for_dataset(**filters):
        if one.episode.task.split == Task.Split.TRAIN and one.episode.outcome:
            yield from write_rows(one.episode, one.first)


def _walk(rows: QuerySet[Trajectory]) -> Iterator[list[Trajectory]]:
    last = 0
    while chunk := list(rows.order_by("pk").filter(pk__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].pk


def _read_steps(chunk: list[Trajectory]) -> dict[int, list[FileStep]]:
    attempts = {row.pk: row.attempt for row in chunk}
    steps = Step.objects.filter(trajectory_id__in=attempts)
    found: dict[int, list[FileStep]] = {}
    for step in steps.order_by("trajectory_id", "index"):
        if step.attempt == attempts[step.trajectory_id]:
            found.setdefault(step.trajectory_id, []).append(_read_step(step))
    return found


def _map_first_own_steps(chunk: list[Trajectory]) -> dict[int, int]:
    """Return where a person's own steps begin in episodes that were taken over."""
    rows = Takeover.objects.filter(trajectory__in=chunk)
    return dict(rows.values_list("trajectory_id", "forked_at"))


def _read_step(step: Step) -> FileStep:
    return FileStep(
        observation=step.observation,
        output=step.output,
        action=step.action,
        url=step.url,
        title=step.title,
        error=step.error,
        target_box=tuple(step.target_box),
        timing=step.timing,
        log_probability=step.log_probability,
        token_count=step.token_count,
        token_ids=tuple(step.token_ids),
        token_log_probabilities=tuple(step.token_log_probabilities),
    )


def _read_episode(row: Trajectory, steps: list[FileStep]) -> FileEpisode:
    config = row.phase.run.config
    rollout, imported = config.get("rollout", {}), config.get("import")
    known = imported or {"observation": "compact", "action_dialect": "webrl"} | rollout
    return FileEpisode(
        task=_read_task(row.task),
        steps=tuple(steps),
        run=row.phase.run.name,
        phase=row.phase.number,
        policy=_find_policy(row),
        purpose=row.purpose,
        repeat=row.repeat,
        seed=row.seed,
        ended_by=row.ended_by,
        answer=row.answer,
        outcome=row.outcome,
        checks=tuple(row.outcome_checks),
        success_probability=row.success_probability,
        reward=row.reward,
        final_observation=row.final_observation,
        final_url=row.final_url,
        observation_form=known["observation"],
        action_dialect=known["action_dialect"],
        started_at=row.started_at,
        ended_at=row.ended_at,
    )


def _find_policy(row: Trajectory) -> str:
    phase, is_trained = row.phase, row.purpose == Trajectory.Purpose.EVALUATE
    uri = phase.next_policy_uri if is_trained else phase.policy_uri
    return "" if uri == NO_WEIGHTS else uri


def _read_task(task: Task) -> FileTask:
    """Return a task under the name that it has in its source."""
    spec = dict(task.spec)
    key = spec.pop(IMPORTED_KEY, task.key)
    return FileTask(
        key=key,
        instruction=task.instruction,
        known_as=(key,),
        site="" if task.site.key == NO_SITE else task.site.key,
        start_url=task.start_url,
        split=task.split,
        template_key=task.template_key,
        optimal_steps=task.optimal_steps,
        spec=spec,
    )
