"""Answers requests in a few threads that live as long as the process.

Django's own handler gives every request its own thread, and so its own database
connection, and switches between that thread and the loop at each middleware. Each
switch waits for the interpreter behind all active requests: with fifty people an answer
of 40 ms took 260. Here a request stays in one thread from its first middleware to its
last, that thread's connection is open already, and requests that arrive while all
threads are busy wait in line.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Mapping,
)
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import connections
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from webrl_site.server.body_limits import (
    MAX_ANONYMOUS_BYTES,
    BodyLimit,
    declared_length,
    refuse_body,
)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class ThreadedHandler(ASGIHandler):
    """Django behind ASGI, with `threads` requests at a time.

    A streamed answer frees its thread and continues in a separate one, so that a large
    export or a slow client does not block other requests.
    """

    def __init__(
        self,
        threads: int,
        find_limit: Callable[[HttpRequest], int] = lambda request: MAX_ANONYMOUS_BYTES,
    ) -> None:
        """`find_limit` returns the bytes that a request's sender may send."""
        super().__init__()
        self._limit_of = find_limit
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="request")

    def load_middleware(self, is_async: bool = False) -> None:
        """Always build the synchronous chain: nothing here is a coroutine."""
        super().load_middleware(is_async=False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        loop = asyncio.get_running_loop()
        limit = BodyLimit(
            lambda: loop.run_in_executor(self.pool, self._find_limit, scope)
        )
        with contextlib.suppress(RequestAborted):
            if await limit.allows(declared_length(scope)):
                await self._handle_body(limit.watch(receive), scope, receive, send)
        if limit.is_exceeded:
            await self.send_response(refuse_body(), send)

    async def _handle_body(
        self, watched: Receive, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Read the body that `watched` gives, and answer."""
        loop = asyncio.get_running_loop()
        body = await self.read_body(watched)
        response = await loop.run_in_executor(self.pool, self._answer, scope, body)
        if isinstance(response, StreamingHttpResponse):
            await _until_gone(self._send_parts(response, send), receive)
        else:
            await self.send_response(response, send)

    def _find_limit(self, scope: Scope) -> int:
        """Return the limit of a body, by its sender."""
        request, _ = self.create_request(scope, io.BytesIO())
        return MAX_ANONYMOUS_BYTES if request is None else self._limit_of(request)

    def _answer(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """Make the answer; the request is over unless it is still to be streamed."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, refusal = self.create_request(scope, body)
        response: Any = refusal if request is None else self.get_response(request)
        response._resource_closers.append(body.close)
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        if not response.streaming:
            response.close()
        answer: HttpResponseBase = response
        return answer

    async def _send_parts(self, response: StreamingHttpResponse, send: Send) -> None:
        """Send a streamed answer as it is made, in a thread that ends with it."""
        own = ThreadPoolExecutor(1, thread_name_prefix="stream")
        response.streaming_content = _ask_for(iter(response), own)
        try:
            await self.send_response(response, send)
        finally:
            own.submit(_end, response)
            own.shutdown(wait=False)


async def _ask_for(
    parts: Iterator[bytes], own: ThreadPoolExecutor
) -> AsyncIterator[bytes]:
    """Yield each part on demand: for a slow client it is made slowly."""
    loop = asyncio.get_running_loop()
    while (part := await loop.run_in_executor(own, next, parts, None)) is not None:
        yield part


def _end(response: HttpResponseBase) -> None:
    """Close what the answer has open, in the thread that opened it."""
    try:
        response.close()
    finally:
        connections.close_all()


async def _until_gone(work: Coroutine[Any, Any, None], receive: Receive) -> None:
    """Do the work, until it is done or the client disconnects."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_wait_until_gone(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
