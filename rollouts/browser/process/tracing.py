"""Playwright's own trace of an episode: every call, with pictures and the page's HTML.

The browser's driver writes the file into the folder that the recording names; the code
that stores the episode takes it from there. If a trace cannot be written, only the
trace is lost, never the episode.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Error

from rollouts.browser.process.pool import PageLease
from rollouts.browser.types import Traces

if TYPE_CHECKING:
    from rollouts.browser.episode import Episode

logger = logging.getLogger(__name__)
PREFIX = "webrl-trace-"
# Longest wait for the file, in case the browser hangs.
WRITE_DEADLINE_S = 20.0
BROKEN_DEADLINE_S = 3.0
MAX_NAME_LENGTH = 200


async def begin_trace(lease: PageLease, traces: Traces) -> None:
    """Record what happens to the lease's context from now on, where wanted."""
    if traces == "off":
        return
    with contextlib.suppress(Error):
        await lease.context.tracing.start(screenshots=True, snapshots=True)


@contextlib.asynccontextmanager
async def traced_step(episode: Episode, output: str) -> AsyncIterator[None]:
    """Group the calls of one step under the answer that they carry out."""
    if episode.recording.traces == "off":
        yield
        return
    tracing = episode.lease.context.tracing
    name = f"{episode.steps}: {' '.join(output.split())[:MAX_NAME_LENGTH]}"
    with contextlib.suppress(Error):
        await tracing.group(name)
    try:
        yield
    finally:
        with contextlib.suppress(Error):
            await tracing.group_end()


async def end_trace(
    episode: Episode, *, solved: bool, deadline_s: float = WRITE_DEADLINE_S
) -> str:
    """Stop recording; return the file, "" where no trace is kept."""
    traces = episode.recording.traces
    if traces == "off":
        return ""
    tracing = episode.lease.context.tracing
    path: Path | None = None
    try:
        if traces == "all" or not solved:
            path = _new_file(episode.recording.trace_folder)
        async with asyncio.timeout(deadline_s):
            await tracing.stop(path=path)
    except (Error, OSError) as error:
        # A timeout has no text.
        told = str(error).partition("\n")[0] or f"not written within {deadline_s:g} s"
        logger.warning("An episode has no trace: %s", told)
        _drop(path)
        return ""
    return str(path) if path else ""


def _new_file(folder: Path | None) -> Path:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=PREFIX, suffix=".zip", dir=folder)
    os.close(handle)
    return Path(name)


def _drop(path: Path | None) -> None:
    if path is not None:
        path.unlink(missing_ok=True)
