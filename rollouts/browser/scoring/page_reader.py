"""What the evaluators read from pages, through a tab beside the episode's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import Error

from rollouts.browser.evaluators import PageUnreadable
from rollouts.browser.evaluators.locators import Program

if TYPE_CHECKING:
    from playwright.async_api import Page


_SCRIPT = Path(__file__).parents[1] / "observation" / "script" / "locate.js"


@cache
def _script() -> str:
    return _SCRIPT.read_text("utf-8")


class TabReader:
    """Reads the last page, or other pages of the site in a tab of their own."""

    def __init__(self, page: Page) -> None:
        """`page` is the episode's active tab; it is never navigated."""
        self._page = page

    async def read(
        self, url: str, program: Program | None, clicks: Sequence[Program] = ()
    ) -> str:
        """Return what a program finds at an address ("last": the current page)."""
        if url == "last":
            return await _read(self._page, program, clicks)
        tab = await self._page.context.new_page()
        try:
            await tab.goto(url, wait_until="load")
            return await _read(tab, program, clicks)
        except Error as error:
            raise PageUnreadable(f"{url} was not reached") from error
        finally:
            await tab.close()


async def _read(page: Page, program: Program | None, clicks: Sequence[Program]) -> str:
    for click in clicks:
        await page.evaluate(_script(), [*click.tree, ["click"]])
    if program is None:
        return await page.content()
    found: str = await page.evaluate(_script(), program.tree)
    return found
