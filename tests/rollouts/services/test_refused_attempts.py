"""What an attempt's pages tried to reach in vain is kept with the episode."""

from __future__ import annotations

import pytest

from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeFailure,
    Observation,
    RefusedAttempt,
)
from rollouts.models import Trajectory
from rollouts.services import claim_episodes, fail_trajectory, finish_trajectory
from tests.factories import QueuedTrajectoryFactory

pytestmark = pytest.mark.django_db
PAGE = Observation("<html> </html>", (), "http://shop/", "Shop")
REFUSED = (RefusedAttempt("evil.test\x00", 443, "image", 2),)
KEPT = [{"host": "evil.test", "port": 443, "kind": "image", "count": 2}]


@pytest.fixture
def running() -> Trajectory:
    row: Trajectory = QueuedTrajectoryFactory(status="running", attempt=1)
    return row


def test_a_finished_episode_keeps_them(running: Trajectory) -> None:
    end = EpisodeEnd(running.pk, 1, "exit", "", PAGE, outcome=False, refused=REFUSED)

    finish_trajectory(record=end, lease_s=10, max_retries=0)

    running.refresh_from_db()
    assert running.refused_attempts == KEPT


def test_a_broken_episode_keeps_them(running: Trajectory) -> None:
    failure = EpisodeFailure(running.pk, 1, "site", "It hangs.", refused=REFUSED)

    fail_trajectory(record=failure, lease_s=10, max_retries=0)

    running.refresh_from_db()
    assert (running.status, running.refused_attempts) == ("failed", KEPT)


def test_the_next_attempt_begins_without_them(running: Trajectory) -> None:
    Trajectory.objects.filter(pk=running.pk).update(
        status="queued", refused_attempts=KEPT
    )
    running.phase.status = "collecting"
    running.phase.save()

    claim_episodes(
        phase_id=running.phase_id,
        purpose=running.purpose,
        owner="w",
        limit=1,
        lease_s=10,
    )

    running.refresh_from_db()
    assert (running.status, running.refused_attempts) == ("running", [])
