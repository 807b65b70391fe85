"""Messages end by the database's clock, whatever the clocks of machines say."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import pytest
import time_machine
from celery.worker.request import Request
from django.db import connection
from django.utils import timezone

from curriculum.models import Phase
from curriculum.selectors import database_clock
from tests.factories import PhaseFactory
from webrl_site.celery import app
from webrl_site.loop import wakeups
from webrl_site.loop.phase_loop import advance
from webrl_site.models import Worker
from webrl_site.server.workers import sign_on

pytestmark = pytest.mark.django_db

JOB = "training.tasks.train_phase"


@pytest.fixture
def phase() -> Phase:
    return PhaseFactory(status="training")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The phases that the job began to work on."""
    phases: list[int] = []
    app.loader.import_default_modules()
    monkeypatch.setattr(app.tasks[JOB], "run", phases.append)
    return phases


@pytest.fixture
def queue() -> Iterator[Any]:
    with app.connection_for_read() as broker:
        waiting = broker.SimpleQueue("training")
        waiting.clear()
        yield waiting
        waiting.clear()


def receive(message: Any) -> None:
    """Do with the message what a worker does."""
    request = Request(
        message,
        app=app,
        body=message.payload,
        decoded=True,
        task=app.tasks[JOB],
        on_ack=Mock(),
        on_reject=Mock(),
        eventer=Mock(),
    )
    if not request.revoked():
        request.execute()


@pytest.mark.parametrize("hours", [-2, 0, 2])
def test_a_worker_with_a_wrong_clock_takes_jobs(
    phase: Phase, ran: list[int], queue: Any, hours: int, monkeypatch: Any
) -> None:
    wakeups.enqueue_stage(phase)
    message, wrong = queue.get(block=False), dt.timedelta(hours=hours)
    monkeypatch.setattr(connection, database_clock._OFFSET, -wrong, raising=False)

    with time_machine.travel(timezone.now() + wrong):
        receive(message)

    assert ran == [phase.pk]


def test_a_stale_message_is_dropped(phase: Phase, ran: list[int], queue: Any) -> None:
    wakeups.enqueue_stage(phase)
    message = queue.get(block=False)

    with time_machine.travel(timezone.now() + dt.timedelta(seconds=76)):
        receive(message)

    assert ran == []


def test_a_person_s_job_waits_as_long_as_it_takes(
    phase: Phase, ran: list[int], queue: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        wakeups.enqueue_after_commit(JOB, phase.pk)
    message = queue.get(block=False)

    with time_machine.travel(timezone.now() + dt.timedelta(hours=1)):
        receive(message)

    assert ran == [phase.pk]


@pytest.mark.parametrize(
    ("jobs", "sent"),
    [([""], 3), (["training.tasks.train_phase", ""], 3), (["x"], 1), ([], 1)],
    ids=["idle", "one idle", "busy", "nobody"],
)
def test_messages_do_not_pile_up_while_no_worker_is_free(
    phase: Phase, queue: Any, jobs: list[str], sent: int
) -> None:
    for number, job in enumerate(jobs):
        sign_on(name=str(number), queues=["training"])
        Worker.objects.filter(name=str(number)).update(job=job)

    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(3):
            advance(phase.pk)
            clock.shift(5)

    assert queue.qsize() == sent


@pytest.mark.parametrize("name", app.conf.beat_schedule)
def test_ticks_end_by_the_same_clock(name: str) -> None:
    options = app.conf.beat_schedule[name]["options"]

    assert "expires" not in options
    assert options["headers"]["good_for_s"] > 0
