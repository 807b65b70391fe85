"""Chromium: finds, starts, pings and ends the browser."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Error

from curriculum.rules.priority import share_priority
from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import HarnessBroken
from rollouts.browser.process.chromium_path import find_chromium, has_sandbox
from rollouts.browser.process.egress import AllowedHost, egress_arguments
from rollouts.browser.process.gates import Gates

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

logger = logging.getLogger(__name__)

# Seconds after the kill of a renderer in which a page's crash is attributed to it.
CRASH_FOLLOWS_S = 5.0


@dataclasses.dataclass(slots=True, eq=False)
class RunningBrowser:
    """One browser with its processes.

    Attributes:
        browser: As Playwright sees it.
        pid: Its main process, the leader of its group; 0 once it was killed.
        gates: Listeners that refuse its pages' other connections.
        leases: How many pages are lent.
    """

    browser: Browser
    pid: int
    gates: Gates
    leases: int = 0
    _killed: tuple[float, str] | None = None
    _started: str = ""

    def __post_init__(self) -> None:
        """Remember which process has the number now."""
        self._started = read_start(self.pid)

    async def answers(self, deadline_s: float) -> bool:
        """Ping the browser process itself."""
        try:
            async with asyncio.timeout(deadline_s):
                session = await self.browser.new_browser_cdp_session()
                await session.send("Browser.getVersion")
                await session.detach()
        except (TimeoutError, Error):
            return False
        return True

    async def end(self, deadline_s: float) -> None:
        """Close the browser; kill it when it takes too long."""
        try:
            async with asyncio.timeout(deadline_s):
                await self.browser.close()
        except (TimeoutError, Error):
            self.kill()
        finally:
            self.gates.close()

    def kill(self) -> None:
        """End the browser and all its processes at once."""
        self.gates.close()
        # Only once, and not where it died by itself: the process id may have been
        # reused.
        pid, self.pid = self.pid, 0
        if pid and read_start(pid) == self._started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                _kill_group(pid)

    def note_kill(self, reason: str) -> None:
        """Remember why one of its renderers is killed, for the page that crashes."""
        self._killed = (time.monotonic(), reason)

    def explain_crash(self) -> str:
        """Return why a page's renderer was killed, "" when its crash is unexplained."""
        if self._killed is None:
            return ""
        at, reason = self._killed
        return reason if time.monotonic() - at < CRASH_FOLLOWS_S else ""


async def launch(
    playwright: Playwright, executable: str | None, allowed: Iterable[AllowedHost]
) -> RunningBrowser:
    """Start a browser whose pages reach only the allowed hosts.

    Raises:
        HarnessBroken: There is no browser, or it did not start.
    """
    if not has_sandbox():
        logger.warning("Chromium runs without its sandbox, because we are root.")
    gates = Gates()
    try:
        await gates.open()
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(executable),
            args=egress_arguments([*sorted(allowed), *gates.list_hosts()]),
            chromium_sandbox=has_sandbox(),
        )
        pid = await _process_id(browser)
        # The process leads its own session.
        await asyncio.to_thread(share_priority, pid)
        return RunningBrowser(browser, pid, gates)
    except BaseException as error:
        gates.close()
        if not isinstance(error, Error):
            raise
        told = Sentence("browser_not_started", reason=error.message)
        raise HarnessBroken(told) from error


def read_start(pid: int) -> str:
    """Return when a process started, in the system's ticks; "" where unknown."""
    try:
        stat = Path("/proc", str(pid), "stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    # After the name, which may contain blanks: the 22nd field of the line (proc(5)).
    return stat.rpartition(")")[2].split()[19]


def _kill_group(pid: int) -> None:
    group = os.getpgid(pid)
    if group == os.getpgid(0):
        os.kill(pid, signal.SIGKILL)
    else:
        os.killpg(group, signal.SIGKILL)


async def _process_id(browser: Browser) -> int:
    session = await browser.new_browser_cdp_session()
    answer = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    for process in answer["processInfo"]:
        if process["type"] == "browser":
            return int(process["id"])
    return 0
