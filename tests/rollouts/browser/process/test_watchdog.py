"""Pages and browsers that hang or grow: the place is free again within the deadline
plus five seconds, and no process is left behind. In real Chromium."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import EpisodeLimits
from rollouts.browser.errors import EpisodeBroken, HarnessBroken, SiteBroken
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.memory import measure_tree
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from tests.rollouts.browser.processes import is_running, wait_until_gone
from tests.rollouts.browser.tiny_site import TinySite, do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

GRACE_S = 5.0
DEADLINE_S = 2.0
LIMITS = EpisodeLimits(deadline_s=DEADLINE_S)
HOARD = (
    "<script>const kept = [];"
    "const more = () => kept.push(new Uint8Array(1 << 24).fill(1));"
    "const grow = () => { setInterval(more, 20) }</script>"
    "<button onclick='for (;;) more()'>Hoard</button>"
)


@pytest_asyncio.fixture(loop_scope="session")
async def watched() -> AsyncIterator[BrowserPool]:
    """A browser of its own whose episodes may use 300 MiB."""
    pool = BrowserPool(PoolOptions(prepared=0, episode_mib=300))
    yield pool
    await pool.close()


def make(pool: BrowserPool, site: TinySite) -> BrowserEnvironment:
    return BrowserEnvironment(pool, ExternalHost({"shop": site.url}))


def list_renderers(pool: BrowserPool) -> set[int]:
    return {one.pid for one in measure_tree(pool.process_id) if one.is_renderer}


async def grow(environment: BrowserEnvironment, tab: int) -> None:
    """Let a tab hoard memory between two steps, until it is ended."""
    assert environment._episode is not None
    lease = environment._episode.lease
    await lease.context.pages[tab].evaluate("grow()")
    async with asyncio.timeout(60):
        while not lease.why_broken:
            await asyncio.sleep(0.05)


@contextmanager
def in_time(deadline_s: float = DEADLINE_S) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < deadline_s + GRACE_S


async def test_a_page_that_allocates_without_end_is_ended(watched, site, serve):
    serve(HOARD)
    greedy, other = make(watched, site), make(watched, site)
    await other.reset(task())
    before = list_renderers(watched)
    await greedy.reset(task(), limits=EpisodeLimits(deadline_s=20))
    theirs, browser = list_renderers(watched) - before, watched.process_id
    with in_time(20), pytest.raises(HarnessBroken, match="may use 300 MiB"):
        await greedy.step(do("Click", 0))
    await wait_until_gone(*theirs)
    observation, *_ = await other.step(do("Hover", 0))
    assert "Hoard" in observation.text
    assert watched.process_id == browser
    await other.close()


async def test_a_page_that_grows_while_the_policy_thinks_is_ended(watched, site, serve):
    serve(HOARD)
    environment = make(watched, site)
    await environment.reset(task(), limits=LIMITS)
    await grow(environment, tab=0)
    with in_time(), pytest.raises(HarnessBroken, match="may use 300 MiB"):
        await environment.step(do("Hover", 0))
    with pytest.raises(RuntimeError, match="reset"):
        await environment.step(do("Hover", 0))


async def test_a_tab_in_the_background_counts_too(watched, site, serve):
    serve("<a href=/b target=_blank>B</a>", b=HOARD)
    environment = make(watched, site)
    await environment.reset(task())
    await environment.step(do("Click", 0))
    await environment.step(do("Switch Tab", argument="0"))
    await grow(environment, tab=1)
    with pytest.raises(HarnessBroken, match="may use 300 MiB"):
        await environment.step(do("Hover", 0))


async def test_a_browser_that_holds_too_much_ends_with_its_episodes(site, serve):
    serve("<a href=/b>A</a>", b="<h1>B</h1>")
    pool = BrowserPool(PoolOptions(prepared=1, browser_mib=1))
    early, late = make(pool, site), make(pool, site)
    await early.reset(task())
    assert early._episode is not None
    first = early._episode.lease.home.pid
    async with asyncio.timeout(60):
        while pool.process_id == first:
            await asyncio.sleep(0.02)
    observation, _ = await late.reset(task())
    assert observation.text == '<a id="0">A</a>'
    assert pool.process_id != first
    observation, *_ = await early.step(do("Click", 0))
    assert observation.text == "<h1>B</h1>"
    assert is_running(first)
    await early.close()
    await wait_until_gone(first)
    await late.close()
    await pool.close()


async def test_an_endless_loop_leaves_no_process_behind(watched, site, serve):
    serve("<button onclick='for (;;) {}'>Hang</button>")
    environment = make(watched, site)
    await environment.reset(task(), limits=LIMITS)
    renderers = list_renderers(watched)
    with in_time(), pytest.raises(SiteBroken, match="did not answer"):
        await environment.step(do("Click", 0))
    await wait_until_gone(*renderers)


def find_driver(pid: int) -> int:
    """Return the process of Playwright's driver above a browser."""
    while b"run-driver" not in Path(f"/proc/{pid}/cmdline").read_bytes():
        stat = Path(f"/proc/{pid}/stat").read_text()
        pid = int(stat.rpartition(")")[2].split()[1])
    return pid


async def test_a_killed_driver_is_replaced(site, serve):
    serve("<button>A</button>")
    pool = BrowserPool(PoolOptions(prepared=0))
    environment = make(pool, site)
    await environment.reset(task())
    os.kill(find_driver(pool.process_id), signal.SIGKILL)
    with pytest.raises(EpisodeBroken):
        await environment.step(do("Click", 0))
    for _ in range(2):
        with suppress(EpisodeBroken):
            await environment.reset(task())
    observation, _ = await environment.reset(task())
    assert observation.text == '<button id="0">A</button>'
    await environment.close()
    await pool.close()


async def test_a_stopped_browser_leaves_no_process_behind(site, serve):
    serve("<button>A</button>")
    pool = BrowserPool(PoolOptions(prepared=1, episode_mib=300, browser_mib=3000))
    environment = make(pool, site)
    await environment.reset(task(), limits=LIMITS)
    tree = [one.pid for one in measure_tree(pool.process_id)]
    os.killpg(os.getpgid(pool.process_id), signal.SIGSTOP)
    with in_time(), pytest.raises(EpisodeBroken):
        await environment.step(do("Click", 0))
    await wait_until_gone(*tree)
    assert (await environment.reset(task()))[0].text == '<button id="0">A</button>'
    await environment.close()
    tree = [one.pid for one in measure_tree(pool.process_id)]
    await pool.close()
    await wait_until_gone(*tree)
