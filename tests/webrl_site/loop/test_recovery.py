"""Workers that die: the sweep gives their work to others, and nothing is doubled."""

from __future__ import annotations

import contextlib
import datetime as dt
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from curriculum import services as curriculum
from curriculum.models import Phase, Task
from curriculum.services.lease_watch import LeaseWatch
from rollouts import services as rollouts
from rollouts.browser.types import EpisodeRequest, StepRecord, attempt_of
from rollouts.models import Step, Trajectory
from rollouts.services.loading import open_collector, open_policy
from tests import fakes
from tests.factories import PhaseFactory, QueuedTrajectoryFactory, TaskFactory
from webrl_site.loop import wakeups
from webrl_site.loop.tasks import sweep
from webrl_site.server.workers import sign_on

Status = Trajectory.Status


class Killed(BaseException):
    """What a worker feels of `kill -9`: nothing after this line runs."""


@pytest.fixture
def phase(db: None) -> Phase:
    TaskFactory(split=Task.Split.TEST, instruction="Ask")
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    QueuedTrajectoryFactory.create_batch(8, phase=phase)
    return phase


def claim(phase: Phase, owner: str, limit: int = 3) -> list[EpisodeRequest]:
    return rollouts.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner=owner, limit=limit, lease_s=10
    )


def collect(phase: Phase, owner: str) -> int:
    return rollouts.collect_episodes(
        phase_id=phase.pk,
        owner=owner,
        lease_s=10,
        open_policy=open_policy,
        open_collector=open_collector,
    )


def play(request: EpisodeRequest) -> list[Any]:
    collector = fakes.FakeCollector(
        fakes.ScriptedPolicy(0.5), fakes.CollectorOptions(1, "", None)
    )
    collector.submit([request])
    return collector.poll(0)


def check_that_every_episode_ended_once(phase: Phase) -> None:
    for row in Trajectory.objects.filter(phase=phase):
        steps = Step.objects.filter(trajectory=row, attempt=row.attempt)
        assert row.status == Status.FINISHED
        assert list(steps.values_list("index", flat=True)) == list(
            range(row.step_count)
        )


def test_a_worker_killed_after_its_claim_loses_its_episodes_to_the_next(
    phase: Phase,
) -> None:
    claim(phase, "dead")
    with time_machine.travel(timezone.now() + dt.timedelta(seconds=11)):
        assert fakes.sweep_silent_episodes() == {phase.pk}
        assert collect(phase, "alive") == 8

    check_that_every_episode_ended_once(phase)
    assert Trajectory.objects.filter(attempt=2).count() == 3


def test_a_worker_killed_between_steps_leaves_no_gap_and_no_duplicate(
    phase: Phase,
) -> None:
    for request in claim(phase, "dead"):
        rollouts.append_step(record=play(request)[0], lease_s=10)
    with time_machine.travel(timezone.now() + dt.timedelta(seconds=11)):
        fakes.sweep_silent_episodes()
        collect(phase, "alive")

    check_that_every_episode_ended_once(phase)
    assert Step.objects.filter(attempt=1).exclude(trajectory__attempt=1).count() == 3


