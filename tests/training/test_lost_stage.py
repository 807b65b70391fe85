"""A job whose stage another job has taken, as after its machine was suspended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curriculum.models import Phase
from tests.factories import PhaseFactory, StepFactory, TrajectoryFactory
from training.models import TrainingRun
from training.services import training
from training.tasks import train_phase

pytestmark = pytest.mark.django_db


def test_a_training_that_lost_its_stage_fails_nothing(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CHECKPOINTS_DIR = tmp_path
    phase = PhaseFactory(status=Phase.Status.TRAINING)
    StepFactory(trajectory=TrajectoryFactory(phase=phase, reward=1, step_count=1))

    def lose(*ignored: object, **more: object) -> None:
        Phase.objects.filter(pk=phase.pk).update(work_token="another")
        raise RuntimeError("the folder changed")

    monkeypatch.setattr(training, "import_string", lambda path: lose)
    train_phase(phase.pk)

    phase.refresh_from_db()
    assert (phase.status, phase.work_token) == (Phase.Status.TRAINING, "another")
    assert not TrainingRun.objects.filter(status=TrainingRun.Status.FAILED).exists()
