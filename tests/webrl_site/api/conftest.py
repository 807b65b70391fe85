"""The example's rows, and ways to ask the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.pages.conftest import (  # noqa: F401 (fixtures)
    SignIn,
    closed_phase,
    count_queries,
    example,
    sign_in,
)

Post = Callable[..., Any]


@pytest.fixture
def researcher(sign_in: SignIn) -> Client:  # noqa: F811
    return sign_in("researcher")


@pytest.fixture
def annotator(sign_in: SignIn) -> Client:  # noqa: F811
    return sign_in("annotator")


@pytest.fixture
def post() -> Post:
    """`post(client, url, data)`: JSON out, the response in."""

    def send(client: Client, url: str, data: Any = None, **headers: str) -> Any:
        return client.post(
            url, data or {}, content_type="application/json", headers=headers
        )

    return send
