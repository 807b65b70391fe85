from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError

from curriculum.models import Phase, Task
from rollouts import services
from rollouts.models import Trajectory
from rollouts.services import queue
from tests.factories import (
    SMALL,
    PhaseFactory,
    QueuedTrajectoryFactory,
    RunFactory,
    TaskFactory,
)

pytestmark = pytest.mark.django_db


def make_phase(**rollout: Any) -> Phase:
    config = SMALL.to_json()
    config["rollout"].update(rollout)
    phase = PhaseFactory(run=RunFactory(config=config), status="collecting")
    phase.tasks.set(TaskFactory.create_batch(4))
    return phase


def claim(phase: Phase, limit: int, owner: str = "me") -> list[Any]:
    return services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner=owner, limit=limit, lease_s=10
    )


def test_each_task_is_attempted_as_often_as_the_run_says() -> None:
    phase = make_phase(attempts_per_task=3)

    services.queue_episodes(phase=phase, purpose="collect")
    services.queue_episodes(phase=phase, purpose="collect")

    assert Trajectory.objects.count() == 12
    assert Trajectory.objects.values("seed").distinct().count() == 12


def test_an_evaluation_attempts_the_same_test_tasks_in_every_phase() -> None:
    tests = TaskFactory.create_batch(9, split=Task.Split.TEST)
    chosen = []
    for _ in range(2):
        phase = make_phase()
        phase.run.config["curriculum"]["evaluation_tasks"] = 5
        services.queue_episodes(phase=phase, purpose="evaluate")
        rows = Trajectory.objects.filter(phase=phase)
        chosen.append(sorted(rows.values_list("task_id", flat=True)))

    assert chosen[0] == chosen[1]
    assert len(chosen[0]) == 5
    assert set(chosen[0]) <= {task.pk for task in tests}


def test_a_task_that_was_filtered_since_it_was_chosen_is_not_attempted() -> None:
    phase = make_phase()
    leak, *others = phase.tasks.order_by("pk")
    Task.objects.filter(pk=leak.pk).update(status=Task.Status.FILTERED)

    services.queue_episodes(phase=phase, purpose="collect")

    queued = Trajectory.objects.order_by("task_id").values_list("task_id", flat=True)
    assert list(queued) == [task.pk for task in others]


def test_a_phase_measures_the_tasks_of_its_baseline_after_training() -> None:
    phase = make_phase()
    before = TaskFactory.create_batch(2, split=Task.Split.TEST)
    services.queue_episodes(phase=phase, purpose="baseline")
    TaskFactory(split=Task.Split.TEST)
    before[0].status = Task.Status.REJECTED
    before[0].save()

    services.queue_episodes(phase=phase, purpose="evaluate")

    measured = Trajectory.objects.filter(purpose="evaluate").order_by("task_id")
    assert [row.task_id for row in measured] == [task.pk for task in before]


def test_claims_never_overlap() -> None:
    phase = make_phase()
    services.queue_episodes(phase=phase, purpose="collect")
    first, second, third = claim(phase, 3, "a"), claim(phase, 3, "b"), claim(phase, 3)

    assert (len(first), len(second), len(third)) == (3, 1, 0)
    ids = {request.trajectory_id for request in first + second}
    assert len(ids) == 4


def test_a_claim_carries_all_that_an_episode_needs() -> None:
    phase = make_phase(step_limit=7, time_limit_s=9.0, record_snapshots=False)
    services.queue_episodes(phase=phase, purpose="collect")

    (request,) = claim(phase, 1)

    task = Task.objects.get(pk=request.task.task_id)
    assert request.attempt == 1
    assert request.task.instruction == task.instruction
    assert request.task.sites == ("shop",)
    assert (request.step_limit, request.time_limit_s) == (7, 9.0)
    assert not request.record_snapshots


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (1.0, 4)])
def test_screenshots_are_taken_of_the_share_that_was_asked_for(
    share: float, expected: int
) -> None:
    phase = make_phase(screenshot_share=share)
    services.queue_episodes(phase=phase, purpose="collect")

    assert sum(request.record_screenshots for request in claim(phase, 4)) == expected


@pytest.mark.parametrize("status", ["stopped", "failed", "closed", "training"])
def test_nothing_is_claimed_outside_the_stages_with_rollouts(status: str) -> None:
    phase = PhaseFactory(status=status)
    QueuedTrajectoryFactory(phase=phase)

    assert claim(phase, 1) == []


def test_a_release_is_for_ones_own_episodes_only() -> None:
    phase = make_phase()
    services.queue_episodes(phase=phase, purpose="collect")
    ids = [request.trajectory_id for request in claim(phase, 2, "a")]

    assert services.release_episodes(owner="b", trajectory_ids=ids) == 0
    assert services.release_episodes(owner="a", trajectory_ids=ids) == 2
    assert [request.attempt for request in claim(phase, 2, "b")] == [2, 2]


def test_a_claim_asks_four_times(django_assert_num_queries: Any) -> None:
    phase = make_phase()
    services.queue_episodes(phase=phase, purpose="collect")

    # The sites, the oldest, what they are, and the update, in a savepoint's two.
    with django_assert_num_queries(6) as asked:
        claim(phase, 4)
    # With ten thousand queued a moment ago PostgreSQL would join all of them first.
    [choosing] = [one["sql"] for one in asked if "LIMIT" in one["sql"]]
    assert "JOIN" not in choosing


def test_seeds_are_the_same_everywhere() -> None:
    assert queue.draw_seed(1, 2, "x") == 1806200805
    assert 0 <= queue.draw_seed("a") < 2**31


def test_an_episode_that_somebody_else_took_meanwhile_is_not_taken() -> None:
    phase = make_phase()
    services.queue_episodes(phase=phase, purpose="collect")
    seen = list(Trajectory.objects.filter(status="queued"))
    claim(phase, 1, owner="quicker")

    with pytest.raises(OperationalError, match="Somebody else"):
        queue._claim(seen, "late", 10, {})
