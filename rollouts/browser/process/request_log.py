"""The requests of an episode as a HAR file, for evaluators that look at them.

The file contains cookies and form fields: it is written when the episode ends, into a
folder that only this user can read, and removed with the episode.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Error

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

logger = logging.getLogger(__name__)
WRITE_DEADLINE_S = 20.0
# Static files, by their paths; WebArena-Verified skips the same ones.
STATIC = "css|js|png|jpg|jpeg|gif|svg|woff|woff2|ttf|ico|webp"
LOGGED = re.compile(rf"^(?![^?#]*\.(?:{STATIC})(?:[?#]|$))")


class RequestLog:
    """Records what one context sends and receives, from `begin` on."""

    def __init__(self, context: BrowserContext) -> None:
        """Nothing is recorded before `begin`."""
        self._context = context
        self._folder: Path | None = None

    async def begin(self) -> None:
        """Record from now on; if the browser refuses, nothing is recorded."""
        folder = Path(tempfile.mkdtemp(prefix="webrl-requests-"))
        try:
            await self._context.tracing.start_har(
                folder / "requests.har", content="embed", url_filter=LOGGED
            )
        except Error as error:
            logger.warning("Requests are not recorded: %s", error.message)
            shutil.rmtree(folder, ignore_errors=True)
            return
        self._folder = folder

    async def end(self) -> Path | None:
        """Write the file; None where nothing was recorded."""
        if self._folder is None:
            return None
        path = self._folder / "requests.har"
        try:
            async with asyncio.timeout(WRITE_DEADLINE_S):
                await self._context.tracing.stop_har()
        except (Error, TimeoutError) as error:
            logger.warning("Requests were not written: %s", str(error)[:300])
        return path if path.is_file() else None

    def remove(self) -> None:
        """Remove the file, if there is one."""
        folder, self._folder = self._folder, None
        if folder is not None:
            with contextlib.suppress(OSError):
                shutil.rmtree(folder)
