"""The published MiniWoB++ pages in real Chromium: they begin, end and are solved."""

from __future__ import annotations

import asyncio
import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.errors import SiteBroken
from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.suites.miniwob import LEFT, begin_page
from rollouts.browser.types import EpisodeEnd, EpisodeRequest, TaskSpec
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.sites.miniwob.solutions import SOLVED_PAGES, SolutionPolicy
from rollouts.sites.miniwob.tasks import build_task, list_pages, page_path
from rollouts.sites.sandbox.miniwob_goals import collect_goals
from rollouts.sites.sandbox.published import FOLDERS
from tests.rollouts.browser.tiny_site import do

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.asyncio(loop_scope="session"),
]
SEEDS = (3, 11)
CLICK_TEST = build_task("click-test-2", 1, "Click button ONE.")


def spec(task, number=1, **changes):
    known = TaskSpec(number, task["intent"], task["start_url"], ("miniwob",), task)
    return dataclasses.replace(known, **changes)


@pytest.fixture(scope="session")
def pages(suites):
    return list_pages(suites / FOLDERS["miniwob"])


@pytest.fixture(scope="session")
def goals(suites, pages):
    with ThreadPoolExecutor(1) as beside:  # this thread has a loop of its own
        return beside.submit(collect_goals, suites, pages, SEEDS).result()


@pytest_asyncio.fixture(loop_scope="session")
async def play(pool, sandbox):
    async with AsyncExitStack() as stack:
        host = SandboxHost(sandbox.control_url)
        stack.push_async_callback(host.aclose)
        environment = BrowserEnvironment(pool, host)
        stack.push_async_callback(environment.close)
        yield environment


async def test_every_page_starts_and_sets_a_goal(goals, pages):
    assert (len(pages), goals.failed) == (130, {})
    assert [page for page in pages if not all(goals.goals[page])] == []


async def test_a_fresh_page_sets_the_same_goal_and_asks_nobody_else(
    pool, sandbox, goals, pages
):
    host = SandboxHost(sandbox.control_url)
    opened = await host.open(["miniwob"])
    pool.allow(host.allowed(opened))
    origin = opened.origins["miniwob"]
    lease = await pool.open_page()
    asked, errors, found = set(), [], {}
    lease.page.on("request", lambda request: asked.add(request.url))
    lease.page.on("pageerror", lambda error: errors.append(str(error)))
    for name in pages:
        await lease.page.goto(origin + page_path(name), wait_until="commit")
        found[name] = await begin_page(lease.page, SEEDS[1])
    await pool.give_back(lease)
    await host.aclose()
    assert found == {name: goals.goals[name][1] for name in pages}
    outside = {url for url in asked if not url.startswith((origin, "data:"))}
    assert (outside, errors) == (set(), [])


async def test_the_goal_and_the_rewards_are_not_on_the_page(play):
    observation, _ = await play.reset(spec(CLICK_TEST))
    assert sorted(element.text for element in observation.elements) == ["ONE", "TWO"]
    for word in ("Click button", "reward", "START", "Time left"):
        assert word not in observation.text


@pytest.mark.parametrize(("button", "reward"), [("ONE", 1.0), ("TWO", 0.0)])
async def test_the_page_ends_the_episode_and_rewards_it(play, button, reward):
    observation, _ = await play.reset(spec(CLICK_TEST))
    wanted = next(e.id for e in observation.elements if e.text == button)
    _, got, terminated, truncated, info = await play.step(do("Click", wanted))
    assert (got, terminated, truncated) == (reward, True, False)
    assert (info["ended_by"], info["outcome"]) == ("page", reward == 1.0)
    assert info["checks"][0].got == ("1" if reward else "-1")


async def test_an_agent_that_exits_too_early_has_failed(play):
    await play.reset(spec(CLICK_TEST))
    _, reward, terminated, _, info = await play.step("exit()")
    assert (reward, terminated, info["ended_by"]) == (0.0, True, "exit")
    assert info["outcome"] is False


async def test_an_agent_that_leaves_the_page_has_failed(play):
    await play.reset(spec(CLICK_TEST))
    _, reward, terminated, _, info = await play.step(do("Go Home"))
    assert (reward, terminated, info["ended_by"]) == (0.0, True, "page")
    assert info["checks"][0].why == LEFT.reason


async def test_the_pages_own_clock_does_not_end_the_episode(play):
    await play.reset(spec(CLICK_TEST))
    page = play._episode.executor.page
    assert await page.evaluate("core.EPISODE_MAX_TIME") == 2e9


async def test_a_goal_that_differs_from_the_task_breaks_the_episode(play):
    with pytest.raises(SiteBroken, match="of different versions"):
        await play.reset(spec(CLICK_TEST, instruction="Click button TWO."))


async def test_what_is_no_page_of_the_suite_breaks_the_episode(play):
    with pytest.raises(SiteBroken, match="it is no page of the suite"):
        await play.reset(spec(CLICK_TEST, start_url="__MINIWOB__/miniwob/none.html"))


async def test_the_scripted_solutions_pass_on_every_page_that_they_know(sandbox, goals):
    tasks = [build_task(page, SEEDS[0], goals.goals[page][0]) for page in SOLVED_PAGES]
    requests = [
        EpisodeRequest(number, 1, spec(task, number), number, 30, 60.0, False)
        for number, task in enumerate(tasks)
    ]
    options = CollectorOptions(sandbox_control_url=sandbox.control_url)
    ends = []
    with Collector(SolutionPolicy(), options) as collector:
        collector.submit(requests)
        while len(ends) < len(tasks):
            records = await asyncio.to_thread(collector.poll, 1.0)
            ends += [r for r in records if not hasattr(r, "observation")]
    solved = {r.trajectory_id for r in ends if isinstance(r, EpisodeEnd) and r.outcome}
    assert [t["key"] for n, t in enumerate(tasks) if n not in solved] == []
    assert len(tasks) >= 60
