"""Opening an episode: nothing stays open after a failure; a sign-in is not timed."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import Episode, EpisodeLimits, Recording
from rollouts.browser.hosting.hosts import ExternalHost, OpenSites
from rollouts.browser.opening import open_episode, show_start
from rollouts.browser.types import TaskSpec


class FullDisk:
    """Playwright's tracing where nothing can be written."""

    async def start(self, **_: Any) -> None:
        raise OSError(28, "No space left on device")


class CountingPool:
    """Hands pages out, and counts those that did not come back."""

    def __init__(self) -> None:
        self.out = 0

    def allow(self, hosts: Any) -> None: ...

    async def open_page(self, sites: Any) -> Any:
        self.out += 1
        return SimpleNamespace(context=SimpleNamespace(tracing=FullDisk()), page=None)

    async def give_back(self, lease: Any) -> None:
        self.out -= 1


def test_a_page_is_given_back_where_the_disk_is_full() -> None:
    pool: Any = CountingPool()
    task = TaskSpec(1, "x", "__S__/", ("s",), {})
    opening = open_episode(
        pool,
        ExternalHost({"s": "http://s.lab"}),
        task,
        limits=EpisodeLimits(),
        recording=Recording(traces="all"),
        start=None,
        acting=ActingOptions(),
    )

    with pytest.raises(OSError, match="No space"):
        asyncio.run(opening)
    assert pool.out == 0


class SlowPool(CountingPool):
    """Closes a page only when it is told to."""

    form = "compact"

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.told = asyncio.Event(), asyncio.Event()

    async def give_back(self, lease: Any) -> None:
        self.asked.set()
        await self.told.wait()
        await super().give_back(lease)


class NotingHost(ExternalHost):
    """Notes which episodes' sites were closed."""

    def __init__(self) -> None:
        super().__init__({})
        self.closed: list[OpenSites] = []

    async def close(self, opened: OpenSites) -> None:
        self.closed.append(opened)


async def close_and_cancel() -> tuple[int, int]:
    pool, host = SlowPool(), NotingHost()
    environment = BrowserEnvironment(pool, host)  # type: ignore[arg-type]
    lease = await pool.open_page(())
    episode: Any = SimpleNamespace(
        request_log=None, lease=lease, opened=OpenSites("t", {})
    )
    environment._episode = episode
    closing = asyncio.create_task(environment.close())
    await pool.asked.wait()
    closing.cancel()
    await asyncio.wait({closing}, timeout=0)
    pool.told.set()
    with pytest.raises(asyncio.CancelledError):
        await closing
    return pool.out, len(host.closed)


def test_an_episode_that_is_dropped_while_it_closes_is_closed_all_the_same() -> None:
    assert asyncio.run(close_and_cancel()) == (0, 1)


class Tab:
    """A page that shows every address at once."""

    async def goto(self, url: str, **_: Any) -> None: ...


class TimedSignIns:
    """Notes when the running exchange would end during each part of a sign-in."""

    def __init__(self, episode: Episode) -> None:
        self.ends: list[float | None] = []
        self._episode = episode

    async def prepare(self, *_: Any) -> dict[str, Any]:
        self._note()
        return {}

    async def check(self, *_: Any, pause: Any) -> None:
        self._note()
        with pause():
            self._note()

    def _note(self) -> None:
        assert self._episode.exchange is not None
        self.ends.append(self._episode.exchange.when())


async def test_an_exchange_does_not_end_while_a_sign_in_is_waited_for() -> None:
    page: Any = Tab()
    parts: Any = SimpleNamespace(page=page, context=None)
    episode = Episode(
        task=TaskSpec(1, "x", "http://s.lab/", ("s",), {}),
        opened=OpenSites("", {"s": "http://s.lab"}),
        lease=parts,
        executor=parts,
        limits=EpisodeLimits(),
        recording=Recording(),
        state_at_start={},
        deadline=0.0,
    )
    timed: Any = TimedSignIns(episode)

    async with asyncio.timeout(60) as episode.exchange:
        ends = episode.exchange.when()
        await show_start(episode, timed)
        after = episode.exchange.when()

    assert ends is not None
    assert after is not None
    prepared, checked, renewed = timed.ends
    assert (prepared, renewed) == (None, None)
    assert ends < checked < after
    assert episode.deadline == pytest.approx(after - ends)
