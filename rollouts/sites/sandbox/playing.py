"""Plays tasks of the sandbox with any policy, outside phases: for checks and tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from rollouts.browser.observation.page_script import Form
from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRequest,
    StepRecord,
    TaskSpec,
)
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.policies.protocol import Policy

STEP_LIMIT = 30
TIME_LIMIT_S = 600.0
ATTEMPTS = 3  # of an episode that the browser or the sandbox broke

Task = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One finished episode."""

    task: Task
    steps: Sequence[StepRecord]
    end: EpisodeEnd | EpisodeFailure

    @property
    def outcome(self) -> bool | None:
        """The evaluators' outcome; None where the browser or the site broke it."""
        return self.end.outcome if isinstance(self.end, EpisodeEnd) else None

    @property
    def has_succeeded(self) -> bool:
        """Solved, in exactly as many steps as the task says."""
        return self.outcome is True and len(self.steps) == self.task["optimal_steps"]

    def explain(self) -> str:
        """What happened, in a few lines."""
        lines = [f"{self.task['key']} {self.task['template_key']}"]
        lines.append(f"  {self.task['intent']}")
        lines += [f"  {s.output!r} {s.error}" for s in self.steps]
        if isinstance(self.end, EpisodeFailure):
            lines.append(f"  {self.end.failure_class}: {self.end.reason}")
        else:
            lines.append(f"  {self.end.ended_by}, {len(self.steps)} steps")
            lines += [f"  {check}" for check in self.end.checks if not check.passed]
        return "\n".join(lines)


def play(
    policy: Policy,
    tasks: Sequence[Task],
    *,
    contexts: int = 4,
    control_url: str,
    form: Form = "compact",
) -> Iterator[Attempt]:
    """Attempt every task, again where the browser failed; yields them as they end."""
    options = CollectorOptions(
        contexts=contexts, sandbox_control_url=control_url, observation_form=form
    )
    steps: dict[int, list[StepRecord]] = {number: [] for number in range(len(tasks))}
    left = len(tasks)
    with Collector(policy, options) as collector:
        collector.submit([_request(n, task, 1) for n, task in enumerate(tasks)])
        while left:
            for record in collector.poll(1.0):
                number = record.trajectory_id
                if isinstance(record, StepRecord):
                    steps[number].append(record)
                elif isinstance(record, EpisodeFailure) and record.attempt < ATTEMPTS:
                    steps[number].clear()
                    again = _request(number, tasks[number], record.attempt + 1)
                    collector.submit([again])
                else:
                    left -= 1
                    yield Attempt(tasks[number], steps[number], record)


def _request(number: int, task: Task, attempt: int) -> EpisodeRequest:
    spec = TaskSpec(
        task_id=number,
        instruction=task["intent"],
        start_url=task["start_url"],
        sites=tuple(task["sites"]),
        spec=task,
    )
    return EpisodeRequest(
        trajectory_id=number,
        attempt=attempt,
        task=spec,
        seed=number,
        step_limit=STEP_LIMIT,
        time_limit_s=TIME_LIMIT_S,
        record_snapshots=False,
    )
