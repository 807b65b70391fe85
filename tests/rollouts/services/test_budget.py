"""What servers cost is counted, and a run that has spent its budget waits."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum import services as curriculum
from curriculum.models import Phase
from curriculum.phase_config import RolloutConfig
from curriculum.texts.sentences import code_of
from rollouts.models import Trajectory
from rollouts.services.serving.budget import keep_budget
from rollouts.serving.usage import ToldTokens, Usage, count_told, count_usage
from rollouts.tasks import collect
from tests.factories import (
    SMALL,
    PhaseFactory,
    QueuedTrajectoryFactory,
    RunFactory,
    StepFactory,
)
from webrl_site.runs.config import RunConfig

pytestmark = pytest.mark.django_db
SERVED = "https://models.example/v1#m"


def make_phase(**rollout: Any) -> Phase:
    config = SMALL.to_json()
    config["rollout"] |= rollout
    run = RunFactory(config=RunConfig.parse(config).to_json(), policy_uri=SERVED)
    phase: Phase = PhaseFactory(
        run=run, status=Phase.Status.COLLECTING, policy_uri=SERVED
    )
    return phase


def act(phase: Phase, *, acted_by: str = SERVED, **step: Any) -> Trajectory:
    episode: Trajectory = QueuedTrajectoryFactory(
        phase=phase, acted_by=acted_by, attempt=2
    )
    told: dict[str, Any] = {"prompt_token_count": 900, "token_count": 100}
    StepFactory(trajectory=episode, attempt=2, index=0, **(told | step))
    return episode


def test_every_attempt_is_billed_and_local_steps_are_not():
    phase = make_phase()
    episode = act(phase)
    StepFactory(trajectory=episode, attempt=1, prompt_token_count=100, token_count=50)
    act(phase, prompt_token_count=None, token_count=None)
    act(phase, acted_by="starter/policy")
    act(make_phase())
    assert count_usage(phase.run_id) == Usage(3, 1000, 150, untold=1)


def test_prices_are_of_a_million_tokens():
    config = RolloutConfig(prompt_price=2.0, answer_price=8.0)
    assert Usage(1, 500_000, 250_000).cost(config) == 3.0
    assert Usage(1, 500_000, 250_000).cost(RolloutConfig()) == 0.0


@pytest.mark.parametrize(("budget", "goes_on"), [(0, True), (11, True), (10, False)])
def test_a_spent_budget_pauses_the_phase(budget: float, goes_on: bool):
    phase = make_phase(prompt_price=10_000.0, answer_price=10_000.0, budget=budget)
    act(phase)
    assert keep_budget(phase_id=phase.pk, stage="collecting") is goes_on
    phase.refresh_from_db()
    assert phase.status == ("collecting" if goes_on else "stopped")
    told = code_of(phase.failure_reason)
    assert (told.get("code") == "budget_spent") is not goes_on


def test_a_paused_run_claims_no_episode_until_it_may_spend_more():
    phase = make_phase(prompt_price=10_000.0, budget=9.0)
    waiting = act(phase)
    collect(phase.pk)
    waiting.refresh_from_db()
    phase.refresh_from_db()
    assert (phase.status, phase.resume_status) == ("stopped", "collecting")
    assert waiting.status == "queued"

    phase.run.config["rollout"]["budget"] = 20.0
    phase.run.save()
    curriculum.resume_phase(phase_id=phase.pk, by=None)
    collect(phase.pk)
    waiting.refresh_from_db()
    assert waiting.status == "finished"


def test_steps_without_their_tokens_are_counted():
    phase = make_phase()
    act(phase, token_ids=[1, 2])
    episode = act(phase, token_ids=[])
    StepFactory(trajectory=episode, attempt=1, token_ids=[])
    assert count_told(phase.pk) == ToldTokens(steps=2, untold=1)
