"""Refuses websockets cleanly, for any address and origin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from channels.generic.websocket import AsyncWebsocketConsumer
from channels.routing import URLRouter
from channels.security.websocket import OriginValidator, WebsocketDenier

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
NO_SUCH_SOCKET = 4404


class Refusal(AsyncWebsocketConsumer):
    """Closes a socket whose address no route knows."""

    async def connect(self) -> None:
        await self.close(NO_SUCH_SOCKET)


class SafeRouter(URLRouter):
    """Routes by address; an unknown one is refused instead of raising."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").lstrip("/")
        if any(route.pattern.match(path) for route in self.routes):
            await super().__call__(scope, receive, send)
        else:
            await Refusal.as_asgi()(scope, receive, send)


class OwnOrigin(OriginValidator):
    """Admits pages of the dashboard; an unreadable origin counts as foreign."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if all(map(_is_readable, _list_origins(scope))):
            await super().__call__(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)


def _list_origins(scope: Scope) -> list[str]:
    headers = scope.get("headers", [])
    return [value.decode("latin-1") for name, value in headers if name == b"origin"]


def _is_readable(origin: str) -> bool:
    try:
        # Reading the port is what fails for most of them.
        return urlsplit(origin).port != 0
    except ValueError:
        return False
