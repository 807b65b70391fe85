"""What only a real database, broker and channel layer can show."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from channels_redis.core import RedisChannelLayer
from django.db import connection

from curriculum.models import Phase
from rollouts.services import claim_episodes
from tests.factories import PhaseFactory, TrajectoryFactory
from tests.services.live import LiveWorkbench

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
    assert message["type"] == "doorbell"
    assert message["last_id"] >= 1
    await layer.flush()
    await layer.close_pools()
