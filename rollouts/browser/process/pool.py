"""Fresh pages of one browser, and the watchdog that replaces a failed browser."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from playwright.async_api import Error, async_playwright

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import HarnessBroken
from rollouts.browser.observation.observations import VIEWPORT, warm_up
from rollouts.browser.observation.page_script import Form, page_script
from rollouts.browser.process.chromium import RunningBrowser, launch
from rollouts.browser.process.egress import AllowedHost
from rollouts.browser.process.gates import HOST, Gate, write_exceptions
from rollouts.browser.process.launch_pauses import LaunchPauses
from rollouts.browser.process.memory_watch import MemoryWatch
from rollouts.browser.types import RefusedAttempt

if TYPE_CHECKING:
    from playwright.async_api import (
        BrowserContext,
        Dialog,
        Page,
        Playwright,
        Request,
        WebSocket,
    )

# A page may open dialogs endlessly; so many are kept between two steps.
MAX_DIALOGS = 3


@dataclasses.dataclass(frozen=True, slots=True)
class PoolOptions:
    """How the browser is run.

    Attributes:
        executable: Browser to start; None looks for one.
        prepared: Contexts opened ahead of the episodes that will use them.
        open_deadline_s: Longest wait for a page before the browser is suspected to
            hang.
        close_deadline_s: Longest wait for a page to close before it is suspected.
        ping_deadline_s: Longest wait for the ping of a suspected browser with other
            episodes, before it is killed with them. A busy machine answers late, and
            all of them would be lost.
        browser_mib: A browser that uses more gets no new episode, and ends with its
            last one; 0 for no limit.
        episode_mib: An episode with a page that uses more is broken; 0 for no limit.
    """

    executable: str | None = None
    prepared: int = 1
    open_deadline_s: float = 30.0
    close_deadline_s: float = 2.0
    ping_deadline_s: float = 20.0
    browser_mib: int = 0
    episode_mib: int = 0


@dataclasses.dataclass(slots=True)
class PageLease:
    """One fresh context with one page, for one episode.

    `gate` refuses its pages' connections outside the task's sites; `why_broken` says
    why one of its pages was ended, "" while none was; `dialogs` are texts of dialogs
    that the agent has not been shown yet.
    """

    context: BrowserContext
    page: Page
    home: RunningBrowser
    gate: Gate
    why_broken: str = ""
    dialogs: list[str] = dataclasses.field(default_factory=list)

    def list_refused(self) -> tuple[RefusedAttempt, ...]:
        """Return what its pages have tried to reach and could not."""
        return self.gate.refusals.list_attempts()


class BrowserPool:
    """Lends fresh pages of one browser, which is started again if it ends.

    Used from one asyncio loop only.
    """

    def __init__(
        self,
        options: PoolOptions,
        form: Form = "compact",
        pauses: LaunchPauses | None = None,
    ) -> None:
        """Nothing is started, and no host reachable, before the first `open_page`.

        `form` is what the pages will be observed in; `pauses` are replaced in tests.
        """
        self._options = options
        self._pauses = pauses or LaunchPauses()
        self.form = form
        self._allowed: set[AllowedHost] = set()
        self._script = page_script(form)
        self._playwright: Playwright | None = None
        # Drivers that were replaced; they end with the pool.
        self._former: list[Playwright] = []
        self._running: RunningBrowser | None = None
        # They get no new episode, and end with their last one.
        self._retired: set[RunningBrowser] = set()
        self._ready: list[PageLease] = []
        self._chores: set[asyncio.Task[None]] = set()
        self._doubts: dict[RunningBrowser, asyncio.Task[None]] = {}
        self._launching = asyncio.Lock()
        self._watch = MemoryWatch(
            options.browser_mib,
            options.episode_mib,
            browsers=self._list_running,
            retire=self._retire,
        )

    @property
    def process_id(self) -> int:
        """The process of the browser that gets new episodes, 0 while there is none."""
        return self._running.pid if self._running else 0

    def allow(self, hosts: Iterable[AllowedHost]) -> None:
        """Let pages reach these hosts and ports too; a running browser restarts."""
        new = set(hosts) - self._allowed
        if new:
            self._allowed |= new
            self.kill()

    async def open_page(self, sites: Collection[str] = ()) -> PageLease:
        """Return a page that no episode has used.

        It reaches the allowed hosts that belong to no site or to one of `sites`.
        """
        running = await self._ensure_browser()
        # Counted first: a browser without leases may be ended at any moment.
        running.leases += 1
        try:
            if self._ready and not any(host.site in sites for host in self._allowed):
                return self._ready.pop()
            return await self._new_page(running, sites)
        except BaseException:
            await self._end_lease(running)
            raise

    async def give_back(self, lease: PageLease) -> None:
        """Close a page; one that cannot be closed ends with its browser."""
        closing = asyncio.create_task(_close(lease))
        await asyncio.wait({closing}, timeout=self._options.close_deadline_s)
        if closing.done():
            lease.home.gates.give_back(lease.gate)
            await self._end_lease(lease.home)
        else:
            closing.cancel()
            lease.home.leases -= 1
            self._doubt(lease.home)

    def kill(self) -> None:
        """End the browser and all its processes at once."""
        if self._running is not None:
            self._kill(self._running)

    async def close(self) -> None:
        """End the browsers and Playwright."""
        await self._watch.close()
        self._drop_prepared()
        for doubt in self._doubts.values():
            doubt.cancel()
        browsers, self._running = self._list_running(), None
        self._retired.clear()
        deadline_s = self._options.close_deadline_s
        await asyncio.gather(*(one.end(deadline_s) for one in browsers))
        if self._playwright is not None:
            self._former.append(self._playwright)
            self._playwright = None
        while self._former:
            await self._stop_driver(self._former.pop())

    def _list_running(self) -> list[RunningBrowser]:
        present = [self._running] if self._running is not None else []
        return [*present, *self._retired]

    def _retire(self, running: RunningBrowser) -> None:
        """Let a browser end with its episodes; the next one gets a fresh browser."""
        if running is self._running:
            self._running = None
            self._drop_prepared()
            self._retired.add(running)
            if not running.leases:
                self._kill(running)

    def _doubt(self, running: RunningBrowser) -> None:
        """Lend no more pages of a browser; end it unless it is alive with episodes."""
        self._retire(running)
        if not running.leases:
            self._kill(running)
        elif running not in self._doubts:
            asking = asyncio.create_task(self._ask_for_life(running))
            self._doubts[running] = asking
            asking.add_done_callback(lambda _: self._doubts.pop(running))

    async def _ask_for_life(self, running: RunningBrowser) -> None:
        if not await running.answers(self._options.ping_deadline_s):
            self._kill(running)

    def _kill(self, running: RunningBrowser) -> None:
        if running is self._running:
            self._running = None
            self._drop_prepared()
        self._retired.discard(running)
        running.kill()

    async def _end_lease(self, running: RunningBrowser) -> None:
        running.leases -= 1
        if running in self._retired and not running.leases:
            self._retired.discard(running)
            await running.end(self._options.close_deadline_s)

    def _drop_prepared(self) -> None:
        # A call to a browser that was killed may never return.
        for chore in self._chores:
            chore.cancel()
        self._chores.clear()
        self._ready.clear()

    async def _ensure_browser(self) -> RunningBrowser:
        await self._pauses.wait()
        async with self._launching:
            if self._running is None or not self._running.browser.is_connected():
                self._drop_prepared()
                self._running = await self._launch()
                self._watch.start()
            return self._running

    async def _launch(self) -> RunningBrowser:
        if self._playwright is None:
            self._playwright = await async_playwright().start()
        try:
            running = await launch(
                self._playwright, self._options.executable, self._allowed
            )
        except HarnessBroken:
            self._pauses.note_failure()
            # The driver may be dead: the next try has another one.
            await self._drop_driver()
            raise
        self._pauses.note_start()
        return running

    async def _drop_driver(self) -> None:
        """End Playwright's driver, unless it still has browsers with episodes."""
        driver, self._playwright = self._playwright, None
        if driver is not None and any(one.leases for one in self._retired):
            self._former.append(driver)
        elif driver is not None:
            await self._stop_driver(driver)

    async def _stop_driver(self, driver: Playwright) -> None:
        """End a driver; one that is dead already may never answer."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(self._options.close_deadline_s):
                await driver.stop()

    async def _new_page(
        self, running: RunningBrowser, sites: Collection[str] = ()
    ) -> PageLease:
        gate = running.gates.take()
        try:
            async with asyncio.timeout(self._options.open_deadline_s):
                return await self._make_page(running, gate, sites)
        except TimeoutError as error:
            self._doubt(running)
            raise HarnessBroken(Sentence("page_not_opened_in_time")) from error
        except Error as error:
            running.gates.give_back(gate)
            # Its driver may be dead, which the browser itself does not show.
            self._doubt(running)
            told = Sentence("page_not_opened", reason=error.message)
            raise HarnessBroken(told) from error

    async def _make_page(
        self, running: RunningBrowser, gate: Gate, sites: Collection[str]
    ) -> PageLease:
        width, height = VIEWPORT
        reached = (host for host in self._allowed if host.site in ("", *sites))
        context = await running.browser.new_context(
            viewport={"width": width, "height": height},
            service_workers="block",
            accept_downloads=False,
            locale="en-US",
            timezone_id="UTC",
            reduced_motion="reduce",
            color_scheme="light",
            proxy={
                "server": f"socks5://{HOST}:{gate.port}",
                "bypass": write_exceptions(reached),
            },
        )
        await context.add_init_script(self._script)
        _explain_refusals(context, gate)
        lease = PageLease(context, await context.new_page(), running, gate)
        context.on("dialog", lambda dialog: _answer_dialog(dialog, lease))
        _note_crashes(lease)
        return lease

    def prepare_ahead(self) -> None:
        """Open pages for the next episodes in the background.

        Called once an episode has seen its first page: during that navigation, opening
        a page would delay it by as much time again.
        """
        missing = self._options.prepared - len(self._ready) - len(self._chores)
        for _ in range(max(missing, 0)):
            chore = asyncio.create_task(self._prepare_one())
            self._chores.add(chore)
            chore.add_done_callback(self._chores.discard)

    async def _prepare_one(self) -> None:
        running = self._running
        if running is None:
            return
        with contextlib.suppress(HarnessBroken):
            lease = await self._new_page(running)
            with contextlib.suppress(Error, TimeoutError):
                async with asyncio.timeout(self._options.open_deadline_s):
                    await warm_up(lease.page, self.form)
            if running is self._running:
                self._ready.append(lease)


def _explain_refusals(context: BrowserContext, gate: Gate) -> None:
    """Name the requests whose connections the gate has refused."""

    def explain(request: Request) -> None:
        gate.refusals.explain(request.url, request.resource_type)

    def watch(socket: WebSocket) -> None:
        kind = "websocket"
        socket.on("socketerror", lambda _: gate.refusals.explain(socket.url, kind))

    context.on("requestfailed", explain)
    context.on("page", lambda page: page.on("websocket", watch))


def _note_crashes(lease: PageLease) -> None:
    """Note in the lease why one of its pages crashed, where that is known."""

    def note(page: Page) -> None:
        lease.why_broken = lease.why_broken or lease.home.explain_crash()

    lease.page.on("crash", note)
    lease.context.on("page", lambda page: page.on("crash", note))


async def _close(lease: PageLease) -> None:
    with contextlib.suppress(Error):  # The browser has ended already.
        # Pages first: a context waits for a page that hangs.
        await asyncio.gather(*(page.close() for page in lease.context.pages))
        await lease.context.close()


async def _answer_dialog(dialog: Dialog, lease: PageLease) -> None:
    """Accept a page's dialog, as a person who has just clicked would."""
    if dialog.type != "beforeunload" and len(lease.dialogs) < MAX_DIALOGS:
        lease.dialogs.append(dialog.message)
    proposed = dialog.default_value if dialog.type == "prompt" else None
    with contextlib.suppress(Error):
        await dialog.accept(proposed)
