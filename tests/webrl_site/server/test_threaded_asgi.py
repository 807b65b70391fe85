from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse

from webrl_site.server.threaded_asgi import ThreadedHandler

Answer = Callable[[ASGIRequest], HttpResponseBase]


class OneView(ThreadedHandler):
    """Answers everything with one function, without middleware."""

    def __init__(self, threads: int, answer: Answer) -> None:
        super().__init__(threads)
        self.get_response = answer  # type: ignore[assignment]

    def load_middleware(self, is_async: bool = False) -> None:
        """There is none."""


class Visitor:
    """Asks for a page; `sent` is what the server sent, and may be made to wait."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.gone = asyncio.Event()
        self.has_asked = False

    async def ask(self, handler: ThreadedHandler, path: str = "/") -> None:
        await handler(describe(path), self.receive, self.send)

    async def receive(self) -> dict[str, Any]:
        if not self.has_asked:
            self.has_asked = True
            return {"type": "http.request", "body": b""}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def text(self) -> bytes:
        return b"".join(part.get("body", b"") for part in self.sent)


def describe(path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"testserver")],
    }


def name_thread(request: ASGIRequest) -> HttpResponse:
    return HttpResponse(f"{request.path} {threading.get_ident()}")


async def test_one_thread_answers_one_after_the_other():
    handler, visitors = OneView(1, name_thread), [Visitor(), Visitor()]

    await asyncio.gather(*(one.ask(handler) for one in visitors))

    assert visitors[0].text == visitors[1].text


async def test_no_more_are_at_work_than_there_are_threads():
    at_work, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(2, timeout=10)

    def answer(request: ASGIRequest) -> HttpResponse:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        both.wait()
        with lock:
            at_work -= 1
        return HttpResponse("done")

    handler, visitors = OneView(2, answer), [Visitor() for _ in range(6)]
    await asyncio.gather(*(one.ask(handler) for one in visitors))

    assert most == 2
    assert [one.text for one in visitors] == [b"done"] * 6


def count_parts(made: list[bytes], ended: threading.Event) -> Iterator[bytes]:
    try:
        for number in range(1000):
            made.append(b"%d " % number)
            yield made[-1]
    finally:
        ended.set()


async def test_a_stream_is_made_as_it_is_sent():
    made: list[bytes] = []
    handler = OneView(
        1, lambda _: StreamingHttpResponse(count_parts(made, threading.Event()))
    )
    behind: list[int] = []

    class Slow(Visitor):
        async def send(self, message: Any) -> None:
            await super().send(message)
            behind.append(len(made) - sum(bool(p.get("body")) for p in self.sent))

    visitor = Slow()
    await visitor.ask(handler)

    assert visitor.text == b"".join(made)
    assert max(behind) == 0


async def test_a_stream_leaves_its_thread_to_others():
    made: list[bytes] = []
    may_go_on = asyncio.Event()

    def answer(request: ASGIRequest) -> HttpResponseBase:
        if request.path == "/stream":
            return StreamingHttpResponse(count_parts(made, threading.Event()))
        return HttpResponse("done")

    class Waiting(Visitor):
        async def send(self, message: Any) -> None:
            await super().send(message)
            await may_go_on.wait()

    handler, slow, quick = OneView(1, answer), Waiting(), Visitor()
    streaming = asyncio.create_task(slow.ask(handler, "/stream"))
    await quick.ask(handler)
    assert quick.text == b"done"
    may_go_on.set()
    await streaming
    assert slow.text == b"".join(made)


async def test_a_stream_ends_when_nobody_is_there_any_more():
    made: list[bytes] = []
    ended = threading.Event()

    class Leaving(Visitor):
        async def send(self, message: Any) -> None:
            await super().send(message)
            self.gone.set()
            await asyncio.sleep(0)

    handler = OneView(1, lambda _: StreamingHttpResponse(count_parts(made, ended)))
    await Leaving().ask(handler)

    assert await asyncio.to_thread(ended.wait, 10)
    assert len(made) < 1000


async def test_another_protocol_is_refused():
    with pytest.raises(ValueError, match="lifespan"):
        await OneView(1, name_thread)({"type": "lifespan"}, Visitor().receive, print)


@pytest.mark.django_db(transaction=True)
async def test_the_whole_chain_answers():
    visitor = Visitor()

    await visitor.ask(ThreadedHandler(1), "/sign-in/")

    assert visitor.sent[0]["status"] == 200
    assert b"Sign in" in visitor.text
    names = {name for name, _ in visitor.sent[0]["headers"]}
    assert b"Content-Security-Policy" in names
