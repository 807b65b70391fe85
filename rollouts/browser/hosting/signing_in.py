"""Signing in to external sites: once, kept as a session, and again when it expires.

A recipe is data: an address, fields to fill, a button, and an element that only a
person who is signed in sees; or headers and entries of `localStorage` in place of a
form. The credentials come from the operator's own file, never from the database, and
are in no record and no message.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from playwright.async_api import Error
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import SiteBroken, first_line
from rollouts.browser.failure_cause import visit
from rollouts.browser.hosting.hosts import OpenSites, find_site
from rollouts.browser.hosting.sessions import (
    Session,
    give_session,
    take_session,
)
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import SignIn

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page


# Longest wait for each field of a form, and for its answer.
PATIENCE_MS = 15_000
# Longest wait, on a page that has loaded, for what only a person who is signed in sees:
# many pages ask their server who that is once they have loaded.
SEEN_MS = 3_000
# Longest wait for one sign-in, besides the time of the episodes that wait for it.
SIGN_IN_S = 60.0

# The sessions that one episode was given, by site.
Given = dict[str, Session]


class SignIns:
    """The sites' sessions of one browser, shared by all its episodes."""

    def __init__(
        self,
        pool: BrowserPool,
        recipes: Mapping[str, SignIn],
        *,
        patience_ms: float = PATIENCE_MS,
        seen_ms: float = SEEN_MS,
        deadline_s: float = SIGN_IN_S,
    ) -> None:
        """`recipes` are by site key; sites without one need no sign-in.

        `patience_ms` is the longest wait for a page, for a field, or for being signed
        in by a form; `seen_ms` for what shows that a session lasts; `deadline_s` for
        the whole sign-in.
        """
        self._pool = pool
        self._patience_ms = patience_ms
        self._seen_ms = seen_ms
        self._deadline_s = deadline_s
        self._recipes = dict(recipes)
        # By site and address: each instance has its own sessions.
        self._sessions: dict[tuple[str, str], Session] = {}
        # When the last sign-in failed, and why.
        self._failures: dict[tuple[str, str], tuple[float, SiteBroken]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def prepare(
        self, context: BrowserContext, opened: OpenSites, shown: Collection[str]
    ) -> Given:
        """Give a fresh context the sessions of all its sites, and return them.

        The episode has a tab on each of the sites `shown`: `check` looks there whether
        their sessions last. Those of the others are looked at here, on a page of their
        own, whose requests are not the episode's.

        Raises:
            SiteBroken: A site could not be signed in to.
        """
        given: Given = {}
        for site, origin in opened.origins.items():
            if site in self._recipes:
                session = await self.find_session(site, origin, old=None)
                if site not in shown:
                    session = await self._confirm(site, origin, session)
                await give_session(context, session)
                given[site] = session
        return given

    async def check(
        self,
        page: Page,
        url: str,
        opened: OpenSites,
        given: Given,
        *,
        pause: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Sign in again where the session has expired, and open `url` again.

        `page` has opened `url`, and may have been led away from it. `pause` stops the
        clock of the episode while a sign-in is waited for.

        Raises:
            SiteBroken: The page still does not show a signed-in person.
        """
        site = find_site(url, opened)
        if site not in given or await self._is_signed_in(page, site):
            return
        with pause():
            session = await self.find_session(
                site, opened.origins[site], old=given[site]
            )
        await give_session(page.context, session)
        given[site] = session
        await visit(page, url)
        if not await self._is_signed_in(page, site):
            raise SiteBroken(Sentence("sign_in_lost", site=site), site=site)

    async def find_session(
        self, site: str, origin: str, *, old: Session | None
    ) -> Session:
        """Return a session other than `old`; waiting episodes share one sign-in.

        Raises:
            SiteBroken: The site could not be signed in to.
        """
        key, asked = (site, origin), time.monotonic()
        async with self._locks[origin]:
            known = self._sessions.get(key)
            if known is not None and known is not old:
                return known
            failed_at, failure = self._failures.get(key, (-math.inf, None))
            if failure is not None and failed_at >= asked:
                raise SiteBroken(failure.args[0], site=site)
            try:
                self._sessions[key] = await self._sign_in(site, origin)
            except SiteBroken as broken:
                self._failures[key] = (time.monotonic(), broken)
                raise
            return self._sessions[key]

    async def _confirm(self, site: str, origin: str, session: Session) -> Session:
        """Return the session, or a new one where it has expired."""
        if await self._lasts(site, session):
            return session
        renewed = await self.find_session(site, origin, old=session)
        if not await self._lasts(site, renewed):
            raise SiteBroken(Sentence("sign_in_lost", site=site), site=site)
        return renewed

    async def _lasts(self, site: str, session: Session) -> bool:
        """Whether the site's start page shows a signed-in person."""
        async with self._page(site, session) as page:
            await visit(page, session.origin)
            return await self._is_signed_in(page, site)

    async def _is_signed_in(self, page: Page, site: str) -> bool:
        await page.wait_for_load_state("domcontentloaded")
        try:
            await page.wait_for_selector(
                self._recipes[site].signed_in, state="attached", timeout=self._seen_ms
            )
        except PlaywrightTimeoutError:
            return False
        return True

    async def _sign_in(self, site: str, origin: str) -> Session:
        recipe = self._recipes[site]
        given = Session(origin, storage=recipe.storage, headers=recipe.headers)
        if not recipe.fields:
            return given
        async with self._page(site, given) as page:
            await self._fill_form(page, site, origin)
            return await take_session(page.context, origin, recipe.headers)

    @asynccontextmanager
    async def _page(self, site: str, session: Session) -> AsyncIterator[Page]:
        """Give out a page with a session, in no episode, until the deadline.

        Raises:
            SiteBroken: The page failed, or the deadline has passed.
        """
        try:
            async with asyncio.timeout(self._deadline_s):
                lease = await self._pool.open_page((site,))
                try:
                    lease.page.set_default_timeout(self._patience_ms)
                    await give_session(lease.context, session)
                    yield lease.page
                finally:
                    await self._pool.give_back(lease)
        except Error as error:
            # Playwright's message quotes what was typed, which must stay secret.
            told = Sentence("sign_in_failed", site=site, reason=_tell(error))
            raise SiteBroken(told, site=site) from None
        except TimeoutError:
            silent = Sentence("page_silent", seconds=f"{self._deadline_s:g}")
            told = Sentence("sign_in_failed", site=site, reason=silent)
            raise SiteBroken(told, site=site) from None

    async def _fill_form(self, page: Page, site: str, origin: str) -> None:
        recipe = self._recipes[site]
        response = await page.goto(origin + recipe.path, wait_until="load")
        if response is not None and response.status >= 500:
            told = Sentence("sign_in_answered", site=site, status=response.status)
            raise SiteBroken(told, site=site)
        for selector, text in recipe.fields:
            await page.fill(selector, text)
        await page.click(recipe.button)
        await page.wait_for_selector(recipe.signed_in, state="attached")


def _tell(error: Error) -> str:
    line = first_line(error.message)
    return line.split("(", 1)[0][:200] if "fill" in line else line
