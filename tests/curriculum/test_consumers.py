"""Sockets: who may listen, what they hear, and when they are closed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connections

from curriculum import consumers, tailer
from curriculum.events import MessageEvent, phase_group, publish
from curriculum.models import Phase
from tests.factories import PhaseFactory, UserFactory
from webrl_site.asgi import application

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.TAIL_INTERVAL_S = 0.01
    monkeypatch.setattr(consumers, "CHECK_ACCESS_S", 0.05)
    monkeypatch.setattr(tailer.TAILER, "_task", None)


@pytest.fixture(autouse=True)
async def closed_connections() -> AsyncIterator[None]:
    """Channels' test client keeps the worker thread's connection open."""
    yield
    await sync_to_async(connections.close_all)()


@database_sync_to_async
def sign_in(*roles: str) -> str:
    user = UserFactory(roles=list(roles))
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    assert session.session_key
    return session.session_key


@database_sync_to_async
def make_phase() -> Phase:
    return PhaseFactory()


@database_sync_to_async
def say(phase: Phase, text: str = "news") -> int:
    return publish(phase.pk, MessageEvent(text=text)).pk


def connect(path: str, key: str = "", origin: str = "") -> WebsocketCommunicator:
    cookie = f"{settings.SESSION_COOKIE_NAME}={key}"
    headers = [
        (b"host", b"testserver"),
        (b"origin", (origin or settings.DASHBOARD_URL).encode()),
        (b"cookie", cookie.encode()),
    ]
    return WebsocketCommunicator(application, path, headers=headers)


@pytest.fixture
async def listener() -> AsyncIterator[tuple[WebsocketCommunicator, Phase, str]]:
    phase, key = await make_phase(), await sign_in("annotator")
    socket = connect(f"/ws/phases/{phase.pk}/", key)
    accepted, _ = await socket.connect()
    assert accepted
    yield socket, phase, key
    await socket.disconnect()


async def test_a_socket_begins_with_the_newest_id() -> None:
    phase, key = await make_phase(), await sign_in("researcher")
    last = await say(phase)
    socket = connect(f"/ws/phases/{phase.pk}/", key)
    await socket.connect()

    assert await socket.receive_json_from() == {"last_id": last}
    await socket.disconnect()


async def test_news_of_the_phase_arrive(listener: Any) -> None:
    socket, phase, _ = listener
    assert await socket.receive_json_from() == {"last_id": 0}
    last = await say(phase)

    assert await socket.receive_json_from(timeout=3) == {"last_id": last}


async def test_news_of_another_phase_do_not(listener: Any) -> None:
    socket, _, _ = listener
    await socket.receive_json_from()
    await say(await make_phase())

    assert await socket.receive_nothing(timeout=0.3)


async def test_home_hears_of_every_phase() -> None:
    socket = connect("/ws/home/", await sign_in("annotator"))
    await socket.connect()
    await socket.receive_json_from()
    last = await say(await make_phase())

    assert await socket.receive_json_from(timeout=3) == {"last_id": last}
    await socket.disconnect()


@pytest.mark.parametrize("roles", [None, ()])
async def test_only_people_with_a_role_listen(roles: Any) -> None:
    key = "" if roles is None else await sign_in(*roles)
    accepted, code = await connect("/ws/home/", key).connect()

    assert (accepted, code) == (False, consumers.SIGNED_OUT)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.test",
        "null",
        "http://testserver.evil.test",
        "http://replay.testserver",
        "https://testserver",
        "http://[",
        "http://[::1",
        "http://testserver:port",
        "http://testserver:99999999",
        "\xff\xfe",
    ],
)
async def test_pages_of_another_origin_are_refused(origin: str) -> None:
    key = await sign_in("researcher")
    accepted, _ = await connect("/ws/home/", key, origin).connect()

    assert not accepted


@pytest.mark.parametrize(
    "path", ["/ws/", "/ws/nothing/", "/ws/phases/x/", "/", "/ws/home/more/"]
)
async def test_an_address_that_no_socket_has_is_refused(path: str) -> None:
    accepted, _ = await connect(path, await sign_in("annotator")).connect()

    assert not accepted


@pytest.mark.parametrize("sent", ["not JSON", "{", "[" * 1000, b"\x00\xff"])
async def test_what_is_no_json_ends_no_socket(sent: Any, listener: Any) -> None:
    socket, phase, _ = listener
    await socket.receive_json_from()
    if isinstance(sent, bytes):
        await socket.send_to(bytes_data=sent)
    else:
        await socket.send_to(text_data=sent)
    last = await say(phase)

    assert await socket.receive_json_from(timeout=3) == {"last_id": last}


async def test_a_phase_that_is_not_there_is_refused() -> None:
    accepted, code = await connect(
        "/ws/phases/999/", await sign_in("annotator")
    ).connect()

    assert (accepted, code) == (False, consumers.NOT_FOUND)


async def test_signing_out_closes_the_socket(listener: Any) -> None:
    socket, _, key = listener
    await socket.receive_json_from()
    await database_sync_to_async(Session.objects.filter(pk=key).delete)()

    answer = await socket.receive_output(timeout=3)
    assert (answer["type"], answer["code"]) == ("websocket.close", 4401)


async def test_what_a_page_sends_is_ignored(listener: Any) -> None:
    socket, phase, _ = listener
    await socket.receive_json_from()
    await socket.send_json_to({"do": "something"})
    last = await say(phase)

    assert await socket.receive_json_from(timeout=3) == {"last_id": last}


async def test_a_message_of_the_channel_layer_is_forwarded(
    settings: Any,
) -> None:
    settings.CHANNEL_URL = "memory"
    settings.TAIL_INTERVAL_S = 60.0
    phase, key = await make_phase(), await sign_in("annotator")
    socket = connect(f"/ws/phases/{phase.pk}/", key)
    await socket.connect()
    await socket.receive_json_from()

    await get_channel_layer().group_send(
        phase_group(phase.pk), {"type": "wakeup", "last_id": 77}
    )

    assert await socket.receive_json_from(timeout=3) == {"last_id": 77}
    await socket.disconnect()
