"""While the model's endpoint is down, episodes wait; they do not fail."""

from __future__ import annotations

import pytest

from curriculum.models import Phase
from rollouts import services
from rollouts.browser.types import EpisodeFailure, FailureClass
from rollouts.models import Trajectory
from rollouts.selectors.sites import describe_waits
from tests.factories import PhaseFactory, QueuedTrajectoryFactory

SAID = "The model at http://m/v1 gave no answer in 5 tries: Connection refused"
MAX_RETRIES = 2


@pytest.fixture
def phase(db: None) -> Phase:
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    QueuedTrajectoryFactory(phase=phase)
    return phase


def break_once(phase: Phase, kind: FailureClass) -> Trajectory:
    [request] = services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner="one", limit=1, lease_s=10
    )
    record = EpisodeFailure(request.trajectory_id, request.attempt, kind, SAID)
    services.save_records(records=[record], lease_s=10, max_retries=MAX_RETRIES)
    return Trajectory.objects.get(pk=request.trajectory_id)


def test_an_outage_of_any_length_fails_no_episode(phase: Phase) -> None:
    for _ in range(30):
        assert break_once(phase, "endpoint").status == "queued"

    assert describe_waits(phase) == [SAID]


def test_after_an_outage_an_episode_has_all_its_attempts(phase: Phase) -> None:
    for _ in range(30):
        break_once(phase, "endpoint")
    ends = [break_once(phase, "harness").status for _ in range(MAX_RETRIES + 1)]

    assert ends == ["queued", "queued", "failed"]


def test_an_attempt_that_was_given_back_is_no_failure(phase: Phase) -> None:
    for _ in range(9):
        services.claim_episodes(
            phase_id=phase.pk, purpose="collect", owner="one", limit=1, lease_s=10
        )
        ids = Trajectory.objects.values_list("pk", flat=True)
        services.release_episodes(owner="one", trajectory_ids=ids)
    ends = [break_once(phase, "site").status for _ in range(MAX_RETRIES + 1)]

    assert ends == ["queued", "queued", "failed"]


def test_a_failed_episode_that_is_resumed_has_all_its_retries(phase: Phase) -> None:
    for _ in range(MAX_RETRIES + 1):
        break_once(phase, "site")
    services.requeue_failed(phase_id=phase.pk, purpose="collect")
    ends = [break_once(phase, "site").status for _ in range(MAX_RETRIES + 1)]

    assert ends == ["queued", "queued", "failed"]


def test_the_wait_is_over_when_the_episode_is_taken_up_again(phase: Phase) -> None:
    break_once(phase, "endpoint")
    services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner="one", limit=1, lease_s=10
    )

    assert describe_waits(phase) == []
