"""One task per web process that finds new phase events and notifies the sockets.

It reads the rows about five times a second, and only while sockets are open, so it
needs no channel layer. Ids may be committed out of order, so it reads back a little and
remembers what it has seen.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from channels.db import database_sync_to_async
from django.conf import settings
from django.db import DatabaseError

from curriculum.events import LOOK_BACK
from curriculum.models import PhaseEvent

logger = logging.getLogger(__name__)

Listener = Callable[[int], Awaitable[None]]


class Tailer:
    """Calls listeners with the newest id of their phase; None listens to all."""

    def __init__(self) -> None:
        self._listeners: dict[Listener, int | None] = {}
        self._task: asyncio.Task[None] | None = None
        self._seen: set[int] = set()

    def add(self, listener: Listener, phase_id: int | None) -> None:
        """Begin to call the listener; the first one starts the task."""
        self._listeners[listener] = phase_id
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def remove(self, listener: Listener) -> None:
        """Stop calling; after the last one the task ends."""
        self._listeners.pop(listener, None)

    async def _run(self) -> None:
        self._seen = {event_id for event_id, _ in await _read_latest()}
        while self._listeners:
            await asyncio.sleep(settings.TAIL_INTERVAL_S)
            try:
                await self._look()
            except DatabaseError:
                logger.exception("The events could not be read")

    async def _look(self) -> None:
        rows = await _read_latest()
        news: dict[int, int] = {}
        for event_id, phase_id in rows:
            if event_id not in self._seen:
                news[phase_id] = max(event_id, news.get(phase_id, 0))
        self._seen = {event_id for event_id, _ in rows}
        if not news:
            return
        newest = max(news.values())
        for listener, phase_id in list(self._listeners.items()):
            last_id = newest if phase_id is None else news.get(phase_id)
            if last_id is not None:
                await listener(last_id)


@database_sync_to_async
def _read_latest() -> list[tuple[int, int]]:
    rows = PhaseEvent.objects.order_by("-pk").values_list("pk", "phase_id")
    return list(rows[:LOOK_BACK])


TAILER = Tailer()
