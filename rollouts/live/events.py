"""Wake-ups that name the episodes with progress, for pages that show them live.

Steps have no stored events, because there are too many. The rows are authoritative: a
lost wake-up delays a page by a few seconds.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypedDict

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction

LIVE_GROUP = "live-episodes"


class EpisodeWakeup(TypedDict):
    """The only message that goes through the channel layer."""

    type: str
    trajectory_ids: list[int]


def notify_episodes(trajectory_ids: Collection[int]) -> None:
    """Notify every web process, in one message, once all is committed.

    Without a shared channel layer no message is sent: the processes poll.
    """
    if settings.CHANNEL_URL and trajectory_ids:
        ids = sorted(trajectory_ids)
        transaction.on_commit(lambda: _notify(ids), robust=True)


def _notify(trajectory_ids: list[int]) -> None:
    layer = get_channel_layer()
    if layer is not None:
        message: EpisodeWakeup = {"type": "wakeup", "trajectory_ids": trajectory_ids}
        async_to_sync(layer.group_send)(LIVE_GROUP, message)
