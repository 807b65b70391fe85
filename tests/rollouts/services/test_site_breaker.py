"""An external site that keeps failing is closed, tried again, and opened."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from curriculum.errors import WorkbenchError
from curriculum.models import Phase, PhaseEvent, Site
from rollouts import services
from rollouts.browser.types import EpisodeEnd, EpisodeFailure, Observation
from rollouts.models import SiteCondition, Trajectory
from rollouts.selectors.sites import describe_waits
from tests import fakes
from tests.factories import (
    PhaseFactory,
    QueuedTrajectoryFactory,
    SiteFactory,
    TaskFactory,
)

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2030, 1, 1, 12, tzinfo=dt.UTC)
READS = {"eval_types": ["string_match"]}


@pytest.fixture(autouse=True)
def phase(settings: Any) -> Phase:
    settings.SITE_CLOSES_AFTER = 3
    settings.SITE_PAUSE_S, settings.SITE_LONGEST_PAUSE_S = 30.0, 100.0
    for key in ("reddit", "gitlab"):
        url = f"http://{key}.lab/"
        SiteFactory(key=key, kind=Site.Kind.EXTERNAL, base_url=url)
    SiteFactory(key="shop")
    return PhaseFactory(status="collecting")


def queue(phase: Phase, *sites: str, count: int = 1) -> list[int]:
    task = TaskFactory(
        site=Site.objects.get(key=sites[0]), spec={"sites": sites, "eval": READS}
    )
    rows = [
        QueuedTrajectoryFactory(phase=phase, task=task, repeat=n) for n in range(count)
    ]
    return [row.pk for row in rows]


def claim(phase: Phase, limit: int = 9) -> list[int]:
    requests = services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner="me", limit=limit, lease_s=900
    )
    return [request.trajectory_id for request in requests]


def attempt_of(trajectory_id: int) -> int:
    return Trajectory.objects.get(pk=trajectory_id).attempt


def break_it(trajectory_id: int, site: str = "", kind: Any = "site") -> None:
    attempt = attempt_of(trajectory_id)
    told = "The site answered 502."
    failure = EpisodeFailure(trajectory_id, attempt, kind, told, site)
    services.fail_trajectory(record=failure, lease_s=900, max_retries=99)


def finish(trajectory_id: int) -> None:
    page = Observation("<p>", (), "http://reddit.lab/", "")
    attempt = attempt_of(trajectory_id)
    record = EpisodeEnd(trajectory_id, attempt, "exit", "", page, None)
    services.finish_trajectory(record=record, lease_s=900, max_retries=0)


def break_often(phase: Phase, times: int = 3) -> None:
    """Break single episodes on the forum."""
    for _ in range(times):
        (one,) = claim(phase, limit=1)
        break_it(one)


def condition(key: str = "reddit") -> SiteCondition:
    return SiteCondition.objects.select_related("site").get(site__key=key)


def at(seconds: float) -> Any:
    return time_machine.travel(NOW + dt.timedelta(seconds=seconds), tick=False)


def messages(phase: Phase) -> list[str]:
    events = PhaseEvent.objects.filter(phase=phase, kind="message")
    return [event.data["text"] for event in events.order_by("pk")]


def test_a_site_is_closed_after_so_many_failures_in_a_row(phase: Phase) -> None:
    queue(phase, "reddit", count=2)
    other = queue(phase, "gitlab")
    with at(0):
        break_often(phase, 2)
        assert condition().closed_at is None
        break_often(phase, 1)
        assert condition().closed_until == NOW + dt.timedelta(seconds=30)
        assert claim(phase) == other


def test_a_success_in_between_starts_the_count_again(phase: Phase) -> None:
    queue(phase, "reddit", count=3)
    break_often(phase, 2)
    (one,) = claim(phase, limit=1)
    finish(one)
    break_often(phase, 2)
    assert (condition().failures, condition().closed_at) == (2, None)


def test_what_the_harness_breaks_says_nothing_of_the_site(phase: Phase) -> None:
    (one,) = queue(phase, "reddit")
    for _ in range(3):
        claim(phase)
        break_it(one, kind="harness")
    assert not SiteCondition.objects.exists()


def test_the_sandbox_is_never_closed(phase: Phase) -> None:
    (one,) = queue(phase, "shop")
    for _ in range(3):
        claim(phase)
        break_it(one)
    assert not SiteCondition.objects.exists()


@pytest.mark.parametrize(
    ("named", "blamed"), [("gitlab", {"gitlab"}), ("", {"gitlab", "reddit"})]
)
def test_the_site_that_failed_is_blamed_or_else_all(
    phase: Phase, named: str, blamed: set[str]
) -> None:
    (one,) = queue(phase, "reddit", "gitlab", "shop")
    claim(phase)
    break_it(one, site=named)
    rows = SiteCondition.objects.filter(failures=1)
    assert set(rows.values_list("site__key", flat=True)) == blamed


def test_after_the_pause_one_episode_at_a_time_tries_the_site(phase: Phase) -> None:
    first, second = queue(phase, "reddit", count=2)
    with at(0):
        break_often(phase)
    with at(31):
        assert claim(phase) == [first]
        assert claim(phase) == []
        break_it(first, kind="harness")
        assert claim(phase) == [first]
        finish(first)
        assert claim(phase) == [second]
    row = condition()
    assert (row.closed_at, row.failures, row.pauses) == (None, 0, 0)


def test_a_trial_whose_worker_was_killed_is_followed_by_another(phase: Phase) -> None:
    first, _ = queue(phase, "reddit", count=2)
    with at(0):
        break_often(phase)
    with at(31):
        claim(phase)
    with at(931.5):
        assert claim(phase) == []
        fakes.sweep_silent_episodes()
        assert claim(phase) == [first]


def test_each_trial_that_fails_makes_the_pause_longer(phase: Phase) -> None:
    queue(phase, "reddit")
    pauses, seconds = [], 0.0
    for times in (3, 1, 1, 1):
        with at(seconds):
            break_often(phase, times)
            until = condition().closed_until
            assert until is not None
            pauses.append((until - timezone.now()).total_seconds())
            seconds += pauses[-1]
    assert pauses == [30, 60, 100, 100]


def test_an_episode_that_ends_within_the_pause_changes_nothing(phase: Phase) -> None:
    *early, late, later = queue(phase, "reddit", count=5)
    with at(0):
        claim(phase)
        for one in early:
            break_it(one)
        break_it(late)
        finish(later)
        row = condition()
    assert row.closed_until == NOW + dt.timedelta(seconds=30)
    assert row.pauses == 1


def test_closing_and_opening_are_told_to_the_phases_that_wait(phase: Phase) -> None:
    queue(phase, "reddit", count=2)
    idle = PhaseFactory(status="collecting")
    with at(0):
        break_often(phase)
    with at(31):
        (one,) = claim(phase)
        finish(one)
    assert messages(phase) == [
        "Reddit is closed until 2030-01-01 12:00:30: it broke 3 episodes in a row. "
        "Last failure: The site answered 502.",
        "Reddit works again.",
    ]
    assert messages(idle) == []


def test_a_phase_says_what_it_waits_for(phase: Phase) -> None:
    queue(phase, "reddit", count=2)
    with at(0):
        break_often(phase)
        (wait,) = describe_waits(phase)
    assert wait == (
        "Reddit has been closed since 2030-01-01 12:00:00, after 3 broken episodes "
        "in a row. "
        "Next attempt at 2030-01-01 12:00:30. "
        "Last failure: The site answered 502."
    )
    with at(31):
        (wait,) = describe_waits(phase)
    assert "It is tested one episode at a time." in wait


def test_a_closed_site_is_opened_by_hand(phase: Phase) -> None:
    both = queue(phase, "reddit", count=2)
    with at(0):
        break_often(phase)
        Phase.objects.update(woken_at=timezone.now())
        services.open_site(key="reddit")
        assert claim(phase) == both
    assert messages(phase)[-1] == "Reddit was opened by hand."
    assert Phase.objects.get(pk=phase.pk).woken_at is None


@pytest.mark.parametrize(
    ("key", "message"), [("moon", "Unknown site"), ("reddit", "Reddit is open")]
)
def test_what_is_not_closed_cannot_be_opened(key: str, message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        services.open_site(key=key)


def test_a_batch_saved_twice_counts_once(phase: Phase) -> None:
    (one,) = queue(phase, "reddit")
    claim(phase)
    failure = EpisodeFailure(one, 1, "site", "502", "reddit")
    for _ in range(2):
        services.fail_trajectory(record=failure, lease_s=900, max_retries=99)
    assert condition().failures == 1
