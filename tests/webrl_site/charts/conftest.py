from __future__ import annotations

import pytest
from django.test import Client

from tests.webrl_site.conftest import SignIn


@pytest.fixture
def researcher(sign_in: SignIn) -> Client:
    return sign_in("researcher")
