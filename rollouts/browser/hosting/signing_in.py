"""Signing in to external sites: once, kept as a session, and again when it expires.

A recipe is data: an address, fields to fill, a button, and an element that only a
person who is signed in sees; or headers and entries of `localStorage` in place of a
form. The credentials come from the operator's own file, never from the database, and
are in no record and no message.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from playwright.async_api import Error

from curriculum.texts.sentences import Sentence
from rollouts.browser.errors import SiteBroken, first_line
from rollouts.browser.hosting.hosts import OpenSites
from rollouts.browser.hosting.sessions import (
    Session,
    give_session,
    take_session,
)
from rollouts.browser.process.pool import BrowserPool
from rollouts.browser.types import SignIn

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page


class SignIns:
    """The sites' sessions of one browser, shared by all its episodes."""

    def __init__(
        self,
        pool: BrowserPool,
        recipes: Mapping[str, SignIn],
        *,
        patience_ms: float = 15_000,
    ) -> None:
        """`recipes` are by site key; sites without one need no sign-in.

        `patience_ms` is the longest wait for a field, or for being signed in.
        """
        self._pool = pool
        self._patience_ms = patience_ms
        self._recipes = dict(recipes)
        # By site and address: each instance has its own sessions.
        self._sessions: dict[tuple[str, str], Session] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def prepare(self, context: BrowserContext, opened: OpenSites) -> None:
        """Give a fresh context the sessions of all its sites.

        Raises:
            SiteBroken: A site could not be signed in to.
        """
        for site, origin in opened.origins.items():
            if site in self._recipes:
                session = await self.find_session(site, origin, old=None)
                await give_session(context, session)

    async def check(self, page: Page, opened: OpenSites) -> None:
        """Sign in again where a session has expired, and reload the page.

        Raises:
            SiteBroken: The page still does not show a signed-in person.
        """
        for site, origin in opened.origins.items():
            recipe = self._recipes.get(site)
            if recipe is None or not page.url.startswith(origin):
                continue
            if await _is_signed_in(page, recipe):
                continue
            url, old = page.url, self._sessions.get((site, origin))
            session = await self.find_session(site, origin, old=old)
            await give_session(page.context, session)
            await page.goto(url, wait_until="load")
            if not await _is_signed_in(page, recipe):
                raise SiteBroken(Sentence("sign_in_lost", site=site), site=site)

    async def find_session(
        self, site: str, origin: str, *, old: Session | None
    ) -> Session:
        """Return a session other than `old`; waiting episodes share one sign-in.

        Raises:
            SiteBroken: The site could not be signed in to.
        """
        async with self._locks[origin]:
            known = self._sessions.get((site, origin))
            if known is None or known is old:
                known = await self._sign_in(site, origin)
                self._sessions[site, origin] = known
            return known

    async def _sign_in(self, site: str, origin: str) -> Session:
        recipe = self._recipes[site]
        given = Session(origin, storage=recipe.storage, headers=recipe.headers)
        if not recipe.fields:
            return given
        lease = await self._pool.open_page()
        try:
            await give_session(lease.context, given)
            await self._fill_form(lease.page, site, origin)
            return await take_session(lease.context, origin, recipe.headers)
        except Error as error:
            # Playwright's message quotes what was typed, which must stay secret.
            told = Sentence("sign_in_failed", site=site, reason=_tell(error))
            raise SiteBroken(told, site=site) from None
        finally:
            await self._pool.give_back(lease)

    async def _fill_form(self, page: Page, site: str, origin: str) -> None:
        recipe = self._recipes[site]
        page.set_default_timeout(self._patience_ms)
        response = await page.goto(origin + recipe.path, wait_until="load")
        if response is not None and response.status >= 500:
            told = Sentence("sign_in_answered", site=site, status=response.status)
            raise SiteBroken(told, site=site)
        for selector, text in recipe.fields:
            await page.fill(selector, text)
        await page.click(recipe.button)
        await page.wait_for_selector(recipe.signed_in, state="attached")


async def _is_signed_in(page: Page, recipe: SignIn) -> bool:
    await page.wait_for_load_state("domcontentloaded")
    return await page.query_selector(recipe.signed_in) is not None


def _tell(error: Error) -> str:
    line = first_line(error.message)
    return line.split("(", 1)[0][:200] if "fill" in line else line
