from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curriculum.models import Phase
from tests.factories import PhaseFactory, RunFactory
from tests.training.helpers import make_episode


@pytest.fixture
def phase(tmp_path: Path, settings: Any) -> Phase:
    settings.CHECKPOINTS_DIR = tmp_path
    settings.CHECKPOINT_ROOTS = [Path(settings.DATA_DIR) / "models", tmp_path]
    run = RunFactory()
    before = PhaseFactory(run=run, number=1, status=Phase.Status.CLOSED)
    for reward in (0, 1):
        make_episode(before, reward)
    phase = PhaseFactory(run=run, number=2, status=Phase.Status.TRAINING)
    for reward in (0, 1, 1):
        make_episode(phase, reward)
    return phase
