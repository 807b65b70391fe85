"""Two annotators and a researcher."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests.factories import UserFactory


@pytest.fixture
def ann(db: None) -> User:
    return UserFactory(username="ann", roles=["annotator"])


@pytest.fixture
def bob(db: None) -> User:
    return UserFactory(username="bob", roles=["annotator"])


@pytest.fixture
def boss(db: None) -> User:
    return UserFactory(username="boss", roles=["researcher"])
