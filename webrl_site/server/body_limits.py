"""Limits a request's body, before sign-in to a small size.

A body is spooled to the disk before a view sees it. A sender without a session or a
token could fill that disk, so the sender is checked after the first bytes: sign-in and
language forms are small.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.http import HttpResponse

from curriculum.task_files import reading
from webrl_site.server.middleware import BARE_HEADERS

MAX_ANONYMOUS_BYTES = 64 * 2**10
# The largest file that a page or the API takes, and the form around it.
MAX_BYTES = reading.MAX_BYTES + 2**20
Receive = Callable[[], Awaitable[Mapping[str, Any]]]


class BodyLimit:
    """Watches one request's body; `ask` is called once for the sender's limit."""

    def __init__(self, ask: Callable[[], Awaitable[int]]) -> None:
        self._ask = ask
        self._limit: int | None = None
        self.is_exceeded = False

    async def allows(self, size: int) -> bool:
        """Say whether a body of so many bytes may be sent."""
        if size > MAX_ANONYMOUS_BYTES:
            if self._limit is None:
                self._limit = await self._ask()
            self.is_exceeded = size > self._limit
        return not self.is_exceeded

    def watch(self, receive: Receive) -> Receive:
        """Return a `receive` that reports a disconnect once the limit is passed."""
        size = 0

        async def watched() -> Mapping[str, Any]:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            return message if await self.allows(size) else {"type": "http.disconnect"}

        return watched


def refuse_body() -> HttpResponse:
    """Answer 413 and end the connection: the rest of the body is not read."""
    headers = {"Connection": "close", **BARE_HEADERS}
    text = "The request is too large.\n"
    return HttpResponse(text, "text/plain; charset=utf-8", 413, headers=headers)


def declared_length(scope: Mapping[str, Any]) -> int:
    """Return the body's length by the header; 0 if the header is missing."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
