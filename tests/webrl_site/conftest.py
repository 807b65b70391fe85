"""The example's rows, and clients that are signed in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from curriculum.models import Phase
from tests.seed import Example
from tests.seed_copies import copy_example

SignIn = Callable[[str], Client]
CountQueries = Callable[[Client, str], int]


@pytest.fixture
def example(db: None) -> Example:
    return copy_example(tasks=10, waiting=12, metric_steps=5)


@pytest.fixture
def sign_in(example: Example) -> SignIn:
    """`sign_in("annotator")`: a client of that person, or of nobody for ""."""

    def sign(name: str) -> Client:
        client = Client()
        if name:
            client.force_login(getattr(example, name))
        return client

    return sign


@pytest.fixture
def researcher(sign_in: SignIn) -> Client:
    return sign_in("researcher")


@pytest.fixture
def admin(sign_in: SignIn) -> Client:
    return sign_in("admin")


@pytest.fixture
def closed_phase(example: Example) -> Phase:
    """The example's newest phase, closed, with weights that can be read."""
    phases = Phase.objects.filter(pk=example.review_phase.pk)
    phases.update(
        status=Phase.Status.CLOSED,
        next_policy_uri="starter/policy",
        next_critic_uri="starter/critic",
    )
    return phases.get()


@pytest.fixture
def count_queries() -> CountQueries:
    def count(client: Client, url: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            response = client.get(url)
        assert response.status_code == 200, url
        return len(queries)

    return count
