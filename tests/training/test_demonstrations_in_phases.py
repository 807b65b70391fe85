"""What a phase's trainer is given of the run's demonstrations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from curriculum.models import Phase
from rollouts.models import Takeover, Trajectory
from tests.factories import PhaseFactory, StepFactory, TrajectoryFactory
from tests.rollouts.by_hand import make_source, take_over
from training.rl.training_data import DEMONSTRATIONS
from training.services.directory import write_directory

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase(tmp_path: Path, settings: Any) -> Phase:
    settings.CHECKPOINTS_DIR = tmp_path
    settings.CHECKPOINT_ROOTS = [Path(settings.DATA_DIR) / "models", tmp_path]
    phase = PhaseFactory(status=Phase.Status.TRAINING)
    StepFactory(trajectory=TrajectoryFactory(phase=phase, reward=1))
    return phase


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def keep_one(phase: Phase) -> Trajectory:
    """Let a person's second step solve a task of the run, and keep it."""
    takeover = take_over(make_source(), number=2)
    for index in range(2):
        StepFactory(trajectory=takeover.trajectory, index=index, output=f"by {index}")
    now = timezone.now()
    Takeover.objects.update(closed_at=now, kept_at=now)
    its = Phase.objects.filter(pk=takeover.trajectory.phase_id)
    its.update(run=phase.run, number=1 + phase.number, status=Phase.Status.CLOSED)
    return takeover.trajectory


def test_demonstrations_of_the_run_are_written_as_successes(phase: Phase) -> None:
    phase.run.config["algorithm"]["use_demonstrations"] = True
    kept = keep_one(phase)

    (row,) = read_lines(write_directory(phase) / DEMONSTRATIONS)

    assert (row["trajectory_id"], row["reward"]) == (kept.pk, 1.0)
    assert [step["output"] for step in row["transitions"]] == ["by 1"]


def test_demonstrations_are_not_written_unless_asked_for(phase: Phase) -> None:
    keep_one(phase)

    assert not (write_directory(phase) / DEMONSTRATIONS).exists()
