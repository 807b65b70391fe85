"""Resets as rows: who wants one, who carries it out, and when it is tried again."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from curriculum.errors import WorkbenchError
from curriculum.models import Phase, PhaseEvent, Site
from rollouts import services
from rollouts.browser.types import EpisodeFailure
from rollouts.models import SiteCondition, Trajectory
from rollouts.selectors.instances.conditions import list_due_resets
from rollouts.selectors.sites import describe_waits
from rollouts.services import site_resets
from rollouts.services.site_resets import claim_reset
from rollouts.site_settings.site_reset import ResetFailed, ResetStopped, SiteReset
from tests import fakes
from tests.factories import (
    PhaseFactory,
    QueuedTrajectoryFactory,
    SiteFactory,
    TaskFactory,
)

pytestmark = pytest.mark.django_db

CHANGES = {"eval_types": ["program_html"]}
READS = {"eval_types": ["string_match"]}
RECIPE = {"command": ["reset-it"], "healthy": "http://forum.lab/"}


@pytest.fixture(autouse=True)
def phase(settings: Any) -> Phase:
    settings.SITE_RESETS = json.dumps({"reddit": RECIPE})
    settings.SITE_PAUSE_S, settings.SITE_LONGEST_PAUSE_S = 30.0, 100.0
    for key in ("reddit", "gitlab"):
        url = f"http://{key}.lab/"
        SiteFactory(key=key, kind=Site.Kind.EXTERNAL, base_url=url)
    return PhaseFactory(status="collecting")


def queue(phase: Phase, rules: dict[str, Any], *sites: str) -> int:
    site = Site.objects.get(key=sites[0])
    task = TaskFactory(site=site, spec={"sites": list(sites), "eval": rules})
    return QueuedTrajectoryFactory(phase=phase, task=task).pk


def claim(phase: Phase) -> list[int]:
    requests = services.claim_episodes(
        phase_id=phase.pk, purpose="collect", owner="me", limit=9, lease_s=60
    )
    return [request.trajectory_id for request in requests]


def end(trajectory_id: int) -> None:
    failure = EpisodeFailure(trajectory_id, 1, "harness", "It broke")
    services.fail_trajectory(record=failure, lease_s=60, max_retries=0)


def reset(act: Callable[..., None], key: str = "reddit") -> bool:
    site = Site.objects.get(key=key)
    return services.reset_site(site_id=site.pk, lease_s=10, act=act)


def succeed(recipe: SiteReset, must_stop: Callable[[], bool]) -> None:
    assert recipe.action == ("reset-it",)
    assert not must_stop()


def fail(recipe: SiteReset, must_stop: Callable[[], bool]) -> None:
    raise ResetFailed("The reset command ended with exit code 1.")


def condition(key: str = "reddit") -> SiteCondition:
    return SiteCondition.objects.get(site__key=key)


def due() -> list[str]:
    return [key for _, key, _ in list_due_resets()]


def later(seconds: float) -> Any:
    return time_machine.travel(timezone.now() + dt.timedelta(seconds=seconds))


def test_a_site_is_reset_between_an_episode_that_changes_it_and_the_next(
    phase: Phase,
) -> None:
    first, second = queue(phase, CHANGES, "reddit"), queue(phase, READS, "reddit")
    assert claim(phase) == [first]
    end(first)
    assert claim(phase) == []
    assert reset(succeed)
    assert claim(phase) == [second]


def test_a_site_that_was_only_read_wants_no_reset(phase: Phase) -> None:
    queue(phase, READS, "reddit")
    claim(phase)
    assert not SiteCondition.objects.exists()


def test_a_site_without_a_reset_in_the_settings_goes_on_as_it_is(phase: Phase) -> None:
    first, second = queue(phase, CHANGES, "gitlab"), queue(phase, CHANGES, "gitlab")
    assert claim(phase) == [first]
    end(first)
    assert claim(phase) == [second]


def test_the_reset_waits_until_nobody_uses_the_site(phase: Phase) -> None:
    first = queue(phase, CHANGES, "gitlab", "reddit")
    claim(phase)
    assert due() == []
    assert not reset(succeed)
    end(first)
    assert due() == ["reddit"]


def test_the_wish_survives_a_worker_that_is_killed(phase: Phase) -> None:
    first = queue(phase, CHANGES, "reddit")
    claim(phase)
    with later(61):
        fakes.sweep_silent_episodes()
        assert claim(phase) == []
        assert due() == ["reddit"]
        assert reset(succeed)
        assert claim(phase) == [first]


def test_episodes_on_other_sites_do_not_wait(phase: Phase) -> None:
    SiteCondition.objects.create(
        site=Site.objects.get(key="reddit"), reset_wanted_at=timezone.now()
    )
    for _ in range(3):
        queue(phase, READS, "reddit")
    both = queue(phase, READS, "gitlab", "reddit")
    alone = queue(phase, CHANGES, "gitlab")
    assert claim(phase) == [alone]
    assert Trajectory.objects.get(pk=both).status == "queued"


def test_many_that_wait_for_a_site_do_not_hide_the_others(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollouts.services.site_turns.WINDOW", 2)
    services.request_reset(key="reddit")
    for _ in range(3):
        queue(phase, READS, "reddit")
    other = queue(phase, READS, "gitlab")
    assert claim(phase) == [other]


def test_only_one_resets_a_site() -> None:
    site = services.request_reset(key="reddit")
    assert claim_reset(site_id=site.pk, lease_s=10)
    assert claim_reset(site_id=site.pk, lease_s=10) is None
    assert due() == []


def test_a_resetter_that_fell_silent_is_replaced_and_can_write_nothing() -> None:
    site = services.request_reset(key="reddit")
    silent = claim_reset(site_id=site.pk, lease_s=10)
    assert silent is not None
    with later(11):
        assert claim_reset(site_id=site.pk, lease_s=10)
        assert not site_resets.renew_reset(lease=silent, lease_s=10)
        assert not site_resets.finish_reset(lease=silent)
        assert not site_resets.fail_reset(lease=silent, reason="late")
    assert condition().reset_wanted_at is not None


def test_a_reset_that_is_stopped_can_be_taken_at_once() -> None:
    def stop(*_: object) -> None:
        raise ResetStopped

    services.request_reset(key="reddit")
    assert not reset(stop)
    assert due() == ["reddit"]
    assert condition().reset_failures == 0


def test_a_failed_reset_is_tried_again_after_pauses_that_grow() -> None:
    services.request_reset(key="reddit")
    pauses = []
    moment = timezone.now()
    for _ in range(4):
        with time_machine.travel(moment, tick=False):
            assert not reset(fail)
            assert not reset(succeed)
            after = condition().reset_next_at
            assert after is not None
            pauses.append(round((after - timezone.now()).total_seconds()))
            moment = after
    assert pauses == [30, 60, 100, 100]
    with time_machine.travel(moment):
        assert reset(succeed)
    assert (condition().reset_failures, condition().reset_error) == (0, "")


def test_a_failed_reset_is_told_to_the_phases_that_wait(phase: Phase) -> None:
    queue(phase, READS, "gitlab", "reddit")
    idle = PhaseFactory(status="collecting")
    services.request_reset(key="reddit")
    reset(fail)
    (event,) = PhaseEvent.objects.filter(kind="message")
    assert event.phase_id == phase.pk != idle.pk
    assert "Reddit could not be reset: The reset command ended" in event.data["text"]
    (wait,) = describe_waits(phase)
    assert "could not be reset, once" in wait
    assert "Next attempt at" in wait
    assert describe_waits(idle) == []


def test_a_reset_that_works_again_is_told_too(phase: Phase) -> None:
    queue(phase, READS, "reddit")
    services.request_reset(key="reddit")
    reset(fail)
    with later(31):
        reset(succeed)
    last = PhaseEvent.objects.filter(kind="message").last()
    assert last is not None
    assert last.data["text"] == "Reddit has been reset."
    assert describe_waits(phase) == []


def test_the_phases_that_waited_are_woken_at_once(phase: Phase) -> None:
    queue(phase, READS, "reddit")
    Phase.objects.update(woken_at=timezone.now())
    services.request_reset(key="reddit")
    reset(succeed)
    phase.refresh_from_db()
    assert phase.woken_at is None


def test_code_that_breaks_counts_as_a_failed_reset() -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError

    services.request_reset(key="reddit")
    assert not reset(break_down)
    assert "ZeroDivisionError" in condition().reset_error


def test_a_reset_asked_for_by_hand_does_not_wait_for_the_pause() -> None:
    services.request_reset(key="reddit")
    reset(fail)
    assert due() == []
    services.request_reset(key="reddit")
    assert due() == ["reddit"]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("moon", "Unknown site 'moon'"),
        ("gitlab", "No reset is configured for gitlab"),
        ("shop", "in the sandbox"),
    ],
)
def test_a_reset_that_cannot_be_is_refused_with_the_reason(
    key: str, message: str
) -> None:
    SiteFactory(key="shop")
    with pytest.raises(WorkbenchError, match=message):
        services.request_reset(key=key)
