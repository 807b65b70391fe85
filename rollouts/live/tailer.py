"""One task per web process that follows the progress of the watched episodes.

It runs one small query, regardless of how many people watch: at every wake-up and every
few seconds, or twice a second where no channel layer delivers wake-ups.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection

from channels.db import database_sync_to_async
from django.conf import settings
from django.db import DatabaseError

from rollouts.selectors.pages import Progress, map_progress

logger = logging.getLogger(__name__)

LOOK_S = 0.5
# Longest delay of changes without a wake-up, such as the end of a lease.
RUNG_LOOK_S = 3.0

Listener = Callable[[Progress | None], Awaitable[None]]
Reader = Callable[[Collection[int]], Awaitable[dict[int, Progress]]]
_read: Reader = database_sync_to_async(map_progress)


class EpisodeTailer:
    """Calls listeners with their episode's progress, at the start and at each change.

    None means that the episode no longer exists.
    """

    def __init__(self, read: Reader = _read) -> None:
        self._read = read
        self._listeners: dict[Listener, int] = {}
        self._said: dict[Listener, Progress | None] = {}
        self._task: asyncio.Task[None] | None = None
        self._rung = asyncio.Event()

    def add(self, listener: Listener, trajectory_id: int) -> None:
        """Begin to call the listener; the first one starts the task."""
        self._listeners[listener] = trajectory_id
        if self._task is None or self._task.done():
            self._rung = asyncio.Event()
            self._task = asyncio.create_task(self._run())
        self._rung.set()

    def remove(self, listener: Listener) -> None:
        """Stop calling; after the last one the task ends."""
        self._listeners.pop(listener, None)
        self._said.pop(listener, None)

    def wake(self, trajectory_ids: Collection[int]) -> None:
        """Query now if one of them is watched."""
        if not set(trajectory_ids).isdisjoint(self._listeners.values()):
            self._rung.set()

    async def _run(self) -> None:
        while self._listeners:
            self._rung.clear()
            try:
                await self._look()
            except DatabaseError:
                logger.exception("The episodes could not be read")
            every_s = RUNG_LOOK_S if settings.CHANNEL_URL else LOOK_S
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._rung.wait(), every_s)

    async def _look(self) -> None:
        # A listener that is added during the query is not answered by it.
        watched = dict(self._listeners)
        found = await self._read(set(watched.values()))
        for listener, trajectory_id in watched.items():
            progress = found.get(trajectory_id)
            if listener in self._said and self._said[listener] == progress:
                continue
            if listener in self._listeners:
                self._said[listener] = progress
                await listener(progress)


TAILER = EpisodeTailer()
