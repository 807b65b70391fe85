"""A person's session on a site: cookies, entries of `localStorage`, headers.

Set in a context before its first page is opened, as the site itself would have left
them there. Headers go only to the site's own address, and along its redirects.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Route

Entries = tuple[tuple[str, str], ...]
BLANK = "<!doctype html><title></title>"
WRITE = "entries => entries.forEach(([name, text]) => localStorage.setItem(name, text))"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Session:
    """What keeps a person signed in. Sessions are compared by identity.

    Attributes:
        origin: The site's address, without a trailing slash.
        cookies: As Playwright reads and writes them.
        storage: Entries of the origin's `localStorage`.
        headers: Sent with each request to the site.
    """

    origin: str
    cookies: tuple[dict[str, Any], ...] = dataclasses.field(default=(), repr=False)
    storage: Entries = dataclasses.field(default=(), repr=False)
    headers: Entries = dataclasses.field(default=(), repr=False)


async def give_session(context: BrowserContext, session: Session) -> None:
    """Give all pages of a context the session."""
    if session.headers:
        await send_headers(context, session.origin, session.headers)
    if session.cookies:
        await context.add_cookies(list(session.cookies))  # type: ignore[arg-type]
    if session.storage:
        await _write_storage(context, session)


async def send_headers(context: BrowserContext, origin: str, headers: Entries) -> None:
    """Send headers with the requests to one address only."""

    async def add(route: Route) -> None:
        await route.continue_(headers={**route.request.headers, **dict(headers)})

    await context.route(_match(origin), add)


async def take_session(
    context: BrowserContext, origin: str, headers: Entries
) -> Session:
    """Return what signing in has left in a context."""
    state = await context.storage_state()
    root = _root(origin)
    storage = [
        (str(entry["name"]), str(entry["value"]))
        for place in state.get("origins", [])
        if place.get("origin") == root
        for entry in place.get("localStorage", [])
    ]
    cookies = tuple(dict(cookie) for cookie in state.get("cookies", []))
    return Session(origin, cookies, tuple(storage), headers)


async def _write_storage(context: BrowserContext, session: Session) -> None:
    """Write the entries from an empty page of the origin; the site gets no request."""
    page = await context.new_page()
    try:
        address = f"{_root(session.origin)}/"
        await page.route(
            "**/*", lambda route: route.fulfill(body=BLANK, content_type="text/html")
        )
        await page.goto(address)
        await page.evaluate(WRITE, [list(entry) for entry in session.storage])
    finally:
        await page.close()


def _root(origin: str) -> str:
    """Return scheme, host and port; a site's address may go on with a path."""
    parts = urlsplit(origin)
    return f"{parts.scheme}://{parts.netloc}"


def _match(origin: str) -> re.Pattern[str]:
    return re.compile(rf"^{re.escape(origin)}(?:[/?#]|$)")
