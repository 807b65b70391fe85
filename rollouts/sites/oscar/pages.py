"""The shop's pages at an episode's usual origin, from the shop's own process.

Static files are served from here. Everything else is passed on through a socket that
only this machine's processes see, with the name of the episode's database in a header
that no page can set.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rollouts.sites.kit.site_app import SitePages
from rollouts.sites.kit.sites import OSCAR
from rollouts.sites.kit.vocabulary import words
from rollouts.sites.oscar.copies import Copies, DatabaseCopy
from rollouts.sites.oscar.names import HEADER, SOCKET

MAX_BODY_BYTES = 1_048_576
ANSWER_S = 30.0
# How long a shop that has just died may take to restart.
START_S = 20.0
LOOK_EVERY_S = 0.1
# A connection for each request: none outlives a restart of the shop, and on one machine
# they cost almost nothing.
ONE_EACH = httpx.Limits(max_connections=32, max_keepalive_connections=0)
METHODS = ("GET", "HEAD", "POST")
# Oscar's pages request a script from a public host, of which they also have a copy.
POLICY = "default-src 'self' 'unsafe-inline' data:"
# Headers of one connection, not of the message; the sandbox sets the last two itself.
DROPPED = frozenset(
    words("connection keep-alive te trailer transfer-encoding upgrade date server")
)


class Shop:
    """Passes requests on to the shop's process."""

    def __init__(
        self, folder: Path, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """Bind its folder, or another way to its process; nothing is connected yet."""
        self._transport = transport or httpx.AsyncHTTPTransport(
            uds=str(folder / SOCKET), limits=ONE_EACH
        )

    async def answer(self, request: Request) -> Response:
        """The shop's answer to a page's request."""
        state = request.scope["changes"]
        if not isinstance(state, DatabaseCopy):
            raise HTTPException(500, "This episode has no database.")
        body = await _read_body(request)
        headers = [(HEADER.encode(), state.name.encode()), *_kept(request.headers.raw)]
        answer = await self._send(
            httpx.Request(
                request.method,
                str(request.url),
                headers=headers,
                content=body,
                extensions={
                    "timeout": {"connect": 5.0, "read": ANSWER_S, "pool": ANSWER_S}
                },
            )
        )
        response = Response(answer.content, answer.status_code)
        response.raw_headers = _kept(answer.headers.raw)
        response.headers["content-security-policy"] = POLICY
        return response

    async def _send(self, request: httpx.Request) -> httpx.Response:
        """Wait for a shop that does not listen at present; send no request twice."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_S
        while True:
            try:
                answer = await self._transport.handle_async_request(request)
                await answer.aread()
                await answer.aclose()
                return answer
            except httpx.ConnectError:
                if loop.time() > deadline:
                    raise HTTPException(503, AWAY) from None
                await asyncio.sleep(LOOK_EVERY_S)
            except httpx.TransportError as error:
                raise HTTPException(502, f"The shop broke off: {error!r}") from error


class Files(StaticFiles):
    """The shop's own files, which an episode's pages load once."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """The file, to be kept for a day as the other sites' files are."""
        response = super().file_response(*args, **options)
        response.headers["cache-control"] = "public, max-age=86400"
        return response


AWAY = "The shop does not run. ./webrl up starts it; log/oscar.log says why it ended."


def oscar_pages(
    folder: Path, transport: httpx.AsyncBaseTransport | None = None
) -> SitePages:
    """The site whose files, database and socket are in `folder`, once that exists."""
    files = [
        Mount(f"/{name}", Files(directory=folder / name, check_dir=False))
        for name in ("static", "media")
    ]
    answer = Shop(folder, transport).answer
    return SitePages(
        key=OSCAR.key,
        routes=[*files, Route("/{path:path}", answer, methods=list(METHODS))],
        new_changes=Copies(folder).open,
        error_page=_error_page,
    )


async def _read_body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise HTTPException(413, "The form is too long.")
    return bytes(body)


def _kept(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Headers of the message itself, without those that only the sandbox sets."""
    return [
        (name.lower(), value)
        for name, value in headers
        if (text := name.decode("latin-1").lower()) not in DROPPED
        # A WSGI server takes "_" for "-".
        and text.replace("_", "-") != HEADER
    ]


def _error_page(request: Request, code: int, text: str) -> Response:
    return PlainTextResponse(text, status_code=code)
