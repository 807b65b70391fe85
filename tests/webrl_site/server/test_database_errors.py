"""A database that does not take a question now is no mistake of ours: 503."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection
from django.test import Client

from tests.seed import PASSWORD, Example


def refuse(*_: Any) -> None:
    raise OperationalError("database or disk is full")


def break_rule(*_: Any) -> None:
    raise IntegrityError("not unique")


@pytest.fixture
def client(example: Example) -> Client:
    client = Client(raise_request_exception=False)
    assert client.login(username=example.researcher.username, password=PASSWORD)
    return client


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/", "text/html; charset=utf-8"), ("/api/runs/", "application/problem+json")],
)
def test_a_page_and_the_api_say_when_to_try_again(
    path: str, kind: str, client: Client
) -> None:
    with connection.execute_wrapper(refuse):
        response = client.get(path)

    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert response["Content-Type"] == kind
    assert b"disk is full" not in response.content


def test_another_mistake_stays_a_500(client: Client) -> None:
    with connection.execute_wrapper(break_rule):
        assert client.get("/").status_code == 500
