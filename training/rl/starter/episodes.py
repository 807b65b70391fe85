"""Episodes for the recipe: the collector without a database.

Runs a policy on sandbox tasks in the real browser and keeps what the recipe learns
from: pages, actions and the evaluators' outcome.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

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
from training.rl.types import Trajectory, Transition

START_LIMIT_S = 60.0


@dataclasses.dataclass(frozen=True, slots=True)
class RecordedEpisode:
    """A trajectory with the evaluators' outcome and the task's stable name."""

    key: str
    outcome: bool
    ended_by: str
    trajectory: Trajectory


@contextlib.contextmanager
def sandbox_server() -> Iterator[str]:
    """Start the sandbox on free ports; yields the control address."""
    port, control = _free_port(), _free_port()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "rollouts.sites.sandbox.server",
            "--port",
            str(port),
            "--control-port",
            str(control),
        ]
    )
    url = f"http://127.0.0.1:{control}"
    try:
        _wait_until_up(url)
        yield url
    finally:
        process.terminate()
        process.wait()


def collect_episodes(
    policy: Policy,
    tasks: Sequence[dict[str, Any]],
    *,
    control_url: str,
    step_limit: int,
    seeds: Sequence[int],
    contexts: int = 4,
    on_end: Callable[[RecordedEpisode], None] = lambda episode: None,
) -> list[RecordedEpisode]:
    """Attempt every task once; episodes that failed for technical reasons are left out.

    Args:
        policy: The policy that acts.
        tasks: What to attempt; a task may occur several times.
        control_url: Control listener of the sandbox.
        step_limit: Longest episode.
        seeds: One of each task.
        contexts: Number of episodes that run at the same time.
        on_end: Called with each episode as it ends. Its trajectory's id is the place
            of its task.
    """
    requests = [
        EpisodeRequest(
            trajectory_id=number,
            attempt=1,
            task=TaskSpec(
                task_id=number,
                instruction=task["intent"],
                start_url=task["start_url"],
                sites=tuple(task["sites"]),
                spec=task,
            ),
            seed=seed,
            step_limit=step_limit,
            time_limit_s=120.0,
            record_snapshots=False,
        )
        for number, (task, seed) in enumerate(zip(tasks, seeds, strict=True))
    ]
    options = CollectorOptions(contexts=contexts, sandbox_control_url=control_url)
    collector = Collector(policy, options)
    collector.start()
    steps: dict[int, list[StepRecord]] = {}
    found: list[RecordedEpisode] = []
    waiting, running = list(reversed(requests)), 0
    try:
        while waiting or running:
            free = min(collector.free_slots, len(waiting))
            if free > 0:
                collector.submit([waiting.pop() for _ in range(free)])
                running += free
            for record in collector.poll(0.2):
                if isinstance(record, StepRecord):
                    steps.setdefault(record.trajectory_id, []).append(record)
                    continue
                running -= 1
                if isinstance(record, EpisodeFailure):
                    sys.stderr.write(f"episode failed: {record.reason}\n")
                    continue
                task = tasks[record.trajectory_id]
                episode = _record(task, record, steps.pop(record.trajectory_id, []))
                found.append(episode)
                on_end(episode)
    finally:
        collector.close()
    return found


def save_episodes(path: Path, episodes: Sequence[RecordedEpisode]) -> None:
    """One episode per line."""
    with path.open("w") as handle:
        for episode in episodes:
            handle.write(json.dumps(dataclasses.asdict(episode)) + "\n")


def load_episodes(path: Path) -> list[RecordedEpisode]:
    """Read what `save_episodes` wrote."""
    return [_parse(json.loads(line)) for line in path.read_text().splitlines()]


def _record(
    task: dict[str, Any], end: EpisodeEnd, steps: list[StepRecord]
) -> RecordedEpisode:
    transitions = tuple(
        Transition(
            step_id=step.index,
            history=tuple(s.output for s in steps[:position]),
            errors=tuple(s.error for s in steps[:position]),
            observation=step.observation.text,
            output=step.output,
            token_ids=step.token_ids,
            token_log_probabilities=step.token_log_probabilities,
        )
        for position, step in enumerate(steps)
    )
    trajectory = Trajectory(
        trajectory_id=end.trajectory_id,
        task_id=end.trajectory_id,
        instruction=task["intent"],
        transitions=transitions,
        final_observation=end.final.text,
        reward=float(bool(end.outcome)),
    )
    return RecordedEpisode(task["key"], bool(end.outcome), end.ended_by, trajectory)


def _parse(raw: dict[str, Any]) -> RecordedEpisode:
    trajectory = parse_trajectory(raw["trajectory"])
    return RecordedEpisode(raw["key"], raw["outcome"], raw["ended_by"], trajectory)


def parse_trajectory(raw: dict[str, Any]) -> Trajectory:
    """Read what `dataclasses.asdict` and JSON made of a trajectory."""
    transitions = tuple(_parse_step(row) for row in raw["transitions"])
    return Trajectory(**{**raw, "transitions": transitions})


def _parse_step(raw: dict[str, Any]) -> Transition:
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in raw.items()
    }
    return Transition(**values)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(url: str) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{url}/health").status_code == 200:
                return
        time.sleep(0.05)
    raise TimeoutError(f"The sandbox did not answer at {url}.")
