"""The socket of a running episode: what it tells, and when it stops."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import connections

from curriculum.consumers import NOT_FOUND, SIGNED_OUT
from rollouts import consumers
from rollouts.models import Trajectory
from tests.curriculum.test_consumers import connect, sign_in
from tests.factories import StepFactory, TrajectoryFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
async def quick(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(consumers, "LOOK_S", 0.01)
    yield
    await sync_to_async(connections.close_all)()


@database_sync_to_async
def make_running() -> Trajectory:
    return TrajectoryFactory(status="running", ended_by="")


@database_sync_to_async
def add_step(trajectory: Trajectory, **fields: Any) -> None:
    StepFactory(trajectory=trajectory, **fields)


@database_sync_to_async
def finish(trajectory: Trajectory) -> None:
    Trajectory.objects.filter(pk=trajectory.pk).update(
        status="finished", ended_by="exit"
    )


async def listen(trajectory_id: int, key: str) -> WebsocketCommunicator:
    socket = connect(f"/ws/trajectories/{trajectory_id}/", key)
    accepted, _ = await socket.connect()
    assert accepted
    return socket


async def test_a_recorded_step_is_news() -> None:
    trajectory = await make_running()
    socket = await listen(trajectory.pk, await sign_in("annotator"))
    assert await socket.receive_json_from() == {"version": "1.0.running"}
    await add_step(trajectory)

    assert await socket.receive_json_from(timeout=3) == {"version": "1.1.running"}
    await socket.disconnect()


async def test_steps_of_an_older_attempt_are_no_news() -> None:
    trajectory = await make_running()
    socket = await listen(trajectory.pk, await sign_in("annotator"))
    await socket.receive_json_from()
    await add_step(trajectory, attempt=0)

    assert await socket.receive_nothing(timeout=0.3)
    await socket.disconnect()


async def test_the_socket_closes_when_the_episode_is_over() -> None:
    trajectory = await make_running()
    socket = await listen(trajectory.pk, await sign_in("annotator"))
    await socket.receive_json_from()
    await finish(trajectory)

    assert await socket.receive_json_from(timeout=3) == {"version": "1.0.finished"}
    closed = await socket.receive_output(timeout=3)
    assert closed["type"] == "websocket.close"


async def test_an_episode_that_is_not_there_is_refused() -> None:
    key = await sign_in("annotator")
    accepted, code = await connect("/ws/trajectories/999/", key).connect()

    assert (accepted, code) == (False, NOT_FOUND)


async def test_a_visitor_hears_nothing() -> None:
    trajectory = await make_running()
    accepted, code = await connect(f"/ws/trajectories/{trajectory.pk}/").connect()

    assert (accepted, code) == (False, SIGNED_OUT)
