"""Every page of every site, found by following links as a person would."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence

import pytest
from playwright.async_api import ConsoleMessage, Page, ViewportSize
from starlette.routing import BaseRoute, Match, Route

from rollouts.browser.hosting.hosts import SandboxHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from rollouts.sites.sandbox.background import running_sandbox
from rollouts.sites.sandbox.server import PAGES

pytestmark = pytest.mark.browser

NARROW, WIDE = ViewportSize(width=390, height=720), ViewportSize(width=1280, height=720)
# Starts that no link gives: a search, and what a form leads to.
STARTS = ("/", "/search?q=a", "/checkout")
# Not pages: lists for what one types, and files.
NO_PAGES = ("/suggest", "/download/{name}.csv")
LINKS = """() => [...document.querySelectorAll('a[href]')]
  .map((link) => String(link.href.baseVal ?? link.href))"""


@dataclasses.dataclass
class Tour:
    """What one site has shown."""

    routes: Sequence[BaseRoute]
    shown: set[str] = dataclasses.field(default_factory=set)
    problems: list[str] = dataclasses.field(default_factory=list)

    def route_of(self, path: str) -> str | None:
        """The pattern of a page's address."""
        scope = {"type": "http", "method": "GET", "path": path, "headers": []}
        for route in self.routes:
            if isinstance(route, Route) and route.matches(scope)[0] == Match.FULL:
                return route.path
        return None

    def missing(self) -> set[str]:
        """Patterns of pages that no link has led to."""
        paths = {
            route.path
            for route in self.routes
            if isinstance(route, Route) and "GET" in (route.methods or ())
        }
        return paths - self.shown - set(NO_PAGES)


async def walk(page: Page, origin: str, tour: Tour) -> None:
    """Open one page of each pattern, and note what is wrong with it."""

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            tour.problems.append(f"{page.url}: {message.text}")

    page.on("console", note)
    page.on("pageerror", lambda error: tour.problems.append(f"{page.url}: {error}"))
    waiting = [origin + start for start in STARTS]
    for url in waiting:
        path = url.removeprefix(origin).partition("?")[0]
        route = tour.route_of(path) if url.startswith(origin) else None
        if route is None or route in tour.shown:
            continue
        tour.shown.add(route)
        await look(page, url, tour)
        waiting += await page.evaluate(LINKS)


async def look(page: Page, url: str, tour: Tour) -> None:
    """Open a page and see that it answers and fits a telephone."""
    response = await page.goto(url)
    if response is None or response.status >= 500:
        tour.problems.append(f"{url}: no page")
    await page.set_viewport_size(NARROW)
    width = await page.evaluate("document.documentElement.scrollWidth")
    if width > NARROW["width"]:
        tour.problems.append(f"{url}: {width} pixels wide")
    await page.set_viewport_size(WIDE)


async def tour_of(key: str, control_url: str) -> Tour:
    tour = Tour(PAGES[key].routes)
    pool, host = BrowserPool(PoolOptions()), SandboxHost(control_url)
    opened = await host.open([key])
    pool.allow(host.allowed(opened))
    lease = await pool.open_page()
    await walk(lease.page, opened.origins[key], tour)
    await pool.close()
    await host.aclose()
    return tour


@pytest.mark.parametrize("key", PAGES)
def test_every_page_can_be_reached_and_has_nothing_to_complain_of(key: str) -> None:
    with running_sandbox() as sandbox:
        tour = asyncio.run(tour_of(key, sandbox.control_url))
    assert tour.problems == []
    assert tour.missing() == set()
