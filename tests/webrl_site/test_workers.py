from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from tests.factories import PhaseFactory
from webrl_site.health import check_workers
from webrl_site.models import Worker
from webrl_site.workers import (
    QUEUES,
    Presence,
    beat,
    count_alive,
    end_job,
    list_workers,
    note_job,
    sign_off,
    sign_on,
)

pytestmark = pytest.mark.django_db


def silence(name: str, seconds: float) -> None:
    seen = timezone.now() - dt.timedelta(seconds=seconds)
    Worker.objects.filter(name=name).update(seen_at=seen)


def test_a_worker_that_signed_on_is_alive():
    sign_on(name="a", queues=["training", "rollouts"])

    assert count_alive() == {"loop": 0, "rollouts": 1, "training": 1}


def test_a_silent_worker_counts_as_gone_until_it_beats():
    sign_on(name="a", queues=["loop"])
    silence("a", 60)
    before = count_alive()["loop"]

    beat(name="a")

    assert (before, count_alive()["loop"]) == (0, 1)


def test_a_worker_that_ends_leaves_the_list():
    sign_on(name="a", queues=["loop"])

    sign_off(name="a")

    assert list_workers() == []


def test_rows_of_the_day_before_are_forgotten():
    sign_on(name="old", queues=["loop"])
    silence("old", 2 * 86_400)

    sign_on(name="new", queues=["loop"])

    assert [worker.name for worker in list_workers()] == ["new"]


def test_the_list_says_what_a_worker_does():
    phase = PhaseFactory()
    sign_on(name="a", queues=["training"])

    note_job(name="a", job="training.tasks.train_phase", args=[phase.pk])

    [worker] = list_workers()
    assert (worker.job, worker.phase) == ("training.tasks.train_phase", phase)


def test_a_job_on_a_phase_that_is_gone_does_no_harm():
    sign_on(name="a", queues=["training"])

    note_job(name="a", job="training.tasks.train_phase", args=[10**9])

    assert list_workers()[0].phase is None


def test_a_worker_that_waits_does_nothing():
    sign_on(name="a", queues=["training"])
    note_job(name="a", job="training.tasks.train_phase", args=[])

    end_job(name="a")

    assert list_workers()[0].job == ""


def test_the_presence_of_a_process_lasts_as_long_as_it_works():
    presence = Presence()
    presence.begin(["loop"])
    during = count_alive()["loop"]

    presence.end()

    assert (during, count_alive()["loop"]) == (1, 0)


def test_health_names_the_queues_that_nobody_works_on():
    sign_on(name="a", queues=["loop", "rollouts"])

    assert check_workers().state == "bad"
    assert "training" in check_workers().text


def test_health_is_fine_when_every_queue_has_a_worker():
    sign_on(name="a", queues=QUEUES)

    assert check_workers().state == "ok"
