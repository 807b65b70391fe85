"""While the model's endpoint is down, episodes wait; they do not fail."""

from __future__ import annotations

import pytest
from django.utils import timezone

from curriculum.models import Phase
from curriculum.services import resume_phase, stop_phase
from rollouts import services
from rollouts.browser.types import EpisodeFailure, EpisodeRequest, FailureClass
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


def claim(phase: Phase) -> list[EpisodeRequest]:
    return services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner="one", limit=1, lease_s=10
    )


def break_once(phase: Phase, kind: FailureClass, wait_s: float = 0) -> Trajectory:
    [request] = claim(phase)
    ids = (request.trajectory_id, request.attempt)
    record = EpisodeFailure(*ids, kind, SAID, wait_s=wait_s)
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
        claim(phase)
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
    claim(phase)

    assert describe_waits(phase) == []


def test_no_episode_is_taken_up_before_the_model_may_be_called(phase: Phase) -> None:
    break_once(phase, "endpoint", wait_s=300)
    phase.refresh_from_db()

    assert claim(phase) == []
    assert "asked not to be called before" in describe_waits(phase)[-1]


def test_episodes_go_on_once_the_model_may_be_called(phase: Phase) -> None:
    break_once(phase, "endpoint", wait_s=300)
    end_wait(phase)

    assert len(claim(phase)) == 1


def test_a_shorter_wait_does_not_end_a_longer_one(phase: Phase) -> None:
    QueuedTrajectoryFactory(phase=phase)
    both = [claim(phase)[0] for _ in range(2)]
    for request, wait_s in zip(both, (300, 61), strict=True):
        ids = (request.trajectory_id, request.attempt)
        record = EpisodeFailure(*ids, "endpoint", SAID, wait_s=wait_s)
        services.save_records(records=[record], lease_s=10, max_retries=MAX_RETRIES)
    phase.refresh_from_db()

    assert phase.waits_until is not None
    assert (phase.waits_until - timezone.now()).total_seconds() > 200


def test_a_phase_that_is_resumed_calls_its_model_at_once(phase: Phase) -> None:
    break_once(phase, "endpoint", wait_s=300)
    stop_phase(phase_id=phase.pk, by=None)
    resume_phase(phase_id=phase.pk, by=None)

    assert len(claim(phase)) == 1


def end_wait(phase: Phase) -> None:
    Phase.objects.filter(pk=phase.pk).update(waits_until=timezone.now())


def test_an_episode_that_is_resumed_may_lose_its_worker_as_often_as_before(
    phase: Phase,
) -> None:
    Trajectory.objects.update(status="failed", lost_leases=20)
    services.requeue_failed(phase_id=phase.pk, purpose="collect")

    assert Trajectory.objects.get().lost_leases == 0
