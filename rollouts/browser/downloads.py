"""Answers without a page: no file is kept, and the page that asked for it stays."""

from __future__ import annotations

import asyncio
import contextlib
import http
from typing import TYPE_CHECKING

from playwright.async_api import Error

from rollouts.browser.observation.page_calls import call_script

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Download, Page, Request

# Answers that leave the page as it is.
WITHOUT_PAGE = frozenset({http.HTTPStatus.NO_CONTENT, http.HTTPStatus.RESET_CONTENT})
# Longest wait for a file that the page has explicitly requested.
ARRIVAL_S = 1.0


class Downloads:
    """Listens to all pages of one context."""

    def __init__(self, context: BrowserContext) -> None:
        """Pages that are opened later are included."""
        self._names: list[str] = []
        self._arrived = asyncio.Event()
        for page in context.pages:
            self._listen(page)
        context.on("page", self._listen)

    def left_blank(self, tab: Page) -> bool:
        """Whether a tab was opened for a file: it will show no page."""
        return bool(self._names) and tab.url in ("", "about:blank")

    async def take(self, *, is_expected: bool) -> list[str]:
        """Return the names of the files since the last call.

        A file that the page has requested is waited for.
        """
        if is_expected and not self._names:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ARRIVAL_S):
                    await self._arrived.wait()
        names, self._names = self._names, []
        self._arrived.clear()
        return names

    def _listen(self, page: Page) -> None:
        async def note(download: Download) -> None:
            self._names.append(download.suggested_filename)
            self._arrived.set()
            # What looked like a navigation was a download.
            with contextlib.suppress(Error):
                await call_script(page, "stay")

        page.on("download", note)
        page.on("requestfailed", _stay_without_page)


async def _stay_without_page(request: Request) -> None:
    """Let a frame wait no longer for a document that its request did not bring.

    The browser reports such a request as failed, though it was answered.
    """
    if not request.is_navigation_request():
        return
    with contextlib.suppress(Error):  # The frame is gone.
        response = await request.response()
        if response is not None and response.status in WITHOUT_PAGE:
            await request.frame.evaluate("() => window.__webrl?.stay()")
