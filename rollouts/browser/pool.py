"""One browser, its contexts, and the watchdog that ends a browser that hangs."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import shutil
import signal
from collections.abc import Iterable
from typing import TYPE_CHECKING

from playwright.async_api import Error, async_playwright

from rollouts.browser.egress import AllowedHost, egress_arguments
from rollouts.browser.errors import HarnessBroken
from rollouts.browser.observations import VIEWPORT, page_script

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Dialog, Page, Playwright

CHROMIUM_VARIABLE = "WEBRL_CHROMIUM"
_NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)


def find_chromium(setting: str | None = None) -> str | None:
    """Return the browser to start, or None for the one Playwright has installed."""
    wanted = setting or os.environ.get(CHROMIUM_VARIABLE)
    if wanted:
        found = shutil.which(wanted)
        if found is None:
            raise HarnessBroken(f"There is no browser at {wanted!r}.")
        return found
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@dataclasses.dataclass(frozen=True, slots=True)
class PoolOptions:
    """How the browser is run.

    Attributes:
        executable: Browser to start; None looks for one.
        prepared: Contexts opened ahead of the episodes that will use them.
        open_deadline_s: Longest wait for a page before the browser is killed.
        close_deadline_s: Longest wait for a page to close.
        ping_deadline_s: Longest wait for a sign of life of a browser that could not
            close a page, before it is killed.
    """

    executable: str | None = None
    prepared: int = 1
    open_deadline_s: float = 30.0
    close_deadline_s: float = 5.0
    ping_deadline_s: float = 5.0


@dataclasses.dataclass(slots=True)
class PageLease:
    """One fresh context with one page, for one episode."""

    context: BrowserContext
    page: Page


class BrowserPool:
    """Lends fresh pages of one browser, which is started again if it ends.

    Used from one asyncio loop only.
    """

    def __init__(self, options: PoolOptions) -> None:
        """Nothing is started before the first `open_page`, nothing is reachable."""
        self._options = options
        self._allowed: set[AllowedHost] = set()
        self._script = page_script()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._pid = 0
        self._ready: list[PageLease] = []
        self._chores: set[asyncio.Task[None]] = set()
        self._launching = asyncio.Lock()

    @property
    def process_id(self) -> int:
        """The browser's process, 0 while there is none."""
        return self._pid

    def allow(self, hosts: Iterable[AllowedHost]) -> None:
        """Let pages reach these hosts and ports too; a running browser restarts."""
        new = set(hosts) - self._allowed
        if new:
            self._allowed |= new
            self.kill()

    async def open_page(self) -> PageLease:
        """Return a page that no episode has used."""
        browser = await self._ensure_browser()
        return self._ready.pop() if self._ready else await self._new_page(browser)

    async def give_back(self, lease: PageLease) -> None:
        """Close a page; a browser that does not answer any more is killed."""
        try:
            async with asyncio.timeout(self._options.close_deadline_s):
                # Pages first: a context waits for a page that hangs.
                await asyncio.gather(*(page.close() for page in lease.context.pages))
                await lease.context.close()
        except TimeoutError:
            browser = lease.context.browser
            if (
                browser
                and browser is self._browser
                and not await self._answers(browser)
            ):
                self.kill()
        except Error:
            pass  # The browser has ended already.

    async def _answers(self, browser: Browser) -> bool:
        """Ask the browser itself for a sign of life."""
        try:
            async with asyncio.timeout(self._options.ping_deadline_s):
                session = await browser.new_browser_cdp_session()
                await session.send("Browser.getVersion")
                await session.detach()
        except (TimeoutError, Error):
            return False
        return True

    def kill(self) -> None:
        """End the browser and all its processes at once."""
        pid, self._pid = self._pid, 0
        self._browser = None
        self._drop_prepared()
        if pid:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                _kill_group(pid)

    async def close(self) -> None:
        """End the browser and Playwright."""
        self._drop_prepared()
        browser, self._browser = self._browser, None
        if browser is not None:
            try:
                async with asyncio.timeout(self._options.close_deadline_s):
                    await browser.close()
            except (TimeoutError, Error):
                self.kill()
        if self._playwright is not None:
            await self._playwright.stop()
            self._playwright = None

    def _drop_prepared(self) -> None:
        # A call to a browser that was killed may never return.
        for chore in self._chores:
            chore.cancel()
        self._chores.clear()
        self._ready.clear()

    async def _ensure_browser(self) -> Browser:
        async with self._launching:
            if self._browser is None or not self._browser.is_connected():
                self._drop_prepared()
                self._browser = await self._launch()
            return self._browser

    async def _launch(self) -> Browser:
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        try:
            browser = await self._playwright.chromium.launch(
                executable_path=find_chromium(self._options.executable),
                args=egress_arguments(sorted(self._allowed)),
                chromium_sandbox=os.geteuid() != 0,
            )
        except Error as error:
            raise HarnessBroken(
                f"The browser did not start: {error.message}"
            ) from error
        self._pid = await _process_id(browser)
        return browser

    async def _new_page(self, browser: Browser) -> PageLease:
        try:
            async with asyncio.timeout(self._options.open_deadline_s):
                return await self._make_page(browser)
        except TimeoutError as error:
            self.kill()
            raise HarnessBroken("The browser did not open a page in time.") from error
        except Error as error:
            raise HarnessBroken(f"No page could be opened: {error.message}") from error

    async def _make_page(self, browser: Browser) -> PageLease:
        width, height = VIEWPORT
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            service_workers="block",
            accept_downloads=False,
            locale="en-US",
            timezone_id="UTC",
            reduced_motion="reduce",
            color_scheme="light",
        )
        await context.add_init_script(self._script)
        context.on("dialog", _answer_dialog)
        return PageLease(context, await context.new_page())

    def prepare_ahead(self) -> None:
        """Open pages for the next episodes in the background.

        Called once an episode has seen its first page: beside it, opening a page
        takes as long again as the navigation that it would hold up.
        """
        missing = self._options.prepared - len(self._ready) - len(self._chores)
        for _ in range(max(missing, 0)):
            chore = asyncio.create_task(self._prepare_one())
            self._chores.add(chore)
            chore.add_done_callback(self._chores.discard)

    async def _prepare_one(self) -> None:
        browser = self._browser
        if browser is None:
            return
        with contextlib.suppress(HarnessBroken):
            lease = await self._new_page(browser)
            if browser is self._browser:
                self._ready.append(lease)


def _kill_group(pid: int) -> None:
    group = os.getpgid(pid)
    if group == os.getpgid(0):
        os.kill(pid, signal.SIGKILL)
    else:
        os.killpg(group, signal.SIGKILL)


async def _answer_dialog(dialog: Dialog) -> None:
    """Agree to what a page asks, as a person who has just clicked would."""
    with contextlib.suppress(Error):
        await dialog.accept()


async def _process_id(browser: Browser) -> int:
    session = await browser.new_browser_cdp_session()
    answer = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    for process in answer["processInfo"]:
        if process["type"] == "browser":
            return int(process["id"])
    return 0
