"""VisualAgentBench's text observer, run as released on one of our pages."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import io
import sys
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import Page

FOLDER = "VisualAgentBench/VAB-WebArena-Lite/new"


class ReleasedObserver:
    """Calls `html_tools.get_parsed_html` from the folder of the originals."""

    def __init__(self, originals: Path) -> None:
        """`originals` holds a checkout of VisualAgentBench."""
        sys.path.insert(0, str(originals / FOLDER))
        self._observe = importlib.import_module("html_tools").get_parsed_html

    async def observe(self, page: Page) -> str:
        """Return the simplified HTML of a page; the observer's marks stay on it."""
        blocking = _BlockingPage(page, asyncio.get_running_loop())
        return await asyncio.to_thread(self._run, blocking)

    def _run(self, page: _BlockingPage) -> str:
        # The observer writes pictures into the current folder and prints.
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(folder),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            return str(self._observe(page)["html"])


class _BlockingPage:
    """The part of Playwright's blocking page that the observer calls."""

    def __init__(self, page: Page, loop: asyncio.AbstractEventLoop) -> None:
        self._page = page
        self._loop = loop

    def evaluate(self, script: str, argument: Any = None) -> Any:
        return self._wait_for(self._page.evaluate(script, argument))

    def screenshot(self, path: str) -> bytes:
        return bytes(self._wait_for(self._page.screenshot(path=path)))

    def wait_for_timeout(self, milliseconds: float) -> None:
        self._wait_for(self._page.wait_for_timeout(milliseconds))

    def _wait_for(self, call: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()
