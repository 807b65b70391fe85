"""Does the oracle solve every task? `python -m rollouts.sandbox.check_oracle`.

Runs the tasks through the collector in a real browser and prints those that fail,
with the step at which they went wrong.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRequest,
    StepRecord,
    TaskSpec,
)
from rollouts.collector import Collector, CollectorOptions
from rollouts.sandbox.background import running_sandbox
from rollouts.sandbox.catalog import load_tasks
from rollouts.sandbox.oracle import OraclePolicy

STEP_LIMIT = 30
TIME_LIMIT_S = 60.0
ATTEMPTS = 3  # of an episode that the browser or the sandbox broke

Task = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One finished episode of the oracle."""

    task: Task
    steps: Sequence[StepRecord]
    end: EpisodeEnd | EpisodeFailure

    @property
    def has_succeeded(self) -> bool:
        """Solved, in exactly as many steps as the task says."""
        return (
            isinstance(self.end, EpisodeEnd)
            and self.end.outcome is True
            and len(self.steps) == self.task["optimal_steps"]
        )

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


def run_oracle(
    tasks: Sequence[Task], *, contexts: int = 4, control_url: str
) -> Iterator[Attempt]:
    """Attempt every task, again where the browser failed; yields them as they end."""
    options = CollectorOptions(contexts=contexts, sandbox_control_url=control_url)
    steps: dict[int, list[StepRecord]] = {number: [] for number in range(len(tasks))}
    left = len(tasks)
    with Collector(OraclePolicy(tasks), options) as collector:
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


def main() -> int:
    """Parse the command line, run, print; 0 when every task was solved."""
    parser = argparse.ArgumentParser(description="Run the oracle on the tasks.")
    parser.add_argument("--limit", type=int, help="Only the first so many tasks.")
    parser.add_argument("--split", choices=("train", "validation", "test"))
    parser.add_argument("--template", help="Only tasks of this template.")
    parser.add_argument("--contexts", type=int, default=4)
    arguments = parser.parse_args()
    tasks = [
        task
        for task in load_tasks(arguments.split)
        if arguments.template in (None, task["template_key"])
    ][: arguments.limit]
    start, solved = time.monotonic(), 0
    with running_sandbox() as sandbox:
        for attempt in run_oracle(
            tasks, contexts=arguments.contexts, control_url=sandbox.control_url
        ):
            solved += attempt.has_succeeded
            if not attempt.has_succeeded:
                sys.stdout.write(attempt.explain() + "\n")
    seconds = time.monotonic() - start
    sys.stdout.write(f"{solved} of {len(tasks)} solved in {seconds:.0f} s\n")
    return 0 if solved == len(tasks) else 1


if __name__ == "__main__":
    sys.exit(main())
