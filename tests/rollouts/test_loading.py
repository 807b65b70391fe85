from __future__ import annotations

from typing import Any

import pytest

from rollouts.loading import policy_key

SERVED = "https://models.example/v1"


@pytest.fixture(autouse=True)
def served(settings: Any) -> None:
    settings.POLICY_URL, settings.POLICY_API_KEY = SERVED, "s3cret"


def test_the_served_policy_gets_its_key() -> None:
    assert policy_key(f"{SERVED}#llama") == "s3cret"


@pytest.mark.parametrize(
    "uri",
    [
        "https://elsewhere.example/v1#llama",
        "https://models.example.elsewhere.example/v1",
        f"{SERVED}/../steal",
        "http://models.example/v1",
        "starter/policy",
    ],
)
def test_no_other_address_gets_the_key(uri: str) -> None:
    assert policy_key(uri) == ""


def test_without_an_address_nobody_gets_the_key(settings: Any) -> None:
    settings.POLICY_URL = ""
    assert policy_key("#llama") == ""
