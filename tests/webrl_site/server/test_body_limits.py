"""A stranger's large body is refused before it is read; a person's is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connections
from django.test import Client

from tests.seed import PASSWORD, Example
from webrl_site.account.body_sizes import find_limit
from webrl_site.account.tokens import make_token
from webrl_site.server.body_limits import MAX_ANONYMOUS_BYTES, MAX_BYTES
from webrl_site.server.threaded_asgi import ThreadedHandler

PART = 2**14
MANY_PARTS = 10_000
Headers = list[tuple[bytes, bytes]]


class Sender:
    """Sends parts for as long as it is asked for more."""

    def __init__(self, headers: Headers, parts: int = MANY_PARTS) -> None:
        self.headers, self.parts = headers, parts
        self.sent = 0
        self.answers: list[Mapping[str, Any]] = []

    async def post(self, path: str = "/sign-in/") -> int:
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(b"host", b"testserver"), *self.headers],
        }
        handler = ThreadedHandler(1, find_limit)
        await handler(scope, self.receive, self.answer)
        # Its thread keeps a connection, which would outlive the test's database.
        handler.pool.submit(connections.close_all).result()
        handler.pool.shutdown()
        return self.answers[0]["status"]

    async def receive(self) -> dict[str, Any]:
        self.sent += 1
        is_last = self.sent >= self.parts
        return {"type": "http.request", "body": b"x" * PART, "more_body": not is_last}

    async def answer(self, message: Mapping[str, Any]) -> None:
        self.answers.append(message)


def declare(length: int) -> tuple[bytes, bytes]:
    return (b"content-length", str(length).encode())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "headers",
    [
        pytest.param([], id="nobody"),
        pytest.param([(b"cookie", b"webrl_session=made-up")], id="made-up session"),
        pytest.param([(b"authorization", b"Bearer wrl_made-up")], id="made-up token"),
    ],
)
async def test_a_strangers_large_body_is_refused_before_it_is_read(headers: Headers):
    declaring = Sender([*headers, declare(400 * 2**20)])
    streaming = Sender(headers)

    assert await declaring.post() == 413
    assert declaring.sent == 0
    assert await streaming.post() == 413
    assert streaming.sent * PART <= MAX_ANONYMOUS_BYTES + PART
    assert (b"Connection", b"close") in streaming.answers[0]["headers"]


@pytest.mark.django_db(transaction=True)
async def test_a_strangers_small_body_is_answered():
    assert await Sender([], parts=2).post() != 413


@sync_to_async
def sign_in(example: Example) -> Headers:
    client = Client()
    assert client.login(username=example.annotator.username, password=PASSWORD)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    return [(b"cookie", f"{settings.SESSION_COOKIE_NAME}={key}".encode())]


@sync_to_async
def hold_token(example: Example) -> Headers:
    _, secret = make_token(user=example.annotator, name="a", scopes=["read"], days=1)
    return [(b"authorization", f"Bearer {secret}".encode())]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("identify", [sign_in, hold_token])
async def test_a_person_may_send_a_file_but_no_flood(identify: Any, example: Example):
    headers = await identify(example)

    assert await Sender(headers, parts=100).post("/curriculum/") != 413
    assert await Sender([*headers, declare(MAX_BYTES + 1)]).post() == 413
