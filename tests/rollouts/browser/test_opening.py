"""An episode that cannot be opened leaves nothing open."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.opening import open_episode
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

    async def open_page(self) -> Any:
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
