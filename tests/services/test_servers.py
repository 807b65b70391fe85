"""What only a real database, broker and channel layer can show."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from channels_redis.core import RedisChannelLayer
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from curriculum.models import Phase, Run
from curriculum.services import expire_stages, working_on, writing_under
from rollouts.models import Trajectory
from rollouts.services import claim_episodes
from tests.factories import PhaseFactory, SiteFactory, TrajectoryFactory, UserFactory
from tests.rollouts.by_hand import make_source, take_over
from tests.services.live import LiveWorkbench
from webrl_site.account.tokens import make_token

pytestmark = pytest.mark.services


def claim_all(phase: Phase, owner: str) -> list[int]:
    """Claim three at a time, as a worker does, until nothing is left."""
    mine: list[int] = []
    try:
        while claimed := claim_episodes(
            phase_id=phase.pk, purpose="collect", owner=owner, limit=3, lease_s=60
        ):
            mine += [request.trajectory_id for request in claimed]
    finally:
        connection.close()
    return mine


@pytest.mark.django_db(transaction=True)
def test_no_episode_goes_to_two_workers():
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    rows = TrajectoryFactory.create_batch(
        40, phase=phase, purpose="collect", status="queued", ended_by=""
    )
    owners = [f"worker {number}" for number in range(4)]

    with ThreadPoolExecutor(len(owners)) as pool:
        claims = list(pool.map(lambda owner: claim_all(phase, owner), owners))

    taken = [trajectory_id for mine in claims for trajectory_id in mine]
    assert sorted(taken) == sorted(row.pk for row in rows)


def launch(secret: str) -> int:
    """Make the run "mine", as a program does that is not sure it got through."""
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "once"}
    kind = "application/json"
    try:
        sent = Client().post("/api/runs/", {"name": "mine"}, kind, headers=headers)
        return sent.status_code
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_request_that_many_send_at_once_is_done_once():
    user = UserFactory(roles=["researcher"])
    SiteFactory(key="shop")
    SiteFactory(key="forum")
    _, secret = make_token(user=user, name="x", scopes=["run"], days=1)

    with ThreadPoolExecutor(8) as pool:
        codes = set(pool.map(launch, [secret] * 24))

    assert codes <= {201, 409}
    assert launch(secret) == 201
    assert Run.objects.filter(name="mine").count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_sweep_does_not_wait_for_a_stage_that_writes(settings: Any):
    phase = PhaseFactory(status=Phase.Status.SCORING)
    settings.LEASE_S = 0.5
    with working_on(phase_id=phase.pk, stage="scoring", owner="a") as heartbeat:
        assert heartbeat is not None
        heartbeat.end()
        with ThreadPoolExecutor(1) as pool, writing_under(heartbeat):
            for _ in range(2):
                assert pool.submit(expire_alone).result(timeout=20) == []
                time.sleep(0.6)
        assert heartbeat.holds()


def expire_alone() -> list[int]:
    try:
        return expire_stages()
    finally:
        connection.close()


def take_over_alone(source: Trajectory, author: User) -> int:
    try:
        return take_over(source, number=1, author=author).trajectory.repeat
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_many_people_may_take_over_one_task_at_once():
    source = make_source(steps=2)
    people = UserFactory.create_batch(8, roles=["annotator"])

    with ThreadPoolExecutor(len(people)) as pool:
        numbers = list(pool.map(lambda one: take_over_alone(source, one), people))

    assert sorted(numbers) == list(range(8))


@pytest.mark.django_db
def test_these_tests_run_on_postgresql():
    assert connection.vendor == "postgresql"


@pytest.mark.parametrize("workbench", ["servers"], indirect=True)
async def test_an_event_of_another_process_rings_through_redis(
    workbench: LiveWorkbench,
):
    layer = RedisChannelLayer(hosts=[workbench.env["CHANNEL_URL"]], prefix="webrl")
    channel = await layer.new_channel()
    await layer.group_add("home", channel)

    workbench.python("-m", "tests.services.seed")

    message = await layer.receive(channel)
    assert message["type"] == "wakeup"
    assert message["last_id"] >= 1
    await layer.flush()
    await layer.close_pools()
