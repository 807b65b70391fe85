"""People at the review desk."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import UserFactory
from tests.webrl_site.conftest import SignIn


@pytest.fixture
def ann(db: None) -> User:
    return UserFactory(username="ann", roles=["annotator"])


@pytest.fixture
def boss(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory(username="boss", roles=["researcher"]))
    return client


@pytest.fixture
def desk(sign_in: SignIn) -> Client:
    return sign_in("annotator")
