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
from training.selectors.loop import (
    find_rewards,
    list_failed_task_ids,
    list_replay_ids,
    list_solved_task_ids,
)
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


def test_a_task_that_the_reward_model_calls_solved_is_evolved_no_further(
    phase: Phase,
) -> None:
    failed = collect(phase, reward=0, outcome=True)
    collect(phase, reward=1, outcome=False)

    assert list_failed_task_ids(phase) == [failed.task_id]


def test_a_task_that_evaluators_call_a_failure_is_evolved(checked: Phase) -> None:
    collect(checked, reward=0, outcome=True)
    failed = collect(checked, reward=1, outcome=False)

    assert list_failed_task_ids(checked) == [failed.task_id]


def test_a_task_with_one_success_has_not_failed(checked: Phase) -> None:
    solved = collect(checked, reward=0, outcome=True)
    again = collect(checked, reward=0, outcome=False)
    Trajectory.objects.filter(pk=again.pk).update(task=solved.task_id, repeat=1)

    assert list_failed_task_ids(checked) == []


def test_failures_of_earlier_phases_are_not_evolved_again(checked: Phase) -> None:
    before = PhaseFactory(run=checked.run, number=1, status=Phase.Status.CLOSED)
    collect(before, reward=0, outcome=False)

    assert list_failed_task_ids(checked) == []


def test_solved_tasks_are_those_of_all_phases_so_far(checked: Phase) -> None:
    before = PhaseFactory(run=checked.run, number=1, status=Phase.Status.CLOSED)
    solved = {collect(one, reward=0, outcome=True).task_id for one in (before, checked)}
    collect(before, reward=1, outcome=False)

    assert list_solved_task_ids(checked) == solved


def test_the_trainer_gets_the_outcomes_that_the_run_asks_for(checked: Phase) -> None:
    collect(checked, reward=0, outcome=True)
    collect(checked, reward=1, outcome=False)

    lines = (write_directory(checked) / "fresh.jsonl").read_text().splitlines()

    assert [json.loads(line)["reward"] for line in lines] == [1, 0]
