from __future__ import annotations

import json
from typing import Any

import pytest

from curriculum.models import Site
from curriculum.phase_config import RolloutConfig
from curriculum.services import add_site_instance
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.browser.process.egress import AllowedHost
from rollouts.services.loading import (
    list_private_hosts,
    open_collector,
    open_policy,
    policy_key,
)
from tests import fakes
from tests.factories import PhaseFactory, SiteFactory

SERVED = "https://models.example/v1"


@pytest.fixture(autouse=True)
def served(settings: Any) -> None:
    settings.POLICY_URL, settings.POLICY_API_KEY = SERVED, "s3cret"


def test_the_served_policy_gets_its_key() -> None:
    assert policy_key(f"{SERVED}#llama") == "s3cret"


@pytest.mark.parametrize(
    "uri",
    [
        "https://elsewhere.example/v1#llama",
        "https://models.example.elsewhere.example/v1",
        f"{SERVED}/../steal",
        "http://models.example/v1",
        "starter/policy",
    ],
)
def test_no_other_address_gets_the_key(uri: str) -> None:
    assert policy_key(uri) == ""


def test_without_an_address_nobody_gets_the_key(settings: Any) -> None:
    settings.POLICY_URL = ""
    assert policy_key("#llama") == ""


def test_a_server_gets_the_key_that_is_its_own(settings: Any) -> None:
    other = "http://gpu.lab:8000/v1"
    settings.SERVED_POLICIES = f'{{"{other}": {{"api_key": "its own"}}}}'
    assert policy_key(f"{other}#m") == "its own"
    assert policy_key(f"{SERVED}#llama") == "s3cret"
    assert policy_key("http://gpu.lab:8001/v1#m") == ""
    assert "gpu.lab" in list_private_hosts(f"{other}#m")
    assert "gpu.lab" not in list_private_hosts("http://gpu.lab:8001/v1#m")


@pytest.mark.parametrize(("workers", "share"), [(1, 10), (4, 2), (32, 1)])
def test_workers_share_the_requests_that_a_server_takes(
    settings: Any, monkeypatch: pytest.MonkeyPatch, db: None, workers: int, share: int
) -> None:
    settings.SERVED_POLICIES = f'{{"{SERVED}": {{"concurrency": 10}}}}'
    settings.ROLLOUT_WORKERS = workers
    given: dict[str, Any] = {}

    def load(uri: str, **options: Any) -> fakes.ScriptedPolicy:
        given.update(options)
        return fakes.ScriptedPolicy(0.5)

    monkeypatch.setattr(fakes, "load_policy", load)
    phase = PhaseFactory(policy_uri=f"{SERVED}#m", status="collecting")
    open_policy(phase, "collecting")
    assert given["endpoint"].concurrency == share


def test_what_the_operator_says_of_sites_reaches_the_collector(
    settings: Any, db: None
) -> None:
    settings.SITE_INTERFACES = '{"shopping": {"url": "http://x", "token": "s3cret"}}'
    settings.BROWSER_MEMORY_MIB, settings.EPISODE_MEMORY_MIB = 3000, 500
    collector = open_collector(fakes.ScriptedPolicy(0.5), RolloutConfig())
    assert isinstance(collector, fakes.FakeCollector)
    options = collector.options
    assert options.shops == {"shopping": ShopInterface("http://x", "s3cret")}
    assert (options.browser_memory_mib, options.episode_memory_mib) == (3000, 500)


def test_a_runs_time_limits_reach_the_collector(db: None) -> None:
    config = RolloutConfig(navigation_limit_s=60, step_time_limit_s=90)
    collector = open_collector(fakes.ScriptedPolicy(0.5), config)
    assert isinstance(collector, fakes.FakeCollector)
    options = collector.options
    assert (options.navigation_s, options.deadline_s) == (60, 90)


@pytest.mark.parametrize(
    ("url", "is_asked"), [("{address}", True), ("http://x", False)]
)
def test_a_shop_with_several_instances_is_asked_at_its_own_or_not_at_all(
    settings: Any, db: None, url: str, is_asked: bool
) -> None:
    SiteFactory(key="shopping", kind=Site.Kind.EXTERNAL, base_url="http://one.lab/")
    add_site_instance(key="shopping", url="http://two.lab/")
    settings.SITE_INTERFACES = json.dumps({"shopping": {"url": url, "token": "t"}})

    collector = open_collector(fakes.ScriptedPolicy(0.5), RolloutConfig())

    assert isinstance(collector, fakes.FakeCollector)
    assert bool(collector.options.shops) is is_asked
    assert collector.options.more_addresses == ("http://two.lab/",)


def test_pages_may_call_the_hosts_that_the_operator_names(
    settings: Any, db: None
) -> None:
    SiteFactory(key="map", kind=Site.Kind.EXTERNAL, base_url="http://map.lab/")
    routers, others = ["http://map.lab:5000"], ["http://elsewhere.lab"]
    settings.SITE_HOSTS = json.dumps({"map": routers, "unknown": others})

    collector = open_collector(fakes.ScriptedPolicy(0.5), RolloutConfig())

    assert isinstance(collector, fakes.FakeCollector)
    router = AllowedHost("map.lab", 5000, site="map")
    assert collector.options.further_hosts == (router,)
