"""A site of a few static pages, served on the loopback interface by the test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from rollouts.browser.types import TaskSpec

Page = str | bytes | Callable[[str, str], bytes]
HEAD = "<!doctype html><meta charset=utf-8><title>Tiny</title>"


class TinySite:
    """Serves `pages` by path; remembers the requests it got.

    A page is HTML, a whole answer in bytes, or a function of head and body.
    """

    def __init__(self, pages: Mapping[str, Page], address: str = "127.0.0.1") -> None:
        self.pages: dict[str, Page] = dict(pages)
        self.requests: list[str] = []
        self._address = address
        self._server: asyncio.Server | None = None
        self._writers: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def __aenter__(self) -> TinySite:
        self._server = await asyncio.start_server(self._serve, self._address, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers.values():
            writer.close()
        await asyncio.gather(*self._writers)
        await self._server.wait_closed()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://shop.test.localhost:{self.port}"

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        serving = asyncio.current_task()
        assert serving is not None
        self._writers[serving] = writer
        serving.add_done_callback(self._writers.pop)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = 0
                for line in head.lower().split("\r\n"):
                    if line.startswith("content-length:"):
                        length = int(line.split(":")[1])
                body = (await reader.readexactly(length)).decode()
                writer.write(self._answer(head, body))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, head: str, body: str) -> bytes:
        method, target, _ = head.split(" ", 2)
        self.requests.append(f"{method} {target} {body}".strip())
        page = self.pages.get(target.partition("?")[0])
        if callable(page):
            page = page(head, body)
        if isinstance(page, bytes):
            return page
        return respond(page if isinstance(page, str) else f"<h1>{target}</h1>")


def respond(text: str, *headers: str) -> bytes:
    data = (HEAD + text).encode()
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/html", *headers]
    head = "\r\n".join([*lines, f"Content-Length: {len(data)}"])
    return f"{head}\r\n\r\n".encode() + data


def redirect(url: str) -> bytes:
    head = f"HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n"
    return head.encode()


def status(code: int) -> bytes:
    return f"HTTP/1.1 {code} Oh\r\nContent-Length: 2\r\n\r\nno".encode()


def task(path: str = "/", **rules: object) -> TaskSpec:
    """A task on the tiny site, with evaluators when `rules` are given."""
    spec = {"eval": rules} if rules else {}
    return TaskSpec(1, "Try it", f"__SHOP__{path}", ("shop",), spec)


def do(action: str, element: int | None = None, argument: str | None = None) -> str:
    """Write a policy's answer."""
    parts = [f'action="{action}"']
    if argument is not None:
        parts.append(f'argument="{argument}"')
    if element is not None:
        parts.append(f'element="{element}"')
    return f"do({', '.join(parts)})"