@pytest.mark.parametrize("survived", range(5))
def test_a_kill_after_any_number_of_saved_batches_ends_every_episode_once(
    phase: Phase, survived: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("rollouts.services.collection.save_records", dying(survived))
        patch.setattr("rollouts.services.collection.release_episodes", lambda **_: 0)
        with pytest.raises(Killed) if survived < 3 else contextlib.nullcontext():
            collect(phase, "dead")
    with time_machine.travel(timezone.now() + dt.timedelta(seconds=11)):
        fakes.sweep_silent_episodes()
        collect(phase, "alive")

    check_that_every_episode_ended_once(phase)


def dying(survived: int) -> Any:
    """Save so many batches; die in the middle of the next."""
    left = [survived]

    def save(**arguments: Any) -> Any:
        if not left[0]:
            raise Killed
        left[0] -= 1
        return rollouts.save_records(**arguments)

    return save


def test_a_worker_that_was_thought_dead_can_write_nothing_more(phase: Phase) -> None:
    (request,) = claim(phase, "slow", limit=1)
    late = play(request)
    with time_machine.travel(timezone.now() + dt.timedelta(seconds=11)):
        fakes.sweep_silent_episodes()
        collect(phase, "alive")
        before = list(Step.objects.values_list("trajectory", "attempt", "index"))
        report = rollouts.save_records(records=late, lease_s=10, max_retries=2)

    assert report.lost == {attempt_of(request)}
    assert before == list(Step.objects.values_list("trajectory", "attempt", "index"))


def test_the_same_batch_saved_twice_is_there_once(phase: Phase) -> None:
    (request,) = claim(phase, "one", limit=1)
    records = play(request)
    steps = [record for record in records if isinstance(record, StepRecord)]
    for _ in range(2):
        rollouts.save_records(records=steps, lease_s=10, max_retries=2)
    for _ in range(2):
        rollouts.save_records(records=records, lease_s=10, max_retries=2)

    row = Trajectory.objects.get(pk=request.trajectory_id)
    assert row.status == Status.FINISHED
    assert row.steps.count() == row.step_count == len(steps)


def test_an_episode_that_kills_each_worker_is_given_up(phase: Phase) -> None:
    Trajectory.objects.update(lost_leases=19)
    claim(phase, "dead", limit=1)
    fakes.sweep_silent_episodes()

    row = Trajectory.objects.get(status=Status.FAILED)
    assert row.failure_class == "harness"
    assert "died" in row.failure_reason


def test_attempts_that_ended_otherwise_are_no_deaths(phase: Phase) -> None:
    Trajectory.objects.update(attempt=50)
    claim(phase, "dead", limit=1)
    fakes.sweep_silent_episodes()

    assert not Trajectory.objects.filter(status=Status.FAILED).exists()


def test_an_owner_that_speaks_again_was_not_dead(phase: Phase) -> None:
    late: list[int] = []

    class Stalled(fakes.FakeCollector):
        """Its worker is silent for longer than a lease, once."""

        def poll(self, timeout_s: float) -> list[Any]:
            if not late:
                late.extend(fakes.sweep_silent_episodes())
            return super().poll(timeout_s)

    options = fakes.CollectorOptions(1, "", None)
    rollouts.collect_episodes(
        phase_id=phase.pk,
        owner="slow",
        lease_s=10,
        open_policy=open_policy,
        open_collector=lambda policy, _: Stalled(policy, options),
    )

    assert late == [phase.pk]
    assert not Trajectory.objects.filter(lost_leases__gt=0).exists()
    check_that_every_episode_ended_once(phase)


def test_a_run_with_a_setting_of_the_next_version_does_not_stop_the_others(
    db: None, eager_jobs: None
) -> None:
    unread = PhaseFactory(run__config={"rollout": {"of_tomorrow": 1}})
    read = PhaseFactory()
    TaskFactory()

    sweep()

    unread.refresh_from_db()
    read.refresh_from_db()
    assert unread.status == Phase.Status.PLANNED
    assert read.status != Phase.Status.PLANNED


def test_a_phase_that_cannot_be_advanced_says_so_once(
    db: None, eager_jobs: None
) -> None:
    unread = PhaseFactory(run__config={"rollout": {"of_tomorrow": 1}})
    TaskFactory()

    sweep()
    sweep()

    event = unread.events.get(kind="message")
    assert event.data["code"] == "not_advanced"
    assert "of_tomorrow" in event.data["text"]


class Sweeper:
    """A sweep with a clock of its own, in seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.watch: LeaseWatch[tuple[int, int]] = LeaseWatch(lambda: self.now)

    def sweep_at(self, now: float) -> set[int]:
        self.now = now
        return rollouts.requeue_expired(self.watch)


def test_a_lease_that_is_renewed_is_not_taken(phase: Phase) -> None:
    ids = [request.trajectory_id for request in claim(phase, "busy")]
    sweeper = Sweeper()
    for second in range(0, 60, 6):
        assert sweeper.sweep_at(second) == set()
        assert rollouts.renew_leases(owner="busy", trajectory_ids=ids, lease_s=10) == 3


@pytest.mark.parametrize("hours", [-2, 0, 2])
def test_a_sweep_with_a_wrong_clock_takes_from_the_silent_alone(
    phase: Phase, hours: int
) -> None:
    ids = [request.trajectory_id for request in claim(phase, "busy")]
    claim(phase, "dead")
    sweeper, wrong = Sweeper(), dt.timedelta(hours=hours)
    for second in range(0, 30, 2):
        with time_machine.travel(timezone.now() + wrong):
            sweeper.sweep_at(second)
        rollouts.renew_leases(owner="busy", trajectory_ids=ids, lease_s=10)

    held = Trajectory.objects.filter(status=Status.RUNNING)
    assert set(held.values_list("lease_owner", flat=True)) == {"busy"}
    assert held.count() == 3
    assert not Trajectory.objects.filter(status=Status.FAILED).exists()


@pytest.mark.parametrize("hours", [-2, 0, 2])
def test_a_worker_with_a_wrong_clock_is_noticed_in_time_when_it_dies(
    phase: Phase, hours: int, settings: Any
) -> None:
    with time_machine.travel(timezone.now() + dt.timedelta(hours=hours)):
        claim(phase, "dead")
    sweeper = Sweeper()
    sweeper.sweep_at(0)

    assert sweeper.sweep_at(settings.LEASE_S - 1) == set()
    assert sweeper.sweep_at(settings.LEASE_S) == {phase.pk}


def test_a_stage_is_not_taken_from_the_living_by_a_wrong_clock(phase: Phase) -> None:
    Phase.objects.update(status=Phase.Status.SCORING)
    lease = curriculum.claim_stage(
        phase_id=phase.pk, stage="scoring", owner="living", lease_s=10
    )
    assert lease is not None
    with time_machine.travel(timezone.now() + dt.timedelta(hours=2)):
        curriculum.expire_stages()
        stolen = curriculum.claim_stage(
            phase_id=phase.pk, stage="scoring", owner="ahead", lease_s=10
        )

    assert stolen is None
    assert curriculum.renew_stage(lease=lease, lease_s=10)


def test_a_wakeup_in_the_future_holds_nothing_up(phase: Phase) -> None:
    with time_machine.travel(timezone.now() + dt.timedelta(hours=2)):
        assert curriculum.claim_wakeup(
            phase_id=phase.pk, status="collecting", after_s=5
        )

    assert curriculum.claim_wakeup(phase_id=phase.pk, status="collecting", after_s=5)


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_worker_with_a_wrong_clock_does_no_double_work(
    phase: Phase, hours: int
) -> None:
    (request,) = claim(phase, "right", limit=1)
    with time_machine.travel(timezone.now() + dt.timedelta(hours=hours)):
        fakes.sweep_silent_episodes()
        collect(phase, "wrong")
    rollouts.save_records(records=play(request), lease_s=10, max_retries=2)
    collect(phase, "right")

    check_that_every_episode_ended_once(phase)


def test_a_stage_whose_worker_died_is_woken_again_at_once(
    phase: Phase, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    enqueued: list[int] = []
    monkeypatch.setattr(
        wakeups, "enqueue_stage", lambda phase: enqueued.append(phase.pk)
    )
    Trajectory.objects.update(status=Status.FINISHED, ended_by="exit", attempt=1)
    Phase.objects.update(status=Phase.Status.SCORING)
    assert curriculum.claim_stage(
        phase_id=phase.pk, stage="scoring", owner="dead", lease_s=10
    )
    sweep()
    assert enqueued == []
    settings.LEASE_S = 0
    sweep()
    sweep()

    assert enqueued == [phase.pk]


def test_a_stage_that_kills_each_worker_fails_with_a_reason(phase: Phase) -> None:
    Trajectory.objects.update(status=Status.FINISHED, ended_by="exit", attempt=1)
    Phase.objects.update(status=Phase.Status.SCORING, work_attempt=20)

    sweep()

    phase.refresh_from_db()
    assert phase.status == Phase.Status.FAILED
    assert "died" in phase.failure_reason


def test_a_lost_wakeup_is_sent_again_after_a_while(
    phase: Phase, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    enqueued: list[int] = []
    monkeypatch.setattr(
        wakeups, "enqueue_stage", lambda phase: enqueued.append(phase.pk)
    )
    sign_on(name="idle", queues=["rollouts"])
    for _ in range(3):
        sweep()
    assert len(enqueued) == 1
    with time_machine.travel(timezone.now() + dt.timedelta(seconds=11)):
        sweep()

    assert len(enqueued) == 2


def test_a_stopped_phase_gives_its_episodes_back(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(request: EpisodeRequest) -> None:
        if Phase.objects.get(pk=phase.pk).is_moving:
            curriculum.stop_phase(phase_id=phase.pk, by=None)

    with monkeypatch.context() as patch:
        patch.setattr(fakes.FakeCollector, "before_episode", staticmethod(stop))
        patch.setattr("rollouts.services.collection.LOOK_EVERY_S", 0.0)
        collect(phase, "one")

    assert not Trajectory.objects.filter(status=Status.RUNNING).exists()
    assert Trajectory.objects.filter(status=Status.QUEUED).count() == 5
    assert claim(phase, "two") == []
    curriculum.resume_phase(phase_id=phase.pk, by=None)
    collect(phase, "three")
    check_that_every_episode_ended_once(phase)


def test_one_tick_asks_the_database_a_bounded_number_of_questions(
    phase: Phase, django_assert_max_num_queries: Any
) -> None:
    sweep()
    with django_assert_max_num_queries(17):
        sweep()
