"""A job whose stage another job has taken, as after its machine was suspended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from curriculum.models import Phase
from tests.factories import PhaseFactory, StepFactory, TrajectoryFactory
from training.models import Experience, Metric, TrainingRun
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


def die_at(
    monkeypatch: pytest.MonkeyPatch, chunk: int, act: Callable[[], object]
) -> None:
    """Store two rows at a time, and do something at that chunk of experience."""
    store, left = training._store_experience, [chunk]

    def store_or_die(*arguments: Any) -> None:
        left[0] -= 1
        if not left[0]:
            act()
        store(*arguments)

    monkeypatch.setattr(training, "CHUNK", 2)
    monkeypatch.setattr(training, "_store_experience", store_or_die)


def test_experience_is_stored_in_pieces_and_a_new_job_goes_on(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die() -> None:
        raise OperationalError("the server went away")

    with monkeypatch.context() as patch:
        die_at(patch, 3, die)
        train_phase(phase.pk)
    assert (Experience.objects.count(), Metric.objects.count()) == (4, 9)

    train_phase(phase.pk)

    phase.refresh_from_db()
    assert (Experience.objects.count(), Metric.objects.count()) == (8, 9)
    assert phase.next_policy_uri


def test_a_job_that_loses_its_stage_meanwhile_stores_no_more(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose = Phase.objects.filter(pk=phase.pk).update
    die_at(monkeypatch, 2, lambda: lose(work_token="another"))
    train_phase(phase.pk)

    phase.refresh_from_db()
    assert Experience.objects.count() == 4
    assert not phase.next_policy_uri
