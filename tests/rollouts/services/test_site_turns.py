from __future__ import annotations

from typing import Any

import pytest

from curriculum.models import Phase, Site
from curriculum.rules.stopping import STOPPING
from rollouts import services
from rollouts.models import Trajectory
from rollouts.services import collection
from rollouts.services.loading import open_policy
from rollouts.services.site_turns import may_change
from tests import fakes
from tests.factories import (
    PhaseFactory,
    QueuedTrajectoryFactory,
    SiteFactory,
    TaskFactory,
)
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db

READS: dict[str, Any] = {"eval_types": ["string_match"]}
CHANGES: dict[str, Any] = {"eval_types": ["program_html"]}


@pytest.fixture
def phase() -> Phase:
    for key in ("reddit", "gitlab"):
        url = f"http://{key}.lab/"
        SiteFactory(key=key, kind=Site.Kind.EXTERNAL, base_url=url)
    SiteFactory(key="shop")
    return PhaseFactory(status="collecting")


def queue(phase: Phase, rules: dict[str, Any], *sites: str) -> int:
    site = Site.objects.get(key=sites[0])
    task = TaskFactory(site=site, spec={"sites": list(sites), "eval": rules})
    return QueuedTrajectoryFactory(phase=phase, task=task).pk


def claim(phase: Phase, limit: int = 9, owner: str = "a") -> list[int]:
    requests = services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner=owner, limit=limit, lease_s=60
    )
    return [request.trajectory_id for request in requests]


def test_tasks_that_only_read_run_side_by_side(phase: Phase) -> None:
    both = [queue(phase, READS, "reddit"), queue(phase, READS, "reddit")]
    assert claim(phase) == both


def test_a_task_that_may_change_a_site_has_it_to_itself(phase: Phase) -> None:
    first = queue(phase, CHANGES, "reddit")
    queue(phase, CHANGES, "reddit")
    queue(phase, READS, "reddit")
    assert claim(phase) == [first]
    assert claim(phase, owner="b") == []


def test_other_sites_do_not_wait(phase: Phase) -> None:
    first = queue(phase, CHANGES, "reddit")
    second = queue(phase, CHANGES, "gitlab")
    assert claim(phase) == [first, second]


def test_the_sandbox_is_never_waited_for(phase: Phase) -> None:
    both = [queue(phase, CHANGES, "shop"), queue(phase, CHANGES, "shop")]
    assert claim(phase) == both


def test_a_change_waits_for_readers_and_those_behind_it_wait_too(phase: Phase) -> None:
    reader = queue(phase, READS, "reddit")
    change = queue(phase, CHANGES, "reddit")
    late = queue(phase, READS, "reddit")
    assert claim(phase) == [reader]
    assert claim(phase) == []
    Trajectory.objects.filter(pk=reader).delete()
    assert claim(phase) == [change]
    Trajectory.objects.filter(pk=change).delete()
    assert claim(phase) == [late]


def test_a_task_on_two_sites_needs_both(phase: Phase) -> None:
    first = queue(phase, CHANGES, "gitlab")
    queue(phase, CHANGES, "reddit", "gitlab")
    assert claim(phase) == [first]


def test_a_turn_ends_with_the_episode(phase: Phase) -> None:
    first = queue(phase, CHANGES, "reddit")
    second = queue(phase, CHANGES, "reddit")
    assert claim(phase) == [first]
    Trajectory.objects.filter(pk=first).delete()
    assert claim(phase) == [second]


def test_a_job_that_stops_keeps_its_turn_until_its_browser_is_closed(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = queue(phase, CHANGES, "reddit")
    queue(phase, CHANGES, "reddit")
    seen: list[Any] = []
    renewed: list[int] = []

    def renew(*, trajectory_ids: list[int], **_: Any) -> int:
        renewed.extend(trajectory_ids)
        return len(trajectory_ids)

    class Slow(fakes.FakeCollector):
        """Plays until it is closed, which takes longer than a lease."""

        def poll(self, timeout_s: float) -> list[Any]:
            STOPPING.set()
            return []

        def close(self) -> None:
            if not self.is_closed:
                renewed.clear()
                wait_for(lambda: renewed)
                seen.append(claim(phase, owner="b"))
            super().close()

    monkeypatch.setattr(collection, "GATHER_S", 0.01)
    monkeypatch.setattr(collection, "renew_leases", renew)
    options = fakes.CollectorOptions(2, "", None)
    try:
        services.collect_episodes(
            phase_id=phase.pk,
            owner="a",
            lease_s=0.1,
            open_policy=open_policy,
            open_collector=lambda policy, _: Slow(policy, options),
        )
    finally:
        STOPPING.clear()

    assert seen == [[]] and set(renewed) == {first}
    assert claim(phase, owner="b") == [first]


@pytest.mark.parametrize(
    ("spec", "changes"),
    [
        ({"eval": READS}, False),
        ({"eval": CHANGES}, True),
        ({"eval": {"eval_types": ["url_match", "state_match"]}}, True),
        ({}, True),
        ({"eval": CHANGES, "mutates": False}, False),
        ({"eval": READS, "mutates": True}, True),
    ],
)
def test_a_task_changes_what_it_is_checked_for(
    spec: dict[str, Any], changes: bool
) -> None:
    assert may_change(spec) is changes
