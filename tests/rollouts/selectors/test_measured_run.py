"""Which run a page shows when nobody has chosen one."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum.models import Phase
from rollouts.selectors.pages import MIN_MEASURED, find_measured_run
from tests.factories import PhaseFactory, TaskFactory, TrajectoryFactory

pytestmark = pytest.mark.django_db


def measure(phase: Phase, episodes: int, **task: Any) -> None:
    for repeat in range(episodes):
        TrajectoryFactory(
            phase=phase,
            purpose="evaluate",
            repeat=repeat,
            status="finished",
            ended_by="exit",
            outcome=True,
            **task,
        )


def test_before_a_measurement_there_is_none():
    PhaseFactory.create()

    assert find_measured_run() is None


def test_a_trial_of_one_task_does_not_take_the_place_of_a_measured_run():
    measured, trial = PhaseFactory.create(), PhaseFactory.create()
    measure(measured, MIN_MEASURED)
    measure(trial, 1)

    assert find_measured_run() == measured.run


def test_several_attempts_at_one_task_are_a_trial_too():
    measured, trial = PhaseFactory.create(), PhaseFactory.create()
    measure(measured, MIN_MEASURED)
    measure(trial, MIN_MEASURED, task=TaskFactory.create())

    assert find_measured_run() == measured.run


def test_of_two_measured_runs_the_newer_one_is_shown():
    older, newer = PhaseFactory.create(), PhaseFactory.create()
    measure(older, MIN_MEASURED + 5)
    measure(newer, MIN_MEASURED)

    assert find_measured_run() == newer.run


def test_a_small_measurement_is_better_than_none():
    trial = PhaseFactory.create()
    measure(trial, 1)

    assert find_measured_run() == trial.run
