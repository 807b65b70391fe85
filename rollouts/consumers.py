"""A socket that says when a running episode has gone on.

Steps leave no event behind, there are too many of them: while somebody watches, the
socket looks at the rows, twice a second, one small query each time.
"""

from __future__ import annotations

import asyncio
import logging

from channels.db import database_sync_to_async
from django.db import DatabaseError

from curriculum.consumers import GuardedConsumer
from rollouts.selectors.pages import read_progress

logger = logging.getLogger(__name__)

LOOK_S = 0.5


class EpisodeConsumer(GuardedConsumer):
    """Tells how far an episode is, each time that it has changed."""

    _looking: asyncio.Task[None] | None = None

    async def begin(self) -> bool:
        trajectory_id = self.scope["url_route"]["kwargs"]["trajectory_id"]
        if await _read(trajectory_id) is None:
            return False
        await self.accept()
        self._looking = asyncio.create_task(self._look(trajectory_id))
        return True

    async def end(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    async def _look(self, trajectory_id: int) -> None:
        """Look until the episode is over; the page then has nothing to wait for."""
        said = None
        while True:
            try:
                progress = await _read(trajectory_id)
            except DatabaseError:
                logger.exception("The episode could not be read")
                await asyncio.sleep(LOOK_S)
                continue
            if progress is None:
                break
            if progress != said:
                said = progress
                await self.tell(version=progress.version)
            if progress.is_over:
                break
            await asyncio.sleep(LOOK_S)
        await self.close()


_read = database_sync_to_async(read_progress)
