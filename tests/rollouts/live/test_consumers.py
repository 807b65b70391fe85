"""The socket of a running episode: what it tells, and when it stops."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Collection
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.db import connections

from curriculum.consumers import NOT_FOUND, SIGNED_OUT
from rollouts.browser.types import Action, Observation, StepRecord
from rollouts.live import tailer
from rollouts.models import Trajectory
from rollouts.selectors.pages import Progress
from rollouts.services import append_step
from tests.curriculum.test_consumers import connect, sign_in
from tests.factories import StepFactory, TrajectoryFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
async def quick(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(tailer, "LOOK_S", 0.01)
    monkeypatch.setattr(tailer.TAILER, "_task", None)
    yield
    await sync_to_async(connections.close_all)()


@pytest.fixture
def with_rings(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Let only wake-ups make it look, as far as a test goes."""
    settings.CHANNEL_URL = "memory"
    monkeypatch.setattr(tailer, "RUNG_LOOK_S", 60.0)


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


@database_sync_to_async
def save_step(trajectory: Trajectory) -> None:
    page = Observation("<html> </html>", (), "http://shop/", "Shop")
    action = Action("go_back")
    step = StepRecord(trajectory.pk, 1, 0, page, "go_back()", action, "", None, {})
    append_step(record=step, lease_s=10)


async def listen(trajectory_id: int, key: str) -> WebsocketCommunicator:
    socket = connect(f"/ws/trajectories/{trajectory_id}/", key)
    accepted, _ = await socket.connect()
    assert accepted
    return socket


async def watch() -> tuple[Trajectory, WebsocketCommunicator]:
    """Return a running episode, and a socket that has told how far it is."""
    trajectory = await make_running()
    socket = await listen(trajectory.pk, await sign_in("annotator"))
    await socket.receive_json_from()
    return trajectory, socket


async def test_a_recorded_step_is_news() -> None:
    trajectory = await make_running()
    socket = await listen(trajectory.pk, await sign_in("annotator"))
    assert await socket.receive_json_from() == {"version": "1.0.running"}
    await add_step(trajectory)

    assert await socket.receive_json_from(timeout=20) == {"version": "1.1.running"}
    await socket.disconnect()


async def test_a_step_that_a_worker_saves_rings(with_rings: None) -> None:
    trajectory, socket = await watch()

    await save_step(trajectory)

    assert await socket.receive_json_from(timeout=20) == {"version": "1.1.running"}
    await socket.disconnect()


async def test_rings_of_other_episodes_cost_no_look(with_rings: None) -> None:
    trajectory, socket = await watch()
    await add_step(trajectory)

    await save_step(await make_running())

    assert await socket.receive_nothing(timeout=0.3)
    await socket.disconnect()


async def test_a_change_without_a_message_is_seen_a_little_later(
    monkeypatch: pytest.MonkeyPatch, with_rings: None
) -> None:
    monkeypatch.setattr(tailer, "RUNG_LOOK_S", 0.01)
    trajectory, socket = await watch()
    await add_step(trajectory)

    assert await socket.receive_json_from(timeout=20) == {"version": "1.1.running"}
    await socket.disconnect()


async def test_all_who_watch_cost_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[set[int]] = []

    async def read(ids: Collection[int]) -> dict[int, Progress]:
        looks.append(set(ids))
        return dict.fromkeys(ids, Progress("running", 1, 0))

    async def listen_to(progress: Progress | None, heard: asyncio.Event) -> None:
        heard.set()

    monkeypatch.setattr(tailer, "LOOK_S", 60.0)
    watched, events = tailer.EpisodeTailer(read), [asyncio.Event() for _ in range(5)]
    listeners = [functools.partial(listen_to, heard=event) for event in events]
    for number, listener in enumerate(listeners):
        watched.add(listener, number % 2)
    await asyncio.wait_for(asyncio.gather(*(event.wait() for event in events)), 3)

    assert looks == [{0, 1}]
    for listener in listeners:
        watched.remove(listener)


async def test_who_comes_during_a_look_is_not_told_that_the_episode_is_gone() -> None:
    told: list[Progress | None] = []
    heard = asyncio.Event()
    here = Progress("running", 1, 0)

    async def early(progress: Progress | None) -> None:
        pass

    async def late(progress: Progress | None) -> None:
        told.append(progress)
        heard.set()

    async def read(ids: Collection[int]) -> dict[int, Progress]:
        if 2 not in ids:
            watching.add(late, 2)
        return dict.fromkeys(ids, here)

    watching = tailer.EpisodeTailer(read)
    watching.add(early, 1)
    async with asyncio.timeout(20):
        await heard.wait()
    assert told == [here]
    watching.remove(early)
    watching.remove(late)


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

    assert await socket.receive_json_from(timeout=20) == {"version": "1.0.finished"}
    closed = await socket.receive_output(timeout=20)
    assert closed["type"] == "websocket.close"


@pytest.mark.parametrize("number", ["999", "9" * 25])
async def test_an_episode_that_is_not_there_is_refused(number: str) -> None:
    key = await sign_in("annotator")
    accepted, code = await connect(f"/ws/trajectories/{number}/", key).connect()

    assert (accepted, code) == (False, NOT_FOUND)


async def test_a_visitor_hears_nothing() -> None:
    trajectory = await make_running()
    accepted, code = await connect(f"/ws/trajectories/{trajectory.pk}/").connect()

    assert (accepted, code) == (False, SIGNED_OUT)
