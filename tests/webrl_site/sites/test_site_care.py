"""The sweep looks after external sites, and the shell can, too."""

from __future__ import annotations

import datetime as dt
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from curriculum.models import Phase, Site
from rollouts import services
from rollouts.models import SiteCondition, Trajectory
from tests.factories import (
    PhaseFactory,
    QueuedTrajectoryFactory,
    SiteFactory,
    TaskFactory,
)
from webrl_site import celery
from webrl_site.loop.tasks import sweep
from webrl_site.phases.page import describe_phase

pytestmark = pytest.mark.django_db


@pytest.fixture
def log(settings: Any, tmp_path: Path) -> Path:
    """Where the reset of the forum leaves a line each time."""
    log = tmp_path / "resets"
    set_reset(settings, f"open(r'{log}', 'a').write('reset;')")
    SiteFactory(key="reddit", kind=Site.Kind.EXTERNAL, base_url="http://x/")
    return log


def set_reset(settings: Any, code: str) -> None:
    recipe = {"command": [sys.executable, "-c", code], "healthy": ["true"]}
    settings.SITE_RESETS = json.dumps({"reddit": recipe})


def queue(status: str = "queued") -> Phase:
    phase = PhaseFactory(status="collecting")
    task = TaskFactory(site=Site.objects.get(key="reddit"), spec={"sites": ["reddit"]})
    QueuedTrajectoryFactory(phase=phase, task=task, status=status)
    return phase


def test_the_sweep_rings_for_a_reset_that_is_due(log: Path, eager_jobs: None) -> None:
    services.request_reset(key="reddit")
    sweep()
    sweep()
    assert log.read_text() == "reset;"
    condition = SiteCondition.objects.get()
    assert condition.reset_wanted_at is None
    assert condition.last_reset_at is not None


def test_the_sweep_waits_for_the_episodes_on_the_site(
    log: Path, eager_jobs: None
) -> None:
    services.request_reset(key="reddit")
    queue("running")
    sweep()
    assert not log.exists()


def test_a_wish_ends_when_the_settings_say_no_reset_any_more(
    log: Path, settings: Any
) -> None:
    services.request_reset(key="reddit")
    settings.SITE_RESETS = ""
    sweep()
    assert SiteCondition.objects.get().reset_wanted_at is None


def test_a_mistake_in_the_settings_does_not_stop_the_sweep(
    log: Path, settings: Any
) -> None:
    services.request_reset(key="reddit")
    phase = queue()
    settings.SITE_RESETS = "{"
    assert sweep() == 1
    assert Phase.objects.get(pk=phase.pk).is_moving


def test_a_phase_says_which_site_it_waits_for(log: Path) -> None:
    phase = queue()
    services.request_reset(key="reddit")
    (wait,) = describe_phase(phase)["waits"]
    assert wait.startswith("Reddit has been due for a reset since")


def test_a_site_is_reset_from_the_shell(log: Path) -> None:
    out = io.StringIO()
    call_command("reset_site", "reddit", stdout=out)
    assert log.read_text() == "reset;"
    assert "Reddit is in its first state." in out.getvalue()


def test_the_shell_says_who_still_uses_the_site(log: Path) -> None:
    queue("running")
    out = io.StringIO()
    call_command("reset_site", "reddit", stdout=out)
    assert "1 running episodes use Reddit" in out.getvalue()
    Trajectory.objects.all().delete()
    assert SiteCondition.objects.get().reset_wanted_at is not None


def test_the_shell_says_why_a_reset_failed(log: Path, settings: Any) -> None:
    set_reset(settings, "raise SystemExit(4)")
    with pytest.raises(CommandError, match=r"could not be reset, once: .* code 4"):
        call_command("reset_site", "reddit")


def test_the_shell_names_a_site_without_a_reset(log: Path) -> None:
    with pytest.raises(CommandError, match="Unknown site 'moon'"):
        call_command("reset_site", "moon")


def test_resets_have_a_queue_of_their_own() -> None:
    route = celery.app.amqp.router.route({}, "rollouts.tasks.reset_site")
    assert route["queue"].name == "sites"


def close() -> None:
    SiteCondition.objects.create(
        site=Site.objects.get(key="reddit"),
        failures=5,
        failure_reason="The site answered 502.",
        closed_at=timezone.now(),
        closed_until=timezone.now() + dt.timedelta(seconds=60),
        pauses=1,
    )


def test_a_closed_site_is_opened_from_the_shell(log: Path) -> None:
    close()
    out = io.StringIO()
    call_command("open_site", "reddit", stdout=out)
    assert out.getvalue() == "Reddit is open.\n"
    with pytest.raises(CommandError, match="Reddit is open"):
        call_command("open_site", "reddit")


def test_a_phase_whose_sites_are_closed_waits_and_says_so(
    log: Path, eager_jobs: None
) -> None:
    phase = queue()
    close()
    sweep()
    phase.refresh_from_db()
    assert phase.status == Phase.Status.COLLECTING
    assert Trajectory.objects.get().status == "queued"
    (wait,) = describe_phase(phase)["waits"]
    assert "has been closed since" in wait
