"""The example's rows, and ways to ask the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client

from tests.webrl_site.conftest import (
    SignIn,
)

Post = Callable[..., Any]


@pytest.fixture
def annotator(sign_in: SignIn) -> Client:
    return sign_in("annotator")


@pytest.fixture
def post() -> Post:
    """`post(client, url, data)`: JSON out, the response in."""

    def send(client: Client, url: str, data: Any = None, **headers: str) -> Any:
        return client.post(
            url, data or {}, content_type="application/json", headers=headers
        )

    return send


@pytest.fixture
def application() -> Iterator[WSGIHandler]:
    """The whole application; a request leaves the test's connection open."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield WSGIHandler()
    for signal in signals:
        signal.connect(close_old_connections)
