"""Sockets that announce new events up to id N; the page then fetches its part.

A socket changes no data and sends none. It needs a signed-in user with a role, which is
checked at the start and again every few seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.utils.module_loading import import_string

from curriculum.access.roles import has_any_role
from curriculum.events import HOME_GROUP, phase_group
from curriculum.models import Phase, PhaseEvent
from curriculum.tailer import TAILER

CHECK_ACCESS_S = 4.0
SIGNED_OUT = 4401
NOT_FOUND = 4404


class GuardedConsumer(AsyncJsonWebsocketConsumer):
    """A socket for people with a role: it sends, and ignores what it receives.

    Subclasses subscribe in `begin` and stop in `end`.
    """

    async def connect(self) -> None:
        self._watch: asyncio.Task[None] | None = None
        if not await self._may_listen():
            await self.close(SIGNED_OUT)
            return
        if not await self.begin():
            await self.close(NOT_FOUND)
            return
        self._watch = asyncio.create_task(self._watch_access())

    async def begin(self) -> bool:
        """Subscribe; False where there is nothing of that name."""
        raise TypeError(f"{type(self).__name__} does not say what it tells.")

    async def end(self) -> None:
        """Unsubscribe."""

    async def disconnect(self, code: int) -> None:
        if self._watch is not None:
            self._watch.cancel()
        await self.end()

    async def receive(
        self,
        text_data: str | None = None,
        bytes_data: bytes | None = None,
        **kwargs: object,
    ) -> None:
        """Ignore what a page sends, unread."""

    async def tell(self, **news: object) -> None:
        # A page that has just gone away is not an error.
        with contextlib.suppress(RuntimeError, OSError):
            await self.send_json(news)

    async def _watch_access(self) -> None:
        """Close soon after sign-out, deactivation or the loss of the role."""
        began = time.monotonic()
        while time.monotonic() - began < settings.SESSION_COOKIE_AGE:
            await asyncio.sleep(CHECK_ACCESS_S)
            if not await self._may_listen():
                break
        await self.close(SIGNED_OUT)

    @database_sync_to_async
    def _may_listen(self) -> bool:
        """Read the session again, as a request would."""
        session = self.scope.get("session")
        if session is None or not session.session_key:
            return False
        engine = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
        request = HttpRequest()
        request.session = engine(session.session_key)
        return has_any_role(get_user(request))


class NewsConsumer(GuardedConsumer):
    """One stream: that of a phase, or of all of them."""

    phase_id: int | None = None
    group = HOME_GROUP

    async def begin(self) -> bool:
        self.phase_id = self.scope["url_route"]["kwargs"].get("phase_id")
        self.group = phase_group(self.phase_id) if self.phase_id else HOME_GROUP
        last_id = await self._read_last_id()
        if last_id is None:
            return False
        await self.accept()
        if settings.CHANNEL_URL and self.channel_layer is not None:
            await self.channel_layer.group_add(self.group, self.channel_name)
        TAILER.add(self._tell, self.phase_id)
        await self._tell(last_id)
        return True

    async def end(self) -> None:
        TAILER.remove(self._tell)
        if settings.CHANNEL_URL and self.channel_layer is not None:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def wakeup(self, event: dict[str, Any]) -> None:
        """Forward a wake-up that came through the channel layer."""
        await self._tell(int(event["last_id"]))

    async def _tell(self, last_id: int) -> None:
        await self.tell(last_id=last_id)

    @database_sync_to_async
    def _read_last_id(self) -> int | None:
        """Return the stream's newest event id; None if there is no such phase."""
        events = PhaseEvent.objects.order_by("-pk")
        if self.phase_id is not None:
            if not Phase.objects.filter(pk=self.phase_id).exists():
                return None
            events = events.filter(phase_id=self.phase_id)
        return events.values_list("pk", flat=True).first() or 0
