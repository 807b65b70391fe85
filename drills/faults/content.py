"""The rows that a phase has made, without primary keys and times."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from curriculum.models import Phase, Task
from rollouts.models import Step, Trajectory
from training.models import Checkpoint, Experience, Metric

EPISODE = ("status", "outcome", "ended_by", "answer", "reward", "success_probability")
STEP = ("index", "output", "action", "observation", "error")
TASK = ("instruction", "origin", "status", "split", "value_estimate", "filter_reason")
EXPERIENCE = ("source", "value", "advantage", "perplexity", "was_used")


def describe_phase(phase_id: int) -> dict[str, list[str]]:
    """Return the rows of a phase by kind, each as sorted text."""
    phase = Phase.objects.get(pk=phase_id)
    found: dict[str, list[Any]] = {
        "phase": [[phase.status, phase.failure_reason]],
        "episodes": [_episode(row) for row in _episodes(phase)],
        "tasks": list(Task.objects.values_list(*TASK)),
        "experience": [
            [
                row.step.trajectory.task.instruction,
                row.step.index,
                *_pick(row, EXPERIENCE),
            ]
            for row in Experience.objects.select_related("step__trajectory__task")
        ],
        "metrics": list(Metric.objects.values_list("name", "step", "value")),
        "checkpoints": list(Checkpoint.objects.values_list("kind", "uri", "digest")),
    }
    return {
        name: sorted(json.dumps(row, default=str) for row in rows)
        for name, rows in found.items()
    }


def digest(content: dict[str, list[str]]) -> str:
    """Return one digest of everything."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def name_differences(one: dict[str, list[str]], other: dict[str, list[str]]) -> str:
    """Say in which kinds of rows two phases differ."""
    return ", ".join(name for name in one if one[name] != other[name])


def _episodes(phase: Phase) -> Any:
    return Trajectory.objects.filter(phase=phase).select_related("task")


def _experiences() -> Any:
    return Experience.objects.select_related("step__trajectory__task")


def _experience(row: Experience) -> list[Any]:
    step = row.step
    return [step.trajectory.task.instruction, step.index, *_pick(row, EXPERIENCE)]


def _episode(row: Trajectory) -> list[Any]:
    steps = Step.objects.filter(trajectory=row, attempt=row.attempt).order_by("index")
    seen = [_pick(step, STEP) for step in steps]
    head = [row.task.instruction, row.purpose, row.repeat, row.seed]
    return [*head, *_pick(row, EPISODE), seen]


def _pick(row: Any, names: tuple[str, ...]) -> list[Any]:
    return [getattr(row, name) for name in names]
