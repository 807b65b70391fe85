"""R11: pages that hang, crash or use up memory, among normal ones."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from playwright.async_api import Error

from drills.outcome import Outcome
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import EpisodeLimits, Recording, StepInfo
from rollouts.browser.errors import EpisodeBroken
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import PoolOptions
from rollouts.browser.types import (
    EpisodeEnd,
    EpisodeRecord,
    EpisodeRequest,
    Observation,
    StepRecord,
    TaskSpec,
)
from rollouts.browser.world import BrowserWorld
from rollouts.collection.collector import Collector
from rollouts.collection.collector_options import CollectorOptions
from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from tests.rollouts.browser.tiny_site import TinySite, do, task

CONTEXTS, DEADLINE_S, GRACE_S = 4, 4.0, 5.0
EPISODE_MIB = 300
LIMIT_S = 1500.0
# Episodes of each kind; a hundred together.
KINDS = {"calm": 60, "hang": 14, "crash": 14, "hoard": 12}
PAGES = {
    "/calm": "<a href=/there>Next</a>",
    "/there": "<h1>There</h1>",
    "/hang": "<button onclick='for (;;) {}'>Hang</button>",
    "/crash": "<button>Crash</button>",
    "/hoard": "<script>const kept = []</script><button onclick="
    "'for (;;) kept.push(new Uint8Array(1 << 24).fill(1))'>Hoard</button>",
}


class ClickOnce:
    """Clicks the first element, then exits."""

    def act(self, requests: Sequence[PolicyRequest]) -> list[PolicyAnswer]:
        """Answer each request."""
        return [
            PolicyAnswer("exit()" if one.history else do("Click", 0))
            for one in requests
        ]

    def close(self) -> None:
        """Nothing to close."""


class TimedEnvironment:
    """Records how long a broken episode holds its place; crashes the chosen pages."""

    def __init__(self, inner: BrowserEnvironment, held: list[float]) -> None:
        """`held` receives the seconds from the last exchange's start to the end."""
        self._inner, self._held = inner, held
        self._began, self._is_broken, self._is_crashing = 0.0, False, False

    async def reset(
        self, task: TaskSpec, *, limits: EpisodeLimits, recording: Recording
    ) -> tuple[Observation, dict[str, Any]]:
        """Open the first page."""
        self._is_crashing = task.start_url.endswith("/crash")
        self._is_broken, self._began = True, time.monotonic()
        found = await self._inner.reset(task, limits=limits, recording=recording)
        self._is_broken = False
        return found

    async def step(
        self, output: str
    ) -> tuple[Observation, float, bool, bool, StepInfo]:
        """Carry out an answer; a page that is to crash does so meanwhile."""
        self._began = time.monotonic()
        crashing = asyncio.create_task(self._crash()) if self._is_crashing else None
        try:
            return await self._inner.step(output)
        except EpisodeBroken:
            self._is_broken = True
            raise
        finally:
            if crashing is not None:
                crashing.cancel()

    def extend(self, seconds: float) -> None:
        """Pass the extra time on."""
        self._inner.extend(seconds)

    async def close(self) -> None:
        """Free the place."""
        await self._inner.close()
        if self._is_broken:
            self._held.append(time.monotonic() - self._began)
        self._is_broken = False

    async def _crash(self) -> None:
        episode = self._inner._episode
        if episode is None:
            return
        with suppress(Error):
            page = episode.lease.page
            session = await episode.lease.context.new_cdp_session(page)
            await session.send("Page.crash")


class TimedWorld:
    """The browser's world, with environments that are timed."""

    def __init__(self, inner: BrowserWorld, held: list[float]) -> None:
        """`held` is shared by all environments."""
        self._inner, self._held = inner, held

    def environment(self) -> TimedEnvironment:
        """Return an environment for one episode at a time."""
        return TimedEnvironment(self._inner.environment(), self._held)

    async def close(self) -> None:
        """End the browser."""
        await self._inner.close()


def measure() -> Outcome:
    """Play a hundred episodes in random order; check each, and the slowest end."""
    kinds = [kind for kind, count in KINDS.items() for _ in range(count)]
    random.Random(11).shuffle(kinds)
    held: list[float] = []
    with _serve() as site:
        ends = _play(site, kinds, held)
    solved = Counter(
        kind
        for kind, end in zip(kinds, ends, strict=True)
        if isinstance(end, EpisodeEnd) and end.outcome
    )
    broken = Counter(
        kind
        for kind, end in zip(kinds, ends, strict=True)
        if not isinstance(end, EpisodeEnd)
    )
    faulty = len(kinds) - KINDS["calm"]
    slowest = max(held, default=0.0)
    text = (
        f"{len(kinds)} episodes, {faulty} whose page hangs, crashes or hoards memory: "
        f"{sum(broken.values())} broken ({dict(broken)}), {solved['calm']} of "
        f"{KINDS['calm']} others solved; a place was free again after {slowest:.1f} s "
        f"at most (deadline {DEADLINE_S:g} s)"
    )
    is_right = solved == Counter(calm=KINDS["calm"]) and sum(broken.values()) == faulty
    return Outcome(text, is_right and slowest <= DEADLINE_S + GRACE_S)


def _play(site: TinySite, kinds: list[str], held: list[float]) -> list[EpisodeRecord]:
    """Play an episode of each kind in this order; return how each ended."""

    def open_world(chosen: CollectorOptions) -> TimedWorld:
        host = ExternalHost({"shop": site.url})
        pool = PoolOptions(episode_mib=EPISODE_MIB)
        return TimedWorld(BrowserWorld(host, pool, chosen.observation), held)

    rules = {"eval_types": ["url_match"], "reference_url": "__SHOP__/there"}
    requests = [
        EpisodeRequest(number, 1, task(f"/{kind}", **rules), number, 30, 120.0)
        for number, kind in enumerate(kinds)
    ]
    options = CollectorOptions(contexts=CONTEXTS, deadline_s=DEADLINE_S)
    ends: dict[int, EpisodeRecord] = {}
    until = time.monotonic() + LIMIT_S
    with Collector(ClickOnce(), options, open_world=open_world) as collector:
        collector.submit(requests)
        while len(ends) < len(kinds) and time.monotonic() < until:
            for record in collector.poll(1.0):
                if not isinstance(record, StepRecord):
                    ends[record.trajectory_id] = record
    return [ends[number] for number in range(len(kinds))]


@contextmanager
def _serve() -> Iterator[TinySite]:
    """Serve the pages from a thread with a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    site = TinySite(PAGES)
    asyncio.run_coroutine_threadsafe(site.__aenter__(), loop).result()
    try:
        yield site
    finally:
        asyncio.run_coroutine_threadsafe(site.__aexit__(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
