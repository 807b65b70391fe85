from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client
from django.utils import timezone

from curriculum.models import Phase
from tests.factories import (
    PhaseFactory,
    QueuedTrajectoryFactory,
    TrainingRunFactory,
    TrajectoryFactory,
)
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries
from webrl_site.models import Worker
from webrl_site.operations.queue_page import describe_queue, find_queue, list_work
from webrl_site.server.workers import note_job, sign_on


def busy_training(seconds_left: float) -> Phase:
    phase = PhaseFactory(
        status="training",
        work_owner="host:1:a",
        work_leased_until=timezone.now() + dt.timedelta(minutes=1),
    )
    progress = {"stage": "policy", "done": 1, "total": 9, "seconds_left": seconds_left}
    TrainingRunFactory(phase=phase, progress=progress)
    return phase


@pytest.mark.parametrize(
    ("status", "queue"),
    [
        ("planned", "loop"),
        ("collecting", "rollouts"),
        ("scoring", "training"),
        ("evolving", "training"),
        ("review", ""),
    ],
)
def test_each_stage_waits_for_its_queue(status: str, queue: str):
    assert find_queue(status) == queue


@pytest.mark.django_db
def test_what_is_worked_on_comes_before_what_waits():
    waiting = PhaseFactory(status="training")
    busy = busy_training(30)

    work = list_work([waiting, busy])

    assert [(one.phase, one.position) for one in work] == [(busy, 0), (waiting, 1)]
    assert work[1].starts_in_s == 30


@pytest.mark.django_db
def test_behind_work_of_unknown_length_the_start_is_unknown():
    first, second = PhaseFactory(status="training"), PhaseFactory(status="training")

    work = list_work([first, second])

    assert [one.starts_in_s for one in work] == [0, None]


@pytest.mark.django_db
def test_episodes_of_the_stage_are_counted():
    phase = PhaseFactory(status="collecting")
    QueuedTrajectoryFactory.create_batch(2, phase=phase)
    TrajectoryFactory(phase=phase, status="running", ended_by="")
    QueuedTrajectoryFactory(phase=phase, purpose="evaluate")

    [work] = list_work([phase])

    assert (work.queued, work.running) == (2, 1)


def test_the_page_says_what_each_worker_does(researcher: Client, example: Example):
    sign_on(name="a", queues=["rollouts"])
    note_job(name="a", job="rollouts.tasks.collect", args=[example.running_phase.pk])

    seen = researcher.get("/runs/queue/").content.decode()

    assert "rollouts.tasks.collect" in seen
    assert "No worker is serving the queue training" in seen


def test_the_page_says_when_the_sweep_last_ran(researcher: Client):
    sign_on(name="a", queues=["loop"])
    Worker.objects.update(swept_at=timezone.now() - dt.timedelta(seconds=4))

    assert "4 s ago." in researcher.get("/runs/queue/").content.decode()


def test_a_silent_worker_is_shown_as_gone(researcher: Client):
    sign_on(name="a", queues=["loop"])
    Worker.objects.update(seen_at=timezone.now() - dt.timedelta(minutes=5))

    seen = researcher.get("/runs/queue/").context

    assert (len(seen["workers"]), len(seen["silent"])) == (0, 1)


def test_a_phase_is_stopped_from_there(researcher: Client, example: Example):
    seen = researcher.get("/runs/queue/").content.decode()

    assert f"/phases/{example.running_phase.pk}/stop/" in seen


def test_the_queue_asks_as_often_for_much_as_for_little(
    researcher: Client, count_queries: CountQueries
):
    few = count_queries(researcher, "/runs/queue/")
    for status in ("collecting", "training", "evolving"):
        phase = PhaseFactory(status=status)
        QueuedTrajectoryFactory.create_batch(3, phase=phase)

    assert count_queries(researcher, "/runs/queue/") == few <= 12


def test_a_moving_phase_is_seen_behind_many_that_failed(db: None):
    moving = PhaseFactory(status="collecting")
    PhaseFactory.create_batch(25, status="failed")

    assert [work.phase for work in describe_queue()["work"]] == [moving]
