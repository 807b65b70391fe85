"""The collector with real Chromium on the tiny site, and on the sandbox."""

from __future__ import annotations

import asyncio

import pytest

from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import PoolOptions
from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeFailure,
    EpisodeRequest,
    StepRecord,
)
from rollouts.browser.world import BrowserWorld
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.policies.protocol import PolicyAnswer
from tests.rollouts.browser.tiny_site import status, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


class ScriptedPolicy:
    """Plays the same outputs in every episode."""

    def __init__(self, *outputs: str) -> None:
        self._outputs = outputs

    def act(self, requests):
        return [PolicyAnswer(self._outputs[len(r.history)]) for r in requests]

    def close(self):
        pass


async def collect(site, policy, spec, count=1, **options):
    def open_world(chosen):
        host = ExternalHost({"shop": site.url})
        return BrowserWorld(host, PoolOptions(), chosen.observation)

    chosen = CollectorOptions(contexts=2, **options)
    requests = [EpisodeRequest(n, 1, spec, n, 30, 60.0) for n in range(count)]
    records = []
    with Collector(policy, chosen, open_world=open_world) as collector:
        collector.submit(requests)
        while sum(not isinstance(r, StepRecord) for r in records) < count:
            records += await asyncio.to_thread(collector.poll, 1.0)
    return records


async def test_episodes_are_collected_step_by_step(serve):
    site = serve("<a href=/b>Next</a>", b="<h1>B</h1>")
    rules = {"eval_types": ["url_match"], "reference_url": "__SHOP__/b"}
    policy = ScriptedPolicy("huh", 'do(action="Click", element="0")', "exit()")
    records = await collect(site, policy, task("/", **rules), count=4)
    for number in range(4):
        *steps, end = [r for r in records if r.trajectory_id == number]
        assert [step.index for step in steps] == [0, 1, 2]
        assert steps[0].error
        assert steps[1].observation.text == '<a id="0">Next</a>'
        assert steps[1].observation.snapshot.startswith("<!doctype html>")
        assert isinstance(end, EpisodeEnd)
        assert (end.ended_by, end.outcome) == ("exit", True)
        assert end.final.text == "<h1>B</h1>"


async def test_a_hung_page_fails_as_the_sites_error_in_time(serve):
    site = serve("<button onclick='for (;;) {}'>Hang</button>")
    policy = ScriptedPolicy('do(action="Click", element="0")')
    (failure,) = await collect(site, policy, task(), deadline_s=1.0)
    assert isinstance(failure, EpisodeFailure)
    assert failure.failure_class == "site"


@pytest.mark.parametrize("page", [status(502), b""])
async def test_a_site_that_fails_or_never_answers_is_named_in_the_record(serve, page):
    site = serve("", b=page)
    (failure,) = await collect(site, ScriptedPolicy(), task("/b"), deadline_s=1.0)
    assert (failure.failure_class, failure.site) == ("site", "shop")


async def test_a_browser_that_does_not_exist_fails_the_episode(serve):
    site = serve("")

    def open_world(chosen):
        pool = PoolOptions(executable="/no/such/browser")
        return BrowserWorld(ExternalHost({"shop": site.url}), pool, chosen.observation)

    with Collector(
        ScriptedPolicy(), CollectorOptions(), open_world=open_world
    ) as collector:
        collector.submit([EpisodeRequest(1, 1, task(), 0, 30, 60.0)])
        records = []
        while not records:
            records = await asyncio.to_thread(collector.poll, 1.0)
    assert records[0].failure_class == "harness"
    assert "/no/such/browser" in records[0].reason


async def test_what_the_agent_does_wrong_ends_an_episode_and_breaks_none(serve):
    site = serve("<a href=/b>A</a>", b="<h1>B</h1>")
    policy = ScriptedPolicy("hm", 'do(action="Click", element="7")', "a", "b", "c")
    *steps, end = await collect(site, policy, task())
    assert all(step.error for step in steps)
    assert isinstance(end, EpisodeEnd)
    assert end.ended_by == "invalid"
