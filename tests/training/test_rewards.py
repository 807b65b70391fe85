"""What training takes as an episode's outcome."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curriculum.models import Phase
from rollouts.models import HumanVerdict, Trajectory
from tests.factories import (
    PhaseFactory,
    RunFactory,
    StepFactory,
    TrajectoryFactory,
    UserFactory,
)
from training.selectors.loop import find_rewards, list_replay_ids
from training.services.directory import write_directory

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase(tmp_path: Path, settings: Any) -> Phase:
    settings.CHECKPOINTS_DIR = tmp_path
    settings.CHECKPOINT_ROOTS = [Path(settings.DATA_DIR) / "models", tmp_path]
    return PhaseFactory(run=RunFactory(), number=2, status=Phase.Status.TRAINING)


@pytest.fixture
def checked(phase: Phase) -> Phase:
    """A phase whose run asks the evaluators."""
    phase.run.config = {**phase.run.config, "orm": {"rewards": "evaluators"}}
    return phase


def collect(phase: Phase, reward: float, outcome: bool | None) -> Trajectory:
    row = TrajectoryFactory(phase=phase, reward=reward, outcome=outcome, step_count=1)
    StepFactory(trajectory=row, attempt=row.attempt, index=0)
    return row


def test_the_reward_model_decides_unless_the_run_says_otherwise(phase: Phase) -> None:
    row = collect(phase, reward=1, outcome=False)

    assert find_rewards(phase) == {row.pk: 1}


def test_a_run_may_take_the_evaluators_outcomes(checked: Phase) -> None:
    row = collect(checked, reward=1, outcome=False)

    assert find_rewards(checked) == {row.pk: 0}


def test_where_evaluators_are_undecided_the_verdict_stands(checked: Phase) -> None:
    row = collect(checked, reward=1, outcome=None)

    assert find_rewards(checked) == {row.pk: 1}


def test_people_overrule_the_evaluators(checked: Phase) -> None:
    row = collect(checked, reward=1, outcome=True)
    author = UserFactory()
    HumanVerdict.objects.create(trajectory=row, author=author, verdict="failure")

    assert find_rewards(checked) == {row.pk: 0}


def test_what_evaluators_call_a_failure_is_not_replayed(checked: Phase) -> None:
    before = PhaseFactory(run=checked.run, number=1, status=Phase.Status.CLOSED)
    collect(before, reward=1, outcome=False)
    solved = collect(before, reward=0, outcome=True)

    assert list_replay_ids(checked) == [solved.pk]


def test_the_trainer_gets_the_outcomes_that_the_run_asks_for(checked: Phase) -> None:
    collect(checked, reward=0, outcome=True)
    collect(checked, reward=1, outcome=False)

    lines = (write_directory(checked) / "fresh.jsonl").read_text().splitlines()

    assert [json.loads(line)["reward"] for line in lines] == [1, 0]
