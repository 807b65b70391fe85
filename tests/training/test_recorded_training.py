"""What a training's row and those of its weights say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curriculum.models import Phase
from tests.factories import PhaseFactory, StepFactory
from training import services
from training.models import Checkpoint, TrainingRun

pytestmark = pytest.mark.django_db


@pytest.fixture
def training(tmp_path: Path, settings: Any) -> TrainingRun:
    settings.CHECKPOINTS_DIR = tmp_path
    settings.CHECKPOINT_ROOTS = [Path(settings.DATA_DIR) / "models", tmp_path]
    phase = PhaseFactory(status=Phase.Status.TRAINING)
    StepFactory(trajectory__phase=phase, trajectory__reward=1)
    assert services.train_phase(phase_id=phase.pk, owner="me")
    return TrainingRun.objects.get()


def test_a_training_keeps_the_seed_that_it_used(training: TrainingRun) -> None:
    spec = json.loads((Path(training.directory) / "spec.json").read_text())

    assert training.seed == spec["seed"] != training.phase.run.seed


def test_each_checkpoint_keeps_the_count_of_its_own_parameters(
    training: TrainingRun,
) -> None:
    counts = Checkpoint.objects.values_list("kind", "parameter_count")

    # What the trainer says of the policy; the fake critic's file is empty.
    assert dict(counts) == {"policy": 1, "critic": 0}
