"""Two whole phases with the fakes, from seed tasks to reviewed tasks."""

from __future__ import annotations

import pytest

from curriculum import services as curriculum
from curriculum.models import Phase, PhaseEvent, Task
from rollouts.models import Step, Trajectory
from tests.factories import SMALL, TaskFactory, UserFactory
from training.models import Checkpoint, Experience, Metric, TrainingRun
from webrl_site.tasks import advance_phase

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("eager_jobs"),
]


@pytest.fixture
def tasks() -> None:
    TaskFactory.create_batch(30)
    for number in range(10):
        TaskFactory(
            split=Task.Split.TEST,
            key=f"shop.test.{number}",
            instruction=f"Ask for return number {number}",
        )


def open_phase(auto_accept: bool = False) -> Phase:
    run = curriculum.create_run(
        name="first", config=SMALL.to_json(), seed=3, auto_accept=auto_accept
    )
    return curriculum.open_phase(run_id=run.pk)


def play(phase: Phase) -> Phase:
    advance_phase(phase.pk)
    phase.refresh_from_db()
    return phase


def test_a_phase_runs_from_planned_to_review(tasks: None) -> None:
    phase = play(open_phase())

    assert phase.status == Phase.Status.REVIEW
    assert phase.tasks.count() == 12
    finished = Trajectory.objects.filter(phase=phase, status="finished")
    assert finished.filter(purpose="baseline").count() == 10
    assert finished.filter(purpose="collect", reward__isnull=False).count() == 12
    assert finished.filter(purpose="evaluate").count() == 10
    assert not finished.filter(purpose="evaluate", reward__isnull=False).exists()
