"""The training directory's files: trajectories in, scores and results out."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rollouts.policies.trained_prompts import PLAIN, TrainedPrompt
from training.rl.types import Trajectory, Transition
from training.rl.webrl_config import WebRLConfig, upgrade_algorithm

SPEC = "spec.json"  # what to train from, and with which numbers
FRESH = "fresh.jsonl"  # the phase's own episodes, failures too
REPLAY = "replay.jsonl"  # successes of earlier phases
# What people did by hand, if the run learns from it: their steps, all successes.
DEMONSTRATIONS = "demonstrations.jsonl"
METRICS = "metrics.jsonl"  # name, optimiser step, value
SCORES = "scores.jsonl"  # a line for every candidate step
PROGRESS = "progress.json"  # replaced; the heartbeat
RESULT = "result.json"  # written last: it marks the end of all parts


class TrainingDataError(ValueError):
    """A training directory whose files cannot be used; the message names the file."""


@dataclasses.dataclass(frozen=True)
class TrainingSpec:
    """What to train from, with which numbers."""

    config: WebRLConfig
    seed: int
    policy: Path
    critic: Path
    # The weights that a server keeps, to which it adds an adapter; None for no server.
    adapter_base: Path | None = None
    # The adapter of the phases before; None in a run's first phase, or where none is.
    adapter_before: Path | None = None
    # What the policy read when it acted.
    prompt: TrainedPrompt = PLAIN
    # Where the run's first phase started; None where that is the policy itself.
    first: Path | None = None


def read_spec(directory: Path) -> TrainingSpec:
    """Read `spec.json`.

    Raises:
        TrainingDataError: Missing, not JSON, or a field is unknown or out of range.
    """
    try:
        raw = json.loads((directory / SPEC).read_text())
        base, first = raw.get("adapter_base", ""), raw.get("first", "")
        # Files of earlier versions do not have it; it was next to the policy.
        before = raw.get("adapter_before", f"{raw['policy']}/../adapter")
        return TrainingSpec(
            config=WebRLConfig(**upgrade_algorithm(raw["config"])),
            seed=int(raw["seed"]),
            # pi_ref of the phase, and where theta starts except in expert iteration.
            policy=find_weights(directory, raw["policy"]),
            # V of the phase before.
            critic=find_weights(directory, raw["critic"]),
            adapter_base=find_weights(directory, base) if base else None,
            adapter_before=find_weights(directory, before) if before else None,
            prompt=TrainedPrompt(**raw.get("prompt", {})),
            first=find_weights(directory, first) if first else None,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingDataError(f"{directory / SPEC}: {error}") from error


def name_weights(directory: Path, weights: str | Path) -> str:
    """Return how `spec.json` names weights: relative to its directory.

    A folder of checkpoints can then be copied elsewhere as a whole and still train.
    """
    return os.path.relpath(weights, directory)


def find_weights(directory: Path, name: str) -> Path:
    """Return the weights that `spec.json` names; absolute names stay as they are."""
    return Path(os.path.normpath(directory / name))


def read_trajectories(path: Path) -> list[Trajectory]:
    """Read one trajectory per line; a missing file is an empty list.

    Raises:
        TrainingDataError: A line is malformed; the message gives its number.
    """
    if not path.exists():
        return []
    found = []
    with path.open() as lines:
        for number, line in enumerate(lines, start=1):
            try:
                found.append(_parse(json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise TrainingDataError(f"{path}, line {number}: {error}") from error
    return found


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write a JSON-lines file whole or not at all, one row in memory at a time."""
    _replace(path, (json.dumps(row) + "\n" for row in rows))


def write_text(path: Path, text: str) -> None:
    """Replace a file by a rename, so that readers never see half of it."""
    _replace(path, [text])


def _replace(path: Path, parts: Iterable[str]) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("w") as handle:
            handle.writelines(parts)
            handle.flush()
            os.fsync(handle.fileno())
        # The data is on disk before its name: a crash leaves the old file or the new.
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of names, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drop_half_written(directory: Path) -> None:
    """Delete what killed processes left; nobody else may write to the directory."""
    for path in directory.glob(".*.jsonl.*"):
        path.unlink(missing_ok=True)


def _parse(raw: dict[str, Any]) -> Trajectory:
    transitions = tuple(
        Transition(
            step_id=int(row["step_id"]),
            history=tuple(row["history"]),
            errors=tuple(row["errors"]),
            observation=row["observation"],
            output=row["output"],
            # Absent in files that were written before tokens were recorded.
            token_ids=tuple(row.get("token_ids", ())),
            token_log_probabilities=tuple(row.get("token_log_probabilities", ())),
        )
        for row in raw["transitions"]
    )
    return Trajectory(
        trajectory_id=int(raw["trajectory_id"]),
        task_id=int(raw["task_id"]),
        instruction=raw["instruction"],
        transitions=transitions,
        final_observation=raw["final_observation"],
        reward=None if raw["reward"] is None else float(raw["reward"]),
    )
