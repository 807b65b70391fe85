"""A disk without room pauses phases; room lets them go on by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from curriculum.models import Phase, Task
from rollouts import services as rollouts
from rollouts.models import Trajectory
from rollouts.selectors.sites import describe_waits
from rollouts.services.loading import open_collector, open_policy
from tests.factories import PhaseFactory, QueuedTrajectoryFactory, TaskFactory
from webrl_site.loop import wakeups
from webrl_site.loop.tasks import sweep
from webrl_site.server.health import check_disk

MORE_THAN_ANY_DISK_MIB = 10**12


@pytest.fixture
def phase(db: None) -> Phase:
    TaskFactory(split=Task.Split.TEST, instruction="Ask")
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    QueuedTrajectoryFactory.create_batch(3, phase=phase)
    return phase


@pytest.fixture
def full(settings: Any) -> Any:
    """Settings under which the disk counts as full."""
    settings.MIN_FREE_MIB = MORE_THAN_ANY_DISK_MIB
    return settings


def collect(phase: Phase) -> int:
    return rollouts.collect_episodes(
        phase_id=phase.pk,
        owner="worker",
        lease_s=10,
        open_policy=open_policy,
        open_collector=open_collector,
    )


def test_no_episode_is_claimed_until_there_is_room(phase: Phase, full: Any) -> None:
    assert collect(phase) == 0
    assert not Trajectory.objects.filter(attempt__gt=0).exists()
    full.MIN_FREE_MIB = 0

    assert collect(phase) == 3


def test_no_job_is_asked_for_until_there_is_room(
    phase: Phase, full: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(wakeups, "enqueue_stage", lambda phase: asked.append(phase.pk))
    sweep()
    assert asked == []
    full.MIN_FREE_MIB = 0
    sweep()

    assert asked == [phase.pk]


def test_the_pause_is_told_where_people_and_monitors_look(
    phase: Phase, full: Any, client: Client
) -> None:
    assert check_disk().state == "bad"
    assert describe_waits(phase) == [
        "The disk is full. The phase continues once there is room."
    ]
    assert client.get("/healthz").json()["disk"] == "full"
    full.MIN_FREE_MIB = 0

    assert describe_waits(phase) == []
    assert client.get("/healthz").json()["disk"] == "ok"
