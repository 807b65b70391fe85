"""The site listener: finds the episode by host name and calls that site's pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from rollouts.sites.kit.episodes import EpisodeStore, SiteState, UnknownEpisode
from rollouts.sites.kit.web import parse_host

NO_EPISODE = """<!doctype html><html lang="en"><title>No such episode</title>
<style>body{font:16px system-ui;max-width:36em;margin:4em auto;padding:0 1em}</style>
<h1>No such episode</h1>
<p>This address belongs to no open episode. It was closed, dropped after a long
time without use, or the sandbox was started again.</p></html>"""

# The router's errors, in the sites' words.
MESSAGES = {
    "Not Found": "This page does not exist.",
    "Method Not Allowed": "This page cannot be used like that.",
}


@dataclasses.dataclass(frozen=True)
class SitePages:
    """What a site's `pages` module offers to the listener."""

    key: str
    routes: Sequence[BaseRoute]
    new_changes: Callable[[], SiteState]
    error_page: Callable[[Request, int, str], Response]


class SiteListener:
    """ASGI application of all sites of all open episodes."""

    def __init__(self, sites: Mapping[str, SitePages], store: EpisodeStore) -> None:
        """Bind the sites' pages and the episodes."""
        self._store = store
        self._routers: dict[str, ASGIApp] = {
            key: Router(list(pages.routes)) for key, pages in sites.items()
        }
        self._sites = sites

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        response: ASGIApp
        request = Request(scope, receive)
        place = self._place(request.headers.get("host", ""))
        if place is None:
            response = HTMLResponse(NO_EPISODE, status_code=404)
            await response(scope, receive, send)
            return
        site, token, changes = place
        if request.headers.get("sec-fetch-mode") == "navigate":
            self._store.visit(token, str(request.url))
        scope["changes"] = changes
        scope["app"] = self  # makes the router raise for unknown paths and methods
        try:
            await self._routers[site](scope, receive, send)
        except HTTPException as error:
            code = error.status_code
            message = MESSAGES.get(error.detail, error.detail)
            page = self._sites[site].error_page(request, code, message)
            await page(scope, receive, send)

    def _place(self, host: str) -> tuple[str, str, SiteState] | None:
        parsed = parse_host(host)
        if parsed is None:
            return None
        site, token = parsed
        try:
            return site, token, self._store.state(token)[site]
        except (UnknownEpisode, KeyError):
            return None
