from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.factories import (
    SMALL,
    PhaseFactory,
    QueuedTrajectoryFactory,
    RunFactory,
    StepFactory,
    UserFactory,
)
from webrl_site.served.spending import describe_spending

pytestmark = pytest.mark.django_db
SERVED = "https://models.example/v1#m"


def make_run(**rollout: Any) -> Any:
    config = SMALL.to_json()
    config["rollout"] |= rollout
    run = RunFactory(config=config, served_uri=SERVED)
    episode = QueuedTrajectoryFactory(phase=PhaseFactory(run=run), acted_by=SERVED)
    StepFactory(trajectory=episode, prompt_token_count=400_000, token_count=100_000)
    return run


def read(run: Any) -> str:
    client = Client()
    client.force_login(UserFactory(roles=["researcher"]))
    return " ".join(client.get(f"/runs/{run.pk}/").content.decode().split())


def test_the_run_page_says_what_was_spent():
    page = read(make_run(prompt_price=2.0, answer_price=10.0, budget=5.0))
    assert "400000" in page
    assert "1.80 of 5.00" in page


def test_without_prices_only_tokens_are_shown():
    run = make_run()
    assert "no price is set" in read(run)
    spent = describe_spending(run)
    assert spent is not None
    assert spent.usage.answer_tokens == 100_000


def test_a_policy_of_this_machine_costs_nothing():
    assert describe_spending(RunFactory()) is None
