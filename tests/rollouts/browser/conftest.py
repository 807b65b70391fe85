"""One real browser for all the tests of this folder that are marked `browser`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack

import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from tests.rollouts.browser.tiny_site import TinySite

OpenSite = Callable[[Mapping[str, str | bytes]], Awaitable[TinySite]]


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def pool() -> AsyncIterator[BrowserPool]:
    pool = BrowserPool(PoolOptions(prepared=1))
    yield pool
    await pool.close()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def site() -> AsyncIterator[TinySite]:
    """One site for all tests, so that the browser need not start again."""
    async with TinySite({}) as site:
        yield site


@pytest_asyncio.fixture(loop_scope="session")
async def serve(site: TinySite) -> AsyncIterator[Callable[..., TinySite]]:
    """Give the site its pages for one test."""

    def put(home: str | bytes = "", **others: str | bytes) -> TinySite:
        site.pages = {f"/{name}": page for name, page in others.items()}
        site.pages["/"] = home
        site.requests.clear()
        return site

    yield put
    site.pages = {}


@pytest_asyncio.fixture(loop_scope="session")
async def environment(
    pool: BrowserPool, site: TinySite
) -> AsyncIterator[BrowserEnvironment]:
    async with AsyncExitStack() as stack:
        environment = BrowserEnvironment(pool, ExternalHost({"shop": site.url}))
        stack.push_async_callback(environment.close)
        yield environment
