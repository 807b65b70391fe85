"""What the collecting loop does with a collector that misbehaves."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest

from curriculum.models import Phase, PhaseEvent
from curriculum.phase_config import RolloutConfig
from curriculum.rules.stopping import STOPPING
from rollouts.browser.types import EpisodeFailure, EpisodeRequest, FailureClass
from rollouts.models import Trajectory
from rollouts.services import CollectorStalled, collect_episodes, collection
from rollouts.services.loading import POLICIES, open_collector, open_policy
from rollouts.tasks import collect
from tests import fakes
from tests.factories import PhaseFactory, QueuedTrajectoryFactory

pytestmark = pytest.mark.django_db
Status = Trajectory.Status


@pytest.fixture
def phase() -> Phase:
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    QueuedTrajectoryFactory.create_batch(4, phase=phase)
    return phase


@pytest.fixture
def lone() -> Trajectory:
    phase = PhaseFactory(status=Phase.Status.COLLECTING)
    return QueuedTrajectoryFactory(phase=phase)


def run(phase: Phase, make_collector: Any = open_collector) -> int:
    return collect_episodes(
        phase_id=phase.pk,
        owner="me",
        lease_s=10,
        open_policy=open_policy,
        open_collector=make_collector,
    )


class Silent(fakes.FakeCollector):
    """Takes episodes and never says anything."""

    def poll(self, timeout_s: float) -> list[Any]:
        time.sleep(0.001)
        return []


def test_a_browser_that_hangs_loses_its_episodes(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "STALL_S", 0.01)
    collectors = []

    def make(policy: Any, config: RolloutConfig) -> Silent:
        options = fakes.CollectorOptions(config.contexts, "", None)
        collectors.append(Silent(policy, options))
        return collectors[-1]

    with pytest.raises(CollectorStalled):
        run(phase, make)

    rows = Trajectory.objects.filter(attempt=1)
    assert rows.count() == 3
    assert set(rows.values_list("status", "failure_class")) == {("queued", "harness")}
    assert collectors[0].is_closed


def test_a_stall_does_not_fail_the_phase(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "STALL_S", 0.01)
    monkeypatch.setattr(fakes.FakeCollector, "poll", Silent.poll)

    assert collect(phase.pk) == 0

    phase.refresh_from_db()
    assert phase.status == Phase.Status.COLLECTING


@pytest.mark.parametrize("failure_class", ["site", "harness"])
def test_a_broken_episode_is_tried_again_at_once(
    phase: Phase, monkeypatch: pytest.MonkeyPatch, failure_class: FailureClass
) -> None:
    def break_first(request: EpisodeRequest) -> EpisodeFailure | None:
        if request.attempt > 1:
            return None
        return EpisodeFailure(request.trajectory_id, 1, failure_class, "500")

    monkeypatch.setattr(
        fakes.FakeCollector, "before_episode", staticmethod(break_first)
    )
    run(phase)

    rows = Trajectory.objects.values_list("status", "attempt", "failure_reason")
    assert set(rows) == {("finished", 2, "")}


def test_an_episode_that_always_breaks_is_given_up_with_its_reason(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_it(request: EpisodeRequest) -> EpisodeFailure:
        return EpisodeFailure(request.trajectory_id, request.attempt, "site", "500")

    monkeypatch.setattr(fakes.FakeCollector, "before_episode", staticmethod(break_it))
    run(phase)

    rows = Trajectory.objects.values_list("status", "attempt", "failure_reason")
    assert set(rows) == {("failed", 3, "500")}


class Dozing(fakes.FakeCollector):
    """Its worker is silent for longer than a lease, once."""

    def __init__(self, policy: Any, options: fakes.CollectorOptions) -> None:
        super().__init__(policy, options)
        self.submitted: list[tuple[int, int]] = []
        self.dropped: list[tuple[int, int]] = []

    def submit(self, requests: Sequence[EpisodeRequest]) -> None:
        self.submitted += [(one.trajectory_id, one.attempt) for one in requests]
        super().submit(requests)

    def drop(self, attempt: tuple[int, int]) -> None:
        self.dropped.append(attempt)
        super().drop(attempt)

    def poll(self, timeout_s: float) -> list[Any]:
        if len(self.submitted) == 1 and not self.dropped:
            self.doze()
            return []
        return super().poll(timeout_s)

    def doze(self) -> None:
        fakes.sweep_silent_episodes()


class Robbed(Dozing):
    """Another worker takes up what its own has lost."""

    def doze(self) -> None:
        super().doze()
        rows = Trajectory.objects.filter(status=Status.QUEUED)
        rows.update(status=Status.RUNNING, attempt=2, lease_owner="another")


def doze(phase: Phase, kind: type[Dozing], lease_s: float) -> Dozing:
    """Collect one episode; a lease of no seconds is renewed in every round."""
    made: list[Dozing] = []

    def make(policy: Any, config: RolloutConfig) -> Dozing:
        made.append(kind(policy, fakes.CollectorOptions(2, "", None)))
        return made[-1]

    collect_episodes(
        phase_id=phase.pk,
        owner="me",
        lease_s=lease_s,
        open_policy=open_policy,
        open_collector=make,
    )
    return made[0]


def test_a_worker_that_takes_an_episode_up_again_plays_the_new_attempt_alone(
    lone: Trajectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "ASK_AGAIN_S", 0.0)

    made = doze(lone.phase, Dozing, 10.0)

    assert made.submitted == [(lone.pk, 1), (lone.pk, 2)]
    assert made.dropped == [(lone.pk, 1)]
    lone.refresh_from_db()
    assert (lone.status, lone.attempt, lone.lost_leases) == ("finished", 2, 0)


def test_an_attempt_that_another_worker_has_is_played_no_further(
    lone: Trajectory,
) -> None:
    made = doze(lone.phase, Robbed, 0.0)

    assert (made.submitted, made.dropped) == ([(lone.pk, 1)], [(lone.pk, 1)])
    lone.refresh_from_db()
    assert (lone.status, lone.lease_owner) == ("running", "another")


def test_a_worker_that_shuts_down_gives_its_episodes_back(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shut_down(request: EpisodeRequest) -> None:
        STOPPING.set()

    monkeypatch.setattr(fakes.FakeCollector, "before_episode", staticmethod(shut_down))
    try:
        run(phase)
    finally:
        STOPPING.clear()

    statuses = sorted(Trajectory.objects.values_list("status", flat=True))
    assert statuses == ["finished", "finished", "finished", "queued"]


def test_a_collector_that_cannot_start_fails_the_phase_with_the_reason(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any) -> None:
        raise RuntimeError("no browser here")

    monkeypatch.setattr(fakes.FakeCollector, "start", refuse)
    collect(phase.pk)

    phase.refresh_from_db()
    assert phase.status == Phase.Status.FAILED
    assert "no browser here" in phase.failure_reason
    assert not Trajectory.objects.filter(status=Status.RUNNING).exists()


def test_text_that_no_database_can_store_is_cleaned(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fakes, "OTHER_PAGE", "a\x00b\ud800c")
    run(phase)

    row = Trajectory.objects.first()
    assert row is not None
    assert row.steps.first().observation == "ab?c"  # type: ignore[union-attr]


def test_progress_is_published_with_counts(phase: Phase) -> None:
    run(phase)

    event = PhaseEvent.objects.filter(kind="progress").first()
    assert event is not None
    assert event.data["stage"] == "collecting"
    assert event.data["total"] == 4
    episodes = PhaseEvent.objects.filter(kind="episode")
    assert episodes.count() == 4


class Slow(fakes.FakeCollector):
    """Says nothing at first."""

    quiet = 20

    def poll(self, timeout_s: float) -> list[Any]:
        self.quiet -= 1
        return [] if self.quiet >= 0 else super().poll(timeout_s)


def test_progress_is_published_only_when_it_has_changed(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(collection, "GATHER_S", 0.001)

    def make(policy: Any, config: RolloutConfig) -> Slow:
        return Slow(policy, fakes.CollectorOptions(config.contexts, "", None))

    run(phase, make)

    events = PhaseEvent.objects.filter(kind="progress").order_by("pk")
    done = [event.data["done"] for event in events]
    assert done == sorted(set(done))


def test_a_stage_without_rollouts_opens_no_browser(phase: Phase) -> None:
    Phase.objects.update(status=Phase.Status.TRAINING)

    assert run(phase, lambda *_: pytest.fail("opened")) == 0


def test_a_kept_policy_is_closed_when_another_is_loaded(phase: Phase) -> None:
    first = open_policy(phase, "collecting")
    assert open_policy(phase, "collecting") is first
    second = open_policy(phase, "baseline")

    assert second is not first
    assert isinstance(first, fakes.ScriptedPolicy)
    assert first.is_closed
    POLICIES.clear()
