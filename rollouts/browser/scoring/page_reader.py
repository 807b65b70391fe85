"""Reads pages for the evaluators, in a tab besides the episode's own."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Error

from curriculum.texts.sentences import Sentence
from rollouts.browser.evaluators import PageUnreadable
from rollouts.browser.evaluators.locators import Program
from rollouts.browser.observation.cross_origin_frames import is_navigation
from rollouts.browser.observation.observations import SettleLimits
from rollouts.browser.observation.page_calls import call_script

if TYPE_CHECKING:
    from playwright.async_api import Page


_SCRIPT = Path(__file__).parents[1] / "observation" / "script" / "locate.js"
# Seconds beyond the limits of the settling script itself.
GRACE_S = 1.0


@cache
def _script() -> str:
    return _SCRIPT.read_text("utf-8")


class TabReader:
    """Reads the last page, or other pages of the site in a tab of their own."""

    def __init__(self, page: Page, settle: SettleLimits | None = None) -> None:
        """`page` is the episode's active tab; it is never navigated.

        `settle` says how long to wait for an opened page.
        """
        self._page = page
        self._settle = settle or SettleLimits()

    async def read(
        self,
        url: str,
        program: Program | None,
        clicks: Sequence[Program] = (),
        *,
        wait_ms: int = 0,
    ) -> str:
        """Return what a program finds at an address ("last": the current page)."""
        if url == "last":
            return await _read(self._page, program, clicks)
        tab = await self._page.context.new_page()
        try:
            await tab.goto(url, wait_until="load")
            await settle(tab, self._settle, wait_ms)
            return await _read(tab, program, clicks)
        except Error as error:
            raise PageUnreadable(Sentence("page_not_reached", url=url)) from error
        finally:
            await tab.close()


async def settle(page: Page, limits: SettleLimits, least_ms: int) -> None:
    """Wait until the page is quiet, and at least so many milliseconds.

    A navigation that begins meanwhile is followed; a page that is busy in a script
    for longer than all limits together is taken as it is.
    """
    asked = dataclasses.asdict(limits) | {"least": least_ms}
    try:
        async with asyncio.timeout(sum(asked.values()) / 1000 + GRACE_S):
            while not await _settle_once(page, asked):
                await asyncio.sleep(0.005)
    except TimeoutError:
        return


async def _settle_once(page: Page, limits: dict[str, int]) -> bool:
    try:
        return await call_script(page, "settle", limits) is not None
    except Error as error:
        if not is_navigation(error):
            raise
        return False


async def _read(page: Page, program: Program | None, clicks: Sequence[Program]) -> str:
    for click in clicks:
        if not await page.evaluate(_script(), [*click.tree, ["click"]]):
            break
    if program is None:
        return await page.content()
    found = await page.evaluate(_script(), program.tree)
    # As in the published code: a missing value is "None", a missing element is "".
    return str(found[0]) if found else ""
