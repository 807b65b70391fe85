from __future__ import annotations

import datetime as dt
import socket
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from tests.factories import PhaseFactory
from tests.loopback import serving
from webrl_site.models import Worker
from webrl_site.server.health import check_sandbox, check_sweep, check_workers
from webrl_site.server.workers import (
    QUEUES,
    Presence,
    _name_ids,
    beat,
    count_alive,
    end_job,
    list_workers,
    note_job,
    note_sweep,
    sign_off,
    sign_on,
)

pytestmark = pytest.mark.django_db
OWN = socket.gethostname()


def silence(name: str, seconds: float) -> None:
    seen = timezone.now() - dt.timedelta(seconds=seconds)
    Worker.objects.filter(name=name).update(seen_at=seen)


def test_a_worker_that_signed_on_is_alive():
    sign_on(name="a", queues=["training", "rollouts"])

    assert count_alive() == {"loop": 0, "rollouts": 1, "training": 1, "takeover": 0}


def test_a_silent_worker_counts_as_gone_until_it_beats():
    sign_on(name="a", queues=["loop"])
    silence("a", 60)
    before = count_alive()["loop"]

    beat(name="a", queues=["loop"])

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


@pytest.mark.parametrize("job", ["check_site", "reset_site", "run_takeover"])
def test_the_id_of_something_else_is_not_taken_for_a_phase(job: str):
    phase = PhaseFactory()
    sign_on(name="a", queues=["takeover"])

    note_job(name="a", job=f"rollouts.tasks.{job}", args=[phase.pk])

    assert list_workers()[0].phase is None
    assert "phase_id" not in _name_ids(f"rollouts.tasks.{job}", [phase.pk])


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


def test_nobody_for_those_who_take_over_is_told_but_holds_up_no_phase():
    sign_on(name="a", queues=["loop", "rollouts", "training"])

    assert (check_workers().state, check_workers().text) == (
        "warn",
        "No worker is serving takeover.",
    )


def test_resets_want_a_worker_where_the_operator_says_how(settings: Any):
    settings.SITE_RESETS = "{}"

    assert count_alive()["sites"] == 0


def test_health_says_when_the_sweep_last_ran():
    sign_on(name="a", queues=["loop"])

    note_sweep(name="a")

    assert (check_sweep().state, check_sweep().text) == ("ok", "0 s ago.")


def test_a_sweep_that_stays_away_is_bad():
    sign_on(name="a", queues=["loop"])
    Worker.objects.update(swept_at=timezone.now() - dt.timedelta(minutes=5))

    assert check_sweep().state == "bad"
    assert "5 min ago. Is beat running?" in check_sweep().text


def test_a_worker_that_has_just_begun_is_given_time_to_sweep():
    sign_on(name="a", queues=["loop"])
    at_first = check_sweep().state
    Worker.objects.update(started_at=timezone.now() - dt.timedelta(minutes=1))

    assert (at_first, check_sweep().state) == ("ok", "bad")


def test_without_a_worker_nobody_sweeps():
    assert check_sweep().state == "bad"


def test_a_sign_of_life_that_the_database_refuses_is_not_the_last():
    sign_on(name="one", queues=["loop"])
    with connection.execute_wrapper(refuse):
        assert beat(name="one", queues=["loop"])


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_began_before_the_tables_signs_on_later():
    presence = Presence()
    with connection.execute_wrapper(refuse):
        presence.begin(["loop"])
    before = count_alive()["loop"]

    beat(name=presence.name, queues=["loop"])
    after = count_alive()["loop"]
    presence.end()

    assert (before, after) == (0, 1)


def test_a_worker_whose_row_was_forgotten_signs_on_again():
    beat(name="one", queues=["loop", "training"])

    assert count_alive() == {"loop": 1, "rollouts": 0, "training": 1, "takeover": 0}


def refuse(*_: Any) -> None:
    raise OperationalError("database or disk is full")


def test_practice_sites_that_answer_are_told(settings: Any):
    with serving(lambda *_: (200, "{}")) as settings.SANDBOX_CONTROL_URL:
        assert check_sandbox().state == "ok"


@pytest.mark.parametrize(
    ("hosts", "state"),
    [([], "warn"), ([OWN], "warn"), (["other"], "ok"), (["other", OWN], "warn")],
)
def test_practice_sites_may_be_missing_where_no_episode_is_run(
    settings: Any, hosts: list[str], state: str
):
    settings.SANDBOX_CONTROL_URL = "http://127.0.0.1:9"
    sign_on(name="loop", queues=["loop"])
    for host in hosts:
        worker = sign_on(name=host, queues=["rollouts"])
        Worker.objects.filter(pk=worker.pk).update(host=host)

    assert check_sandbox().state == state
