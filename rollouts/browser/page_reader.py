"""What the evaluators read from pages, through a tab beside the episode's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.async_api import Error

from rollouts.browser.evaluators import PageUnreadable
from rollouts.browser.locators import parse_locator

if TYPE_CHECKING:
    from playwright.async_api import Page

_READ = """locator => {
  let found = [];
  try { found = [...document.querySelectorAll(locator.selector)]; } catch { return ""; }
  const name = locator.property;
  const read = el => String(el?.[name] ?? "");
  if (locator.index !== null) return read(found[locator.index]);
  return found.map(read).join(locator.separator);
}"""


class TabReader:
    """Reads the last page, or other pages of the site in a tab of their own."""

    def __init__(self, page: Page) -> None:
        """`page` is the episode's active tab; it is never navigated."""
        self._page = page

    async def html_of(self, url: str, locator: str) -> str:
        """Return what a locator finds at an address ("last": the current page)."""
        if url == "last":
            return await _read(self._page, locator)
        tab = await self._page.context.new_page()
        try:
            await tab.goto(url, wait_until="load")
            return await _read(tab, locator)
        except Error as error:
            raise PageUnreadable(f"{url} was not reached") from error
        finally:
            await tab.close()


async def _read(page: Page, text: str) -> str:
    if not text.strip():
        return await page.content()
    locator = parse_locator(text)
    argument = {
        "selector": locator.selector,
        "property": locator.property,
        "index": locator.index,
        "separator": locator.separator,
    }
    found: str = await page.evaluate(_READ, argument)
    return found
