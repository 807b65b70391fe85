"""Episodes on an external site, from row to browser and back: the sandbox plays it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.utils import timezone

from curriculum.models import Phase, Site
from curriculum.phase_config import RolloutConfig
from curriculum.selectors.pools import list_addresses
from rollouts import services
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.models import SiteCondition, Trajectory
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from rollouts.selectors.sites import describe_waits
from tests.factories import (
    SMALL,
    PhaseFactory,
    QueuedTrajectoryFactory,
    RunFactory,
    SiteFactory,
    TaskFactory,
)
from tests.rollouts.browser.remote_sandbox import (
    RESET_KEY,
    SIGN_IN,
    RemoteSandbox,
    running_remote,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WISH = re.compile(r'<button id="(\d+)">Add to wishlist')


class Wisher:
    """Wishes for what it sees; says whether somebody had done so before."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        return [PolicyAnswer(self._answer(request)) for request in requests]

    def _answer(self, request: PolicyRequest) -> str:
        found = WISH.search(request.observation)
        if request.history:
            return 'exit(message="found nothing wished for")'
        if found is None:
            return 'exit(message="found it wished for")'
        return f'do(action="Click", element="{found[1]}")'

    def close(self) -> None: ...


@pytest.fixture
def remote(settings: Any) -> Iterator[RemoteSandbox]:
    settings.SITE_CLOSES_AFTER, settings.SITE_PAUSE_S = 2, 60.0
    with running_remote() as remote:
        SiteFactory(key="remote", kind=Site.Kind.EXTERNAL, base_url=remote.url)
        yield remote


@pytest.fixture
def phase(remote: RemoteSandbox) -> Phase:
    """Two episodes that wish for the same product."""
    config = SMALL.to_json()
    config["rollout"] |= {"max_retries": 9}
    phase = PhaseFactory(run=RunFactory(config=config), status="collecting")
    for _ in range(2):
        task = TaskFactory(
            site=Site.objects.get(key="remote"),
            start_url="__REMOTE__/product/small-brass-torch",
            spec={"sites": ["remote"], "mutates": True},
        )
        QueuedTrajectoryFactory(phase=phase, task=task)
    return phase


def collect(phase: Phase, deadline_s: float = 60.0) -> None:
    """Play what is queued; only who waits for a deadline makes it short."""

    def open_collector(policy: Any, config: RolloutConfig) -> Collector:
        options = CollectorOptions(
            contexts=2,
            addresses=list_addresses(),
            sign_ins={"remote": SIGN_IN},
            deadline_s=deadline_s,
            sign_in_s=deadline_s,
        )
        return Collector(policy, options)

    services.collect_episodes(
        phase_id=phase.pk,
        owner="me",
        lease_s=60,
        open_policy=lambda phase, stage: Wisher(),
        open_collector=open_collector,
    )


def list_answers() -> list[str]:
    rows = Trajectory.objects.filter(status="finished").order_by("pk")
    return list(rows.values_list("answer", flat=True))


def set_reset(settings: Any, remote: RemoteSandbox) -> None:
    address = f"http://127.0.0.1:{remote.port}"
    headers = {"Authorization": RESET_KEY}
    call = {"url": f"{address}/reset", "headers": headers}
    recipe = {"call": call, "healthy": f"{address}/"}
    settings.SITE_RESETS = json.dumps({"remote": recipe})


def test_without_a_reset_an_episode_finds_what_the_last_one_left(
    phase: Phase, remote: RemoteSandbox
) -> None:
    collect(phase)
    assert list_answers() == ["found nothing wished for", "found it wished for"]


def test_with_a_reset_each_episode_finds_the_site_as_at_first(
    phase: Phase, remote: RemoteSandbox, settings: Any
) -> None:
    set_reset(settings, remote)
    site = Site.objects.get(key="remote")
    for number in (1, 2):
        collect(phase)
        assert len(list_answers()) == number
        assert services.reset_site(site_id=site.pk, lease_s=10)
    assert list_answers() == ["found nothing wished for"] * 2
    assert remote.resets == 2


def test_a_session_that_expires_between_episodes_is_renewed(
    phase: Phase, remote: RemoteSandbox, settings: Any
) -> None:
    set_reset(settings, remote)
    collect(phase)
    remote.sessions.clear()
    services.reset_site(site_id=Site.objects.get(key="remote").pk, lease_s=10)
    collect(phase)
    assert len(list_answers()) == 2
    assert remote.sign_ins == 2


@pytest.mark.parametrize(
    ("trouble", "told"),
    [("fails", "answered 502"), ("hangs", "did not answer for 3 s")],
)
def test_a_site_on_a_bad_day_is_closed_tried_and_opened(
    phase: Phase, remote: RemoteSandbox, trouble: str, told: str
) -> None:
    if trouble == "fails":
        remote.status = 502
    else:
        remote.answers.clear()
    collect(phase, deadline_s=3.0)
    condition = SiteCondition.objects.get()
    assert (condition.failures, condition.pauses) == (2, 1)
    (wait,) = describe_waits(phase)
    assert "Remote has been closed since" in wait
    assert told in wait

    remote.status = 200
    remote.answers.set()
    collect(phase)
    assert list_answers() == []

    SiteCondition.objects.update(closed_until=timezone.now())
    collect(phase)
    assert len(list_answers()) == 2
    assert describe_waits(phase) == []
