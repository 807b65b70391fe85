"""Verdicts of the reward model, and values by the critic."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from django.conf import settings
from django.utils.module_loading import import_string

from curriculum.events import ProgressEvent, publish, tell_phase
from curriculum.models import Phase, Task
from curriculum.phase_config import CurriculumConfig
from curriculum.rules.checkpoints import resolve_checkpoint
from curriculum.services import (
    Heartbeat,
    set_task_values,
    shortlist_tasks,
    working_on,
    writing_under,
)
from rollouts.policies.trained_prompts import read_prompt
from rollouts.selectors.loop import find_start_pages, list_unscored_ids
from rollouts.services import record_scores
from training.rl.orm.config import OrmConfig
from training.rl.types import Trajectory
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm
from training.selectors.loop import list_unvalued_tasks, read_episodes

BATCH = 32
# Padded tokens of one forward pass; nothing is kept for a backward pass.
MIN_BUDGET = 8192
Item = TypeVar("Item")


class RewardModel(Protocol):
    """Outcome-supervised reward model."""

    def score(self, trajectories: Sequence[Trajectory]) -> Sequence[float | None]:
        """Return P(YES) of each; None if the instruction leaves no room for a page."""
        ...

    def close(self) -> None:
        """Free what the model holds."""
        ...


class ValueEstimator(Protocol):
    """The critic, used to value first pages."""

    def estimate(self, starts: Sequence[tuple[str, str]]) -> list[float]:
        """Return V of each (instruction, observation)."""
        ...

    def close(self) -> None:
        """Free what the model holds."""
        ...


def score_phase(*, phase_id: int, owner: str) -> int:
    """Score what the phase collected; returns how many. May be called twice.

    Raises:
        CheckpointError: The reward model cannot be read.
    """
    stage = Phase.Status.SCORING
    with working_on(phase_id=phase_id, stage=stage, owner=owner) as heartbeat:
        ids = list_unscored_ids(phase_id) if heartbeat else []
        if heartbeat is None or not ids:
            return 0
        phase = Phase.objects.select_related("run").get(pk=phase_id)
        load = import_string(settings.REWARD_MODEL)
        model: RewardModel = load(
            resolve_checkpoint(phase.orm_uri),
            verdict=OrmConfig(**phase.run.config.get("orm", {})).prompt,
            **read_limits(phase),
        )
        # The training that follows needs the device for itself.
        with contextlib.closing(model):
            return _score_all(model, phase_id, ids, heartbeat)


def _score_all(
    model: RewardModel, phase_id: int, ids: Sequence[int], heartbeat: Heartbeat
) -> int:
    report = Progress(phase_id, Phase.Status.SCORING, len(ids))
    unread = 0
    for chosen in _batches(ids):
        if heartbeat.must_stop:
            break
        # Read as they are scored: a phase's pages take gigabytes.
        batch = list(read_episodes(chosen))
        answers = _score(model, batch)
        # An episode that the model cannot read counts like one without a step.
        scores = {number: answer or 0.0 for number, answer in answers.items()}
        with writing_under(heartbeat):
            record_scores(probabilities=scores)
        report.add(len(batch))
        unread += sum(answer is None for answer in answers.values())
    if unread:
        tell_phase(phase_id, "unread_by_reward_model", count=unread)
    return report.done


def read_limits(phase: Phase) -> dict[str, int]:
    """Return the run's limits in tokens: the reward model's pages are cut likewise."""
    config = WebRLConfig(**upgrade_algorithm(phase.run.config.get("algorithm", {})))
    return {
        "max_prompt_tokens": config.max_prompt_tokens,
        "budget": max(config.micro_batch_tokens, MIN_BUDGET),
    }


def _score(model: RewardModel, batch: Sequence[Trajectory]) -> dict[int, float | None]:
    """Return P(YES) by trajectory; an episode without a step did not succeed."""
    acted = [episode for episode in batch if episode.transitions]
    scores: dict[int, float | None] = {one.trajectory_id: 0.0 for one in batch}
    answers = model.score(acted) if acted else []
    for episode, probability in zip(acted, answers, strict=True):
        scores[episode.trajectory_id] = probability
    return scores


def estimate_values(*, phase_id: int, owner: str) -> int:
    """Value the proposed tasks and shortlist those in the band; returns how many.

    A task starts on the page on which its parent's episodes of this phase began.

    Raises:
        CheckpointError: The critic cannot be read.
    """
    stage = Phase.Status.EVOLVING
    with working_on(phase_id=phase_id, stage=stage, owner=owner) as heartbeat:
        if heartbeat is None:
            return 0
        phase = Phase.objects.select_related("run").get(pk=phase_id)
        tasks = list_unvalued_tasks(phase_id)
        if tasks:
            _value_tasks(phase, tasks, heartbeat)
        if heartbeat.must_stop:
            return 0
        config = CurriculumConfig(**phase.run.config.get("curriculum", {}))
        with writing_under(heartbeat):
            return shortlist_tasks(phase_id=phase_id, config=config)


def _value_tasks(phase: Phase, tasks: Sequence[Task], heartbeat: Heartbeat) -> None:
    load = import_string(settings.VALUE_ESTIMATOR)
    uri = phase.next_critic_uri or phase.critic_uri
    critic: ValueEstimator = load(
        resolve_checkpoint(uri),
        prompt=read_prompt(phase.run.config.get("rollout", {})),
        **read_limits(phase),
    )
    with contextlib.closing(critic):
        _value_all(critic, phase, tasks, heartbeat)


def _value_all(
    critic: ValueEstimator, phase: Phase, tasks: Sequence[Task], heartbeat: Heartbeat
) -> None:
    pages = find_start_pages(phase.pk, [t.parent_id for t in tasks if t.parent_id])
    report = Progress(phase.pk, "valuing", len(tasks))
    for batch in _batches(tasks):
        if heartbeat.must_stop:
            return
        starts = [
            (task.instruction, pages.get(task.parent_id or 0, "")) for task in batch
        ]
        values = critic.estimate(starts)
        with writing_under(heartbeat):
            set_task_values(
                values={
                    task.pk: float(value)
                    for task, value in zip(batch, values, strict=True)
                }
            )
        report.add(len(batch))


class Progress:
    """Publishes a stage's progress with a forecast, at most once a second."""

    def __init__(self, phase_id: int, stage: str, total: int) -> None:
        self.done = 0
        self._phase_id, self._stage, self._total = phase_id, stage, total
        self._began = time.monotonic()
        self._last = 0.0

    def add(self, count: int) -> None:
        self.done += count
        now = time.monotonic()
        if self.done < self._total and now - self._last < 1.0:
            return
        self._last = now
        left = (now - self._began) / self.done * (self._total - self.done)
        event = ProgressEvent(
            stage=self._stage,
            done=self.done,
            total=self._total,
            seconds_left=round(left, 1),
        )
        publish(self._phase_id, event)


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
