"""Watches the memory of browsers: kills pages that are too large, retires browsers.

A renderer belongs to one episode, since each has its own context; the crash that its
page reports shows which.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Iterable

from curriculum.texts.sentences import Sentence
from rollouts.browser.process.chromium import RunningBrowser
from rollouts.browser.process.memory import ProcessMemory, can_measure, measure_tree

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 0.5


class MemoryWatch:
    """Enforces the limits of all browsers of one pool; 0 means no limit."""

    def __init__(
        self,
        browser_mib: int,
        episode_mib: int,
        *,
        browsers: Callable[[], Iterable[RunningBrowser]],
        retire: Callable[[RunningBrowser], None],
        can_see: Callable[[], bool] = can_measure,
    ) -> None:
        """`browsers` gives the running ones, `retire` gets one that uses too much."""
        self._browser_mib = browser_mib
        self._episode_mib = episode_mib
        self._browsers = browsers
        self._retire = retire
        self._can_see = can_see
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start watching, once, where there is a limit and a way to measure."""
        if self._task is not None or not (self._browser_mib or self._episode_mib):
            return
        if not self._can_see():
            logger.warning("Memory limits are not kept: this system has no /proc.")
            self._browser_mib = self._episode_mib = 0
            return
        self._task = asyncio.create_task(self._look_again_and_again())

    async def close(self) -> None:
        """Stop watching."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _look_again_and_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            for running in list(self._browsers()):
                if running.pid:
                    tree = await asyncio.to_thread(measure_tree, running.pid)
                    self.judge(running, tree)

    def judge(self, running: RunningBrowser, tree: Iterable[ProcessMemory]) -> None:
        """Kill renderers that are too large; retire a browser that still is."""
        total = 0.0
        for process in tree:
            if process.is_renderer and 0 < self._episode_mib < process.mib:
                self._kill(running, process)
            else:
                total += process.mib
        if 0 < self._browser_mib < total:
            self._retire(running)

    def _kill(self, running: RunningBrowser, process: ProcessMemory) -> None:
        held, limit = f"{process.mib:.0f}", self._episode_mib
        running.note_kill(Sentence("page_too_large", held=held, limit=limit))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, signal.SIGKILL)
