"""A stage fails when it kills its workers; other ends of a job are no deaths."""

from __future__ import annotations

import errno
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from curriculum.models import Phase
from curriculum.rules.stopping import STOPPING
from curriculum.services.stage_lease import claim_stage, expire_stages, starting
from rollouts import services as rollouts
from rollouts.models import Trajectory
from rollouts.selectors.sites import describe_waits
from rollouts.services.loading import open_collector, open_policy
from tests.factories import PhaseFactory, QueuedTrajectoryFactory, TrajectoryFactory
from training.tasks import score_phase
from webrl_site.loop import wakeups
from webrl_site.loop.phase_loop import STAGE_ATTEMPTS
from webrl_site.loop.tasks import sweep
from webrl_site.models import Worker
from webrl_site.server.workers import sign_on

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """What a worker feels of `kill -9`: nothing after this line runs."""


@pytest.fixture
def scoring() -> Phase:
    phase = PhaseFactory(status=Phase.Status.SCORING)
    TrajectoryFactory(phase=phase)
    return phase


@pytest.fixture
def collecting() -> Phase:
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    QueuedTrajectoryFactory.create_batch(2, phase=phase)
    return phase


def collect(phase: Phase, load: Any = open_policy) -> int:
    return rollouts.collect_episodes(
        phase_id=phase.pk,
        owner="me",
        lease_s=10,
        open_policy=load,
        open_collector=open_collector,
    )


def die(phase: Phase, stage: str) -> Any:
    raise Killed


def test_a_stage_that_kills_its_workers_fails(scoring: Phase, settings: Any) -> None:
    settings.LEASE_S = 0
    for number in range(STAGE_ATTEMPTS):
        lease = claim_stage(
            phase_id=scoring.pk, stage="scoring", owner=f"{number}", lease_s=1
        )
        assert lease is not None
        assert expire_stages() == [scoring.pk]
    sweep()

    scoring.refresh_from_db()
    assert scoring.status == Phase.Status.FAILED
    assert "died 20 times" in scoring.failure_reason


def test_orderly_stops_are_no_deaths(
    scoring: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(**_: Any) -> None:
        STOPPING.set()
        raise RuntimeError("stopped")

    monkeypatch.setattr("training.services.scoring.record_scores", stop)
    for _ in range(STAGE_ATTEMPTS):
        try:
            score_phase(scoring.pk)
        finally:
            STOPPING.clear()
    sweep()

    scoring.refresh_from_db()
    assert (scoring.status, scoring.work_attempt) == (Phase.Status.SCORING, 0)


def test_a_disk_that_refuses_writes_is_given_time_and_told(
    scoring: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueued: list[int] = []
    monkeypatch.setattr(wakeups, "enqueue_stage", lambda one: enqueued.append(one.pk))

    def refuse(**_: Any) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr("training.services.scoring.record_scores", refuse)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(STAGE_ATTEMPTS):
            score_phase(scoring.pk)
        scoring.refresh_from_db()
        assert describe_waits(scoring)[0].startswith("The disk refused a write.")
        clock.shift(59)
        sweep()
        assert enqueued == []
        clock.shift(2)
        sweep()

    scoring.refresh_from_db()
    assert (scoring.status, enqueued) == (Phase.Status.SCORING, [scoring.pk])
    [message] = scoring.events.filter(kind="message")
    assert "Disk quota exceeded" in message.data["text"]


def test_a_policy_that_kills_each_worker_as_it_loads_fails_the_phase(
    collecting: Phase,
) -> None:
    for _ in range(STAGE_ATTEMPTS):
        sweep()
        collecting.refresh_from_db()
        assert collecting.status == Phase.Status.COLLECTING
        with pytest.raises(Killed):
            collect(collecting, die)
    sweep()

    collecting.refresh_from_db()
    assert collecting.status == Phase.Status.FAILED
    assert "died 20 times" in collecting.failure_reason


def test_a_policy_that_loads_at_last_has_killed_nobody(collecting: Phase) -> None:
    Phase.objects.update(work_attempt=STAGE_ATTEMPTS - 1)

    assert collect(collecting) == 2

    collecting.refresh_from_db()
    assert collecting.work_attempt == 0


def test_an_error_while_loading_is_no_death(collecting: Phase) -> None:
    with (
        pytest.raises(ValueError, match="odd"),
        starting(phase_id=collecting.pk, stage="collecting"),
    ):
        raise ValueError("odd")

    collecting.refresh_from_db()
    assert collecting.work_attempt == 0


def test_one_worker_with_too_little_memory_fails_no_phase(collecting: Phase) -> None:
    Phase.objects.update(work_attempt=STAGE_ATTEMPTS)
    first = Trajectory.objects.order_by("pk")[:1]
    Trajectory.objects.filter(pk__in=first.values("pk")).update(
        status="running", lease_owner="other"
    )

    sweep()

    collecting.refresh_from_db()
    assert collecting.status == Phase.Status.COLLECTING


def test_many_workers_that_load_a_policy_at_once_fail_no_phase(
    collecting: Phase,
) -> None:
    Phase.objects.update(work_attempt=STAGE_ATTEMPTS)
    sign_on(name="loading", queues=["rollouts"])
    Worker.objects.update(job="rollouts.tasks.collect", phase=collecting)

    sweep()

    collecting.refresh_from_db()
    assert collecting.status == Phase.Status.COLLECTING
