from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curriculum.models import Phase
from rollouts.models import Trajectory
from tests.factories import StepFactory, TrajectoryFactory


def make_episode(phase: Phase, reward: float) -> Trajectory:
    row = TrajectoryFactory(phase=phase, reward=reward, attempt=2, step_count=2)
    StepFactory(trajectory=row, attempt=1, index=0, output="superseded")
    for index in range(2):
        StepFactory(trajectory=row, attempt=2, index=index, output=f"step {index}")
    return row


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
