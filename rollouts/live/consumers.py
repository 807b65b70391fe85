"""A socket that announces the progress of a running episode."""

from __future__ import annotations

import contextlib
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings

from curriculum.consumers import GuardedConsumer
from curriculum.rules.ids import MAX_ID
from rollouts.live.events import LIVE_GROUP
from rollouts.live.tailer import TAILER
from rollouts.selectors.pages import Progress, map_progress


class EpisodeConsumer(GuardedConsumer):
    """Sends an episode's progress after each change, until the episode is over."""

    async def begin(self) -> bool:
        trajectory_id = self.scope["url_route"]["kwargs"]["trajectory_id"]
        if trajectory_id > MAX_ID or not await _read([trajectory_id]):
            return False
        await self.accept()
        if settings.CHANNEL_URL and self.channel_layer is not None:
            await self.channel_layer.group_add(LIVE_GROUP, self.channel_name)
        TAILER.add(self._tell, trajectory_id)
        return True

    async def end(self) -> None:
        TAILER.remove(self._tell)
        if settings.CHANNEL_URL and self.channel_layer is not None:
            await self.channel_layer.group_discard(LIVE_GROUP, self.channel_name)

    async def wakeup(self, message: dict[str, Any]) -> None:
        """Pass on a wake-up that came through the channel layer."""
        TAILER.wake(message["trajectory_ids"])

    async def _tell(self, progress: Progress | None) -> None:
        if progress is not None:
            await self.tell(version=progress.version)
        if progress is None or progress.is_over:
            # The page has nothing left to wait for.
            TAILER.remove(self._tell)
            with contextlib.suppress(RuntimeError, OSError):
                await self.close()


_read = database_sync_to_async(map_progress)
